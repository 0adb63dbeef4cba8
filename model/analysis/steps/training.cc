#include "model/analysis/steps/training.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "model/base/ascii.h"
#include "model/string_pool.h"

namespace stepscope {
namespace {

constexpr uint32_t kRowsPerLook = 1 << 16;

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

// Whether an event's op trains. Asks the texts first, where they are fewer than the events: mostly
// none of them trains.
bool AnyOpTrains(const Trace& trace, const StatTable& stats) {
  const SparseColumn<StringId>& ops = stats.Text(StringStat::kTfOp);
  const size_t texts = stats.strings->size();
  enum Answer : uint8_t { kUnknown, kNo, kYes };
  std::vector<Answer> answers(texts, kUnknown);
  const auto trains = [&](StringId id) {
    Answer& answer = answers[id.value];
    if (answer == kUnknown) answer = OpTrains(stats.strings->View(id)) ? kYes : kNo;
    return answer == kYes;
  };
  if (texts < ops.size() / 8) {
    bool any = false;
    for (uint32_t id = 0; id < texts; ++id) any = trains(StringId(id)) || any;
    if (!any) return false;
  }
  bool found = false;
  const uint32_t rows = trace.set.rows;
  for (uint32_t first = 0; first < rows && !found;) {
    const uint32_t end = first + std::min(rows - first, kRowsPerLook);
    ops.ForRange(first, end,
                 [&](uint32_t, StringId id) { found = found || (id.value < texts && trains(id)); });
    first = end;
  }
  return found;
}

}  // namespace

bool IsTraining(AnalysisContext& context) {
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
  if (AnyOpTrains(trace, context.stats())) return true;
  const StatTable& allocations = context.allocation_stats();
  return &allocations != &context.stats() && AnyOpTrains(trace, allocations);
}

}  // namespace stepscope
