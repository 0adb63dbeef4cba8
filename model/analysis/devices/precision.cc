#include "model/analysis/devices/precision.h"

#include "model/analysis/devices/device_events.h"
#include "model/analysis/devices/step_spans.h"
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

class PrecisionReader {
 public:
  PrecisionReader(const Trace& trace, const StatTable& stats)
      : trace_(trace),
        stats_(stats),
        typed_(!stats.Text(StringStat::kInputTypes).empty()),
        ops_(typed_ ? Enclosing(trace, EventCategory::kCpuOp)
                    : Enclosing(trace, std::vector<bool>())) {}

  // Sums the events in the spans; all events if there are no spans.
  PrecisionTimes Read(const DeviceEvents& events, PlaneId device, const Ranges& spans) const {
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
  const StepSpans spans(steps);
  const std::vector<PlaneId>& devices = events.devices();
  std::vector<PrecisionTimes> of_device(devices.size());
  ParallelFor(devices.size(), [&](size_t d) {
    const Ranges* of = spans.Of(devices[d]);
    if (of != nullptr) {
      of_device[d] = reader.Read(events, devices[d], *of);
    } else if (spans.none()) {
      of_device[d] = reader.Read(events, devices[d], {});
    }
  });
  PrecisionTimes times;
  for (const PrecisionTimes& t : of_device)
    times.all += t.all, times.known += t.known, times.narrow += t.narrow;
  return times;
}

}  // namespace stepscope
