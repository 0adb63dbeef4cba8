#include "loaders/chrome_json/chrome_track_builder.h"

#include <algorithm>
#include <array>
#include <compare>
#include <deque>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>

#include "loaders/chrome_json/flow_binder.h"
#include "loaders/common/mixed_track_builder.h"
#include "loaders/common/queue_overruns.h"
#include "model/analysis/naming/collectives.h"
#include "model/analysis/naming/short_label.h"
#include "model/base/ascii.h"
#include "model/base/sort_runs.h"

namespace stepscope::chrome {

using namespace naming;

namespace {

// Sort key of a text: numbers come before texts, and by value. "1 234" is a text.
struct TextOrder {
  bool text = true;
  int64_t number = 0;
  std::string_view bytes;
  auto operator<=>(const TextOrder&) const = default;
};

TextOrder OrderOf(std::string_view text) {
  const std::optional<int64_t> number = json::ParseInt(text);
  return {!number.has_value(), number.value_or(0), text};
}

// A track that is not built yet: what its place depends on, and where its events lie. It is small,
// because there may be a million.
struct TrackDraft {
  enum Group : uint8_t { kThreads, kAsync, kCounters } group = kThreads;
  Part part = Part::kMain;
  TrackKind kind = TrackKind::kOther;
  DeviceQueue queue = DeviceQueue::kOther;
  bool derived_in_file = false;
  uint32_t plane = 0;  // planes_
  uint32_t thread = kNoIndex;
  StringId name;
  int64_t sort_index = 0;
  TextOrder tid;
  std::unique_ptr<PartEvents> events;  // null: a counter
  std::unique_ptr<std::vector<CounterSeries>> counters;
};

struct PlaneDraft {
  Plane plane;
  int rank = 0;  // as in an XSpace; planes that are neither device nor host come last
  int64_t sort_index = 0;
  TextOrder order;  // by the text of the process id
};

// Sort index at which Kineto puts its own bookkeeping ("Spans"). Processes whose id is a text come
// there, too.
constexpr int64_t kTextsLast = 536'870'912;
constexpr int kLastRank = 100;
// Begins and lengths are whole nanoseconds in most files. Each is rounded by half of one, so ends
// that were one time lie two apart at most.
constexpr Ps kRounding = 2 * kPsPerNs;
constexpr size_t kStopEveryDrafts = 4096;  // planes, tracks or counters

// Indices of the drafts, sorted by their keys.
template <typename Draft, typename Key>
std::vector<uint32_t> Sorted(const std::deque<Draft>& drafts, const Key& key,
                             const std::stop_token& stop) {
  std::vector<uint32_t> order(drafts.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto before = [&](uint32_t a, uint32_t b) { return key(drafts[a]) < key(drafts[b]); };
  SortRuns(order.begin(), order.end(), before, stop);
  return order;
}

class ChromeTrackBuilder {
 public:
  ChromeTrackBuilder(const TrackPlacement& placement, const NamedProcesses& named,
                     FileEvents* events, MetaTable* metas, TraceBuilder* builder,
                     const std::stop_token& stop)
      : placement_(placement),
        named_(named),
        events_(events),
        metas_(metas),
        builder_(builder),
        stop_(stop),
        plane_index_(2 * events->id_count(), kNoIndex) {}

  void Write() {
    std::vector<std::vector<Arrow>> arrows = BindFlows(events_, stop_);
    FindDevices();
    // The stop token is asked at each thread, because one may have all events.
    for (uint32_t i = 0; i < events_->threads.size() && !stop_.stop_requested(); ++i) AddThread(i);
    for (FileEvents::AsyncTrack& track : events_->async_tracks) {
      if (stop_.stop_requested()) return;
      AddAsync(&track);
    }
    for (size_t i = 0; i < events_->counters.size() && !Stopped(i); ++i)
      AddCounter(&events_->counters[i]);
    if (stop_.stop_requested()) return;
    FindGpus();
    for (auto& [key, counter] : events_->memory)
      AddMemory(std::get<0>(key), std::get<1>(key), &counter);
    NameDevices();
    thread_count_ = events_->threads.size();
    std::vector<ThreadEvents>().swap(events_->threads);
    std::vector<ProcessInfo>().swap(events_->processes);
    if (stop_.stop_requested()) return;
    CutOverruns();
    Emit();
    if (stop_.stop_requested()) return;
    for (std::vector<Arrow>& list : arrows) {
      for (const Arrow& a : list) AddArrow(a);
      list = {};
    }
  }

 private:
  static size_t Slot(uint32_t thread, Part part) {
    return size_t{thread} * kParts + static_cast<size_t>(part);
  }

  bool Stopped(size_t i) const { return i % kStopEveryDrafts == 0 && stop_.stop_requested(); }

  StringId CategoryName(uint32_t meta) const {
    return meta == kNoIndex ? StringId(0) : builder_->names().metas[meta].name;
  }

  void AddArrow(const Arrow& a) {
    builder_->AddFlow(track_ids_[Slot(a.from_thread, a.from_part)], a.from_slice,
                      track_ids_[Slot(a.to_thread, a.to_part)], a.to_slice, a.id,
                      CategoryName(a.key));
  }

  // The events' categories say what the devices are called, but for those that any accelerator may
  // have: then labels of processes and names of devices say more.
  void FindDeviceWord() {
    std::string_view vague;
    for (const CategoryRole& role : metas_->roles) {
      std::string_view& word = role.device == "Accelerator" ? vague : device_word_;
      if (word.empty()) word = role.device;
    }
    if (device_word_.empty()) device_word_ = named_.DeviceWord();
    for (const ProcessInfo& process : events_->processes) {
      if (device_word_.empty()) device_word_ = DeviceWordOfLabel(Text(process.labels));
    }
    for (const DeviceProperties& device : placement_.devices) {
      if (device_word_.empty()) device_word_ = DeviceWordOfName(device.name);
    }
    if (device_word_.empty()) device_word_ = vague.empty() ? "GPU" : vague;
  }

  // Processes with kernels are GPUs, whatever they are called. Kineto puts some host threads under
  // a GPU's number: the process labelled CPU takes them, or else the one with most host threads.
  void FindDevices() {
    FindDeviceWord();
    std::map<uint32_t, size_t> host_threads;  // their number by process
    for (const ThreadEvents& t : events_->threads) {
      const PartEvents* device = t.parts[static_cast<size_t>(Part::kDevice)].get();
      if (device != nullptr && !device->empty()) gpu_pids_.insert(t.pid);
      if (named_.IsOfDevice(t.pid)) gpu_pids_.insert(named_.PlaneOf(t.pid));
      if (t.host) ++host_threads[t.pid];
    }
    devices_with_events_ = gpu_pids_.size();
    for (uint32_t pid = 0; pid < events_->processes.size(); ++pid) {
      if (GpuOfLabel(Text(events_->processes[pid].labels))) gpu_pids_.insert(pid);
    }
    size_t most = 0;
    for (const auto& [pid, n] : host_threads) {
      if (gpu_pids_.contains(pid)) continue;
      const size_t weight = n + (Text(InfoOf(pid).labels) == "CPU" ? 1'000'000 : 0);
      if (weight > most) {
        most = weight;
        main_host_ = pid;
      }
    }
  }

  std::string_view Text(StringId id) const { return builder_->strings().View(id); }
  ProcessInfo InfoOf(uint32_t pid) const {
    return pid < events_->processes.size() ? events_->processes[pid] : ProcessInfo{};
  }

  // Index in planes_ of a process' plane; `host`: of the plane for host threads under its number.
  uint32_t PlaneOf(uint32_t pid, bool host) {
    pid = named_.PlaneOf(pid);
    const bool gpu = gpu_pids_.contains(pid);
    if (gpu && host && main_host_ != kNoIndex) pid = main_host_;
    const bool split = gpu && host && main_host_ == kNoIndex;
    uint32_t& index = plane_index_[2 * size_t{pid} + (split ? 1 : 0)];
    if (index == kNoIndex) {
      index = static_cast<uint32_t>(planes_.size());
      planes_.push_back(MakePlane(pid, gpu_pids_.contains(pid) && !split, host));
    }
    PlaneDraft& draft = planes_[index];
    if (host && draft.plane.kind == PlaneKind::kOther) MakeHostPlane(&draft);
    return index;
  }

  static void MakeHostPlane(PlaneDraft* draft) {
    draft->plane.kind = PlaneKind::kHostThreads;
    draft->plane.subtitle = draft->plane.display_name;
    draft->plane.display_name = "Host threads";
  }

  // The plane of a process that is no device by its name.
  void MakeNamed(const ProcessName& process, PlaneDraft* draft) {
    switch (process.kind) {
      case ProcessKind::kHostCpu:
        MakeHostPlane(draft);
        draft->plane.name = builder_->strings().Intern("/host:CPU");
        if (process.ordinal >= 0)
          draft->plane.display_name = "Ops of GPU " + std::to_string(process.ordinal);
        break;
      case ProcessKind::kHost:
      case ProcessKind::kNpuHost:
        MakeHostPlane(draft);
        break;
      case ProcessKind::kHostAside:
        draft->plane.kind = PlaneKind::kHostOther;
        break;
      default:
        break;
    }
  }

  PlaneDraft MakePlane(uint32_t pid, bool gpu, bool host) {
    PlaneDraft draft;
    const std::string_view id = events_->IdText(pid);
    draft.order = OrderOf(id);
    const ProcessInfo info = InfoOf(pid);
    const std::string_view called = Text(info.name);
    Plane& plane = draft.plane;
    plane.host = placement_.host;
    plane.id = draft.order.number;
    const bool number = !draft.order.text;
    draft.sort_index = info.has_sort_index ? info.sort_index : number ? plane.id : kTextsLast;
    plane.display_name = called;
    if (number) {
      plane.display_name += called.empty() ? "Process " : ", process ";
      plane.display_name += id;
    } else if (called.empty()) {
      plane.display_name = id.empty() ? "Unnamed process" : id;
    }
    plane.name = called.empty() ? builder_->strings().Intern(plane.display_name) : info.name;
    const ProcessName* named = named_.Find(pid);
    if (gpu) {
      const int by_id = static_cast<int>(std::clamp<int64_t>(plane.id, -1, 1 << 20));
      const int ordinal =
          named_.IsOfDevice(pid) ? named->ordinal : GpuOfLabel(Text(info.labels)).value_or(by_id);
      MakeGpu(ordinal, &plane);
      plane.name = builder_->strings().Intern("/device:GPU:" + std::to_string(ordinal));
    } else if (named != nullptr) {
      MakeNamed(*named, &draft);
    } else if (const auto role = RoleOfProcess(called, plane.id)) {
      plane.kind = role->kind;
      plane.device_ordinal = role->device_ordinal;
      plane.display_name = role->display_name;
    } else if (host) {
      MakeHostPlane(&draft);
    }
    return draft;
  }

  // If the properties have one device and one has events, they are the same, whatever their
  // numbers: ROCm numbers all devices of the machine in one place and only the visible ones in the
  // other.
  bool OnlyDevice() const { return placement_.devices.size() == 1 && devices_with_events_ == 1; }

  void MakeGpu(int ordinal, Plane* plane) {
    plane->kind = PlaneKind::kGpu;
    plane->device_ordinal = ordinal;
    plane->display_name = std::string(device_word_) + " " + std::to_string(ordinal);
    for (const DeviceProperties& d : placement_.devices) {
      if (d.id != ordinal && !OnlyDevice()) continue;
      plane->subtitle = d.name;
      plane->stats = d.stats;
      for (const PlaneStat& s : d.stats) {
        if (s.name == "numSms" && std::holds_alternative<int64_t>(s.value)) {
          const bool amd = d.name.find("AMD") != std::string::npos ||
                           d.name.find("Instinct") != std::string::npos;
          plane->subtitle +=
              ", " + std::to_string(std::get<int64_t>(s.value)) + (amd ? " CUs" : " SMs");
        }
      }
    }
  }

  void AddThread(uint32_t index) {
    ThreadEvents& thread = events_->threads[index];
    for (size_t p = 0; p < kParts; ++p) {
      if (thread.parts[p] == nullptr || thread.parts[p]->empty()) continue;
      const Part part = static_cast<Part>(p);
      AddThreadTrack(index, part, PlaneOf(thread.pid, part == Part::kMain && thread.host));
    }
  }

  TrackDraft& NewDraft(uint32_t plane) {
    TrackDraft& draft = drafts_.emplace_back();
    draft.plane = plane;
    return draft;
  }

  void AddThreadTrack(uint32_t index, Part part, uint32_t plane_index) {
    ThreadEvents& thread = events_->threads[index];
    const PlaneKind plane = planes_[plane_index].plane.kind;
    TrackDraft& draft = NewDraft(plane_index);
    draft.thread = index;
    draft.part = part;
    const std::string_view tid = events_->IdText(thread.tid);
    draft.tid = OrderOf(tid);
    const ThreadInfo& info = thread.info;
    draft.sort_index = info.has_sort_index ? info.sort_index : draft.tid.number;
    std::string name(Text(info.name));
    while (!name.empty() && name.back() == ' ') name.pop_back();
    const bool number = !draft.tid.text;
    const bool stream = part != Part::kMain && number;
    if (stream && (name.empty() || name.starts_with("stream")))
      name = "Stream #" + std::string(tid);
    if (name.empty()) name = (number ? "Thread " : "") + std::string(tid);
    if (name.empty()) name = "Unnamed thread";
    const LineNaming role = RoleOfThread(name, plane);
    draft.kind = part == Part::kDevice ? TrackKind::kStream : role.kind;
    draft.derived_in_file = role.derived_in_file;
    const ProcessName* named = named_.Find(thread.pid);
    if (named != nullptr && part == Part::kMain) PlaceNamed(*named, tid, &name, &draft);
    if (part == Part::kMain && thread.only_python && !thread.parts[0]->slices.start.empty()) {
      draft.kind = TrackKind::kPython;
    }
    if (part == Part::kAnnotation) {
      name += " annotations";
      draft.kind = TrackKind::kNvtx;
      draft.derived_in_file = true;
    } else if (part == Part::kSync) {
      name += " synchronisation";
      draft.kind = TrackKind::kOther;
    }
    draft.name = builder_->strings().Intern(name);
    Fill(std::move(thread.parts[static_cast<size_t>(part)]), plane, &draft);
  }

  // Places a thread of a process that says by its name what it is.
  void PlaceNamed(const ProcessName& process, std::string_view tid, std::string* name,
                  TrackDraft* draft) {
    const ThreadEvents& thread = events_->threads[draft->thread];
    if (!named_.IsOfDevice(thread.pid)) {
      draft->derived_in_file =
          process.kind == ProcessKind::kNpuAside || process.kind == ProcessKind::kAside;
      return;
    }
    DeviceLine line = named_.LineOf(thread.pid, Trimmed(Text(thread.info.name)), tid);
    *name = std::move(line.name);
    draft->kind = line.kind;
    draft->derived_in_file = line.kind == TrackKind::kDerived;
    draft->queue = line.queue;
    if (line.queue == DeviceQueue::kCollectives) draft->sort_index += kTextsLast;
    if (!process.stream.empty())
      draft->sort_index = json::ParseInt(process.stream).value_or(kTextsLast);
  }

  // Moves the events into the draft, shifts their times, and gives those without a known `cat` the
  // category of their place.
  void Fill(std::unique_ptr<PartEvents> events, PlaneKind plane, TrackDraft* draft) {
    const MetaPlace place{plane, draft->kind, draft->queue};
    if (events->slices.start.size() + events->instants.start.size() < kFewEvents) {
      Place(events.get(), [&](uint32_t meta) { return MetaByPlace(meta, place); });
    } else {
      Places places(this, place);
      Place(events.get(), [&](uint32_t meta) { return places.Of(meta); });
    }
    draft->events = std::move(events);
  }

  template <typename MetaOf>
  void Place(PartEvents* events, const MetaOf& meta_of) const {
    for (RawEvents* raw : {&events->slices, &events->instants}) {
      for (size_t i = 0; i < raw->start.size(); ++i) {
        raw->start[i] = SaturatingAdd(raw->start[i], placement_.shift);
        raw->meta[i] = meta_of(raw->meta[i]);
      }
    }
  }

  // Where an event is, as far as its category depends on it.
  struct MetaPlace {
    PlaneKind plane;
    TrackKind track;
    DeviceQueue queue;
  };

  static constexpr size_t kFewEvents = 256;  // with fewer, Places cost more than they save

  // MetaByPlace for one track, with a cache by the low bits of the meta.
  class Places {
   public:
    Places(ChromeTrackBuilder* writer, const MetaPlace& place) : writer_(writer), place_(place) {
      known_.fill({kNoIndex, 0});
    }
    uint32_t Of(uint32_t meta) {
      auto& [known, placed] = known_[meta % known_.size()];
      if (known != meta) {
        placed = writer_->MetaByPlace(meta, place_);
        known = meta;
      }
      return placed;
    }

   private:
    ChromeTrackBuilder* writer_;
    MetaPlace place_;
    std::array<std::pair<uint32_t, uint32_t>, 256> known_;
  };

  EventCategory CategoryAt(uint32_t meta, const MetaPlace& place) const {
    const std::string_view name = Text(builder_->names().metas[meta].name);
    if (place.queue == DeviceQueue::kOther || place.track != TrackKind::kStream)
      return CategoryByPlace(name, place.plane, place.track);
    const bool range = place.queue == DeviceQueue::kRocm && named_.IsHostName(meta);
    return range ? EventCategory::kGpuUserAnnotation : CategoryOnQueue(place.queue, name);
  }

  uint32_t MetaByPlace(uint32_t meta, const MetaPlace& place) {
    if (metas_->roles[meta].category != EventCategory::kUnknown) return meta;
    const uint64_t key = uint64_t{meta} << 24 | static_cast<uint64_t>(place.queue) << 16 |
                         static_cast<uint64_t>(place.plane) << 8 |
                         static_cast<uint64_t>(place.track);
    const auto [it, added] = by_place_.try_emplace(key, meta);
    if (!added) return it->second;
    EventMeta placed = builder_->names().metas[meta];
    placed.category = CategoryAt(meta, place);
    const bool first = metas_->by_category.lower_bound({meta, EventCategory::kUnknown}) ==
                       metas_->by_category.upper_bound({meta, EventCategory::kFlowOnly});
    const auto [same, absent] = metas_->by_category.try_emplace({meta, placed.category}, meta);
    if (absent && first) {
      builder_->names().metas[meta] = placed;  // in place, so that no meta is left without events
    } else if (absent) {
      same->second = builder_->AddMeta(placed).value;
    }
    return it->second = same->second;
  }

  void AddAsync(FileEvents::AsyncTrack* async) {
    TrackDraft& draft = NewDraft(PlaneOf(async->pid, false));
    draft.group = TrackDraft::kAsync;
    draft.sort_index = async->number;
    std::string_view category = builder_->strings().View(StringId(async->cat));
    if (category.empty()) category = "Asynchronous";
    draft.tid = OrderOf(category);
    std::string name(category);
    if (async->number > 0) name += " (" + std::to_string(async->number + 1) + ")";
    draft.name = builder_->strings().Intern(name);
    Fill(std::make_unique<PartEvents>(std::move(async->events)), PlaneKind::kOther, &draft);
  }

  void AddCounter(Counter* counter) {
    AddCounterTrack(counter->name, counter, PlaneOf(counter->pid, false));
  }

  void AddCounterTrack(StringId name, Counter* counter, uint32_t plane) {
    TrackDraft& draft = NewDraft(plane);
    draft.group = TrackDraft::kCounters;
    draft.tid = OrderOf(Text(name));
    draft.name = name;
    draft.kind = TrackKind::kCounter;
    draft.counters = std::make_unique<std::vector<CounterSeries>>();
    draft.counters->reserve(counter->series.size());
    for (size_t i = 0; i < counter->series.size() && !Stopped(i + 1); ++i) {
      CounterSeries& series = counter->series[i];
      FinishSeries(&series);
      series.time.shrink_to_fit();
      series.value.shrink_to_fit();
      for (Ps& time : series.time) time = SaturatingAdd(time, placement_.shift);
      draft.counters->push_back(std::move(series));
    }
    counter->series = {};
  }

  // Finds the last plane of each GPU, and the last one of all.
  void FindGpus() {
    for (uint32_t i = 0; i < planes_.size(); ++i) {
      if (planes_[i].plane.kind != PlaneKind::kGpu) continue;
      gpu_planes_[planes_[i].plane.device_ordinal] = last_gpu_ = i;
    }
  }

  // PyTorch's device types: 0 is the CPU, 1 CUDA, 6 HIP; others are rare accelerators.
  void AddMemory(int64_t type, int64_t id, Counter* counter) {
    uint32_t plane = kNoIndex;
    const auto own = gpu_planes_.find(id);
    if (type > 0 && OnlyDevice() && last_gpu_ != kNoIndex) {
      plane = last_gpu_;
    } else if (type > 0 && own != gpu_planes_.end()) {
      plane = own->second;
    }
    std::string name = "Memory";
    if (plane == kNoIndex) {
      if (type > 0) NameDevice(id, {})->has_memory = true;
      plane = PlaneOf(counter->pid, true);
      name = type == 0 ? "CPU memory" : "Memory of device " + std::to_string(id);
    }
    AddCounterTrack(builder_->strings().Intern(name), counter, plane);
  }

  // The entry of a device without events.
  NamedDevice* NameDevice(int64_t id, const std::string& name) {
    std::vector<NamedDevice>& devices = builder_->trace().recording.devices;
    const int ordinal = static_cast<int>(std::clamp<int64_t>(id, -1, 1 << 20));
    for (NamedDevice& device : devices) {
      if (device.host != placement_.host || device.ordinal != ordinal) continue;
      if (device.name.empty()) device.name = name;
      return &device;
    }
    devices.push_back({placement_.host, ordinal, name});
    return &devices.back();
  }

  // Lists the devices that properties or a process name and that have no event.
  void NameDevices() {
    std::set<int64_t> with_plane;
    for (const auto& [ordinal, plane] : gpu_planes_) with_plane.insert(ordinal);
    if (!OnlyDevice()) {
      for (const DeviceProperties& d : placement_.devices) {
        if (!with_plane.contains(d.id)) NameDevice(d.id, d.name);
      }
    }
    for (uint32_t pid = 0; pid < events_->processes.size(); ++pid) {
      if (plane_index_[2 * size_t{pid}] != kNoIndex) continue;
      const auto role = RoleOfProcess(Text(events_->processes[pid].name), 0);
      const bool device = role && (role->kind == PlaneKind::kGpu || role->kind == PlaneKind::kTpu);
      if (device && role->device_ordinal >= 0 && !with_plane.contains(role->device_ordinal))
        NameDevice(role->device_ordinal, {});
    }
  }

  // A queue of a device, and its events that seem to last too long.
  struct Queue {
    TrackDraft* draft;
    QueueOverruns found;
  };

  // Cuts the events of GPU queues that lost their ends where the next event begins.
  void CutOverruns() {
    std::vector<Queue> queues;
    for (TrackDraft& draft : drafts_) {
      const bool queue = draft.kind == TrackKind::kStream && !draft.derived_in_file &&
                         planes_[draft.plane].plane.kind == PlaneKind::kGpu;
      if (stop_.stop_requested()) return;
      if (!queue || draft.events == nullptr) continue;
      QueueOverruns found = FindQueueOverruns(draft.events->slices);
      if (!found.overruns.empty()) queues.push_back({&draft, std::move(found)});
    }
    if (queues.empty()) return;
    const TimeRange others = TimeWithout(queues);
    for (const Queue& queue : queues) CutOverruns(queue, others);
  }

  void CutOverruns(const Queue& queue, const TimeRange& others) {
    RawEvents& slices = queue.draft->events->slices;
    const std::span<const Ps> starts = slices.start.span();
    const Ps first = *std::min_element(starts.begin(), starts.end());
    for (const QueueOverrun& o : queue.found.overruns) {
      const EventMeta& meta = builder_->names().metas[slices.meta[o.event]];
      OverrunFacts facts{
          others, IsCollective(Text(meta.name)),
          meta.category == EventCategory::kMemcpy || meta.category == EventCategory::kMemset,
          queue.draft->part != Part::kDevice, slices.start[o.event] == first};
      if (!IsImpossible(o, queue.found, slices, facts)) continue;
      const Ps recorded = slices.dur[o.event];
      slices.dur[o.event] = SaturatingSub(o.next, slices.start[o.event]);
      builder_->trace().diagnostics.Count(RecordingLoss::kImpossibleDuration,
                                          placement_.file + ": '" + InSentence(Text(meta.name)) +
                                              "' on '" + std::string(Text(queue.draft->name)) +
                                              "' lasts " + FormatDuration(recorded) + ", cut to " +
                                              FormatDuration(slices.dur[o.event]));
    }
  }

  // The time of all events but the overruns.
  TimeRange TimeWithout(const std::vector<Queue>& queues) const {
    std::set<std::pair<const TrackDraft*, uint32_t>> overruns;
    for (const Queue& queue : queues) {
      for (const QueueOverrun& o : queue.found.overruns) overruns.emplace(queue.draft, o.event);
    }
    TimeRange time{kMaxPs, kMinPs};
    const auto extend = [&](Ps begin, Ps end) {
      time.begin = std::min(time.begin, begin);
      time.end = std::max(time.end, end);
    };
    for (const TrackDraft& draft : drafts_) {
      if (draft.events == nullptr) continue;
      const RawEvents& slices = draft.events->slices;
      for (uint32_t i = 0; i < slices.start.size(); ++i) {
        const Ps end = SaturatingAdd(slices.start[i], slices.dur[i]);
        if (end <= time.end && slices.start[i] >= time.begin) continue;
        if (!overruns.contains({&draft, i})) extend(slices.start[i], end);
      }
      for (const Ps at : draft.events->instants.start.span()) extend(at, at);
    }
    return time;
  }

  void Emit() {
    for (PlaneDraft& p : planes_)
      p.rank = p.plane.kind == PlaneKind::kOther ? kLastRank : naming::PlaneRank(p.plane.kind);
    builder_->Reserve(planes_.size(), drafts_.size());
    const auto key = [](const PlaneDraft& p) { return std::tie(p.rank, p.sort_index, p.order); };
    std::vector<PlaneId> plane_ids(planes_.size());
    uint32_t plane_number = 0;
    for (const uint32_t i : Sorted(planes_, key, stop_)) {
      if (Stopped(plane_number)) return;
      Plane& plane = planes_[i].plane;
      plane.file_order = plane_number++;
      plane_ids[i] = builder_->AddPlane(std::move(plane));
    }
    planes_.clear();
    track_ids_.assign(thread_count_ * kParts, TrackId());
    EmitTracks(plane_ids);
  }

  // Adds the tracks to the builder, plane after plane, sorted by their keys.
  void EmitTracks(const std::vector<PlaneId>& plane_ids) {
    const auto key = [&](const TrackDraft& t) {
      return std::tuple<PlaneId, int, int64_t, const TextOrder&, Part>(plane_ids[t.plane], t.group,
                                                                       t.sort_index, t.tid, t.part);
    };
    uint32_t emitted = 0, track_number = 0;
    PlaneId last;
    for (const uint32_t i : Sorted(drafts_, key, stop_)) {
      if (Stopped(emitted++)) return;
      const PlaneId plane = plane_ids[drafts_[i].plane];
      track_number = plane == last ? track_number + 1 : 0;
      last = plane;
      EmitTrack(plane, track_number, &drafts_[i]);
    }
    drafts_.clear();
  }

  void EmitTrack(PlaneId plane, uint32_t number, TrackDraft* draft) {
    TrackData data;
    data.track.plane = plane;
    data.track.name = draft->name;
    data.track.kind = draft->kind;
    data.track.derived_in_file = draft->derived_in_file;
    data.track.source = placement_.source;
    data.track.file_order = number;
    data.rounding = kRounding;
    if (draft->group == TrackDraft::kThreads) data.track.id = draft->tid.number;
    if (draft->counters != nullptr) data.track.counters = std::move(*draft->counters);
    if (draft->events != nullptr) {
      data.slices = std::move(draft->events->slices);
      data.instants = std::move(draft->events->instants);
    }
    draft->events.reset();
    draft->counters.reset();
    const TrackId id = builder_->AddTrack(std::move(data));
    if (draft->thread != kNoIndex) track_ids_[Slot(draft->thread, draft->part)] = id;
  }

  const TrackPlacement& placement_;
  const NamedProcesses& named_;
  FileEvents* events_;
  MetaTable* metas_;
  std::string_view device_word_;  // what the devices are called: "GPU", "MTIA"
  TraceBuilder* builder_;
  std::stop_token stop_;
  std::set<uint32_t> gpu_pids_;
  size_t devices_with_events_ = 0, thread_count_ = 0;
  uint32_t main_host_ = kNoIndex;
  std::deque<PlaneDraft> planes_;  // deques do not copy what they hold as they grow
  std::deque<TrackDraft> drafts_;
  std::vector<uint32_t> plane_index_;  // index in planes_, by pid and whether it is for the host
  std::map<int64_t, uint32_t> gpu_planes_;  // index in planes_, by device ordinal
  uint32_t last_gpu_ = kNoIndex;
  std::unordered_map<uint64_t, uint32_t> by_place_;
  std::vector<TrackId> track_ids_;  // by Slot
};

}  // namespace

void BuildTracks(const TrackPlacement& placement, const NamedProcesses& named, FileEvents* events,
                 MetaTable* metas, TraceBuilder* builder, const std::stop_token& stop) {
  ChromeTrackBuilder(placement, named, events, metas, builder, stop).Write();
}

}  // namespace stepscope::chrome
