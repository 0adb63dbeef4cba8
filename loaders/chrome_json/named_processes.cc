#include "loaders/chrome_json/named_processes.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "loaders/common/track_roles.h"
#include "model/base/ascii.h"
#include "model/base/key_table.h"

namespace stepscope::chrome {
namespace {

constexpr std::pair<std::string_view, ProcessKind> kWholeNames[] = {
    // torch_npu and msprof
    {"Ascend Hardware", ProcessKind::kNpu},
    {"Communication", ProcessKind::kCollectives},
    {"HCCL", ProcessKind::kCollectives},
    {"CANN", ProcessKind::kNpuHost},
    {"Python", ProcessKind::kNpuHost},
    {"MindSpore", ProcessKind::kNpuHost},
    {"Overlap Analysis", ProcessKind::kNpuAside},
    {"Scope Layer", ProcessKind::kNpuAside},
    // rocprof
    {"CPU HIP API", ProcessKind::kHost},
    {"CPU HSA API", ProcessKind::kHost},
    {"CPU KFD API", ProcessKind::kHost},
    {"Markers and Ranges", ProcessKind::kHost},
    {"COPY", ProcessKind::kHostAside},
    // TensorFlow 1
    {"/host:CPU Compute", ProcessKind::kHostCpu},
    {"Allocators", ProcessKind::kAside},
};

// Cuts a number from the begin of the text; -1 if there is none.
int CutNumber(std::string_view* text) {
  int value = -1;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error != std::errc() || text->empty() || !IsDigit(text->front())) return -1;
  text->remove_prefix(static_cast<size_t>(end - text->data()));
  return value;
}

// "GPU2", "GPU 2".
ProcessName RocmProcess(std::string_view name) {
  name.remove_prefix(std::string_view("GPU").size());
  if (name.starts_with(' ')) name.remove_prefix(1);
  const int ordinal = CutNumber(&name);
  if (ordinal < 0 || !name.empty()) return {};
  return {ProcessKind::kRocmGpu, ordinal, {}};
}

// The names that TensorFlow 1's Timeline makes of devices: "<device> Compute", "<device> Tensors".
ProcessName TimelineProcess(std::string_view name) {
  if (name.ends_with(" Tensors")) return {ProcessKind::kAside, -1, {}};
  name.remove_suffix(std::string_view(" Compute").size());
  size_t cpu = name.rfind("/device:CPU:");
  if (cpu == name.npos) cpu = name.rfind("/cpu:");
  if (cpu != name.npos) return {ProcessKind::kHostCpu, -1, {}};
  for (const std::string_view mark : {"/device:GPU:", "/gpu:"}) {
    const size_t at = name.rfind(mark);
    if (at == name.npos) continue;
    std::string_view rest = name.substr(at + mark.size());
    const int ordinal = CutNumber(&rest);
    if (ordinal < 0) return {};
    if (rest.empty()) return {ProcessKind::kHostCpu, ordinal, {}};  // the host launches its ops
    if (rest.starts_with("/memcpy")) return {ProcessKind::kStreamCopy, ordinal, "memcpy"};
    const size_t stream = rest.find("stream");
    if (stream == rest.npos) return {};
    rest.remove_prefix(std::min(rest.size(), stream + std::string_view("stream:").size()));
    return {rest == "all" ? ProcessKind::kStreamCopy : ProcessKind::kStream, ordinal,
            std::string(rest)};
  }
  return {};
}

bool IsNumbered(std::string_view name, std::string_view word) {
  return name.starts_with(word) && name.size() > word.size() && IsDigit(name[word.size()]);
}

// Tasks of an NPU that wait or mark and compute nothing: "EVENT_WAIT", "NOTIFY_WAIT_SQE".
bool IsMark(std::string_view task) {
  static constexpr std::string_view kParts[] = {
      "EVENT_WAIT",     "EVENT_RECORD", "NOTIFY_WAIT",  "NOTIFY_RECORD",  "PLACE_HOLDER",
      "PROFILER_TRACE", "WRITE_VALUE",  "CAPTURE_WAIT", "CAPTURE_RECORD", "CONDITION_SQE",
      "END_SQE",        "Notify_Wait",  "Notify_Record"};
  return std::any_of(std::begin(kParts), std::end(kParts),
                     [&](std::string_view part) { return task.starts_with(part); });
}

EventCategory CategoryOnNpu(std::string_view name, bool alone) {
  if (IsMark(name) || (!alone && name.starts_with("hcom_"))) return EventCategory::kOverhead;
  if (name.starts_with("MEMCPY") || name.starts_with("SDMA_SQE") || name.starts_with("PCIE_DMA"))
    return EventCategory::kMemcpy;
  return naming::CategoryOf(PlaneKind::kGpu, name);
}

// Barriers, and the ranges that rpd2tracing draws around the kernels of a graph.
EventCategory CategoryOnRocm(std::string_view name) {
  if (name.find("barrier packet") != name.npos || name == "Marker" || name == "Barrier" ||
      name == "BarrierAnd" || name == "BarrierOr")
    return EventCategory::kOverhead;
  if (IsNumbered(name, "Graph ")) return EventCategory::kGpuUserAnnotation;
  return naming::CategoryOf(PlaneKind::kGpu, name);
}

// Whether other programs may use the name too: it counts beside "Ascend Hardware" or "CANN" only.
bool NeedsNpu(ProcessKind kind) {
  return kind == ProcessKind::kCollectives || kind == ProcessKind::kNpuHost ||
         kind == ProcessKind::kNpuAside;
}

bool HasDeviceWork(ProcessKind kind) {
  return kind >= ProcessKind::kNpu && kind <= ProcessKind::kStreamCopy;
}

std::string_view WordOf(ProcessKind kind) {
  return kind <= ProcessKind::kCollectives ? "NPU" : "GPU";
}

const RawEvents* SlicesOf(const ThreadEvents& thread) {
  const PartEvents* main = thread.parts[static_cast<size_t>(naming::Part::kMain)].get();
  return main == nullptr || main->slices.start.empty() ? nullptr : &main->slices;
}

DeviceLine NpuLine(std::string_view thread, DeviceQueue queue) {
  const bool stream = thread.empty() || IsNumbered(thread, "Stream ");
  return {stream ? TrackKind::kStream : TrackKind::kDerived, queue, std::string(thread)};
}

// A "Plane" has the transfers that the collectives of its group are made of.
DeviceLine CollectivesLine(std::string_view thread, std::string_view tid) {
  const TrackKind kind = IsNumbered(thread, "Plane ") ? TrackKind::kDerived : TrackKind::kStream;
  std::string name(thread);
  if (name.empty()) name = "Communication " + std::string(tid);
  return {kind, DeviceQueue::kCollectives, std::move(name)};
}

// A stream with events that overlap has several threads.
DeviceLine TimelineLine(const ProcessName& process, std::string_view tid) {
  DeviceLine line;
  line.name = "Stream #" + process.stream;
  if (tid != "0" && !tid.empty()) line.name += " (" + std::string(tid) + ")";
  return line;
}

}  // namespace

