#include "loaders/chrome_json/track_writer.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "loaders/chrome_json/flow_binder.h"

namespace stepscope::chrome {
namespace {

struct PlaneDraft {
  Plane plane;
  int64_t sort_index = 0;
  std::string pid;
  struct TrackDraft {
    TrackData data;
    int group = 0;  // threads, asynchronous, counters
    int64_t sort_index = 0;
    std::string tid;
    uint32_t thread = kNoIndex;
    Part part = Part::kMain;
  };
  std::vector<TrackDraft> tracks;
};
using TrackDraft = PlaneDraft::TrackDraft;

// Where Kineto puts its own bookkeeping ("Spans"); processes with a text for an id come there too.
constexpr int64_t kTextsLast = 536'870'912;
constexpr int kLastRank = 100;

int64_t NumberOr(std::string_view text, int64_t missing) {
  return ParseInt(text).value_or(missing);
}

// "1 234" never, but numbers before texts, and numbers by value.
auto TextOrder(const std::string& text) {
  const std::optional<int64_t> number = ParseInt(text);
  return std::tuple(!number.has_value(), number.value_or(0), text);
}

void SortSeries(CounterSeries* series) {
  if (std::is_sorted(series->time.begin(), series->time.end())) return;
  std::vector<size_t> order(series->time.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return series->time[a] < series->time[b]; });
  CounterSeries sorted;
  for (const size_t i : order) {
    sorted.time.push_back(series->time[i]);
    sorted.value.push_back(series->value[i]);
  }
  series->time = std::move(sorted.time);
  series->value = std::move(sorted.value);
}

class TrackWriter {
 public:
  TrackWriter(const TrackPlacement& placement, FileEvents* events, MetaTable* metas,
              TraceBuilder* builder)
      : placement_(placement), events_(events), metas_(metas), builder_(builder) {}

  void Write(const std::stop_token& stop) {
    std::vector<std::vector<Arrow>> arrows = BindFlows(events_, stop);
    FindDevices();
    for (uint32_t i = 0; i < events_->threads.size() && !stop.stop_requested(); ++i) AddThread(i);
    if (stop.stop_requested()) return;
    for (FileEvents::AsyncTrack& track : events_->async_tracks) AddAsync(&track);
    for (Counter& counter : events_->counters) AddCounter(&counter);
    for (auto& [key, counter] : events_->memory)
      AddMemory(std::get<0>(key), std::get<1>(key), &counter);
    Emit();
    for (std::vector<Arrow>& list : arrows) {
      for (const Arrow& a : list) AddArrow(a);
      list = {};
    }
  }

 private:
  static size_t Slot(uint32_t thread, Part part) {
    return size_t{thread} * kParts + static_cast<size_t>(part);
  }

  StringId CategoryName(uint32_t meta) const {
    return meta == kNoIndex ? StringId(0) : builder_->names().metas[meta].name;
  }

  void AddArrow(const Arrow& a) {
    builder_->AddFlow(track_ids_[Slot(a.from_thread, a.from_part)], a.from_slice,
                      track_ids_[Slot(a.to_thread, a.to_part)], a.to_slice, a.id,
                      CategoryName(a.key));
  }

  // Processes with kernels are GPUs whatever they are called; the one labelled CPU, or the one with
  // most host threads, takes host threads that Kineto files under a GPU's number.
  void FindDevices() {
    std::map<uint32_t, size_t> host_threads;
    for (const ThreadEvents& t : events_->threads) {
      if (!t.parts[static_cast<size_t>(Part::kDevice)].empty()) gpu_pids_[t.pid] = true;
      if (t.host) ++host_threads[t.pid];
    }
    devices_with_events_ = gpu_pids_.size();
    for (const auto& [pid, info] : events_->processes) {
      if (GpuOfLabel(info.labels)) gpu_pids_[pid] = true;
    }
    size_t most = 0;
    for (const auto& [pid, n] : host_threads) {
      if (gpu_pids_.contains(pid)) continue;
      const auto it = events_->processes.find(pid);
      const size_t weight =
          n + (it != events_->processes.end() && it->second.labels == "CPU" ? 1'000'000 : 0);
      if (weight > most) {
        most = weight;
        main_host_ = pid;
      }
    }
  }

