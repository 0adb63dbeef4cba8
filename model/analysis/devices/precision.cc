#include "model/analysis/devices/precision.h"

#include <algorithm>

#include "model/analysis/devices/device_events.h"
#include "model/analysis/devices/step_spans.h"
#include "model/analysis/grouping/grouping.h"
#include "model/analysis/intervals/enclosing.h"
#include "model/analysis/naming/precision_names.h"
#include "model/analysis/steps/scope.h"
#include "model/analysis/steps/steps.h"
#include "model/jobs/job.h"
#include "model/string_pool.h"

namespace stepscope {
namespace {

struct Numbers {
  int8_t bits = -1;  // 0: unknown; -1: not read yet
  NarrowType type = NarrowType::kUnknown;
  bool graph = false;  // a whole graph
};

// The bits and the type of an op's inputs, by the StringId of the text that has their types.
class InputBits {
 public:
  explicit InputBits(const StatTable& stats)
      : column_(stats.Text(StringStat::kInputTypes)),
        strings_(*stats.strings),
        numbers_(column_.empty() ? 0 : strings_.size()) {}
  Numbers Of(EventRow op) {
    if (!op.valid() || column_.empty()) return {0};
    const auto text = column_.Find(op);
    if (!text || text->value >= numbers_.size()) return {0};
    Numbers& numbers = numbers_[text->value];
    if (numbers.bits < 0) {
      const std::string_view types = strings_.View(*text);
      numbers = {static_cast<int8_t>(BitsOfInputTypes(types)), NarrowTypeOf(types)};
    }
    return numbers;
  }

 private:
  const SparseColumn<StringId>& column_;
  const StringPool& strings_;
  std::vector<Numbers> numbers_;
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
    Enclosing::Reader ops(ops_);
    SpanCursor in_spans(spans);
    std::vector<Numbers> of_meta(trace_.names().metas.size());
    PrecisionTimes times;
    events.ForEach(device, [&](const DeviceEvent& e) {
      if (!e.is_compute() || (!spans.empty() && !in_spans.Has(e.begin))) return;
      Numbers numbers = typed_ ? inputs.Of(ops.Around(e.launch)) : Numbers{0};
      if (numbers.bits == 0) {
        Numbers& named = of_meta[e.meta];
        if (named.bits < 0) {
          const std::string_view name = trace_.names().Name(MetaId(e.meta));
          named = {static_cast<int8_t>(BitsOfKernel(name)), NarrowTypeOf(name), IsWholeGraph(name)};
        }
        numbers = named;
      }
      const int8_t bits = numbers.bits;
      times.all += static_cast<double>(e.length());
      if (numbers.graph) times.graphs += static_cast<double>(e.length());
      if (bits != 0) times.known += static_cast<double>(e.length());
      if (bits > 32) times.wide += static_cast<double>(e.length());
      if (bits == 0 || bits > 16) return;
      times.narrow += static_cast<double>(e.length());
      times.of_type[static_cast<size_t>(numbers.type)] += static_cast<double>(e.length());
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

NarrowType PrecisionTimes::most() const {
  const auto largest = std::max_element(of_type.begin() + 1, of_type.end());
  const bool half = *largest > 0 && *largest >= all / 2;
  return half ? static_cast<NarrowType>(largest - of_type.begin()) : NarrowType::kUnknown;
}

PrecisionTimes ComputePrecision(AnalysisContext& context, const AnalysisParams& params,
                                const StepDatabase& steps) {
  const DeviceEvents events(context, params);
  const PrecisionReader reader(context.trace(), context.stats());
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
  for (const PrecisionTimes& t : of_device) {
    times.all += t.all, times.known += t.known, times.narrow += t.narrow, times.wide += t.wide;
    times.graphs += t.graphs;
    for (size_t type = 0; type < kNarrowTypes; ++type) times.of_type[type] += t.of_type[type];
  }
  return times;
}

AnalysisParams PrecisionTimes::KeyOf(AnalysisParams params) {
  params.hlo = {};
  return params;
}

PrecisionTimes PrecisionTimes::Compute(AnalysisContext& context, const AnalysisParams& params) {
  return ComputePrecision(context, params, *context.Get<JudgedSteps>(params)->selected);
}

}  // namespace stepscope
