#include "model/analysis/precision.h"

#include <algorithm>
#include <unordered_map>

#include "model/analysis/device_events.h"
#include "model/analysis/enclosing.h"
#include "model/analysis/grouping.h"
#include "model/analysis/precision_names.h"
#include "model/analysis/steps.h"
#include "model/string_pool.h"

namespace stepscope {
namespace {

// By StringId of the text: bits of an op's inputs.
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

std::vector<bool> CpuOps(const Trace& trace) {
  std::vector<bool> ops(trace.names().metas.size());
  for (size_t m = 0; m < ops.size(); ++m)
    ops[m] = trace.names().metas[m].category == EventCategory::kCpuOp;
  return ops;
}

// Spans of each device's steps, by begin.
std::unordered_map<uint32_t, std::vector<TimeRange>> SpansByDevice(const StepDatabase& steps) {
  std::unordered_map<uint32_t, std::vector<TimeRange>> spans;
  for (const DeviceStep& d : steps.device_steps) spans[d.device.value].push_back(d.span);
  for (auto& [device, list] : spans) {
    std::sort(list.begin(), list.end(),
              [](const TimeRange& a, const TimeRange& b) { return a.begin < b.begin; });
  }
  return spans;
}

bool InAny(const std::vector<TimeRange>& spans, Ps t) {
  const auto after = std::upper_bound(spans.begin(), spans.end(), t,
                                      [](Ps v, const TimeRange& r) { return v < r.begin; });
  return after != spans.begin() && t < (after - 1)->end;
}

}  // namespace

PrecisionTimes ComputePrecision(AnalysisContext& context, const AnalysisParams& params,
                                const StepDatabase& steps, std::stop_token stop) {
  const Trace& trace = context.trace();
  const DeviceEvents events(context, params, stop);
  InputBits inputs(context.stats(stop));
  const bool typed = !context.stats(stop).Text(StringStat::kInputTypes).empty();
  const Enclosing ops(trace, typed ? CpuOps(trace) : std::vector<bool>());
  std::vector<int8_t> of_meta(trace.names().metas.size(), -1);
  PrecisionTimes times;
  std::unordered_map<uint32_t, std::vector<TimeRange>> all_spans = SpansByDevice(steps);
  for (const PlaneId device : events.devices()) {
    const std::vector<TimeRange>& spans = all_spans[device.value];
    if (spans.empty() && !steps.device_steps.empty()) continue;
    events.ForEach(device, [&](const DeviceEvent& e) {
      if (!e.is_compute() || (!spans.empty() && !InAny(spans, e.begin))) return;
      int bits = typed ? inputs.Of(ops.Around(e.launch)) : 0;
      if (bits == 0) {
        int8_t& named = of_meta[e.meta];
        if (named < 0)
          named = static_cast<int8_t>(BitsOfKernel(trace.names().Name(MetaId(e.meta))));
        bits = named;
      }
      times.all += static_cast<double>(e.length());
      if (bits != 0 && bits <= 16) times.narrow += static_cast<double>(e.length());
    });
  }
  return times;
}

}  // namespace stepscope