ProcessName ParseProcessName(std::string_view name) {
  if (const ProcessKind kind = FindValue(kWholeNames, name, ProcessKind::kUnknown);
      kind != ProcessKind::kUnknown)
    return {kind, -1, {}};
  if (name.starts_with("GPU Barriers")) return {ProcessKind::kAside, -1, {}};
  if (name.starts_with("GPU")) return RocmProcess(name);
  const bool timeline = name.ends_with(" Compute") || name.ends_with(" Tensors");
  return timeline && name.starts_with('/') ? TimelineProcess(name) : ProcessName{};
}

NamedProcesses::NamedProcesses(const FileEvents& events, const StringPool& strings) {
  FindNames(events, strings);
  if (names_.empty()) return;
  FindDevices(events, strings);
  FindStreamCopies(events);
  FindHostNames(events);
}

void NamedProcesses::FindNames(const FileEvents& events, const StringPool& strings) {
  bool npu = false;
  for (uint32_t pid = 0; pid < events.processes.size(); ++pid) {
    const std::string_view name = strings.View(events.processes[pid].name);
    ProcessName process = ParseProcessName(name);
    if (process.kind == ProcessKind::kUnknown) continue;
    npu = npu || process.kind == ProcessKind::kNpu || name == "CANN";
    names_.emplace(pid, std::move(process));
  }
  if (!npu) std::erase_if(names_, [](const auto& of) { return NeedsNpu(of.second.kind); });
  if (!HasRocm()) return;
  // rpd2tracing names the GPUs and not the processes that call them.
  for (const ThreadEvents& t : events.threads) {
    const bool unnamed =
        t.pid >= events.processes.size() || strings.View(events.processes[t.pid].name).empty();
    if (unnamed) names_.try_emplace(t.pid, ProcessName{ProcessKind::kHost, -1, {}});
  }
}

bool NamedProcesses::HasRocm() const {
  return std::any_of(names_.begin(), names_.end(),
                     [](const auto& of) { return of.second.kind == ProcessKind::kRocmGpu; });
}

