#include "loaders/chrome_json/roles.h"

#include <array>
#include <charconv>

namespace stepscope::chrome {
namespace {

struct CategoryRow {
  std::string_view cat;
  CategoryRole role;
};

constexpr std::array kCategories = {
    CategoryRow{"kernel", {EventCategory::kKernel, Part::kDevice, false}},
    CategoryRow{"Kernel", {EventCategory::kKernel, Part::kDevice, false}},
    CategoryRow{"gpu_memcpy", {EventCategory::kMemcpy, Part::kDevice, false}},
    CategoryRow{"Memcpy", {EventCategory::kMemcpy, Part::kDevice, false}},
    CategoryRow{"gpu_memset", {EventCategory::kMemset, Part::kDevice, false}},
    CategoryRow{"Memset", {EventCategory::kMemset, Part::kDevice, false}},
    CategoryRow{"gpu_user_annotation",
                {EventCategory::kGpuUserAnnotation, Part::kAnnotation, false}},
    CategoryRow{"cuda_sync", {EventCategory::kOverhead, Part::kSync, false}},
    CategoryRow{"cuda_runtime", {EventCategory::kRuntimeCall, Part::kMain, true}},
    CategoryRow{"cuda_driver", {EventCategory::kRuntimeCall, Part::kMain, true}},
    CategoryRow{"hip_runtime", {EventCategory::kRuntimeCall, Part::kMain, true}},
    CategoryRow{"hip_driver", {EventCategory::kRuntimeCall, Part::kMain, true}},
    CategoryRow{"xpu_runtime", {EventCategory::kRuntimeCall, Part::kMain, true}},
    CategoryRow{"xpu_driver", {EventCategory::kRuntimeCall, Part::kMain, true}},
    CategoryRow{"mtia_runtime", {EventCategory::kRuntimeCall, Part::kMain, true}},
    CategoryRow{"glow_runtime", {EventCategory::kRuntimeCall, Part::kMain, true}},
    CategoryRow{"privateuse1_runtime", {EventCategory::kRuntimeCall, Part::kMain, true}},
    CategoryRow{"privateuse1_driver", {EventCategory::kRuntimeCall, Part::kMain, true}},
    CategoryRow{"Runtime", {EventCategory::kRuntimeCall, Part::kMain, true}},
    CategoryRow{"cpu_op", {EventCategory::kCpuOp, Part::kMain, true}},
    CategoryRow{"Operator", {EventCategory::kCpuOp, Part::kMain, true}},
    CategoryRow{"python_function", {EventCategory::kPythonFunction, Part::kMain, true}},
    CategoryRow{"user_annotation", {EventCategory::kUserAnnotation, Part::kMain, true}},
    CategoryRow{"cpu_instant_event", {EventCategory::kHostEvent, Part::kMain, true}},
    CategoryRow{"overhead", {EventCategory::kOverhead, Part::kMain, true}},
    CategoryRow{"collective_comm", {EventCategory::kCommunication, Part::kMain, false}},
};

bool Has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::optional<int> NumberAfter(std::string_view text, std::string_view mark) {
  const size_t at = text.find(mark);
  if (at == std::string_view::npos) return std::nullopt;
  const char* begin = text.data() + at + mark.size();
  int value = 0;
  const auto [ptr, error] = std::from_chars(begin, text.data() + text.size(), value);
  if (error != std::errc() || ptr == begin) return std::nullopt;
  return value;
}

}  // namespace

CategoryRole RoleOfCategory(std::string_view cat, std::string_view name) {
  CategoryRole role;
  for (const CategoryRow& row : kCategories) {
    if (row.cat == cat) role = row.role;
  }
  const bool annotation = role.category == EventCategory::kUserAnnotation ||
                          role.category == EventCategory::kGpuUserAnnotation ||
                          role.category == EventCategory::kCpuOp;  // before PyTorch 1.12
  if (annotation && name.starts_with("ProfilerStep#")) role.category = EventCategory::kStep;
  if (name == "[memory]" && (role.category == EventCategory::kHostEvent || cat.empty())) {
    role = {EventCategory::kMemoryEvent, Part::kMain, true};
  }
  return role;
}

std::optional<ProcessRole> RoleOfProcess(std::string_view name) {
  if (const auto gpu = NumberAfter(name, "device:GPU:")) return ProcessRole{PlaneKind::kGpu, *gpu};
  if (const auto tpu = NumberAfter(name, "device:TPU:")) {
    return ProcessRole{Has(name, "SparseCore") ? PlaneKind::kTpuSparseCore : PlaneKind::kTpu, *tpu};
  }
  if (Has(name, "device:CUSTOM:"))
    return ProcessRole{PlaneKind::kCustom, NumberAfter(name, "device:CUSTOM:").value_or(-1)};
  if (Has(name, "/host:CPU") || Has(name, "device:CPU:"))
    return ProcessRole{PlaneKind::kHostThreads, -1};
  if (name.starts_with("/host:metadata")) return ProcessRole{PlaneKind::kMetadata, -1};
  if (name.starts_with("Task Environment")) return ProcessRole{PlaneKind::kEnvironment, -1};
  if (name.starts_with("/host:")) return ProcessRole{PlaneKind::kHostOther, -1};
  return std::nullopt;
}

std::optional<int> GpuOfLabel(std::string_view label) {
  if (!label.starts_with("GPU ")) return std::nullopt;
  return NumberAfter(label, "GPU ");
}

ThreadRole RoleOfThread(std::string_view name, PlaneKind plane) {
  const bool device = plane == PlaneKind::kGpu || plane == PlaneKind::kTpu ||
                      plane == PlaneKind::kTpuSparseCore || plane == PlaneKind::kTpuChip ||
                      plane == PlaneKind::kCustom;
  if (!device) return {};
  // On a GPU these lines do not come from the device but from XProf, which derives them from the
  // kernels.
  const bool derived = plane == PlaneKind::kGpu;
  if (name == "Steps" || name == "Sparse Core Steps") return {TrackKind::kSteps, derived};
  if (name.starts_with("Async XLA Ops")) return {TrackKind::kAsyncXlaOps, false};
  if (name.starts_with("XLA Modules") || name == "Sparse Core Modules")
    return {TrackKind::kXlaModules, derived};
  if (name.starts_with("XLA Ops") || name == "Sparse Core Ops")
    return {TrackKind::kXlaOps, derived};
  if (name.starts_with("Framework Name Scope") || name.starts_with("TensorFlow Name Scope")) {
    return {TrackKind::kNameScope, derived};
  }
  if (name.starts_with("Framework Ops") || name.starts_with("TensorFlow Ops")) {
    return {TrackKind::kFrameworkOps, derived};
  }
  if (name.starts_with("Source")) return {TrackKind::kSource, derived};
  if (name.starts_with("Launch Stats")) return {TrackKind::kLaunchStats, derived};
  if (name.starts_with("CUPTI overhead") || name.starts_with("Overhead"))
    return {TrackKind::kOverhead, false};
  if (name.starts_with("Stream") || name.starts_with("stream")) return {TrackKind::kStream, false};
  return {TrackKind::kOther, false};
}

EventCategory CategoryByPlace(std::string_view name, PlaneKind plane, TrackKind track) {
  if (track == TrackKind::kSteps) return EventCategory::kStep;
  if (track == TrackKind::kOverhead) return EventCategory::kOverhead;
  if (track == TrackKind::kStream && plane == PlaneKind::kGpu) {
    if (name.starts_with("Memcpy") || name.starts_with("memcpy")) return EventCategory::kMemcpy;
    if (name.starts_with("Memset") || name.starts_with("memset")) return EventCategory::kMemset;
    return EventCategory::kKernel;
  }
  if (plane == PlaneKind::kHostThreads) {
    return name.starts_with("$") ? EventCategory::kPythonFunction : EventCategory::kHostEvent;
  }
  return EventCategory::kUnknown;
}

}  // namespace stepscope::chrome
