#include "model/analysis/recording/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "model/allocator_history.h"
#include "model/analysis/grouping/frame_roles.h"
#include "model/analysis/grouping/grouping.h"
#include "model/analysis/grouping/host_activity.h"
#include "model/analysis/grouping/host_roles.h"
#include "model/analysis/naming/device_type.h"
#include "model/analysis/naming/op_name.h"
#include "model/analysis/naming/remedies.h"
#include "model/base/ascii.h"

namespace stepscope {
namespace {

struct LayerWords {
  Layer layer;
  const char* id;
  const char* label;
  const char* remedy;  // naming/remedies.h; "": none
};
constexpr std::array<LayerWords, static_cast<size_t>(Layer::kCount)> kLayers = {{
    {Layer::kDeviceWork, "device_work", "Work of devices", "record.device"},
    {Layer::kWholeGraphs, "whole_graphs", "Graphs as wholes", ""},
    {Layer::kRuntimeCalls, "runtime_calls", "Calls of the runtime", "record.runtime"},
    {Layer::kOps, "ops", "Ops of the framework", "record.ops"},
    {Layer::kPython, "python", "Python functions", "record.python-functions"},
    {Layer::kShapes, "shapes", "Shapes of inputs", "record.shapes"},
    {Layer::kMemory, "memory", "Allocations", "record.memory"},
    {Layer::kCounters, "counters", "Counters", ""},
    {Layer::kSteps, "steps", "Marks of steps", "mark-steps"},
}};
const LayerWords& WordsOf(Layer layer) { return kLayers[static_cast<size_t>(layer)]; }

bool IsStarter(HostRole role) { return role == HostRole::kLaunch || role == HostRole::kGraph; }

// Finds the facts of one trace.
class RecordingBuilder {
 public:
  explicit RecordingBuilder(AnalysisContext& context) : context_(context), trace_(context.trace()) {
    r_.header = trace_.recording;
    r_.program = ProgramOf(trace_);
  }

  Recording Build() {
    ReadDevices();
    ReadTracks();
    ReadNames();
    if (!r_.foreign()) ReadStats();
    if (r_.devices.used == 0) CountLaunches();
    JudgeDevices();
    ReadLosses();
    FindWindows();
    return std::move(r_);
  }

 private:
  RecordedLayer& At(Layer layer) { return r_.layers[static_cast<size_t>(layer)]; }
  void ReadDevices();
  void ReadTracks();
  void ReadNames();
  void ReadStats();
  void CountLaunches();
  void JudgeDevices();
  void ReadLosses();
  void FindWindows();
  TimeRange OwnSpan(HostId host) const;