  // The plane of a process; `host`: of what happens on the host under its number.
  PlaneDraft& PlaneOf(uint32_t pid, bool host) {
    const bool gpu = gpu_pids_.contains(pid);
    if (gpu && host && main_host_ != kNoIndex) pid = main_host_;
    const bool split = gpu && host && main_host_ == kNoIndex;
    const auto [it, added] = plane_index_.try_emplace({pid, split}, planes_.size());
    if (added) planes_.push_back(MakePlane(pid, gpu_pids_.contains(pid) && !split, host));
    PlaneDraft& draft = planes_[it->second];
    if (host && draft.plane.kind == PlaneKind::kOther) MakeHostPlane(&draft);
    return draft;
  }

  static void MakeHostPlane(PlaneDraft* draft) {
    draft->plane.kind = PlaneKind::kHostThreads;
    draft->plane.subtitle = draft->plane.display_name;
    draft->plane.display_name = "Host threads";
  }

  PlaneDraft MakePlane(uint32_t pid, bool gpu, bool host) {
    PlaneDraft draft;
    draft.pid = std::string(events_->IdText(pid));
    const auto it = events_->processes.find(pid);
    const ProcessInfo info = it == events_->processes.end() ? ProcessInfo{} : it->second;
    Plane& plane = draft.plane;
    plane.host = placement_.host;
    plane.id = NumberOr(draft.pid, 0);
    const bool number = ParseInt(draft.pid).has_value();
    draft.sort_index = info.has_sort_index ? info.sort_index : number ? plane.id : kTextsLast;
    plane.display_name = info.name;
    if (number) plane.display_name += (info.name.empty() ? "Process " : ", process ") + draft.pid;
    if (!number && info.name.empty())
      plane.display_name = draft.pid.empty() ? "Unnamed process" : draft.pid;
    std::string name = info.name.empty() ? plane.display_name : info.name;
    if (gpu) {
      const int ordinal =
          GpuOfLabel(info.labels)
              .value_or(static_cast<int>(std::clamp<int64_t>(plane.id, -1, 1 << 20)));
      MakeGpu(ordinal, &plane);
      name = "/device:GPU:" + std::to_string(ordinal);
    } else if (const auto role = RoleOfProcess(info.name, plane.id)) {
      plane.kind = role->kind;
      plane.device_ordinal = role->device_ordinal;
      plane.display_name = role->display_name;
    } else if (host) {
      MakeHostPlane(&draft);
    }
    plane.name = builder_->strings().Intern(name);
    return draft;
  }

  // One device in the properties and one with events are the same, whatever number the runtime
  // gives it: ROCm numbers all devices of the machine in one place and the visible ones in the
  // other.
  bool OnlyDevice() const { return placement_.devices.size() == 1 && devices_with_events_ == 1; }

  void MakeGpu(int ordinal, Plane* plane) {
    plane->kind = PlaneKind::kGpu;
    plane->device_ordinal = ordinal;
    plane->display_name = "GPU " + std::to_string(ordinal);
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
      if (thread.parts[p].empty()) continue;
      const Part part = static_cast<Part>(p);
      PlaneDraft& plane = PlaneOf(thread.pid, part == Part::kMain && thread.host);
      plane.tracks.push_back(MakeThreadTrack(index, part, plane.plane.kind));
    }
  }

