#include "model/analysis/training.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "model/base/lower.h"
#include "model/string_pool.h"

namespace stepscope {
namespace {

bool HasAny(std::string_view text, std::span<const std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(), [&](std::string_view part) {
    return text.find(part) != std::string_view::npos;
  });
}

// Of ops: JAX's and TensorFlow's gradients too.
bool OpTrains(std::string_view name) {
  static constexpr std::array<std::string_view, 9> kParts = {
      "gradient_tape", "/gradients", "transpose(",    "Optimizer.step#", "autograd::engine",
      "Backward",      "ApplyAdam",  "ResourceApply", "ApplyGradient"};
  return name.starts_with("gradients") || HasAny(name, kParts);
}

// Of any event: kernels of C++ may transpose something, and Python files may be called anything.
bool EventTrains(const EventMeta& meta, std::string_view name) {
  if (meta.category == EventCategory::kPythonFunction || meta.category == EventCategory::kKernel ||
      meta.category == EventCategory::kRuntimeCall)
    return false;
  static constexpr std::array<std::string_view, 6> kParts = {"gradient_tape",    "Optimizer.step#",
                                                             "autograd::engine", "ResourceApply",
                                                             "/gradients/",      "transpose(jvp"};
  if (HasAny(name, kParts) || name.starts_with("gradients/")) return true;
  return meta.category == EventCategory::kCpuOp && name.find("Backward") != std::string_view::npos;
}

// What the file itself says: a stat of the environment like task = "Training".
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
  std::vector<bool> seen(context.stats(stop).strings->size());
  bool trains = false;
  context.stats(stop).Text(StringStat::kTfOp).ForAll([&](uint32_t, StringId id) {
    if (trains || id.value >= seen.size() || seen[id.value]) return;
    seen[id.value] = true;
    trains = OpTrains(context.stats(stop).strings->View(id));
  });
  return trains;
}

}  // namespace stepscope
