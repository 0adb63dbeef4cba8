// Collectives that computation hides, and those that it does not (docs/rules.md#devices).
#include <algorithm>

#include "model/analysis/devices/device_tables.h"
#include "model/analysis/devices/step_spans.h"
#include "model/analysis/intervals/ranges.h"
#include "model/analysis/tables/in_unit.h"

namespace stepscope {
namespace {

// Sums how long collectives and computation run, each the union of its events, and how long both
// run at once. Takes the events of a device in order of begin, so that it need not keep intervals.
class OverlapSums {
 public:
  // `spans`: the time that counts.
  explicit OverlapSums(const Ranges& spans)
      : counted_(spans), collectives_(spans), compute_(spans), hidden_(spans) {}

  void Add(const DeviceEvent& e) {
    const bool collective = e.time_class == TimeClass::kCollectives;
    if (!collective && !e.is_compute()) return;
    if (collective && counted_.Has(e.begin)) rows_.emplace_back(e.row);
    Sum& of = collective ? collectives_ : compute_;
    const Ps other_until = (collective ? compute_ : collectives_).until;
    const Ps begin = std::max(e.begin, of.until);
    if (e.end <= begin) return;
    of.Add(begin, e.end);
    // The other kind began before, so it runs from here to its end.
    if (other_until > begin) hidden_.Add(begin, std::min(e.end, other_until));
  }

  Ps collectives() const { return collectives_.time; }
  Ps compute() const { return compute_.time; }
  Ps hidden() const { return hidden_.time; }
  // The collectives that begin in the spans.
  std::vector<EventRow> TakeRows() {
    std::sort(rows_.begin(), rows_.end());
    return std::move(rows_);
  }

 private:
  struct Sum {
    explicit Sum(const Ranges& spans) : counted(spans) {}
    void Add(Ps begin, Ps end) {
      time += counted.LengthOf({begin, end});
      until = end;
    }
    SpanClip counted;
    Ps time = 0;
    Ps until = kMinPs;  // the end of the last interval
  };

  SpanCursor counted_;
  Sum collectives_, compute_, hidden_;
  std::vector<EventRow> rows_;
};

}  // namespace

ResultTable OverlapTable(const DeviceEvents& events, const StepSpans& steps) {
  using V = ValueType;
  ResultTable t{
      "overlap",
      "Overlap of computation and communication",
      {{"host", "Host", Unit::kNone, V::kString, ""},
       {"device", "Device", Unit::kNone, V::kString, ""},
       {"count", "Collectives", Unit::kCount, V::kInt,
        "events that are collectives, in the steps that count"},
       {"collectiveMs", "Collective time", Unit::kMs, V::kReal,
        "with a collective open (union), in all steps that count"},
       {"hiddenMs", "Hidden", Unit::kMs, V::kReal,
        "the part in which a kernel that is no collective runs on the device as well"},
       {"exposedMs", "Exposed", Unit::kMs, V::kReal, "collective time - hidden"},
       {"hiddenPercent", "Hidden share", Unit::kPercent, V::kReal, "hidden / collective time"},
       {"computeMs", "Compute time", Unit::kMs, V::kReal,
        "with a kernel open that is no collective (union), in all steps that count"}}};
  AppendDevices(events, &t, [&](PlaneId device, ResultTable* of_device) {
    if (!steps.none() && steps.Of(device) == nullptr) return;
    static const Ranges kAll = {{kMinPs, kMaxPs}};
    const Ranges* spans = steps.Of(device);
    OverlapSums sums(spans != nullptr ? *spans : kAll);
    events.ForEachByBegin(device, [&](const DeviceEvent& e) { sums.Add(e); });
    const Ps all = sums.collectives(), hidden = sums.hidden();
    if (all == 0 && sums.compute() == 0) return;
    std::vector<EventRow> rows = sums.TakeRows();
    of_device->AddRow(
        {events.HostOf(device), events.NameOf(device), static_cast<int64_t>(rows.size()), InMs(all),
         InMs(hidden), InMs(all - hidden),
         all > 0 ? Value(100 * InMs(hidden) / InMs(all)) : Value(), InMs(sums.compute())});
    of_device->links.push_back(LinkTo(EventRows(std::move(rows))));
  });
  return t;
}

}  // namespace stepscope
