#include "loaders/memory_snapshot/snapshot_tracks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "loaders/common/row_values.h"
#include "model/analysis/intervals/held_value_series.h"
#include "model/base/key_table.h"

namespace stepscope::snapshot {
namespace {

constexpr size_t kLookEvery = 1 << 16;  // events between two looks at the stop token

const char* NameOf(AllocatorAction action) {
  using enum AllocatorAction;
  static constexpr std::pair<AllocatorAction, const char*> kNames[] = {
      {kAlloc, "alloc"},
      {kFreeRequested, "free_requested"},
      {kFreeCompleted, "free_completed"},
      {kSegmentAlloc, "segment_alloc"},
      {kSegmentFree, "segment_free"},
      {kSegmentMap, "segment_map"},
      {kSegmentUnmap, "segment_unmap"},
      {kOutOfMemory, "out of memory"},
      {kSnapshot, "snapshot"}};
  return FindValue(kNames, action, "other");
}

bool IsShown(AllocatorAction action) {
  return action != AllocatorAction::kAlloc && action != AllocatorAction::kFreeRequested &&
         action != AllocatorAction::kFreeCompleted && action != AllocatorAction::kOther;
}

class TrackMaker {
 public:
  TrackMaker(const AllocatorHistory& history, HostId host, const std::stop_token& stop,
             TraceBuilder* builder)
      : history_(history), host_(host), stop_(stop), builder_(*builder) {}

  void Add(const AllocatorDevice& device) {
    Plane plane;
    const std::string name = fmt::format("GPU {}", device.index);
    plane.host = host_;
    plane.name = builder_.strings().Intern(name);
    plane.display_name = name;
    plane.subtitle = "caching allocator";
    plane.id = device.index;
    plane.device_ordinal = device.index;
    plane_ = builder_.AddPlane(std::move(plane));
    AddCounters(device);
    AddNotes(device);
    AddInstants(device);
  }

 private:
  TrackData Data(const char* name, TrackKind kind) {
    TrackData data;
    data.track.plane = plane_;
    data.track.name = builder_.strings().Intern(name);
    data.track.kind = kind;
    data.track.id = data.track.display_id = next_id_++;
    return data;
  }

  uint32_t MetaOf(std::string_view name) {
    const StringId id = builder_.strings().Intern(name);
    const auto [known, added] = metas_.try_emplace(id.value, 0);
    if (added) {
      EventMeta meta;
      meta.name = id;
      known->second = builder_.AddMeta(meta).value;
    }
    return known->second;
  }

  // Adds the counters one after the other, because each takes 16 bytes an event while it is filled.
  void AddCounters(const AllocatorDevice& device) {
    if (device.events == 0) return;
    TrackData data = Data("Memory", TrackKind::kCounter);
    std::vector<CounterSeries>& counters = data.track.counters;
    counters.push_back(
        Allocated(device).Take(builder_.strings().Intern("allocated"), kMostCounterPoints));
    counters.push_back(
        Reserved(device).Take(builder_.strings().Intern("reserved"), kMostCounterPoints));
    builder_.AddTrack(std::move(data));
  }

  HeldValueSeries Allocated(const AllocatorDevice& device) {
    const Column<int64_t> after = AllocatedAfter(device);
    return Levels(device, [&](uint32_t e) { return after[e]; });
  }

  HeldValueSeries Reserved(const AllocatorDevice& device) {
    int64_t level = device.reserved_before;
    return Levels(device, [&](uint32_t e) {
      return level = SaturatingAdd(level, ReservedChange(history_.events, device.first_event + e));
    });
  }

  template <typename After>
  HeldValueSeries Levels(const AllocatorDevice& device, const After& after) {
    HeldValueSeries series;
    for (uint32_t e = 0; e < device.events; ++e) {
      if (e % kLookEvery == 0 && stop_.stop_requested()) break;
      series.Add(history_.EventTime(device, e), static_cast<double>(after(e)));
    }
    return series;
  }