  TrackDraft MakeThreadTrack(uint32_t index, Part part, PlaneKind plane) {
    ThreadEvents& thread = events_->threads[index];
    TrackDraft draft;
    draft.thread = index;
    draft.part = part;
    draft.tid = std::string(events_->IdText(thread.tid));
    Track& track = draft.data.track;
    track.id = NumberOr(draft.tid, 0);
    const auto it = events_->thread_infos.find(uint64_t{thread.pid} << 32 | thread.tid);
    const ThreadInfo info = it == events_->thread_infos.end() ? ThreadInfo{} : it->second;
    draft.sort_index = info.has_sort_index ? info.sort_index : track.id;
    std::string name = info.name;
    while (!name.empty() && name.back() == ' ') name.pop_back();
    const bool number = ParseInt(draft.tid).has_value();
    const bool stream = part != Part::kMain && number;
    if (stream && (name.empty() || name.starts_with("stream"))) name = "Stream #" + draft.tid;
    if (name.empty()) name = number ? "Thread " + draft.tid : draft.tid;
    if (name.empty()) name = "Unnamed thread";
    const LineNaming role = RoleOfThread(name, plane);
    track.kind = part == Part::kDevice ? TrackKind::kStream : role.kind;
    track.derived_in_file = role.derived_in_file;
    if (part == Part::kMain && thread.only_python && !thread.parts[0].slices.start.empty()) {
      track.kind = TrackKind::kPython;
    }
    if (part == Part::kAnnotation) {
      name += " annotations";
      track.kind = TrackKind::kNvtx;
      track.derived_in_file = true;
    } else if (part == Part::kSync) {
      name += " synchronisation";
      track.kind = TrackKind::kOther;
    }
    track.name = builder_->strings().Intern(name);
    PartEvents& events = thread.parts[static_cast<size_t>(part)];
    Fill(&events, plane, &draft.data);
    return draft;
  }

  // Moves the columns, shifts their times, and gives events without a known `cat` the category of
  // their place.
  void Fill(PartEvents* events, PlaneKind plane, TrackData* data) {
    data->track.source = placement_.source;
    data->slices = std::move(events->slices);
    data->instants = std::move(events->instants);
    Places places(this, plane, data->track.kind);
    for (RawEvents* raw : {&data->slices, &data->instants}) {
      for (size_t i = 0; i < raw->start.size(); ++i) {
        raw->start[i] = SaturatingAdd(raw->start[i], placement_.shift);
        raw->meta[i] = places.Of(raw->meta[i]);
      }
    }
  }

  // MetaByPlace with what it said before for one track, by the low bits of the meta.
  class Places {
   public:
    Places(TrackWriter* writer, PlaneKind plane, TrackKind track)
        : writer_(writer), plane_(plane), track_(track) {
      known_.fill({kNoIndex, 0});
    }
    uint32_t Of(uint32_t meta) {
      auto& [known, placed] = known_[meta % known_.size()];
      if (known != meta) {
        placed = writer_->MetaByPlace(meta, plane_, track_);
        known = meta;
      }
      return placed;
    }

   private:
    TrackWriter* writer_;
    PlaneKind plane_;
    TrackKind track_;
    std::array<std::pair<uint32_t, uint32_t>, 256> known_;
  };

  uint32_t MetaByPlace(uint32_t meta, PlaneKind plane, TrackKind track) {
    if (metas_->roles[meta].category != EventCategory::kUnknown) return meta;
    const uint64_t key =
        uint64_t{meta} << 16 | static_cast<uint64_t>(plane) << 8 | static_cast<uint64_t>(track);
    const auto [it, added] = by_place_.try_emplace(key, meta);
    if (!added) return it->second;
    EventMeta placed = builder_->names().metas[meta];
    placed.category = CategoryByPlace(builder_->strings().View(placed.name), plane, track);
    const bool first = metas_->by_category.lower_bound({meta, EventCategory::kUnknown}) ==
                       metas_->by_category.upper_bound({meta, EventCategory::kFlowOnly});
    const auto [same, absent] = metas_->by_category.try_emplace({meta, placed.category}, meta);
    if (absent && first) {
      builder_->names().metas[meta] = placed;  // taken over: no name is left without events
    } else if (absent) {
      same->second = builder_->AddMeta(placed).value;
    }
    return it->second = same->second;
  }

  void AddAsync(FileEvents::AsyncTrack* async) {
    PlaneDraft& plane = PlaneOf(async->pid, false);
    TrackDraft draft;
    draft.group = 1;
    draft.sort_index = async->number;
    std::string name(builder_->strings().View(StringId(async->cat)));
    if (name.empty()) name = "Asynchronous";
    draft.tid = name;
    if (async->number > 0) name += " (" + std::to_string(async->number + 1) + ")";
    draft.data.track.name = builder_->strings().Intern(name);
    draft.data.track.kind = TrackKind::kOther;
    Fill(&async->events, PlaneKind::kOther, &draft.data);
    plane.tracks.push_back(std::move(draft));
  }

