// MixedTrackBuilder: the tracks of one file while they are filled, for loaders that meet the events
// of all tracks mixed. Times are nanoseconds of the file's clock until Emit. Owns the events. One
// thread. O(log tracks) an event, and less where it is on the same track as the one before.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "model/trace_builder.h"

namespace stepscope {

class MixedTrackBuilder {
 public:
  // Each of these has a plane of its own: a device as a process sees it, or the threads of a
  // process.
  struct PlaneKey {
    int64_t process = 0;
    PlaneKind kind = PlaneKind::kOther;
    int64_t number = 0;  // the device's; 0 for threads
    auto operator<=>(const PlaneKey&) const = default;
  };
  // Groups of a plane's tracks, in the order in which they are shown.
  enum class Group : uint8_t { kStreams, kAnnotations, kSync, kThreads, kRanges, kCounters };
  // A slice that arrows can refer to.
  struct Slice {
    uint32_t track, index;
  };

  explicit MixedTrackBuilder(TraceBuilder* builder) : builder_(builder) {}

  bool HasPlane(const PlaneKey& key) const { return planes_.contains(key); }
  // Calls fn(key, plane) for each plane.
  template <typename Fn>
  void ForPlanes(Fn fn) {
    for (auto& [key, plane] : planes_) fn(key, plane);
  }
  uint32_t TrackOf(const PlaneKey& plane, Group group, int64_t id);
  TrackData& track(uint32_t index) { return tracks_[index]->data; }
  bool IsNew(uint32_t index) const;  // the track has no name yet

  // `ref`: where the event lies in its file (SourceRef::ref), ~0 if nowhere.
  Slice AddSlice(uint32_t track, int64_t begin_ns, int64_t end_ns, uint32_t meta, uint64_t ref);
  void AddInstant(uint32_t track, int64_t at_ns, uint32_t meta, uint64_t ref);
  // Adds a sample to the counter's only series. Samples may come in any order.
  void AddSample(uint32_t track, int64_t at_ns, double value);
  // The meta of a name and category, one for each pair.
  uint32_t MetaOf(StringId name, EventCategory category);

  // A call and the work that it launched have the same number: Emit draws an arrow between them.
  void AddCall(uint64_t correlation, Slice slice) { calls_.push_back({correlation, slice}); }
  void AddWork(uint64_t correlation, Slice slice) { work_.push_back({correlation, slice}); }

  void AddArrow(Slice from, Slice to, uint64_t id) { arrows_.push_back({from, to, id}); }

  // Extends what empty() and first_ns() tell. For loaders that fill a track's data themselves.
  void See(int64_t begin_ns, int64_t end_ns);
  bool empty() const { return first_ns_ > last_ns_; }
  int64_t first_ns() const { return first_ns_; }  // of all events and samples
  // Processes that have a device with events, ascending.
  std::vector<int64_t> DeviceProcesses() const;

  // Hands all tracks and arrows to the TraceBuilder. Call once. `base_ns` of the file's clock
  // becomes `base` of the trace. A process that `hosts` does not name belongs to `host`.
  struct Placement {
    uint32_t source = 0;
    int64_t base_ns = 0;
    Ps base = 0;
    HostId host;
    std::map<int64_t, HostId> hosts;
  };
  void Emit(const Placement& placement);

 private:
  struct TrackKey {
    PlaneKey plane;
    Group group;
    int64_t id;
    auto operator<=>(const TrackKey&) const = default;
  };
  struct Draft {
    TrackKey key;
    TrackData data;
    TrackId id;
  };
  struct Correlated {
    uint64_t correlation;
    Slice slice;
  };
  struct Arrow {
    Slice from, to;
    uint64_t id;
  };
  void EmitPlane(const PlaneKey& key, HostId host, uint32_t order, const Placement& placement,
                 const std::vector<uint32_t>& tracks);
  void EmitTrack(Draft* draft, PlaneId plane, uint32_t order, const Placement& placement);
  void EmitArrows();

  TraceBuilder* builder_;
  std::map<PlaneKey, Plane> planes_;
  std::map<TrackKey, uint32_t> index_;
  std::vector<std::unique_ptr<Draft>> tracks_;
  uint32_t last_ = std::numeric_limits<uint32_t>::max();  // track asked for last
  std::unordered_map<uint64_t, uint32_t> metas_;          // by name and category
  std::vector<Correlated> calls_, work_;
  std::vector<Arrow> arrows_;
  int64_t first_ns_ = std::numeric_limits<int64_t>::max();
  int64_t last_ns_ = std::numeric_limits<int64_t>::min();
};

// Sorts the samples by time if they are not, and sets the least and the largest value.
void FinishSeries(CounterSeries* series);

}  // namespace stepscope