  // Adds annotations. Begins and ends of one name belong together, the innermost first.
  void AddNotes(const AllocatorDevice& device) {
    TrackData data = Data("Annotations", TrackKind::kNvtx);
    std::map<uint32_t, std::vector<int64_t>> open;  // begins, by name
    int64_t last = INT64_MIN;
    if (device.events > 0) last = history_.events.time_us[device.first_event + device.events - 1];
    const auto add = [&](uint32_t name, int64_t begin, int64_t end) {
      const Ps from = history_.TimeOf(begin);
      data.slices.Add(from, SaturatingSub(history_.TimeOf(std::max(begin, end)), from),
                      MetaOf(history_.strings.View(StringId(name))), Lane::kNoRef);
    };
    for (const AllocatorNote& note : history_.notes) {
      if (note.device != device.index) continue;
      last = std::max(last, note.time_us);
      std::vector<int64_t>& begins = open[note.name.value];
      if (note.begin) {
        begins.push_back(note.time_us);
      } else if (!begins.empty()) {
        add(note.name.value, begins.back(), note.time_us);
        begins.pop_back();
      }
    }
    for (const auto& [name, begins] : open) {
      for (const int64_t begin : begins) add(name, begin, last);
    }
    if (!data.slices.start.empty()) builder_.AddTrack(std::move(data));
  }

  void AddInstants(const AllocatorDevice& device) {
    TrackData failed = Data("Out of memory", TrackKind::kOther);
    TrackData segments = Data("Segments", TrackKind::kOther);
    for (uint32_t e = 0; e < device.events; ++e) {
      const size_t row = device.first_event + e;
      const AllocatorAction action = history_.events.action[row];
      if (!IsShown(action)) continue;
      TrackData& to = action == AllocatorAction::kOutOfMemory ? failed : segments;
      to.instants.Add(history_.EventTime(device, e), 0, MetaOf(NameOf(action)),
                      static_cast<uint32_t>(row));
    }
    for (TrackData* data : {&failed, &segments}) {
      if (!data->instants.start.empty()) builder_.AddTrack(std::move(*data));
    }
  }

  const AllocatorHistory& history_;
  HostId host_;
  const std::stop_token& stop_;
  TraceBuilder& builder_;
  PlaneId plane_;
  int64_t next_id_ = 0;
  std::map<uint32_t, uint32_t> metas_;  // by name
};

class SnapshotSource final : public HistorySource {
 public:
  explicit SnapshotSource(std::shared_ptr<const AllocatorHistory> history)
      : history_(std::move(history)) {}
  const AllocatorHistory& history() const override { return *history_; }
  size_t resident_bytes() const override { return history_->bytes(); }

  Result<std::vector<Stat>> Decode(const Trace& trace, EventRow row) const override {
    std::vector<Stat> stats;
    const auto place = RefOfRow(trace, row);
    const AllocatorEvents& events = history_->events;
    if (!place || place->ref >= events.count()) return stats;
    const uint64_t event = place->ref;
    stats.push_back({"size", events.size[event]});
    for (const auto& [at, free] : history_->device_free) {
      if (at == event) stats.push_back({"device_free", free});
    }
    stats.push_back({"address", fmt::format("0x{:x}", events.address[event])});
    stats.push_back({"stream", history_->streams[events.stream[event]]});
    if (const auto context = history_->strings.View(StringId(events.context[event]));
        !context.empty())
      stats.push_back({"compile_context", std::string(context)});
    std::string stack;
    for (const uint32_t frame : history_->Stack(events.stack[event]))
      stack += (stack.empty() ? "" : "\n") + FrameLabel(*history_, frame);
    if (!stack.empty()) stats.push_back({"stack", std::move(stack)});
    return stats;
  }
  Result<std::shared_ptr<const StatTable>> LoadTyped(const Trace&, std::stop_token) const override {
    return std::shared_ptr<const StatTable>(std::make_shared<StatTable>());
  }

 private:
  std::shared_ptr<const AllocatorHistory> history_;
};

}  // namespace

void AddTracks(const AllocatorHistory& history, HostId host, const std::stop_token& stop,
               TraceBuilder* builder) {
  TrackMaker maker(history, host, stop, builder);
  for (const AllocatorDevice& device : history.devices) {
    if (stop.stop_requested()) return;
    maker.Add(device);
  }
}

std::shared_ptr<const StatSource> MakeStatSource(std::shared_ptr<const AllocatorHistory> history) {
  return std::make_shared<SnapshotSource>(std::move(history));
}

}  // namespace stepscope::snapshot
