// Tracks, lanes and their columns: what the timeline draws and analyses scan. A track (thread,
// stream, line) has a lane for each depth of its nested events. All events of a set are numbered as
// rows, lane by lane. Plain structs; immutable once inside a Trace or a TrackSet.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "model/ids.h"
#include "model/lane_mip.h"
#include "model/string_pool.h"
#include "model/time.h"

namespace stepscope {

// The kind of an event, as far as the loader knows without stats: by `cat` in a Chrome trace,
// by plane and line in an XSpace.
enum class EventCategory : uint8_t {
  kUnknown,
  kKernel,
  kMemcpy,
  kMemset,
  kRuntimeCall,
  kCpuOp,
  kPythonFunction,
  kUserAnnotation,
  kGpuUserAnnotation,
  kStep,
  kHostEvent,
  kOverhead,
  kCommunication,
  kMemoryEvent,
  kFlowOnly,
};
// Work that a device does, as distinct from what describes it.
constexpr bool IsDeviceWork(EventCategory category) {
  return category == EventCategory::kKernel || category == EventCategory::kMemcpy ||
         category == EventCategory::kMemset;
}

// All events of one metadata share this: an XEventMetadata, or name and category of Chrome events.
struct EventMeta {
  StringId name;
  StringId display_name;  // empty: `name` is shown
  EventCategory category = EventCategory::kUnknown;
  PlaneId plane;          // the plane that the metadata belongs to; invalid for Chrome traces
  int64_t source_id = 0;  // the metadata id in the file
};

// Names shared by the events of a trace or of a derived set.
struct NameTable {
  StringPool strings;
  std::vector<EventMeta> metas;
  std::string_view Name(MetaId m) const {
    return m.value < metas.size() ? strings.View(metas[m.value].name) : std::string_view{};
  }
  std::string_view DisplayName(MetaId m) const {  // the name if there is no display name
    if (m.value >= metas.size()) return {};
    const EventMeta& e = metas[m.value];
    return strings.View(e.display_name.valid() && e.display_name.value != 0 ? e.display_name
                                                                            : e.name);
  }
};

enum class PlaneKind : uint8_t {
  kGpu,
  kTpu,
  kTpuSparseCore,
  kTpuChip,
  kCustom,
  kHostThreads,
  kHostOther,
  kMetadata,
  kEnvironment,
  kOther
};
constexpr bool IsDevice(PlaneKind kind) { return kind <= PlaneKind::kCustom; }

struct Host {
  StringId name;
  std::string file;           // path of the file that it was read from
  int64_t start_unix_ns = 0;  // Task Environment profile_start_time, or 0
  int rank = -1;              // PyTorch distributedInfo
  bool cut = false;           // its file ends before it is complete
};

struct PlaneStat {
  std::string name;
  std::variant<int64_t, uint64_t, double, std::string> value;
};

struct Plane {
  HostId host;               // valid in every Trace
  StringId name;             // as in the file: "/device:GPU:0", or the Chrome process name
  std::string display_name;  // "GPU 0", "Host threads", ...
  std::string subtitle;      // "A100-SXM4-80GB, 108 SMs" or empty
  int64_t id = 0;            // XPlane id = device ordinal; Chrome pid
  int device_ordinal = -1;
  PlaneKind kind = PlaneKind::kOther;
  std::vector<PlaneStat> stats;  // capabilities of the device and the like
  std::vector<TrackId> tracks;   // in the trace's own set, in display order
  uint32_t file_order = 0;  // its index among the planes of its file, for rules that go by order
};

enum class TrackKind : uint8_t {
  kThread,
  kStream,
  kSteps,
  kXlaModules,
  kXlaOps,
  kAsyncXlaOps,
  kFrameworkOps,
  kNameScope,
  kSource,
  kLaunchStats,
  kOverhead,
  kNvtx,
  kCounter,
  kDerived,
  kPython,
  kOther
};

enum class LaneKind : uint8_t {
  kNested,   // depth `depth` of the properly nested events
  kSpill,    // events that overlap partially: no parent, no self time
  kInstant,  // events without duration; may share a start
};

// The events of one depth of a track: rows [first_row, first_row + size()), sorted by start. Events
// of a kNested or kSpill lane do not overlap. Views columns that TrackSet::storage owns.
struct Lane {
  TrackId track;
  LaneKind kind = LaneKind::kNested;
  uint16_t depth = 0;  // the row of the track in which it is drawn
  uint32_t first_row = 0;
  std::span<const Ps> start, dur;
  std::span<const uint32_t> meta;  // MetaId values
  // Offset of event i in its source, for StatSource: ref_bases[i >> kRefShift] +
  // ref[i]. kNoRef: it has no stats. A base for each block of rows lets 32-bit
  // references reach into sources of any size.
  std::span<const uint32_t> ref;
  std::span<const uint64_t> ref_bases;
  LaneMip mip;

