#include "loaders/perfetto/perfetto_track_builder.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <span>
#include <tuple>

#include "model/base/sort_runs.h"
#include "model/jobs/job.h"

namespace stepscope::perfetto {
namespace {

using Group = MixedTrackBuilder::Group;
using PlaneKey = MixedTrackBuilder::PlaneKey;

constexpr int kMostParents = 64;

}  // namespace

// "GPU 3", "AGENT [4]": the number behind the mark; -1 if none.
int64_t NumberAfter(std::string_view text, std::string_view mark) {
  const size_t at = text.find(mark);
  if (at == text.npos) return -1;
  int64_t value = -1;
  std::from_chars(text.data() + at + mark.size(), text.data() + text.size(), value);
  return value < 0 || value > 1 << 20 ? -1 : value;
}

int64_t PerfettoTrackBuilder::PidOf(const TrackState& track) const {
  const TrackState* at = &track;
  for (int i = 0; i < kMostParents; ++i) {
    if (at->process || at->thread || at->pid != 0) return at->pid;
    const auto parent = from_.index.find(at->parent);
    if (at->parent == 0 || parent == from_.index.end()) return 0;
    at = &from_.tracks[parent->second];
  }
  return 0;
}

// The number in the name of the track or of a track around it; -1 if none has one.
int64_t PerfettoTrackBuilder::GpuOf(const TrackState& track) const {
  const TrackState* at = &track;
  for (int i = 0; i < kMostParents; ++i) {
    if (at->gpu >= 0) return at->gpu;
    const std::string_view name = builder_.strings().View(at->name);
    for (const std::string_view mark : {"GPU ", "AGENT [", "Agent ["}) {
      if (const int64_t number = NumberAfter(name, mark); number >= 0) return number;
    }
    const auto parent = from_.index.find(at->parent);
    if (at->parent == 0 || parent == from_.index.end()) return -1;
    at = &from_.tracks[parent->second];
  }
  return -1;
}

// The index of the MixedTrackBuilder's track that the track's events go to.
uint32_t PerfettoTrackBuilder::PlaceTrack(uint32_t index, bool counter) {
  const TrackState& state = from_.tracks[index];
  const int64_t pid = PidOf(state), gpu = GpuOf(state);
  const bool device = state.device || (counter && gpu >= 0);
  const bool threads = state.thread || pid != 0;
  const PlaneKey plane{pid,
                       device    ? PlaneKind::kGpu
                       : threads ? PlaneKind::kHostThreads
                                 : PlaneKind::kOther,
                       device ? std::max<int64_t>(gpu, 0) : 0};
  const Group group = counter        ? Group::kCounters
                      : device       ? Group::kStreams
                      : state.thread ? Group::kThreads
                                     : Group::kRanges;
  const uint32_t track =
      drafts_.TrackOf(plane, group, state.thread && !device ? state.tid : int64_t{index});
  if (!drafts_.IsNew(track)) return track;
  TrackData& data = drafts_.track(track);
  data.track.name = state.name;
  if (state.thread && state.name.value == 0) {
    const auto named = from_.thread_names.find(state.tid);
    data.track.name = named != from_.thread_names.end()
                          ? named->second
                          : builder_.strings().Intern("Thread " + std::to_string(state.tid));
  }
  if (data.track.name.value == 0) data.track.name = builder_.strings().Intern("Events");
  data.track.kind = counter        ? TrackKind::kCounter
                    : device       ? TrackKind::kStream
                    : state.thread ? TrackKind::kThread
                                   : TrackKind::kOther;
  return track;
}

// ---- Slices -----------------------------------------------------------------

// The tracks with events, grouped by the track they become. Counters are added right away.
std::vector<PerfettoTrackBuilder::Work> PerfettoTrackBuilder::Place() {
  std::vector<Work> works;
  std::unordered_map<uint32_t, size_t> work_of;
  draft_of_.resize(from_.tracks.size());
  for (uint32_t i = 0; i < from_.tracks.size(); ++i) {
    if (from_.tracks[i].records.empty()) continue;
    const uint32_t draft = draft_of_[i] = PlaceTrack(i, false);
    const auto [it, added] = work_of.try_emplace(draft, works.size());
    if (added) works.emplace_back().draft = draft;
    works[it->second].tracks.push_back(i);
    works[it->second].records += from_.tracks[i].records.size();
  }
  std::stable_sort(works.begin(), works.end(),
                   [](const Work& a, const Work& b) { return a.records > b.records; });
  return works;
}

// Matches begins with ends in order of time, the innermost first. Slices that are open at the end
// last to the track's last event.
struct PerfettoTrackBuilder::Matcher {
  const Column<Record>& records;
  TrackData& data;
  Work& work;
  std::vector<uint32_t>* slice_of;  // null where there are no flows
  std::vector<uint32_t> open;

