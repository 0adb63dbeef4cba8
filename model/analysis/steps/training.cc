#include "model/analysis/steps/training.h"

#include <array>
#include <optional>
#include <string_view>

#include "model/base/lower.h"
#include "model/base/text_parts.h"
#include "model/string_pool.h"

namespace stepscope {
namespace {

// Whether an op trains; JAX's and TensorFlow's gradients do too.
bool OpTrains(std::string_view name) {
  static constexpr std::array<std::string_view, 9> kParts = {
      "gradient_tape", "/gradients", "transpose(",    "Optimizer.step#", "autograd::engine",
      "Backward",      "ApplyAdam",  "ResourceApply", "ApplyGradient"};
  return name.starts_with("gradients") || ContainsAny(name, kParts);
}

// Whether another event trains. Stricter: C++ kernels may transpose, and
// Python files may have any name.
bool EventTrains(const EventMeta& meta, std::string_view name) {
  if (meta.category == EventCategory::kPythonFunction || meta.category == EventCategory::kKernel ||
      meta.category == EventCategory::kRuntimeCall)
    return false;
  static constexpr std::array<std::string_view, 6> kParts = {"gradient_tape",    "Optimizer.step#",
                                                             "autograd::engine", "ResourceApply",
                                                             "/gradients/",      "transpose(jvp"};
  if (ContainsAny(name, kParts) || name.starts_with("gradients/")) return true;
  return meta.category == EventCategory::kCpuOp && name.find("Backward") != std::string_view::npos;
}

// The task that the file records, in a stat of the environment plane such as task = "Training".
std::optional<bool> RecordedTask(const Trace& trace) {
  for (const Plane& plane : trace.planes) {
    if (plane.kind != PlaneKind::kEnvironment && plane.kind != PlaneKind::kMetadata) continue;
    for (const PlaneStat& stat : plane.stats) {
      const auto* text = std::get_if<std::string>(&stat.value);
      const std::string name = Lower(stat.name);
      if (text == nullptr || (name != "task" && name != "task_type")) continue;
      if (Lower(*text) == "training") return true;
      if (Lower(*text) == "inference") return false;
    }
  }
  return std::nullopt;
}

}  // namespace

bool IsTraining(AnalysisContext& context, std::stop_token stop) {
  const Trace& trace = context.trace();
  if (const std::optional<bool> task = RecordedTask(trace)) return *task;
  const NameTable& names = trace.names();
  for (const EventMeta& meta : names.metas) {
    if (EventTrains(meta, names.strings.View(meta.name))) return true;
  }
  for (const auto& [id, program] : trace.hlo.programs) {
    for (const auto& [name, op] : program.instructions) {
      if (OpTrains(op.op_name)) return true;
    }
  }
  const StatTable& stats = context.stats(stop);
  std::vector<bool> seen(stats.strings->size());
  bool trains = false;
  stats.Text(StringStat::kTfOp).ForAll([&](uint32_t, StringId id) {
    if (trains || id.value >= seen.size() || seen[id.value]) return;
    seen[id.value] = true;
    trains = OpTrains(stats.strings->View(id));
  });
  return trains;
}

}  // namespace stepscope
