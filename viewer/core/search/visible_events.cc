#include "viewer/core/search/visible_events.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/analysis/intervals/event_order.h"
#include "model/analysis/tables/schema.h"
#include "model/base/key_table.h"
#include "model/jobs/job.h"
#include "model/lookup.h"
#include "viewer/core/state/track_rules.h"

namespace stepscope {
namespace {

using NameSum = VisibleSum;
struct KindSum {
  uint64_t count = 0;
  Ps busy = 0;
};

constexpr size_t kKinds = static_cast<size_t>(TrackKind::kOther) + 1;

const char* KindText(TrackKind kind) {
  static constexpr std::pair<TrackKind, const char*> kTexts[] = {
      {TrackKind::kThread, "Threads"},
      {TrackKind::kStream, "Streams"},
      {TrackKind::kSteps, "Steps"},
      {TrackKind::kXlaModules, "XLA modules"},
      {TrackKind::kXlaOps, "XLA ops"},
      {TrackKind::kAsyncXlaOps, "Async XLA ops"},
      {TrackKind::kFrameworkOps, "Framework ops"},
      {TrackKind::kNameScope, "Name scopes"},
      {TrackKind::kSource, "Source code"},
      {TrackKind::kLaunchStats, "Launches"},
      {TrackKind::kOverhead, "Overhead"},
      {TrackKind::kNvtx, "Annotations"},
      {TrackKind::kPython, "Python"}};
  return FindValue(kTexts, kind, "Others");
}

class Adder {
 public:
  Adder(const Trace& trace, TimeRange range, const StatTable* stats)
      : set_(trace.set), range_(range), few_(PlanesOfFewEvents(trace)) {
    names_.resize(set_.names->metas.size());
    annotations_.resize(names_.size());
    FindMarks(trace, stats);
  }
  void Add(const Track& track);
  VisibleEvents Result() const;

 private:
  Ps Inside(const Lane& lane, size_t i) const {
    return std::min(lane.end(i), range_.end) - std::max(lane.start[i], range_.begin);
  }
  void FindMarks(const Trace& trace, const StatTable* stats);
  bool OnlyNames(const Track& track) const;
  bool OnlyNames(const Track& track, const Lane& lane, size_t i) const;
  void TakeFromParents(const Track& track, const Lane& lane, const Lane& parents);
  Ps BusyTime(const Track& track) const;
  std::vector<VisibleName> Names() const;
  std::vector<VisibleKind> Kinds() const;