  static constexpr uint32_t kRefShift = 14;
  static constexpr uint32_t kNoRef = 0xffffffffu;
  uint32_t size() const { return static_cast<uint32_t>(start.size()); }
  Ps end(size_t i) const { return SaturatingAdd(start[i], dur[i]); }
  LaneView view() const { return {start, dur, meta}; }
  uint64_t SourceOffset(size_t i) const {  // ~0 if none
    return ref.empty() || ref[i] == kNoRef ? ~uint64_t{0} : ref_bases[i >> kRefShift] + ref[i];
  }
};

struct CounterSeries {  // sorted by time; a value holds until the next one
  StringId name;        // series within the track ("bytes", "reserved")
  std::vector<Ps> time;
  std::vector<double> value;
  double min = 0, max = 0;
};

struct Track {
  PlaneId plane;
  StringId name;   // in the set's NameTable
  int64_t id = 0;  // line id, stream id, or tid
  int64_t display_id = 0;
  TrackKind kind = TrackKind::kOther;
  uint32_t source = 0;  // index of the file or buffer within the StatSource
  LaneId first_lane;    // lanes [first_lane, first_lane + lane_count): nested by depth, then spill,
                        // then instants
  uint32_t lane_count = 0;
  uint32_t rows = 0;  // rows that the track takes on the timeline: its lanes
  std::vector<CounterSeries> counters;
  TimeRange span;                // first begin to last end of its events
  uint64_t events = 0;           // slices + instants
  Ps busy = 0;                   // sum of durations of depth 0 and of spill lanes
  bool derived_in_file = false;  // XProf's preprocessing wrote it into the file: statistics ignore
                                 // it (docs/xspace.md#special-line-ids)
  uint32_t file_order = 0;       // its index among the lines of its plane in the file
  // XLine.timestamp_ns in ps from the origin; 0 in Chrome traces.
  // XProf leaves it out of some times.
  Ps line_start = 0;
};

struct Flow {  // an arrow from one event to another that the file has (Chrome's s, t, f)
  EventRow from, to;
  uint64_t id = 0;
  StringId category;
};

// An immutable list of tracks with their own rows: a trace's own
// events, or something derived from them.
struct TrackSet {
  std::string title;  // "Events", "Derived GPU lines"
  std::shared_ptr<const NameTable> names;
  std::vector<Track> tracks;
  std::vector<Lane> lanes;
  uint32_t rows = 0;  // rows of all lanes
  std::vector<EventRow>
      source;  // derived sets: the event of the trace's own set that a row comes from; may be empty
  std::shared_ptr<const void> storage;  // owns the columns that lanes view

  // All of these are O(log lanes). LaneOf returns an invalid id if there is no such row.
  LaneId LaneOf(EventRow row) const;
  Ps Start(EventRow row) const;
  Ps Duration(EventRow row) const;
  MetaId Meta(EventRow row) const;
  std::string_view Name(EventRow row) const;  // display name
  TrackId TrackOf(EventRow row) const;
  std::span<const Lane> LanesOf(const Track& t) const {
    return {lanes.data() + (t.lane_count ? t.first_lane.value : 0), t.lane_count};
  }
  size_t bytes() const;  // sum of columns, references and pyramids
};

}  // namespace stepscope
