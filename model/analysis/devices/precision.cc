#include "model/analysis/devices/precision.h"

#include <algorithm>
#include <unordered_map>

#include "model/analysis/devices/device_events.h"
#include "model/analysis/grouping/grouping.h"
#include "model/analysis/intervals/enclosing.h"
#include "model/analysis/naming/precision_names.h"
#include "model/analysis/steps/steps.h"
#include "model/base/task.h"
#include "model/string_pool.h"

namespace stepscope {
namespace {

// The bits of an op's inputs, by the StringId of the text that has their types.
class InputBits {
 public:
  explicit InputBits(const StatTable& stats)
      : column_(stats.Text(StringStat::kInputTypes)),
        strings_(*stats.strings),
        bits_(column_.empty() ? 0 : strings_.size(), kUnread) {}
  int Of(EventRow op) {
    if (!op.valid() || column_.empty()) return 0;
    const auto text = column_.Find(op);
    if (!text || text->value >= bits_.size()) return 0;
    int8_t& bits = bits_[text->value];
    if (bits == kUnread) bits = static_cast<int8_t>(BitsOfInputTypes(strings_.View(*text)));
    return bits;
  }

 private:
  static constexpr int8_t kUnread = -1;
  const SparseColumn<StringId>& column_;
  const StringPool& strings_;
  std::vector<int8_t> bits_;
};

// The spans of each device's steps, by begin; the key is the device's PlaneId.
std::unordered_map<uint32_t, std::vector<TimeRange>> SpansByDevice(const StepDatabase& steps) {
  std::unordered_map<uint32_t, std::vector<TimeRange>> spans;
  for (const DeviceStep& d : steps.device_steps) spans[d.device.value].push_back(d.span);
  for (auto& [device, list] : spans) {
    std::sort(list.begin(), list.end(),
              [](const TimeRange& a, const TimeRange& b) { return a.begin < b.begin; });
  }
  return spans;
}

// Says whether a time is in one of the spans, for times that mostly
// ascend. O(1) amortised over a stream.
class SpanCursor {
 public:
  explicit SpanCursor(const std::vector<TimeRange>& spans) : spans_(spans) {}
  bool Has(Ps t) {
    if (t < last_) after_ = 0;
    last_ = t;
    while (after_ < spans_.size() && spans_[after_].begin <= t) ++after_;
    return after_ > 0 && t < spans_[after_ - 1].end;
  }

 private:
  const std::vector<TimeRange>& spans_;
  size_t after_ = 0;  // index of the first span that begins later
  Ps last_ = kMinPs;
};

class PrecisionReader {
 public:
  PrecisionReader(const Trace& trace, const StatTable& stats)
      : trace_(trace),
        stats_(stats),
        typed_(!stats.Text(StringStat::kInputTypes).empty()),
        ops_(typed_ ? Enclosing(trace, EventCategory::kCpuOp)
                    : Enclosing(trace, std::vector<bool>())) {}

  // Sums the events in the spans; all events if there are no spans.
  PrecisionTimes Read(const DeviceEvents& events, PlaneId device,
                      const std::vector<TimeRange>& spans) const {
    InputBits inputs(stats_);
    SpanCursor in_spans(spans);
    std::vector<int8_t> of_meta(trace_.names().metas.size(), -1);
    PrecisionTimes times;
    events.ForEach(device, [&](const DeviceEvent& e) {
      if (!e.is_compute() || (!spans.empty() && !in_spans.Has(e.begin))) return;
      int bits = typed_ ? inputs.Of(ops_.Around(e.launch)) : 0;
      if (bits == 0) {
        int8_t& named = of_meta[e.meta];
        if (named < 0)
          named = static_cast<int8_t>(BitsOfKernel(trace_.names().Name(MetaId(e.meta))));
        bits = named;
      }
      times.all += static_cast<double>(e.length());
      if (bits != 0) times.known += static_cast<double>(e.length());
      if (bits != 0 && bits <= 16) times.narrow += static_cast<double>(e.length());
    });
    return times;
  }

 private:
  const Trace& trace_;
  const StatTable& stats_;
  const bool typed_;
  const Enclosing ops_;
};

}  // namespace

PrecisionTimes ComputePrecision(AnalysisContext& context, const AnalysisParams& params,
                                const StepDatabase& steps, std::stop_token stop) {
  const DeviceEvents events(context, params, stop);
  const PrecisionReader reader(context.trace(), context.stats(stop));
  const std::unordered_map<uint32_t, std::vector<TimeRange>> all_spans = SpansByDevice(steps);
  const std::vector<PlaneId>& devices = events.devices();
  std::vector<PrecisionTimes> of_device(devices.size());
  ParallelFor(devices.size(), [&](size_t d) {
    const auto spans = all_spans.find(devices[d].value);
    if (spans != all_spans.end()) {
      of_device[d] = reader.Read(events, devices[d], spans->second);
    } else if (steps.device_steps.empty()) {
      of_device[d] = reader.Read(events, devices[d], {});
    }
  });
  PrecisionTimes times;
  for (const PrecisionTimes& t : of_device)
    times.all += t.all, times.known += t.known, times.narrow += t.narrow;
  return times;
}

}  // namespace stepscope