  void See(int64_t begin, int64_t end) {
    work.first = std::min(work.first, begin);
    work.last = std::max(work.last, end);
  }
  void Slice(uint32_t record, int64_t end) {
    const Record& r = records[record];
    end = std::max(r.at, end);
    See(r.at, end);
    if (slice_of != nullptr) (*slice_of)[record] = static_cast<uint32_t>(data.slices.start.size());
    data.slices.AddWide(r.at, SaturatingSub(end, r.at), r.meta, r.ref);
  }
  // A flow event at an end belongs to the slice that ends.
  void End(uint32_t i) {
    const Record& r = records[i];
    if (open.empty()) {
      ++work.ends;
      return;
    }
    if (slice_of != nullptr) (*slice_of)[i] = static_cast<uint32_t>(data.slices.start.size());
    if (r.ref != Record::kNoRef) work.end_arguments.emplace_back(records[open.back()].ref, r.ref);
    Slice(open.back(), r.at);
    open.pop_back();
  }
  void Add(uint32_t i) {
    const Record& r = records[i];
    if (r.type == EventType::kBegin) {
      open.push_back(i);
    } else if (r.type == EventType::kEnd) {
      End(i);
    } else if (r.type == EventType::kComplete) {
      Slice(i, SaturatingAdd(r.at, r.duration));
    } else {
      See(r.at, r.at);
      data.instants.AddWide(r.at, 0, r.meta, r.ref);
    }
  }
  void Finish() {
    int64_t last = INT64_MIN;
    for (const Record& r : records.span()) last = std::max(last, SaturatingAdd(r.at, r.duration));
    work.begins += open.size();
    for (; !open.empty(); open.pop_back()) Slice(open.back(), last);
  }
};

void PerfettoTrackBuilder::EmitRecords(uint32_t index, Work* work) {
  TrackState& state = from_.tracks[index];
  std::vector<uint32_t>* slice_of = nullptr;
  if (state.flows) {
    slice_of = &slice_of_[index];
    slice_of->assign(state.records.size(), kNoSlice);
  }
  Matcher matcher{state.records, drafts_.track(work->draft), *work, slice_of, {}};
  const auto earlier = [](const Record& a, const Record& b) { return a.at < b.at; };
  const auto records = state.records.span();
  if (std::is_sorted(records.begin(), records.end(), earlier)) {
    for (uint32_t i = 0; i < records.size(); ++i) matcher.Add(i);
  } else {
    std::vector<uint32_t> order(records.size());
    std::iota(order.begin(), order.end(), 0u);
    SortRuns(order.begin(), order.end(),
             [&](uint32_t a, uint32_t b) { return records[a].at < records[b].at; });
    for (const uint32_t i : order) matcher.Add(i);
  }
  matcher.Finish();
  state.records.Release();
}

void PerfettoTrackBuilder::EmitWork(Work* work, const std::stop_token& stop) {
  for (const uint32_t track : work->tracks) {
    if (stop.stop_requested()) return;
    EmitRecords(track, work);
  }
}

void PerfettoTrackBuilder::EmitSamples() {
  for (uint32_t i = 0; i < from_.tracks.size(); ++i) {
    if (from_.tracks[i].samples.empty()) continue;
    const uint32_t track = PlaceTrack(i, true);
    if (drafts_.track(track).track.kind != TrackKind::kCounter) continue;
    for (const Sample& s : from_.tracks[i].samples.span()) drafts_.AddSample(track, s.at, s.value);
    from_.tracks[i].samples.Release();
  }
}

void PerfettoTrackBuilder::Emit(unsigned threads, const std::stop_token& stop) {
  std::vector<Work> works = Place();
  slice_of_.resize(from_.tracks.size());
  ParallelFor(
      works.size() + 1,
      [&](size_t i) {
        if (i == 0) {
          SortFlows(stop);
        } else {
          EmitWork(&works[i - 1], stop);
        }
      },
      threads);
  for (Work& work : works) {
    if (work.first <= work.last) drafts_.See(work.first, work.last);
    begins_ += work.begins;
    ends_ += work.ends;
    end_arguments_.insert(end_arguments_.end(), work.end_arguments.begin(),
                          work.end_arguments.end());
    work.end_arguments = {};
  }
  if (stop.stop_requested()) return;
  std::sort(end_arguments_.begin(), end_arguments_.end());
  EmitSamples();
  EmitFlows();
  NamePlanes();
}

// ---- Arrows -----------------------------------------------------------------

// Gathers the flow points, those of one track together in order of the file: ids mostly ascend
// there, so the sort has few runs to merge.
void PerfettoTrackBuilder::GatherFlows() {
  size_t points = 0;
  for (const TrackState& track : from_.tracks) points += track.flow_points.size();
  flows_.reserve(points);
  for (TrackState& track : from_.tracks) {
    const std::span<const FlowPoint> own = track.flow_points.span();
    flows_.insert(flows_.end(), own.begin(), own.end());
    track.flow_points.Release();
  }
}

void PerfettoTrackBuilder::SortFlows(const std::stop_token& stop) {
  GatherFlows();
  SortRuns(
      flows_.begin(), flows_.end(),
      [](const FlowPoint& a, const FlowPoint& b) {
        return std::tie(a.id, a.at) < std::tie(b.id, b.at);
      },
      stop);
}

// Adds arrows between the slices of each flow, in order of time, until the flow is terminated.
void PerfettoTrackBuilder::EmitFlows() {
  const auto slice_of = [&](const FlowPoint& p) {
    const auto& slices = slice_of_[p.track];
    return p.record < slices.size() ? slices[p.record] : kNoSlice;
  };
  for (size_t i = 0; i + 1 < flows_.size(); ++i) {
    const FlowPoint &from = flows_[i], &to = flows_[i + 1];
    if (from.id != to.id || from.ends) continue;
    const uint32_t a = slice_of(from), b = slice_of(to);
    if (a != kNoSlice && b != kNoSlice)
      drafts_.AddArrow({draft_of_[from.track], a}, {draft_of_[to.track], b}, from.id);
  }
  flows_ = {};
  slice_of_ = {};
}

void PerfettoTrackBuilder::NamePlanes() {
  drafts_.ForPlanes([&](const PlaneKey& key, Plane& plane) {
    const auto named = from_.process_names.find(key.process);
    const std::string process(named == from_.process_names.end()
                                  ? std::string_view("Process")
                                  : builder_.strings().View(named->second));
    plane.id = key.process;
    if (key.kind == PlaneKind::kGpu) {
      plane.id = key.number;
      plane.display_name = "GPU " + std::to_string(key.number);
      plane.name = builder_.strings().Intern("/device:GPU:" + std::to_string(key.number));
    } else {
      const bool threads = key.kind == PlaneKind::kHostThreads;
      plane.subtitle = threads ? process + " " + std::to_string(key.process) : "";
      plane.display_name = threads ? "Host threads" : "Tracks";
      plane.name = builder_.strings().Intern(threads ? plane.subtitle : plane.display_name);
    }
  });
}

}  // namespace stepscope::perfetto
