#include "viewer/core/search/visible_events.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <string>
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

struct NameSum {
  uint64_t count = 0, slices = 0;  // all events, and those that have a duration
  Ps inside = 0, self = 0;         // the part within the range
  double whole = 0;                // the sum of whole durations
};

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
  std::vector<std::pair<StringId, NameSum>> sums;
  for (uint32_t m = 0; m < names.size(); ++m) {
    if (names[m].count > 0) sums.emplace_back(set_.names->metas[m].name, names[m]);
  }
  std::sort(sums.begin(), sums.end(),
            [](const auto& a, const auto& b) { return a.first.value < b.first.value; });
  size_t n = 0;
  for (size_t i = 0; i < sums.size(); ++i) {
    if (n > 0 && sums[n - 1].first == sums[i].first) {
      NameSum& sum = sums[n - 1].second;
      sum.count += sums[i].second.count;
      sum.slices += sums[i].second.slices;
      sum.inside += sums[i].second.inside;
      sum.self += sums[i].second.self;
      sum.whole += sums[i].second.whole;
    } else {
      sums[n++] = sums[i];
    }
  }
  sums.resize(n);
  std::stable_sort(sums.begin(), sums.end(),
                   [](const auto& a, const auto& b) { return a.second.self > b.second.self; });
  Ps self = 0;
  for (const auto& [name, sum] : sums) self += sum.self;
  std::vector<VisibleName> rows;
  for (const auto& [name, sum] : sums) {
    VisibleName& row = rows.emplace_back();
    row.name = SharedText(set_.names->strings.View(name)), row.count = sum.count;
    if (sum.slices == 0) continue;  // instants take no time, so there is nothing to say of it
    row.self_us = InUs(sum.self), row.total_us = InUs(sum.inside);
    row.share = self > 0 ? 100 * static_cast<double>(sum.self) / static_cast<double>(self) : 0.0;
    row.mean_us = sum.whole / static_cast<double>(sum.slices) / static_cast<double>(kPsPerUs);
  }
  return rows;
}

std::vector<VisibleKind> Adder::Kinds() const {
  const bool work =
      std::any_of(kinds_.begin(), kinds_.end(), [](const KindSum& kind) { return kind.count > 0; });
  const std::array<KindSum, kKinds>& kinds = work ? kinds_ : names_only_;
  std::vector<size_t> order;
  for (size_t k = 0; k < kKinds; ++k) {
    if (kinds[k].count > 0) order.push_back(k);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return kinds[a].busy > kinds[b].busy; });
  std::vector<VisibleKind> rows;
  for (const size_t k : order)
    rows.push_back({KindText(static_cast<TrackKind>(k)), kinds[k].count, kinds[k].busy});
  return rows;
}

ResultTable VisibleNameTable(const std::vector<VisibleName>& rows) {
  using N = VisibleName;
  static const Schema<N> schema(
      "visible", "In view",
      {{"name", "Name", Unit::kNone, &N::name, "of the events that are in view"},
       {"self_us", "Self time", Unit::kUs, &N::self_us,
        "time in view that is not that of an event inside"},
       {"share", "Share", Unit::kPercent, &N::share, "of the self time of all events in view"},
       {"total_us", "Total", Unit::kUs, &N::total_us,
        "time in view, with that of the events inside"},
       {"count", "Count", Unit::kCount, &N::count, "events that touch the view"},
       {"mean_us", "Mean", Unit::kUs, &N::mean_us, "duration of a whole event"}});
  return schema.Make(rows);
}

constexpr const char* kBusy = "sum over the tracks of the time in view that has an event";

ResultTable VisibleKindTable(const std::vector<VisibleKind>& rows) {
  using K = VisibleKind;
  static const Schema<K> schema("visible_kinds", "In view",
                                {{"kind", "Tracks", Unit::kNone, &K::kind},
                                 {"count", "Count", Unit::kCount, &K::count},
                                 {"busy_us", "Busy", Unit::kUs, &K::busy, kBusy}});
  return schema.Make(rows);
}

VisibleEvents Adder::Result() const {
  VisibleEvents out{events_, tracks_, {}, {}, Names(), Kinds()};
  out.names = VisibleNameTable(out.by_name), out.kinds = VisibleKindTable(out.by_kind);
  return out;
}

// A row of a joined table: the time and the number that each side has.
struct Joined {
  std::string name;
  double a_us = 0, b_us = 0;
  uint64_t a_count = 0, b_count = 0;
};

// By name. `us` reads the time of a row.
template <typename Row, typename Us>
std::vector<Joined> Join(const std::vector<Row>& a, const std::vector<Row>& b,
                         SharedText Row::*name, Us us) {
  std::map<std::string, Joined, std::less<>> both;
  for (const Row& row : a) {
    Joined& joined = both[(row.*name).str()];
    joined.a_us = us(row), joined.a_count = row.count;
  }
  for (const Row& row : b) {
    Joined& joined = both[(row.*name).str()];
    joined.b_us = us(row), joined.b_count = row.count;
  }
  std::vector<Joined> rows;
  for (auto& [key, joined] : both) {
    joined.name = key;
    rows.push_back(std::move(joined));
  }
  return rows;
}

ResultTable NamesOfBoth(const std::vector<VisibleName>& a, const std::vector<VisibleName>& b) {
  using J = Joined;
  static const Schema<J> schema(
      "visible_of_both", "In view",
      {{"name", "Name", Unit::kNone, &J::name, "of the events that are in view"},
       {"a_us", "A", Unit::kUs, &J::a_us,
        "time in view that is not that of an event inside, in the baseline"},
       {"b_us", "B", Unit::kUs, &J::b_us, "the same in the other profile"},
       {"delta_us", "\u0394", Unit::kUs, [](const J& j) { return j.b_us - j.a_us; }, "B less A"},
       {"a_count", "Count A", Unit::kCount, &J::a_count, "events that touch the view"},
       {"b_count", "Count B", Unit::kCount, &J::b_count, "events that touch the view"}});
  std::vector<J> rows =
      Join(a, b, &VisibleName::name, [](const VisibleName& n) { return n.self_us.value_or(0); });
  std::stable_sort(rows.begin(), rows.end(), [](const J& x, const J& y) {
    return std::fabs(x.b_us - x.a_us) > std::fabs(y.b_us - y.a_us);
  });
  return schema.Make(rows);
}

ResultTable KindsOfBoth(const std::vector<VisibleKind>& a, const std::vector<VisibleKind>& b) {
  using J = Joined;
  static const Schema<J> schema("visible_kinds_of_both", "In view",
                                {{"kind", "Tracks", Unit::kNone, &J::name},
                                 {"a_count", "Count A", Unit::kCount, &J::a_count},
                                 {"a_us", "Busy A", Unit::kUs, &J::a_us, kBusy},
                                 {"b_count", "Count B", Unit::kCount, &J::b_count},
                                 {"b_us", "Busy B", Unit::kUs, &J::b_us, "the same of B"}});
  std::vector<J> rows =
      Join(a, b, &VisibleKind::kind, [](const VisibleKind& k) { return InUs(k.busy); });
  std::stable_sort(rows.begin(), rows.end(),
                   [](const J& x, const J& y) { return x.a_us + x.b_us > y.a_us + y.b_us; });
  return schema.Make(rows);
}

}  // namespace

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
  return {a.events + b.events, a.tracks + b.tracks, NamesOfBoth(a.by_name, b.by_name),
          KindsOfBoth(a.by_kind, b.by_kind)};
}

}  // namespace stepscope
