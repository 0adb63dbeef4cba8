#include "model/analysis/steps/cpu_work.h"

#include "model/analysis/grouping/host_roles.h"

namespace stepscope {

std::string HostWorkWords(const Trace& trace, std::span<const IdleCause> causes) {
  constexpr double kLeast = 0.1;
  constexpr double kNearlyAll = 0.8;
  double python = 0, runtime = 0, waits = 0;
  for (const IdleCause& cause : causes) {
    if (cause.loss != StepTimeClass::kHost || !cause.event.valid()) continue;
    const EventMeta& meta = trace.names().metas[cause.event.value];
    const bool pause = IsPause(RoleOfHostEvent(trace.names().Name(cause.event), meta.category));
    waits += pause ? static_cast<double>(cause.time) : 0;
    const bool of_runtime = IsRuntimeWork(trace.names().Name(cause.event), meta.category);
    (of_runtime ? runtime : python) += static_cast<double>(cause.time);
  }
  const double all = python + runtime;
  if (waits > 0 && waits >= kNearlyAll * all) return "waiting for others";
  if (runtime < kLeast * all) return "Python";
  return python < kLeast * all ? "the framework's runtime" : "Python and the framework's runtime";
}

const char* Takes(const std::string& words) {
  return words.find(" and ") != std::string::npos ? "take" : "takes";
}

}  // namespace stepscope