  const TrackSet& set_;
  TimeRange range_;
  std::vector<bool> few_;                     // by plane
  std::vector<NameSum> names_, annotations_;  // by meta
  std::vector<uint32_t> marks_;               // rows of the host's events that mark steps, sorted
  Ps only_names_ = 0;                         // self time of all tracks whose events only name time
  std::array<KindSum, kKinds> kinds_{}, names_only_{};
  uint64_t events_ = 0, tracks_ = 0;
};

// An event of the host with the number of a step is its mark, whatever its name is.
void Adder::FindMarks(const Trace& trace, const StatTable* stats) {
  if (stats == nullptr) return;
  RowReader reader(set_);
  stats->Int(IntStat::kStepNum).ForAll([&](uint32_t row, int64_t) {
    const Track& track = set_.tracks[reader.TrackOf(row)];
    const bool placed = track.plane.value < trace.planes.size();
    if (placed && !IsDevice(trace.planes[track.plane.value].kind)) marks_.push_back(row);
  });
}

// Whether the track's events only name the time of events on other tracks, which would count twice.
// The events of a plane with very few do so too: one of them may span the whole recording.
bool Adder::OnlyNames(const Track& track) const {
  constexpr TrackKind kThose[] = {TrackKind::kSteps, TrackKind::kXlaModules, TrackKind::kNameScope,
                                  TrackKind::kSource, TrackKind::kNvtx};
  if (track.plane.value < few_.size() && few_[track.plane.value]) return true;
  return track.derived_in_file ||
         std::find(std::begin(kThose), std::end(kThose), track.kind) != std::end(kThose);
}

// Marks of steps only name time wherever they are, and annotations where they overlap what they
// name instead of enclosing it.
bool Adder::OnlyNames(const Track& track, const Lane& lane, size_t i) const {
  const EventCategory category = set_.names->metas[lane.meta[i]].category;
  const bool annotation =
      category == EventCategory::kUserAnnotation || category == EventCategory::kGpuUserAnnotation;
  return category == EventCategory::kStep || (annotation && lane.kind == LaneKind::kSpill) ||
         OnlyNames(track) ||
         std::binary_search(marks_.begin(), marks_.end(),
                            lane.first_row + static_cast<uint32_t>(i));
}

// Takes from each event's self time the events of the lane below that lie inside it. Both lanes are
// sorted, and the events of a lane do not overlap.
void Adder::TakeFromParents(const Track& track, const Lane& lane, const Lane& parents) {
  const auto [first, last] = EventsIn(lane, range_);
  auto [parent, end] = EventsIn(parents, range_);
  for (uint32_t i = first; i < last; ++i) {
    while (parent < end && parents.end(parent) <= lane.start[i]) ++parent;
    if (parent == end) return;
    const uint32_t meta = parents.meta[parent];
    if (parents.start[parent] > lane.start[i] || meta >= names_.size()) continue;
    const Ps inside = std::max<Ps>(0, Inside(lane, i));
    const bool only_names = OnlyNames(track, parents, parent);
    (only_names ? annotations_ : names_)[meta].self -= inside;
    if (only_names) only_names_ -= inside;
  }
}

// Returns the time in which an event of the track is open. Its outermost events and those that
// overlap them may be open at once. Annotations that overlap others do not count.
// O(events * lanes of such)
Ps Adder::BusyTime(const Track& track) const {
  struct Cursor {
    const Lane* lane;
    uint32_t at, end;
  };
  std::vector<Cursor> cursors;
  for (uint32_t l = 0; l < track.lane_count; ++l) {
    const Lane& lane = set_.lanes[track.first_lane.value + l];
    const auto [first, last] = EventsIn(lane, range_);
    const bool outer =
        lane.kind == LaneKind::kSpill || (lane.kind == LaneKind::kNested && lane.depth == 0);
    if (outer && first < last) cursors.push_back({&lane, first, last});
  }
  const bool names = OnlyNames(track);
  Ps busy = 0, until = range_.begin;
  while (!cursors.empty()) {
    const auto next = std::min_element(
        cursors.begin(), cursors.end(),
        [](const Cursor& a, const Cursor& b) { return a.lane->start[a.at] < b.lane->start[b.at]; });
    const bool skipped =
        !names && next->lane->kind == LaneKind::kSpill && OnlyNames(track, *next->lane, next->at);
    const Ps end = skipped ? until : std::min(next->lane->end(next->at), range_.end);
    busy += std::max<Ps>(0, end - std::max(next->lane->start[next->at], until));
    until = std::max(until, end);
    if (++next->at == next->end) cursors.erase(next);
  }
  return busy;
}

void Adder::Add(const Track& track) {
  uint64_t count = 0, work = 0;
  const Lane* above = nullptr;
  const bool few = track.plane.value < few_.size() && few_[track.plane.value];
  const Ps only_names_before = only_names_;
  for (uint32_t l = 0; l < track.lane_count; ++l) {
    CheckStop();
    const Lane& lane = set_.lanes[track.first_lane.value + l];
    const auto [first, last] = EventsIn(lane, range_);
    const bool instants = lane.kind == LaneKind::kInstant;
    for (uint32_t i = first; i < last; ++i) {
      if (lane.meta[i] >= names_.size()) continue;
      const bool only_names = OnlyNames(track, lane, i);
      NameSum& sum = (only_names ? annotations_ : names_)[lane.meta[i]];
      const Ps inside = instants ? 0 : std::max<Ps>(0, Inside(lane, i));
      ++sum.count;
      work += only_names ? 0 : 1;
      sum.inside += inside;
      sum.self += inside;
      if (only_names && lane.kind == LaneKind::kNested) only_names_ += inside;
      if (instants) continue;
      ++sum.slices;
      sum.whole += static_cast<double>(lane.dur[i]);
    }
    count += last - first;
    const bool nested = lane.kind == LaneKind::kNested;
    if (nested && above != nullptr && lane.depth == above->depth + 1)
      TakeFromParents(track, lane, *above);
    above = nested ? &lane : nullptr;
  }
  const Ps busy = BusyTime(track);
  const size_t kind = static_cast<size_t>(few ? TrackKind::kOther : track.kind);
  if (work > 0) {
    kinds_[kind].count += work;
    kinds_[kind].busy += std::max<Ps>(0, busy - (only_names_ - only_names_before));
  }
  names_only_[kind].count += count - work;
  names_only_[kind].busy += work > 0 ? 0 : busy;
  events_ += count;
  tracks_ += count > 0 ? 1 : 0;
}

std::vector<VisibleName> Adder::Names() const {
  const bool work =
      std::any_of(names_.begin(), names_.end(), [](const NameSum& sum) { return sum.count > 0; });
  const std::vector<NameSum>& names = work ? names_ : annotations_;
  // Several metas may share a name.
  std::map<uint32_t, NameSum> sums;  // by StringId
  for (uint32_t m = 0; m < names.size(); ++m) {
    if (names[m].count > 0) sums[set_.names->metas[m].name.value].Add(names[m]);
  }
  std::vector<VisibleName> all;
  for (const auto& [name, sum] : sums)
    all.push_back({SharedText(set_.names->strings.View(StringId(name))), {sum}});
  std::stable_sort(all.begin(), all.end(), [](const VisibleName& a, const VisibleName& b) {
    return a.sides[0].self > b.sides[0].self;
  });
  return all;
}

std::vector<VisibleKind> Adder::Kinds() const {
  const bool work =
      std::any_of(kinds_.begin(), kinds_.end(), [](const KindSum& kind) { return kind.count > 0; });
  const std::array<KindSum, kKinds>& sums = work ? kinds_ : names_only_;
  std::vector<VisibleKind> kinds;
  for (size_t k = 0; k < kKinds; ++k) {
    if (sums[k].count > 0)
      kinds.push_back({KindText(static_cast<TrackKind>(k)), {sums[k].count}, {sums[k].busy}});
  }
  return kinds;
}

ResultTable TableOfOne(const std::vector<VisibleName>& names) {
  using N = VisibleName;
  // The facts: the self time of all. Instants take no time, so there is nothing to say of it.
  const auto known = [](const N& n, double value) {
    return n.sides[0].slices > 0 ? std::optional(value) : std::nullopt;
  };
  static const Schema<N, Ps> schema(
      "visible", "In view",
      {{"name", "Name", Unit::kNone, &N::name, "of the events that are in view"},
       {"self_us", "Self time", Unit::kUs,
        [known](const N& n) { return known(n, InUs(n.sides[0].self)); },
        "time in view that is not that of an event inside"},
       {"share", "Share", Unit::kPercent,
        [known](const N& n, Ps all) {
          const auto self = static_cast<double>(n.sides[0].self);
          return known(n, all > 0 ? 100 * self / static_cast<double>(all) : 0.0);
        },
        "of the self time of all events in view"},
       {"total_us", "Total", Unit::kUs,
        [known](const N& n) { return known(n, InUs(n.sides[0].inside)); },
        "time in view, with that of the events inside"},
       {"count", "Count", Unit::kCount, [](const N& n) { return n.sides[0].count; },
        "events that touch the view"},
       {"mean_us", "Mean", Unit::kUs,
        [known](const N& n) {
          const auto slices = static_cast<double>(std::max<uint64_t>(1, n.sides[0].slices));
          return known(n, InUs(n.sides[0].whole / slices));
        },
        "duration of a whole event"}});
  Ps all = 0;
  for (const N& n : names) all += n.sides[0].self;
  return schema.Make(names, all);
}

ResultTable TableOfBoth(const std::vector<VisibleName>& names) {
  using N = VisibleName;
  static const Schema<N> schema(
      "visible_of_both", "In view",
      {{"name", "Name", Unit::kNone, &N::name, "of the events that are in view"},
       {"a_us", "A", Unit::kUs, [](const N& n) { return n.sides[0].self; },
        "time in view that is not that of an event inside, in the baseline"},
       {"b_us", "B", Unit::kUs, [](const N& n) { return n.sides[1].self; },
        "the same in the other profile"},
       {"delta_us", "\u0394", Unit::kUs,
        [](const N& n) { return n.sides[1].self - n.sides[0].self; }, "B less A"},
       {"a_count", "Count A", Unit::kCount, [](const N& n) { return n.sides[0].count; },
        "events that touch the view"},
       {"b_count", "Count B", Unit::kCount, [](const N& n) { return n.sides[1].count; },
        "events that touch the view"}});
  return schema.Make(names);
}

// Puts the sums of A and B beside each other, by name.
void JoinNames(const VisibleEvents& a, const VisibleEvents& b, std::vector<VisibleName>* to) {
  std::map<std::string_view, VisibleName> both;
  for (const size_t side : {size_t{0}, size_t{1}}) {
    for (const VisibleName& n : (side == 0 ? a : b).names) {
      VisibleName& of = both[n.name.view()];
      of.name = n.name, of.sides[side] = n.sides[0];
    }
  }
  for (auto& [name, of] : both) to->push_back(std::move(of));
  const auto change = [](const VisibleName& n) {
    return std::abs(n.sides[1].self - n.sides[0].self);
  };
  std::stable_sort(to->begin(), to->end(), [&](const VisibleName& x, const VisibleName& y) {
    return change(x) > change(y);
  });
}

void JoinKinds(const VisibleEvents& a, const VisibleEvents& b, std::vector<VisibleKind>* to) {
  std::map<std::string_view, VisibleKind> both;
  for (const size_t side : {size_t{0}, size_t{1}}) {
    for (const VisibleKind& k : (side == 0 ? a : b).kinds) {
      VisibleKind& of = both[k.name];
      of.name = k.name, of.count[side] = k.count[0], of.busy[side] = k.busy[0];
    }
  }
  for (auto& [name, of] : both) to->push_back(of);
}

void SortByBusy(std::vector<VisibleKind>* kinds) {
  std::stable_sort(kinds->begin(), kinds->end(), [](const VisibleKind& a, const VisibleKind& b) {
    return a.busy[0] + a.busy[1] > b.busy[0] + b.busy[1];
  });
}

VisibleEvents Adder::Result() const {
  VisibleEvents result{false, events_, tracks_, Names(), Kinds(), {}};
  SortByBusy(&result.kinds);
  result.table = TableOfOne(result.names);
  return result;
}

}  // namespace

void VisibleSum::Add(const VisibleSum& other) {
  count += other.count, slices += other.slices;
  inside += other.inside, self += other.self;
  whole += other.whole;
}

VisibleEvents AddUpVisible(const Trace& trace, TimeRange range, const std::string& host,
                           const StatTable* stats) {
  Adder adder(trace, range, stats);
  for (const Track& track : trace.set.tracks) {
    const bool here = host.empty() || !track.plane.valid() ||
                      trace.HostName(trace.planes[track.plane.value].host) == host;
    if (here) adder.Add(track);
  }
  return adder.Result();
}

VisibleEvents CompareVisible(const VisibleEvents& a, const VisibleEvents& b) {
  VisibleEvents both{true, a.events + b.events, a.tracks + b.tracks, {}, {}, {}};
  JoinNames(a, b, &both.names);
  JoinKinds(a, b, &both.kinds);
  SortByBusy(&both.kinds);
  both.table = TableOfBoth(both.names);
  return both;
}

}  // namespace stepscope