  void AddCounter(Counter* counter) {
    AddCounterTrack(counter->name, counter, &PlaneOf(counter->pid, false));
  }

  void AddCounterTrack(const std::string& name, Counter* counter, PlaneDraft* plane) {
    TrackDraft draft;
    draft.group = 2;
    draft.tid = name;
    Track& track = draft.data.track;
    track.name = builder_->strings().Intern(name);
    track.kind = TrackKind::kCounter;
    track.source = placement_.source;
    for (CounterSeries& series : counter->series) {
      SortSeries(&series);
      for (Ps& time : series.time) time = SaturatingAdd(time, placement_.shift);
      const auto [low, high] = std::minmax_element(series.value.begin(), series.value.end());
      series.min = *low;
      series.max = *high;
      track.counters.push_back(std::move(series));
    }
    plane->tracks.push_back(std::move(draft));
  }

  // PyTorch's device types: 0 is the CPU, 1 CUDA, 6 HIP; others are rare accelerators.
  void AddMemory(int64_t type, int64_t id, Counter* counter) {
    PlaneDraft* plane = nullptr;
    for (PlaneDraft& p : planes_) {
      const bool same = p.plane.device_ordinal == id || OnlyDevice();
      if (type > 0 && p.plane.kind == PlaneKind::kGpu && same) plane = &p;
    }
    std::string name = "Memory";
    if (plane == nullptr) {
      plane = &PlaneOf(counter->pid, true);
      name = type == 0 ? "CPU memory" : "Memory of device " + std::to_string(id);
    }
    AddCounterTrack(name, counter, plane);
  }

  void Emit() {
    std::stable_sort(planes_.begin(), planes_.end(), [](const PlaneDraft& a, const PlaneDraft& b) {
      const auto key = [](const PlaneDraft& p) {
        // As in an XSpace, with what is neither device nor host behind the rest.
        const int rank =
            p.plane.kind == PlaneKind::kOther ? kLastRank : xplane::PlaneRank(p.plane.kind);
        return std::tuple(rank, p.sort_index, TextOrder(p.pid));
      };
      return key(a) < key(b);
    });
    track_ids_.assign(events_->threads.size() * kParts, TrackId());
    uint32_t plane_number = 0;
    for (PlaneDraft& draft : planes_) {
      draft.plane.file_order = plane_number++;
      const PlaneId plane = builder_->AddPlane(std::move(draft.plane));
      std::stable_sort(draft.tracks.begin(), draft.tracks.end(),
                       [](const TrackDraft& a, const TrackDraft& b) {
                         const auto key = [](const TrackDraft& t) {
                           return std::tuple(t.group, t.sort_index, TextOrder(t.tid), t.part);
                         };
                         return key(a) < key(b);
                       });
      uint32_t track_number = 0;
      for (TrackDraft& track : draft.tracks) {
        track.data.track.plane = plane;
        track.data.track.file_order = track_number++;
        const TrackId id = builder_->AddTrack(std::move(track.data));
        if (track.thread != kNoIndex) track_ids_[Slot(track.thread, track.part)] = id;
      }
    }
  }

  const TrackPlacement& placement_;
  FileEvents* events_;
  MetaTable* metas_;
  TraceBuilder* builder_;
  std::map<uint32_t, bool> gpu_pids_;
  size_t devices_with_events_ = 0;
  uint32_t main_host_ = kNoIndex;
  std::vector<PlaneDraft> planes_;
  std::map<std::pair<uint32_t, bool>, size_t> plane_index_;
  std::unordered_map<uint64_t, uint32_t> by_place_;
  std::vector<TrackId> track_ids_;  // by Slot
};

}  // namespace

void BuildTracks(const TrackPlacement& placement, FileEvents* events, MetaTable* metas,
                 TraceBuilder* builder, const std::stop_token& stop) {
  TrackWriter(placement, events, metas, builder).Write(stop);
}

}  // namespace stepscope::chrome
