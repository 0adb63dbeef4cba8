#include "model/trace_builder.h"

#include <algorithm>
#include <new>

#include "model/base/demangle.h"
#include "model/base/sort_runs.h"
#include "model/find_recorder.h"
#include "model/first_view.h"
#include "model/lane_builder.h"
#include "model/trace_facts.h"

namespace stepscope {
namespace {

constexpr uint64_t kMaxRows = 0xfffffffeu;  // rows have 32 bits, and the last value means none
constexpr size_t kMaxReadableBytes = size_t{64} << 20;  // all demangled names together
constexpr size_t kTracksPerBlock = 16'384;              // tracks that are built at the same time
constexpr size_t kFewTracks = 256;  // a block of so few tracks shares no columns
constexpr size_t kSmallTrack = 64;  // events; a track with more has columns of its own

// TrackSet::storage owns this.
struct SetStorage {
  std::vector<LaneColumns> columns;
};

uint64_t EventCount(const TrackData& data) {
  return uint64_t{data.slices.start.size()} + data.instants.start.size();
}

struct BuiltSet {
  TrackSet set;
  std::vector<std::vector<uint32_t>> row_of_slice;  // by track; empty if rows are as the slices
  std::vector<uint32_t> first_row;                  // by track
  Diagnostics diagnostics;
  uint64_t slices = 0, instants = 0;
  bool complete = false;  // false: it was stopped
};

bool IsSmall(const BuiltTrack& built) {
  return built.slice_count + built.instant_count <= kSmallTrack;
}

// If there are few tracks, each keeps its own columns, which spares a copy.
bool AreShared(const std::vector<BuiltTrack>& block) { return block.size() > kFewTracks; }

// One set of columns for many small tracks. Columns of their own would
// take more memory than their events.
class SharedColumns {
 public:
  explicit SharedColumns(const std::vector<BuiltTrack>& built) {
    size_t rows = 0, bases = 0;
    for (const BuiltTrack& b : built) {
      if (!AreShared(built) || !IsSmall(b)) continue;
      rows += b.slice_count + b.instant_count;
      for (const Lane& lane : b.lanes) bases += lane.ref_bases.size();
    }
    columns_.start.Reserve(rows);
    columns_.dur.Reserve(rows);
    columns_.meta.Reserve(rows);
    columns_.ref.Reserve(rows);
    columns_.ref_bases.reserve(bases);
  }

  void Take(Lane* lane) {
    lane->start = Append(lane->start, &columns_.start);
    lane->dur = Append(lane->dur, &columns_.dur);
    lane->meta = Append(lane->meta, &columns_.meta);
    lane->ref = Append(lane->ref, &columns_.ref);
    const size_t at = columns_.ref_bases.size();
    columns_.ref_bases.insert(columns_.ref_bases.end(), lane->ref_bases.begin(),
                              lane->ref_bases.end());
    lane->ref_bases = std::span<const uint64_t>(columns_.ref_bases).subspan(at);
  }
  void MoveTo(SetStorage* storage) {
    if (!columns_.start.empty()) storage->columns.push_back(std::move(columns_));
  }

 private:
  // The constructor reserved the room, so elements never move.
  template <typename T>
  static std::span<const T> Append(std::span<const T> from, Column<T>* to) {
    const size_t at = to->size();
    for (const T& value : from) to->push_back(value);
    return to->span().subspan(at);
  }

