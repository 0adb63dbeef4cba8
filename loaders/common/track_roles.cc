#include "loaders/common/track_roles.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "model/base/key_table.h"

namespace stepscope::naming {
namespace {

// Lines that XProf's preprocessing adds have ids from here on: 0xdeadbeef as an int32.
constexpr int64_t kDerivedIds = -559038737;
constexpr int64_t kDerivedIdCount = 1 << 16;

std::optional<int> TrailingNumber(std::string_view text) {
  size_t digits = 0;
  while (digits < text.size() && text[text.size() - 1 - digits] >= '0' &&
         text[text.size() - 1 - digits] <= '9')
    ++digits;
  int value = 0;
  const char* end = text.data() + text.size();
  const auto [p, error] = std::from_chars(end - digits, end, value);
  if (digits == 0 || error != std::errc{} || p != end) return std::nullopt;
  return value;
}

bool IsDerivedId(int64_t id) {
  const int64_t unsigned_form = kDerivedIds + (int64_t{1} << 32);
  return (id >= kDerivedIds && id < kDerivedIds + kDerivedIdCount) ||
         (id >= unsigned_form && id < unsigned_form + kDerivedIdCount);
}

PlaneNaming NameTpu(std::string_view name) {
  const std::string_view rest = name.substr(std::string_view("/device:TPU:").size());
  const size_t space = rest.find(' ');
  const int ordinal = TrailingNumber(rest.substr(0, space)).value_or(-1);
  const bool sparse = rest.find("SparseCore") != std::string_view::npos;
  return {sparse ? PlaneKind::kTpuSparseCore : PlaneKind::kTpu, "TPU " + std::string(rest),
          ordinal};
}

const PlaneStat* FindStat(std::span<const PlaneStat> stats, std::string_view name) {
  const auto it =
      std::find_if(stats.begin(), stats.end(), [&](const PlaneStat& s) { return s.name == name; });
  return it == stats.end() ? nullptr : &*it;
}

std::string TextStat(std::span<const PlaneStat> stats, std::string_view name) {
  const PlaneStat* stat = FindStat(stats, name);
  const auto* text = stat == nullptr ? nullptr : std::get_if<std::string>(&stat->value);
  return text == nullptr ? std::string() : *text;
}

int64_t IntStatOf(std::span<const PlaneStat> stats, std::string_view name) {
  const PlaneStat* stat = FindStat(stats, name);
  if (stat == nullptr) return 0;
  if (const auto* i = std::get_if<int64_t>(&stat->value)) return *i;
  if (const auto* u = std::get_if<uint64_t>(&stat->value)) return static_cast<int64_t>(*u);
  return 0;
}

struct NamedLine {
  std::string_view name;
  TrackKind kind;
};
constexpr std::array kNamedLines = {
    NamedLine{"Steps", TrackKind::kSteps},
    NamedLine{"Sparse Core Steps", TrackKind::kSteps},
    NamedLine{"XLA Modules", TrackKind::kXlaModules},
    NamedLine{"Sparse Core Modules", TrackKind::kXlaModules},
    NamedLine{"XLA Ops", TrackKind::kXlaOps},
    NamedLine{"Sparse Core Ops", TrackKind::kXlaOps},
    NamedLine{"Async XLA Ops", TrackKind::kAsyncXlaOps},
    NamedLine{"Framework Ops", TrackKind::kFrameworkOps},
    NamedLine{"TensorFlow Ops", TrackKind::kFrameworkOps},
    NamedLine{"Framework Name Scope", TrackKind::kNameScope},
    NamedLine{"TensorFlow Name Scope", TrackKind::kNameScope},
    NamedLine{"Source code", TrackKind::kSource},
    NamedLine{"Source Code", TrackKind::kSource},
    NamedLine{"Launch Stats", TrackKind::kLaunchStats},
    NamedLine{"_counters_", TrackKind::kCounter},
};

bool IsRuntimeCall(std::string_view name) {
  const auto upper_at = [&](size_t i) {
    return name.size() > i && name[i] >= 'A' && name[i] <= 'Z';
  };
  return (name.starts_with("cuda") && upper_at(4)) || (name.starts_with("cu") && upper_at(2)) ||
         (name.starts_with("hip") && upper_at(3)) || (name.starts_with("hsa_"));
}

}  // namespace

PlaneNaming NamePlane(std::string_view name, int64_t id) {
  const int by_id = id >= 0 && id < 1'000'000 ? static_cast<int>(id) : -1;
  if (name.starts_with("/device:GPU:")) {
    const int ordinal = TrailingNumber(name).value_or(by_id);
    return {PlaneKind::kGpu, "GPU " + std::string(name.substr(12)), ordinal};
  }
  if (name.starts_with("/device:TPU:")) return NameTpu(name);
  if (name.starts_with("#Chip")) return {PlaneKind::kTpuChip, std::string(name.substr(1)), by_id};
  if (name.starts_with("/device:CUSTOM:"))
    return {PlaneKind::kCustom, std::string(name.substr(15)), -1};
  if (name.starts_with("/custom:")) return {PlaneKind::kCustom, std::string(name.substr(8)), -1};
  if (name == "/host:CPU") return {PlaneKind::kHostThreads, "Host threads", -1};
  if (name.starts_with("/host:CPU"))
    return {PlaneKind::kHostThreads, "Host threads" + std::string(name.substr(9)), -1};
  if (name == "/host:metadata") return {PlaneKind::kMetadata, "Metadata", -1};
  if (name == "Task Environment") return {PlaneKind::kEnvironment, "Task environment", -1};
  if (name.starts_with("/host:")) return {PlaneKind::kHostOther, std::string(name.substr(6)), -1};
  if (name == "Host CPUs" || name == "Syscalls")
    return {PlaneKind::kHostOther, std::string(name), -1};
  const int ordinal = name.starts_with("/device:") ? TrailingNumber(name).value_or(-1) : -1;
  return {PlaneKind::kOther,
          name.starts_with("/device:") ? std::string(name.substr(8)) : std::string(name), ordinal};
}

std::string DeviceSubtitle(std::span<const PlaneStat> stats) {
  std::string text = TextStat(stats, "gpu_device_name");
  if (text.empty()) text = TextStat(stats, "device_type_string");
  const std::string vendor = TextStat(stats, "device_vendor");
  if (text.empty()) text = vendor;
  if (const int64_t cores = IntStatOf(stats, "core_count"); cores > 0) {
    text +=
        (text.empty() ? "" : ", ") + std::to_string(cores) + (vendor == "AMD" ? " CUs" : " SMs");
  }
  if (const int64_t bytes = IntStatOf(stats, "memory_size"); bytes >= (int64_t{1} << 30)) {
    text +=
        (text.empty() ? "" : ", ") + std::to_string((bytes + (int64_t{1} << 29)) >> 30) + " GiB";
  }
  return text;
}

LineNaming NameLine(PlaneKind plane, std::string_view name, int64_t id) {
  LineNaming line;
  line.derived_in_file = IsDerivedId(id);
  // Derived lines of a stream are called "XLA Ops - from #14".
  const std::string_view base =
      line.derived_in_file ? name.substr(0, name.find(" - from #")) : name;
  const auto it = std::find_if(kNamedLines.begin(), kNamedLines.end(),
                               [&](const NamedLine& n) { return n.name == base; });
  if (it != kNamedLines.end() && (IsDevice(plane) || it->kind == TrackKind::kCounter)) {
    line.kind = it->kind;
    return line;
  }
  const bool on_host = plane == PlaneKind::kHostThreads || plane == PlaneKind::kHostOther;
  if (name.find("NVTX") != std::string_view::npos) {
    line.kind = TrackKind::kNvtx;
  } else if (plane == PlaneKind::kGpu && id >= int64_t{1} << 32 && !line.derived_in_file) {
    line.kind = TrackKind::kNvtx;
  } else if (name.starts_with("Stream #") ||
             (plane == PlaneKind::kGpu && name.starts_with("stream:"))) {  // TensorFlow 2.0 to 2.3
    line.kind = TrackKind::kStream;
  } else if (name == "CUPTI overhead" || (line.derived_in_file && name == "Overhead")) {
    line.kind = TrackKind::kOverhead;
  } else if (line.derived_in_file) {
    line.kind = TrackKind::kDerived;
  } else if (on_host) {
    line.kind = TrackKind::kThread;
  }
  return line;
}

EventCategory CategoryOf(PlaneKind plane, std::string_view name) {
  if (plane == PlaneKind::kGpu) {
    if (name.starts_with("Memcpy") || name.starts_with("MEMCPY") ||
        name.starts_with("CopyDevice") || name.starts_with("CopyHost"))
      return EventCategory::kMemcpy;
    if (name.starts_with("Memset") || name.starts_with("MEMSET") || name.starts_with("FillBuffer"))
      return EventCategory::kMemset;
    return EventCategory::kKernel;
  }
  if (plane == PlaneKind::kHostThreads || plane == PlaneKind::kHostOther) {
    if (name == "MemoryAllocation" || name == "MemoryDeallocation")
      return EventCategory::kMemoryEvent;
    if (name.starts_with("$")) return EventCategory::kPythonFunction;
    return IsRuntimeCall(name) ? EventCategory::kRuntimeCall : EventCategory::kHostEvent;
  }
  return EventCategory::kUnknown;
}

int PlaneRank(PlaneKind kind) {
  static constexpr std::pair<PlaneKind, int> kRanks[] = {
      {PlaneKind::kGpu, 0},         {PlaneKind::kTpu, 1},       {PlaneKind::kTpuSparseCore, 1},
      {PlaneKind::kTpuChip, 2},     {PlaneKind::kCustom, 3},    {PlaneKind::kOther, 4},
      {PlaneKind::kHostThreads, 5}, {PlaneKind::kHostOther, 6}, {PlaneKind::kMetadata, 7},
      {PlaneKind::kEnvironment, 8}};
  return FindValue(kRanks, kind, 9);
}

int TrackRank(TrackKind kind) {
  constexpr std::array kOrder = {
      TrackKind::kSteps,       TrackKind::kXlaModules, TrackKind::kXlaOps,
      TrackKind::kAsyncXlaOps, TrackKind::kNameScope,  TrackKind::kFrameworkOps,
      TrackKind::kSource,      TrackKind::kStream,     TrackKind::kNvtx,
      TrackKind::kThread,      TrackKind::kOther,      TrackKind::kDerived,
      TrackKind::kLaunchStats, TrackKind::kOverhead,   TrackKind::kCounter};
  return static_cast<int>(std::find(kOrder.begin(), kOrder.end(), kind) - kOrder.begin());
}

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