  AnalysisContext& context_;
  const Trace& trace_;
  Recording r_;
};

bool IsDevice(const Plane& plane) {
  return plane.kind == PlaneKind::kGpu || plane.kind == PlaneKind::kTpu;
}

// Whether the device has work of its own: counters, synchronisation and marks are none.
bool HasWork(const Trace& trace, const Plane& plane) {
  return std::any_of(plane.tracks.begin(), plane.tracks.end(), [&](TrackId id) {
    const Track& track = trace.set.tracks[id.value];
    const bool work = track.kind != TrackKind::kCounter && track.kind != TrackKind::kOther &&
                      track.kind != TrackKind::kNvtx && track.kind != TrackKind::kOverhead;
    return work && track.events > 0;
  });
}

void RecordingBuilder::ReadDevices() {
  RecordedDevices& devices = r_.devices;
  std::string named;
  for (const Plane& plane : trace_.planes) {
    if (!IsDevice(plane)) continue;
    const bool used = HasWork(trace_, plane);
    ++(used ? devices.used : devices.named);
    std::string& name = used ? devices.first_name : named;
    if (name.empty()) name = DeviceFactsOf(plane).name;
  }
  for (const NamedDevice& device : r_.header.devices) {
    ++devices.named;
    devices.memory = devices.memory || device.has_memory;
    if (named.empty()) named = device.name;
  }
  if (const AllocatorHistory* history = HistoryOf(trace_); history != nullptr)
    devices.used = static_cast<uint32_t>(history->devices.size());
  if (devices.first_name.empty() && devices.used == 0) devices.first_name = named;
  if (devices.used > 0 && HistoryOf(trace_) == nullptr)
    At(Layer::kDeviceWork) = {
        true, fmt::format("{} {}", devices.used, devices.used == 1 ? "device" : "devices")};
}

void RecordingBuilder::ReadTracks() {
  for (const Track& track : trace_.set.tracks) {
    if (!track.counters.empty()) At(Layer::kCounters).recorded = true;
    if (track.kind == TrackKind::kPython && track.events > 0) At(Layer::kPython).recorded = true;
    if (track.kind == TrackKind::kSteps && track.events > 0 && !track.derived_in_file)
      At(Layer::kSteps).recorded = true;
  }
  if (!trace_.hlo.programs.empty()) At(Layer::kOps) = {true, "programs of XLA"};
}

void RecordingBuilder::ReadNames() {
  const NameTable& names = trace_.names();
  for (const EventMeta& meta : names.metas) {
    const std::string_view name = names.strings.View(meta.name);
    switch (meta.category) {
      case EventCategory::kCpuOp:
        At(Layer::kOps).recorded = true;
        break;
      case EventCategory::kRuntimeCall:
        At(Layer::kRuntimeCalls).recorded = true;
        break;
      case EventCategory::kMemoryEvent:
        At(Layer::kMemory).recorded = true;
        break;
      case EventCategory::kStep:
        At(Layer::kSteps).recorded = true;
        break;
      default:
        break;
    }
    if (name.starts_with("ProfilerStep#")) At(Layer::kSteps).recorded = true;
    if (name == "MemoryAllocation") At(Layer::kMemory).recorded = true;
    RecordedLayer& ops = At(Layer::kOps);
    if (!ops.recorded && !r_.foreign()) {
      const OpCategory category = ParseOpName(name).category;
      ops.recorded = category == OpCategory::kTensorFlow || category == OpCategory::kJax ||
                     name.starts_with("aten::");
    }
  }
  if (r_.program.python) At(Layer::kPython).recorded = true;
  const auto asked = [&](const std::vector<std::string>& options, std::string_view option) {
    return std::find(options.begin(), options.end(), option) != options.end();
  };
  At(Layer::kShapes).recorded = asked(r_.header.asked, "record_shapes");
  const auto say = [&](Layer layer, std::string_view option) {
    if (asked(r_.header.asked, option)) At(layer).evidence = fmt::format("{} was on", option);
    if (asked(r_.header.not_asked, option)) At(layer).evidence = fmt::format("{} was off", option);
  };
  say(Layer::kShapes, "record_shapes");
  say(Layer::kPython, "with_stack");
  say(Layer::kMemory, "profile_memory");
}

// Marks and ops that only arguments of events tell.
void RecordingBuilder::ReadStats() {
  const StatTable& stats = context_.stats();
  const bool ops =
      !stats.Text(StringStat::kHloOp).empty() || !stats.Text(StringStat::kTfOp).empty();
  if (ops) At(Layer::kOps).recorded = true;
  const std::vector<EventGroup>& groups = context_.Get<Grouping>().groups;
  const bool marks = std::any_of(groups.begin(), groups.end(), [](const EventGroup& group) {
    return !group.implicit && group.root.valid();
  });
  if (marks) At(Layer::kSteps).recorded = true;
}

// Calls that start work on a device. Those of a program on the CPU start none.
void RecordingBuilder::CountLaunches() {
  const NameTable& names = trace_.names();
  std::vector<uint8_t> starts(names.metas.size());
  for (size_t m = 0; m < starts.size(); ++m) {
    const std::string_view name = names.strings.View(names.metas[m].name);
    const bool may = name.find("Launch") != name.npos || name.find("launch") != name.npos;
    starts[m] = may && IsStarter(RoleOfHostEvent(name, names.metas[m].category)) ? 1 : 0;
  }
  for (const Lane& lane : trace_.set.lanes) {
    for (const uint32_t meta : lane.meta) r_.devices.launches += starts[meta];
  }
}

void RecordingBuilder::JudgeDevices() {
  RecordedDevices& devices = r_.devices;
  devices.part_missing = devices.used == 0 && (devices.launches > 0 || devices.memory);
  RecordedLayer& work = At(Layer::kDeviceWork);
  if (devices.launches > 0) {
    At(Layer::kRuntimeCalls).recorded = true;
    work.evidence = fmt::format("{} launch{} no kernel", devices.launches,
                                devices.launches == 1 ? " has" : "es have");
  } else if (devices.memory) {
    work.evidence = "memory of a device was recorded, and no work";
  } else if (devices.unknown()) {
    work.evidence = "no device has an event";
  }
}

LossFact LossOf(const Diagnostic& d) {
  LossFact loss{d.id, d.text, d.count, d.first.empty() ? "" : d.first.front()};
  if (loss.text.ends_with('.')) loss.text.pop_back();
  if (!loss.text.empty()) loss.text[0] = Lower(loss.text[0]);
  return loss;
}

void RecordingBuilder::ReadLosses() {
  for (size_t i = 0; i < static_cast<size_t>(RecordingLoss::kCount); ++i) {
    if (const Diagnostic* d = trace_.diagnostics.Find(static_cast<RecordingLoss>(i)))
      r_.losses.push_back(LossOf(*d));
  }
  if (const Diagnostic* d = trace_.diagnostics.Find(kMissingFile)) r_.losses.push_back(LossOf(*d));
}

TimeRange RecordingBuilder::OwnSpan(HostId host) const {
  TimeRange span{kMaxPs, kMinPs};
  for (const Track& track : trace_.set.tracks) {
    if (track.events == 0 || track.plane.value >= trace_.planes.size()) continue;
    if (trace_.planes[track.plane.value].host != host) continue;
    span.begin = std::min(span.begin, track.span.begin);
    span.end = std::max(span.end, track.span.end);
  }
  return span.begin <= span.end ? span : TimeRange();
}

// What an event does, as far as windows depend on it.
enum class ProfilerPart : uint8_t { kNone, kBegins, kEnds, kMayEnd };

std::vector<ProfilerPart> PartsByMeta(const Trace& trace, bool without_device) {
  const NameTable& names = trace.names();
  std::vector<ProfilerPart> parts;
  for (size_t m = 0; m < names.metas.size(); ++m) {
    const std::string_view name = names.strings.View(names.metas[m].name);
    ProfilerPart part = ProfilerPart::kNone;
    // torch.profiler waits for the device when it stops, also in programs that use none.
    if (trace.kineto && without_device && name.ends_with("DeviceSynchronize"))
      part = ProfilerPart::kMayEnd;
    if (BeginsRecording(name)) part = ProfilerPart::kBegins;
    if (EndsRecording(name)) part = ProfilerPart::kEnds;
    if (part == ProfilerPart::kNone && parts.empty()) continue;
    parts.resize(names.metas.size());
    parts[m] = part;
  }
  return parts;
}

// Calls `see(event, lane, part)` for the profiler's own events on threads of the host.
template <typename See>
void ForProfilerEvents(const Trace& trace, const std::vector<const Track*>& threads,
                       const std::vector<ProfilerPart>& parts, const See& see) {
  for (const Track* thread : threads) {
    for (const Lane& lane : trace.set.LanesOf(*thread)) {
      for (uint32_t i = 0; i < lane.size(); ++i) {
        if (const ProfilerPart part = parts[lane.meta[i]]; part != ProfilerPart::kNone)
          see(TimeRange{lane.start[i], lane.end(i)}, lane, part);
      }
    }
  }
}

// Takes the profiler's own begin and end from the window: a begin before which nothing began but
// what encloses it, and an end after which nothing begins.
void CutProfiler(const Trace& trace, HostId host, const std::vector<ProfilerPart>& parts,
                 TimeRange* window) {
  const std::vector<const Track*> threads = HostThreadsOf(trace, host);
  Ps last_begin = kMinPs;
  std::vector<TimeRange> firsts;  // of lanes
  for (const Track* thread : threads) {
    for (const Lane& lane : trace.set.LanesOf(*thread)) {
      if (lane.size() == 0 || lane.kind == LaneKind::kInstant) continue;
      last_begin = std::max(last_begin, lane.start[lane.size() - 1]);
      firsts.push_back({lane.start[0], lane.end(0)});
    }
  }
  TimeRange cut = *window;
  ForProfilerEvents(
      trace, threads, parts, [&](const TimeRange& event, const Lane& lane, ProfilerPart part) {
        if (part == ProfilerPart::kBegins) {
          const bool first = std::none_of(firsts.begin(), firsts.end(), [&](const TimeRange& f) {
            return f.begin < event.begin && f.end < event.end;
          });
          if (first) cut.begin = std::max(cut.begin, event.end);
        } else if (event.end > last_begin && (part == ProfilerPart::kEnds || lane.depth == 0)) {
          cut.end = std::min(cut.end, event.begin);
        }
      });
  // Where nothing else was recorded the profiler's own events are all that there is.
  if (cut.begin < cut.end) *window = cut;
}

void RecordingBuilder::FindWindows() {
  const std::vector<ProfilerPart> parts = PartsByMeta(trace_, r_.devices.used == 0);
  for (uint32_t h = 0; h < trace_.hosts.size(); ++h) {
    TimeRange window = OwnSpan(HostId(h));
    if (!window.empty() && !parts.empty()) CutProfiler(trace_, HostId(h), parts, &window);
    r_.windows.push_back(window);
  }
}

struct ProfilerCall {
  std::string_view file, function;
};

// Functions of profilers that begin and end a recording. A file without a folder fits in any.
constexpr std::array kBeginCalls = {
    ProfilerCall{"torch/profiler/profiler.py", "__enter__"},
    ProfilerCall{"torch/profiler/profiler.py", "start"},
    ProfilerCall{"torch/profiler/profiler.py", "start_trace"},
    ProfilerCall{"torch/autograd/profiler.py", "__enter__"},
    ProfilerCall{"torch/autograd/profiler.py", "_start_trace"},
    ProfilerCall{"profiler.py", "start_trace"},
    ProfilerCall{"profiler_v2.py", "start"},
};
constexpr std::array kEndCalls = {
    ProfilerCall{"torch/profiler/profiler.py", "__exit__"},
    ProfilerCall{"torch/profiler/profiler.py", "stop"},
    ProfilerCall{"torch/profiler/profiler.py", "stop_trace"},
    ProfilerCall{"torch/autograd/profiler.py", "__exit__"},
    ProfilerCall{"profiler.py", "stop_trace"},
    ProfilerCall{"profiler_v2.py", "stop"},
};

bool IsOneOf(std::span<const ProfilerCall> calls, std::string_view name) {
  const auto frame = ParsePythonFrame(name);
  if (!frame) return false;
  return std::any_of(calls.begin(), calls.end(), [&](const ProfilerCall& call) {
    if (frame->function != call.function || !frame->path.ends_with(call.file)) return false;
    const size_t before = frame->path.size() - call.file.size();
    return before == 0 || frame->path[before - 1] == '/' || frame->path[before - 1] == '$';
  });
}

}  // namespace

const char* IdOf(Layer layer) { return WordsOf(layer).id; }
const char* LabelOf(Layer layer) { return WordsOf(layer).label; }

bool BeginsRecording(std::string_view name) { return IsOneOf(kBeginCalls, name); }
bool EndsRecording(std::string_view name) { return IsOneOf(kEndCalls, name); }

std::string Recording::RecorderText() const {
  const std::string name = NameOf(header.recorder);
  return header.version.empty() ? name : name + " (" + header.version + ")";
}

std::string Recording::DevicesText() const {
  if (foreign()) return "none that is known";
  const uint32_t all = devices.used + devices.named;
  if (all == 0) return devices.part_missing ? "A GPU, none of its work" : "CPU";
  const std::string& name = devices.first_name;
  if (devices.used == 0) {
    const std::string what = name.empty() ? std::string("GPU") : name;
    return all == 1 ? what + ", no event" : fmt::format("{} × {}, no event", all, what);
  }
  const bool cpu = program.device == "CPU";  // of a memory snapshot, which has no planes of GPUs
  const std::string what = !name.empty() ? name : cpu ? std::string("GPU") : program.device;
  std::string text = devices.used == 1 ? what : fmt::format("{} × {}", devices.used, what);
  if (devices.named > 0) text += fmt::format("; {} more without an event", devices.named);
  return text;
}

bool Recording::Lists(Layer layer) const {
  if (Has(layer)) return true;
  const bool optional = layer == Layer::kWholeGraphs || layer == Layer::kCounters;
  const bool whole =  // the recorder has no more
      header.recorder == Recorder::kTorchMemory || header.recorder == Recorder::kTimeline;
  if (foreign() || optional || whole) return false;
  if (layer == Layer::kShapes)  // other recorders know none
    return header.recorder == Recorder::kTorch || header.recorder == Recorder::kTorchNpu;
  const bool device = layer == Layer::kDeviceWork || layer == Layer::kRuntimeCalls;
  return !device || devices.used > 0 || devices.part_missing || devices.unknown();
}

std::string Recording::AbsentText() const {
  std::string text;
  for (const LayerWords& words : kLayers) {
    if (Has(words.layer) || !Lists(words.layer)) continue;
    std::string label = words.label;
    if (!label.starts_with("Python")) label[0] = Lower(label[0]);
    text += (text.empty() ? "Not recorded: " : ", ") + label;
  }
  if (!text.empty()) text += ".";
  for (const LossFact& loss : losses)
    text += (text.empty() ? "" : " ") + fmt::format("Incomplete: {} ({}).", loss.text, loss.count);
  return text;
}

std::string Recording::HowToRecord(Layer layer) const {
  const std::string_view remedy = WordsOf(layer).remedy;
  return remedy.empty() || foreign() ? std::string() : RemedyFor(remedy, program);
}

std::string Recording::MissingPartText() const {
  if (!devices.part_missing) return {};
  return "The GPU part was not recorded: " + At(Layer::kDeviceWork).evidence + ".";
}

std::string Recording::NoEventText() const {
  return devices.named == 1 ? "No event of the GPU was recorded."
                            : fmt::format("No event of the {} GPUs was recorded.", devices.named);
}

Recording Recording::Compute(AnalysisContext& context) { return RecordingBuilder(context).Build(); }

}  // namespace stepscope