  LaneColumns columns_;
};

// Appends one built track to the set. `shared`: takes the columns of small
// tracks; null: each track keeps its own.
void AddBuilt(TrackData& data, BuiltTrack& built, SharedColumns* shared, SetStorage* storage,
              BuiltSet* out) {
  TrackSet& set = out->set;
  const bool take = shared != nullptr && IsSmall(built);
  const TrackId id(static_cast<uint32_t>(set.tracks.size()));
  Track& track = set.tracks.emplace_back(std::move(data.track));
  track.first_lane =
      built.lanes.empty() ? LaneId() : LaneId(static_cast<uint32_t>(set.lanes.size()));
  track.lane_count = static_cast<uint32_t>(built.lanes.size());
  track.rows = built.rows;
  track.span = built.span;
  track.busy = built.busy;
  track.events = built.slice_count + built.instant_count;
  out->first_row.push_back(set.rows);
  for (Lane& lane : built.lanes) {
    if (take) shared->Take(&lane);
    lane.track = id;
    lane.first_row += out->first_row.back();
    set.rows = lane.first_row + lane.size();
    set.lanes.push_back(std::move(lane));
  }
  out->slices += built.slice_count;
  out->instants += built.instant_count;
  out->diagnostics.Merge(built.diagnostics);
  out->row_of_slice.push_back(std::move(built.row_of_slice));
  if (take) return;
  if (built.slice_count > 0) storage->columns.push_back(std::move(built.slices));
  if (built.instant_count > 0) storage->columns.push_back(std::move(built.instants));
}

// Makes room for what `built` will add.
void Reserve(const std::vector<BuiltTrack>& built, SetStorage* storage, TrackSet* set) {
  size_t lanes = 0, columns = 1;
  for (const BuiltTrack& b : built) {
    lanes += b.lanes.size();
    if (!AreShared(built) || !IsSmall(b))
      columns += (b.slice_count > 0 ? 1 : 0) + (b.instant_count > 0 ? 1 : 0);
  }
  const auto grow = [](auto* list, size_t more) {
    const size_t size = list->size() + more;
    if (size > list->capacity()) list->reserve(std::max(size, list->size() * 3 / 2));
  };
  grow(&storage->columns, columns);
  grow(&set->lanes, lanes);
}

size_t TracksWithEvents(const std::vector<std::vector<TrackData>>& blocks) {
  size_t count = 0;
  for (const std::vector<TrackData>& tracks : blocks) {
    for (const TrackData& data : tracks) count += EventCount(data) > 0 ? 1 : 0;
  }
  return count;
}

// Builds the tracks of a block. `keep_rows`: by track, whether the map from slices to rows is
// wanted. A stopped call leaves some tracks empty.
std::vector<BuiltTrack> BuildTracks(std::vector<TrackData>& tracks, std::span<const char> keep_rows,
                                    const NameTable& names, const std::stop_token& stop) {
  std::vector<BuiltTrack> built(tracks.size());
  Reused<LaneScratch> scratches;
  const auto order = LargestFirst(tracks.size(), [&](uint32_t t) { return EventCount(tracks[t]); });
  const auto build = [&](size_t k) {
    if (stop.stop_requested()) return;
    const uint32_t t = order[k];
    const std::string_view name = names.strings.View(tracks[t].track.name);
    std::unique_ptr<LaneScratch> scratch = scratches.Take();
    built[t] = BuildLanes(tracks[t], keep_rows[t] != 0, name, stop, scratch.get());
    scratches.Give(std::move(scratch));
  };
  // Small tracks allocate more than they compute, which is slower on several threads than on one.
  uint64_t events = 0;
  for (const TrackData& data : tracks) events += EventCount(data);
  ParallelFor(tracks.size(), build, events < tracks.size() * kSmallTrack ? 1 : ThreadsFor(events));
  return built;
}

// Builds all tracks, block by block: a track takes more memory while it is built than afterwards,
// and there may be a million. `keep_rows`: as for BuildTracks.
BuiltSet Build(std::vector<std::vector<TrackData>>& blocks, const std::vector<char>& keep_rows,
               const NameTable& names, std::stop_token stop) {
  BuiltSet out;
  auto storage = std::make_shared<SetStorage>();
  out.set.tracks.reserve(keep_rows.size());
  out.first_row.reserve(keep_rows.size());
  out.row_of_slice.reserve(keep_rows.size());
  out.set.lanes.reserve(TracksWithEvents(blocks));
  for (std::vector<TrackData>& tracks : blocks) {
    const auto keep = std::span(keep_rows).subspan(out.set.tracks.size(), tracks.size());
    std::vector<BuiltTrack> built = BuildTracks(tracks, keep, names, stop);
    if (stop.stop_requested()) return out;
    Reserve(built, storage.get(), &out.set);
    SharedColumns shared(built);
    for (size_t t = 0; t < tracks.size(); ++t)
      AddBuilt(tracks[t], built[t], AreShared(built) ? &shared : nullptr, storage.get(), &out);
    shared.MoveTo(storage.get());
    std::vector<TrackData>().swap(tracks);
  }
  out.set.storage = std::move(storage);
  BuildPyramids(&out.set.lanes, stop);
  out.complete = !stop.stop_requested();
  return out;
}

// The row of a track's raw slice; invalid if the track has no such slice.
EventRow RowOf(const BuiltSet& built, TrackId track, uint32_t slice, uint64_t slice_count) {
  if (track.value >= built.first_row.size() || slice >= slice_count) return {};
  const std::vector<uint32_t>& rows = built.row_of_slice[track.value];
  return EventRow(built.first_row[track.value] + (rows.empty() ? slice : rows[slice]));
}

// Gives planes without a host a host of their own.
void PlaceOnHosts(Trace* trace) {
  const HostId host(static_cast<uint32_t>(trace->hosts.size()));
  for (Plane& plane : trace->planes) {
    if (plane.host.value < host.value) continue;
    if (trace->hosts.size() == host.value) trace->hosts.emplace_back().name = StringId(0);
    plane.host = host;
  }
}

void SetRecorder(Trace* trace) {
  if (trace->recording.recorder != Recorder::kUnknown) return;
  trace->recording.recorder = trace->format->recorder;
  if (trace->recording.recorder != Recorder::kUnknown) trace->recording.evidence = "format";
  if (trace->format->capabilities.any_program) FindRecorder(*trace, &trace->recording);
}

// Sets what follows from tracks, lanes and flows. Returns the number of stray events.
uint64_t SetSums(uint64_t slices, uint64_t instants, Trace* trace) {
  trace->counts.slices = slices;
  trace->counts.instants = instants;
  trace->counts.flows = trace->flows.size();
  for (const Track& track : trace->set.tracks) {
    for (const CounterSeries& c : track.counters) trace->counts.counter_samples += c.time.size();
  }
  return SetViews(trace);
}

// Finishes a set that a loader made itself. The diagnostics hold the counts of an earlier Finish()
// already.
Result<std::shared_ptr<const Trace>> FinishWhole(std::shared_ptr<Trace> trace,
                                                 std::shared_ptr<const NameTable> names,
                                                 const std::stop_token& stop) {
  try {
    trace->set.title = "Events";
    trace->set.names = std::move(names);
    BuildPyramids(&trace->set.lanes, stop);
    if (stop.stop_requested()) return Status(ErrorCode::kCancelled, "Cancelled");
    uint64_t instants = 0;
    for (const Lane& lane : trace->set.lanes)
      instants += lane.kind == LaneKind::kInstant ? lane.size() : 0;
    SetSums(trace->set.rows - instants, instants, trace.get());
    SetRecorder(trace.get());
  } catch (const std::bad_alloc&) {
    return Status(ErrorCode::kLimit, "Not enough memory for the profile's events.");
  }
  return std::shared_ptr<const Trace>(std::move(trace));
}

}  // namespace

TraceBuilder::TraceBuilder()
    : names_(std::make_shared<NameTable>()), trace_(std::make_shared<Trace>()) {}

MetaId TraceBuilder::AddMeta(const EventMeta& meta) {
  EventMeta& added = names_->metas.emplace_back(meta);
  if (!added.display_name.valid() || added.display_name.value == 0)
    added.display_name = ReadableName(added.name);
  return MetaId(static_cast<uint32_t>(names_->metas.size() - 1));
}

// Demangles each name once: the kernels of eight devices have the same names.
StringId TraceBuilder::ReadableName(StringId name) {
  const std::string_view raw = names_->strings.View(name);
  if (!raw.starts_with("_Z") || readable_bytes_ > kMaxReadableBytes) return StringId(0);
  const auto [known, added] = readable_.try_emplace(name.value, StringId(0));
  if (added) {
    const std::string readable = Demangle(raw);
    readable_bytes_ += readable.size();
    known->second = names_->strings.Intern(readable);
  }
  return known->second;
}

HostId TraceBuilder::AddHost(Host host) {
  trace_->hosts.push_back(std::move(host));
  return HostId(static_cast<uint32_t>(trace_->hosts.size() - 1));
}

void TraceBuilder::Reserve(size_t planes, size_t tracks) {
  const auto grow = [](auto* list, size_t more) {
    const size_t size = list->size() + more;
    // Grows by half at least: many files that ask for a little each
    // must not copy the list each time.
    if (size > list->capacity()) list->reserve(std::max(size, list->size() * 3 / 2));
  };
  grow(&trace_->planes, planes);
  if (tracks_.empty()) tracks_.emplace_back().reserve(std::min(tracks, kTracksPerBlock));
}

PlaneId TraceBuilder::AddPlane(Plane plane) {
  trace_->planes.push_back(std::move(plane));
  return PlaneId(static_cast<uint32_t>(trace_->planes.size() - 1));
}

TrackId TraceBuilder::AddTrack(TrackData data) {
  const TrackId id(track_count_++);
  const PlaneId plane = data.track.plane;
  if (tracks_.empty() || tracks_.back().size() == kTracksPerBlock) tracks_.emplace_back();
  tracks_.back().push_back(std::move(data));
  if (plane.value < trace_->planes.size()) trace_->planes[plane.value].tracks.push_back(id);
  return id;
}

void TraceBuilder::AddFlow(TrackId from, uint32_t from_slice, TrackId to, uint32_t to_slice,
                           uint64_t id, StringId category) {
  flows_.push_back({from, to, from_slice, to_slice, id, category});
}

void TraceBuilder::MapFlows(const std::vector<EventRow>& rows) {
  trace_->flows.reserve(flows_.size());
  uint64_t lost = 0;
  for (size_t i = 0; i < flows_.size(); ++i) {
    const EventRow from = rows[2 * i], to = rows[2 * i + 1];
    if (from.valid() && to.valid()) {
      trace_->flows.push_back({from, to, flows_[i].id, flows_[i].category});
    } else {
      ++lost;
    }
  }
  if (lost > 0) {
    trace_->diagnostics.Count("flow.no_event", Severity::kWarning,
                              "Arrows begin or end at events that do not exist", {}, lost);
  }
}

void TraceBuilder::Summarise(uint64_t slices, uint64_t instants) {
  const uint64_t stray = SetSums(slices, instants, trace_.get());
  if (stray > 0) {
    trace_->diagnostics.Count(
        "view.stray_events", Severity::kInfo,
        "Events far from all others are outside the first view, which shows the densest 99.9 %", {},
        stray);
  }
}

Result<std::shared_ptr<const Trace>> TraceBuilder::Finish(std::stop_token stop,
                                                          Progress* progress) {
  if (progress) progress->SetStage("Building the timeline");
  PlaceOnHosts(trace_.get());
  if (trace_->set.storage != nullptr) return FinishWhole(trace_, names_, stop);
  uint64_t total = 0;
  std::vector<uint64_t> slice_counts;
  slice_counts.reserve(track_count_);
  for (const std::vector<TrackData>& block : tracks_) {
    for (const TrackData& t : block) {
      total += EventCount(t);
      slice_counts.push_back(t.slices.start.size());
    }
  }
  if (total > kMaxRows) {
    return Status(ErrorCode::kLimit, "The profile has " + std::to_string(total) +
                                         " events; the limit is " + std::to_string(kMaxRows) +
                                         ". Open fewer hosts at a time.");
  }
  std::vector<char> has_flows(track_count_, 0);
  for (const PendingFlow& flow : flows_) {
    for (const TrackId t : {flow.from, flow.to}) {
      if (t.value < has_flows.size()) has_flows[t.value] = 1;
    }
  }
  try {
    BuiltSet built = Build(tracks_, has_flows, *names_, stop);
    if (!built.complete) return Status(ErrorCode::kCancelled, "Cancelled");
    std::vector<EventRow> rows;
    rows.reserve(flows_.size() * 2);
    const auto row_of = [&](TrackId t, uint32_t slice) {
      return RowOf(built, t, slice, t.value < slice_counts.size() ? slice_counts[t.value] : 0);
    };
    for (const PendingFlow& flow : flows_) {
      rows.push_back(row_of(flow.from, flow.from_slice));
      rows.push_back(row_of(flow.to, flow.to_slice));
    }
    trace_->set = std::move(built.set);
    trace_->set.title = "Events";
    trace_->set.names = names_;
    trace_->diagnostics.Merge(built.diagnostics);
    MapFlows(rows);
    Summarise(built.slices, built.instants);
    SetRecorder(trace_.get());
  } catch (const std::bad_alloc&) {
    return Status(ErrorCode::kLimit,
                  "Not enough memory for the profile's events. Open fewer hosts at a time.");
  }
  tracks_.clear();
  return std::shared_ptr<const Trace>(std::move(trace_));
}

TrackSet TraceBuilder::BuildSet(std::string title, std::shared_ptr<const NameTable> names,
                                std::vector<TrackData> tracks,
                                std::vector<std::vector<EventRow>> source_of_slices) {
  std::vector<char> keep(tracks.size(), 0);
  std::vector<uint64_t> slices;
  slices.reserve(tracks.size());
  for (const TrackData& t : tracks) slices.push_back(t.slices.start.size());
  for (size_t t = 0; t < tracks.size() && t < source_of_slices.size(); ++t)
    keep[t] = !source_of_slices[t].empty();
  std::vector<std::vector<TrackData>> blocks;
  blocks.push_back(std::move(tracks));
  BuiltSet built = Build(blocks, keep, *names, {});
  TrackSet& set = built.set;
  set.title = std::move(title);
  set.names = std::move(names);
  if (std::find(keep.begin(), keep.end(), 1) != keep.end()) set.source.resize(set.rows);
  for (uint32_t t = 0; t < keep.size(); ++t) {
    if (keep[t] == 0) continue;
    const std::vector<EventRow>& source = source_of_slices[t];
    for (uint32_t i = 0; i < source.size(); ++i) {
      const EventRow row = RowOf(built, TrackId(t), i, slices[t]);
      if (row.value < set.source.size()) set.source[row.value] = source[i];
    }
  }
  return std::move(built.set);
}

}  // namespace stepscope