void NamedProcesses::FindDevices(const FileEvents& events, const StringPool& strings) {
  std::map<std::pair<std::string_view, int>, uint32_t> first;  // by word and ordinal
  std::map<ProcessKind, int> next;                             // ordinals that no name says
  for (auto& [pid, process] : names_) {
    if (!HasDeviceWork(process.kind)) continue;
    const std::string_view label = strings.View(events.processes[pid].labels);
    if (process.ordinal < 0)
      process.ordinal = naming::GpuOfLabel(label).value_or(next[process.kind]++);
    device_[pid] = first.try_emplace({WordOf(process.kind), process.ordinal}, pid).first->second;
    has_collectives_ = has_collectives_ || process.kind == ProcessKind::kCollectives;
  }
}

// Where the first event of "stream:all" is on no other stream, the file has the streams only there.
void NamedProcesses::FindStreamCopies(const FileEvents& events) {
  std::map<int, std::set<std::pair<Ps, Ps>>> streams;  // begins and durations, by ordinal
  for (const auto& [pid, process] : names_) {
    if (process.kind == ProcessKind::kStreamCopy) streams[process.ordinal] = {};
  }
  for (const ThreadEvents& t : events.threads) {
    const ProcessName* process = Find(t.pid);
    const RawEvents* raw = SlicesOf(t);
    if (process == nullptr || process->kind != ProcessKind::kStream || raw == nullptr) continue;
    const auto stream = streams.find(process->ordinal);
    for (size_t i = 0; stream != streams.end() && i < raw->start.size(); ++i)
      stream->second.emplace(raw->start[i], raw->dur[i]);
  }
  for (const ThreadEvents& t : events.threads) {
    const ProcessName* process = Find(t.pid);
    const RawEvents* raw = SlicesOf(t);
    if (process == nullptr || process->kind != ProcessKind::kStreamCopy || raw == nullptr) continue;
    if (streams[process->ordinal].contains({raw->start[0], raw->dur[0]}))
      stream_copies_.insert(t.pid);
  }
}

// rpd2tracing writes the ranges of the program on the queues of GPUs too, around their kernels:
// names that stand on threads of the host are no kernels.
void NamedProcesses::FindHostNames(const FileEvents& events) {
  if (!HasRocm()) return;
  for (const ThreadEvents& t : events.threads) {
    const RawEvents* raw = SlicesOf(t);
    if (raw == nullptr || IsOfDevice(t.pid)) continue;
    for (const uint32_t meta : raw->meta.span()) host_names_.insert(meta);
  }
}

const ProcessName* NamedProcesses::Find(uint32_t pid) const {
  const auto at = names_.find(pid);
  return at == names_.end() ? nullptr : &at->second;
}

uint32_t NamedProcesses::PlaneOf(uint32_t pid) const {
  const auto at = device_.find(pid);
  return at == device_.end() ? pid : at->second;
}

bool NamedProcesses::IsTimeline() const {
  return std::any_of(names_.begin(), names_.end(), [](const auto& of) {
    const ProcessKind kind = of.second.kind;
    return kind == ProcessKind::kStream || kind == ProcessKind::kStreamCopy ||
           kind == ProcessKind::kHostCpu;
  });
}

std::string_view NamedProcesses::DeviceWord() const {
  return device_.empty() ? std::string_view() : WordOf(Find(device_.begin()->first)->kind);
}

DeviceLine NamedProcesses::LineOf(uint32_t pid, std::string_view thread,
                                  std::string_view tid) const {
  const ProcessName& process = *Find(pid);
  DeviceLine line;
  switch (process.kind) {
    case ProcessKind::kNpu:
      line = NpuLine(thread, has_collectives_ ? DeviceQueue::kNpu : DeviceQueue::kNpuAlone);
      break;
    case ProcessKind::kCollectives:
      line = CollectivesLine(thread, tid);
      break;
    case ProcessKind::kRocmGpu:
      line = {TrackKind::kStream, DeviceQueue::kRocm, std::string(thread)};
      break;
    default:
      line = TimelineLine(process, tid);
      break;
  }
  if (line.name.empty()) line.name = "Stream #" + std::string(tid);
  if (stream_copies_.contains(pid)) line.kind = TrackKind::kDerived;
  return line;
}

EventCategory CategoryOnQueue(DeviceQueue queue, std::string_view name) {
  switch (queue) {
    case DeviceQueue::kNpu:
    case DeviceQueue::kNpuAlone:
      return CategoryOnNpu(name, queue == DeviceQueue::kNpuAlone);
    case DeviceQueue::kCollectives:
      return name.starts_with("hcom_") ? EventCategory::kKernel : EventCategory::kCommunication;
    case DeviceQueue::kRocm:
      return CategoryOnRocm(name);
    case DeviceQueue::kOther:
      break;
  }
  return naming::CategoryOf(PlaneKind::kGpu, name);
}

}  // namespace stepscope::chrome
