// Collectives that computation hides, and those that it does not (docs/rules.md#devices).
#include <algorithm>

#include "model/analysis/devices/device_tables.h"
#include "model/analysis/devices/step_spans.h"
#include "model/analysis/intervals/ranges.h"
#include "model/analysis/tables/in_unit.h"

namespace stepscope {
namespace {

struct DeviceOverlap {
  Ranges collectives, compute;
  std::vector<EventRow> rows;  // the collectives
};

Ranges Inside(const Ranges& spans, const Ranges& ranges) {
  Ranges out;
  auto span = spans.begin();
  for (const TimeRange& r : ranges) {
    while (span != spans.end() && span->end <= r.begin) ++span;
    for (auto at = span; at != spans.end() && at->begin < r.end; ++at)
      out.push_back({std::max(at->begin, r.begin), std::min(at->end, r.end)});
  }
  return out;
}

// `spans`: the time that counts; null: all of it.
DeviceOverlap Collect(const DeviceEvents& events, PlaneId device, const Ranges* spans) {
  DeviceOverlap out;
  static const Ranges kAll = {{kMinPs, kMaxPs}};
  SpanCursor counted(spans != nullptr ? *spans : kAll);
  events.ForEach(device, [&](const DeviceEvent& e) {
    if (e.time_class == TimeClass::kCollectives) {
      out.collectives.push_back({e.begin, e.end});
      if (counted.Has(e.begin)) out.rows.emplace_back(e.row);
    } else if (e.is_compute()) {
      out.compute.push_back({e.begin, e.end});
    }
  });
  out.collectives = UnionOf(std::move(out.collectives));
  out.compute = UnionOf(std::move(out.compute));
  if (spans != nullptr) {
    out.collectives = Inside(*spans, out.collectives);
    out.compute = Inside(*spans, out.compute);
  }
  return out;
}

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
        "with a kernel open that is no collective (union), in all steps that count"}},
      {},
      {}};
  AppendDevices(events, &t, [&](PlaneId device, ResultTable* of_device) {
    if (!steps.none() && steps.Of(device) == nullptr) return;
    DeviceOverlap d = Collect(events, device, steps.Of(device));
    if (d.collectives.empty() && d.compute.empty()) return;
    const Ps all = LengthOf(d.collectives), hidden = Overlap(d.collectives, d.compute);
    of_device->rows.push_back(
        {events.HostOf(device), events.NameOf(device), static_cast<int64_t>(d.rows.size()),
         InMs(all), InMs(hidden), InMs(all - hidden),
         all > 0 ? Value(100 * InMs(hidden) / InMs(all)) : Value(), InMs(LengthOf(d.compute))});
    of_device->links.push_back(LinkTo(EventRows(std::move(d.rows))));
  });
  return t;
}

}  // namespace stepscope
