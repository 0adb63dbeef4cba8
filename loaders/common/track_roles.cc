#include "loaders/common/track_roles.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace stepscope::naming {
namespace {

struct CategoryRow {
  std::string_view cat;
  CategoryRole role;
};

constexpr std::array kCategories = {
    CategoryRow{"kernel", {EventCategory::kKernel, Part::kDevice, false}},
    CategoryRow{"hpu_op", {EventCategory::kKernel, Part::kDevice, false, "HPU"}},
    CategoryRow{"hpu_runtime", {EventCategory::kRuntimeCall, Part::kMain, true, "HPU"}},
    CategoryRow{"mtia_ccp_events", {EventCategory::kKernel, Part::kDevice, false, "MTIA"}},
    CategoryRow{"Kernel", {EventCategory::kKernel, Part::kDevice, false}},
    CategoryRow{"gpu_memcpy", {EventCategory::kMemcpy, Part::kDevice, false}},
    CategoryRow{"Memcpy", {EventCategory::kMemcpy, Part::kDevice, false}},
    CategoryRow{"gpu_memset", {EventCategory::kMemset, Part::kDevice, false}},
    CategoryRow{"Memset", {EventCategory::kMemset, Part::kDevice, false}},
    CategoryRow{"gpu_user_annotation",
                {EventCategory::kGpuUserAnnotation, Part::kAnnotation, false}},
    CategoryRow{"cuda_sync", {EventCategory::kOverhead, Part::kSync, false}},
    CategoryRow{"cuda_event", {EventCategory::kOverhead, Part::kSync, false}},
    CategoryRow{"cuda_profiler_range",
                {EventCategory::kGpuUserAnnotation, Part::kAnnotation, false}},
    CategoryRow{"xpu_scope_profiler",
                {EventCategory::kGpuUserAnnotation, Part::kAnnotation, false, "XPU"}},
    CategoryRow{"mtia_insight", {EventCategory::kHostEvent, Part::kMain, true, "MTIA"}},
    CategoryRow{"cuda_runtime", {EventCategory::kRuntimeCall, Part::kMain, true}},
    CategoryRow{"cuda_driver", {EventCategory::kRuntimeCall, Part::kMain, true}},
    CategoryRow{"hip_runtime", {EventCategory::kRuntimeCall, Part::kMain, true}},
    CategoryRow{"hip_driver", {EventCategory::kRuntimeCall, Part::kMain, true}},
    CategoryRow{"xpu_runtime", {EventCategory::kRuntimeCall, Part::kMain, true, "XPU"}},
    CategoryRow{"xpu_driver", {EventCategory::kRuntimeCall, Part::kMain, true, "XPU"}},
    CategoryRow{"mtia_runtime", {EventCategory::kRuntimeCall, Part::kMain, true, "MTIA"}},
    CategoryRow{"glow_runtime", {EventCategory::kRuntimeCall, Part::kMain, true}},
    CategoryRow{"privateuse1_runtime",
                {EventCategory::kRuntimeCall, Part::kMain, true, "Accelerator"}},
    CategoryRow{"privateuse1_driver",
                {EventCategory::kRuntimeCall, Part::kMain, true, "Accelerator"}},
    CategoryRow{"Runtime", {EventCategory::kRuntimeCall, Part::kMain, true}},
    CategoryRow{"cpu_op", {EventCategory::kCpuOp, Part::kMain, true}},
    CategoryRow{"Operator", {EventCategory::kCpuOp, Part::kMain, true}},
    CategoryRow{"python_function", {EventCategory::kPythonFunction, Part::kMain, true}},
    CategoryRow{"user_annotation", {EventCategory::kUserAnnotation, Part::kMain, true}},
    CategoryRow{"cpu_instant_event", {EventCategory::kHostEvent, Part::kMain, true}},
    CategoryRow{"overhead", {EventCategory::kOverhead, Part::kMain, true}},
    CategoryRow{"collective_comm", {EventCategory::kCommunication, Part::kMain, false}},
};

// The words for devices that are no GPUs, and parts of the names of such devices.
constexpr std::array<std::string_view, 4> kWords = {"MTIA", "XPU", "HPU", "NPU"};
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kNames = {
    {{"Gaudi", "HPU"},
     {"HL-2", "HPU"},
     {"Habana", "HPU"},
     {"Ascend", "NPU"},
     {"MTIA", "MTIA"},
     {"Intel(R) Data Center GPU", "XPU"}}};

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

std::optional<PlaneNaming> RoleOfProcess(std::string_view name, int64_t pid) {
  // TensorFlow 1's timelines begin with the job: "/job:localhost/replica:0/task:0/device:GPU:0
  // Compute".
  if (const size_t device = name.rfind("/device:"); device != std::string_view::npos) {
    name.remove_prefix(device);
    if (name.starts_with("/device:CPU:")) return NamePlane("/host:CPU", pid);
    if (name.starts_with("/device:GPU:")) name = name.substr(0, name.find(' '));
    return NamePlane(name, pid);
  }
  const bool known = name.starts_with("/host:") || name.starts_with("/custom:") ||
                     name.starts_with("#Chip") || name == "Task Environment";
  if (!known) return std::nullopt;
  return NamePlane(name, pid);
}

std::optional<int> GpuOfLabel(std::string_view label) {
  const std::string_view word = label.substr(0, label.find(' '));
  const bool device =
      word == "GPU" || std::find(kWords.begin(), kWords.end(), word) != kWords.end();
  if (!device || word.size() == label.size()) return std::nullopt;
  return NumberAfter(label, " ");
}

std::string_view DeviceWordOfLabel(std::string_view label) {
  if (!GpuOfLabel(label)) return {};
  const auto word = std::find(kWords.begin(), kWords.end(), label.substr(0, label.find(' ')));
  return word != kWords.end() ? *word : std::string_view();
}

std::string_view DeviceWordOfName(std::string_view name) {
  for (const auto& [part, word] : kNames) {
    if (name.find(part) != name.npos) return word;
  }
  return {};
}

LineNaming RoleOfThread(std::string_view name, PlaneKind plane) {
  const size_t from = name.find(" - from #");
  LineNaming role = NameLine(plane, name.substr(0, from), 0);
  if (plane == PlaneKind::kOther) role.kind = TrackKind::kThread;
  // On a GPU, XProf derives these lines from the kernels. Line ids say so in an XSpace, but a
  // Chrome trace does not have them.
  switch (role.kind) {
    case TrackKind::kSteps:
    case TrackKind::kXlaModules:
    case TrackKind::kXlaOps:
    case TrackKind::kFrameworkOps:
    case TrackKind::kNameScope:
    case TrackKind::kSource:
    case TrackKind::kLaunchStats:
      role.derived_in_file = plane == PlaneKind::kGpu;
      break;
    default:
      break;
  }
  return role;
}

EventCategory CategoryByPlace(std::string_view name, PlaneKind plane, TrackKind track) {
  if (track == TrackKind::kSteps) return EventCategory::kStep;
  if (track == TrackKind::kOverhead) return EventCategory::kOverhead;
  if (plane == PlaneKind::kGpu && track != TrackKind::kStream) return EventCategory::kUnknown;
  return CategoryOf(plane, name);
}

}  // namespace stepscope::naming
