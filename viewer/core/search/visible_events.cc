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
#include "model/analysis/tables/cells.h"
#include "model/analysis/tables/in_unit.h"
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
  ResultTable Names() const;
  ResultTable Kinds() const;

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

ResultTable Adder::Names() const {
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
  ResultTable table{
      "visible",
      "In view",
      {{"name", "Name", Unit::kNone, ValueType::kString, "of the events that are in view"},
       {"self_us", "Self time", Unit::kUs, ValueType::kReal,
        "time in view that is not that of an event inside"},
       {"share", "Share", Unit::kPercent, ValueType::kReal,
        "of the self time of all events in view"},
       {"total_us", "Total", Unit::kUs, ValueType::kReal,
        "time in view, with that of the events inside"},
       {"count", "Count", Unit::kCount, ValueType::kInt, "events that touch the view"},
       {"mean_us", "Mean", Unit::kUs, ValueType::kReal, "duration of a whole event"}}};
  for (const auto& [name, sum] : sums) {
    // Instants take no time, so there is nothing to say of it.
    const auto known = [slices = sum.slices](double v) { return slices > 0 ? Value(v) : Value(); };
    const double share =
        self > 0 ? 100 * static_cast<double>(sum.self) / static_cast<double>(self) : 0.0;
    const double mean = sum.whole / static_cast<double>(std::max<uint64_t>(1, sum.slices));
    table.AddRow({SharedText(set_.names->strings.View(name)), known(InUs(sum.self)), known(share),
                  known(InUs(sum.inside)), static_cast<int64_t>(sum.count),
                  known(mean / static_cast<double>(kPsPerUs))});
  }
  return table;
}

ResultTable Adder::Kinds() const {
  const bool work =
      std::any_of(kinds_.begin(), kinds_.end(), [](const KindSum& kind) { return kind.count > 0; });
  const std::array<KindSum, kKinds>& kinds = work ? kinds_ : names_only_;
  std::vector<size_t> order;
  for (size_t k = 0; k < kKinds; ++k) {
    if (kinds[k].count > 0) order.push_back(k);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return kinds[a].busy > kinds[b].busy; });
  ResultTable table{"visible_kinds",
                    "In view",
                    {{"kind", "Tracks", Unit::kNone, ValueType::kString, ""},
                     {"count", "Count", Unit::kCount, ValueType::kInt, ""},
                     {"busy_us", "Busy", Unit::kUs, ValueType::kReal,
                      "sum over the tracks of the time in view that has an event"}}};
  for (const size_t k : order) {
    table.AddRow({SharedText(KindText(static_cast<TrackKind>(k))),
                  static_cast<int64_t>(kinds[k].count), InUs(kinds[k].busy)});
  }
  return table;
}

VisibleEvents Adder::Result() const { return {events_, tracks_, Names(), Kinds()}; }

// The values of each side in a joined table: two columns of each row, by its first.
using Sides = std::array<std::array<double, 2>, 2>;
using BothSides = std::map<std::string, Sides, std::less<>>;
using SidesOfName = std::pair<std::string, Sides>;

BothSides Join(const ResultTable& a, const ResultTable& b, const char* first, const char* second) {
  BothSides both;
  for (const size_t side : {size_t{0}, size_t{1}}) {
    const ResultTable& table = side == 0 ? a : b;
    const int x = table.Column(first), y = table.Column(second);
    for (size_t row = 0; row < table.size(); ++row)
      both[RawValue(table.At(row, 0))][side] = {NumberAt(table, row, x), NumberAt(table, row, y)};
  }
  return both;
}

ResultTable NamesOfBoth(const ResultTable& a, const ResultTable& b) {
  ResultTable table{
      "visible_of_both",
      "In view",
      {{"name", "Name", Unit::kNone, ValueType::kString, "of the events that are in view"},
       {"a_us", "A", Unit::kUs, ValueType::kReal,
        "time in view that is not that of an event inside, in the baseline"},
       {"b_us", "B", Unit::kUs, ValueType::kReal, "the same in the other profile"},
       {"delta_us", "\u0394", Unit::kUs, ValueType::kReal, "B less A"},
       {"a_count", "Count A", Unit::kCount, ValueType::kInt, "events that touch the view"},
       {"b_count", "Count B", Unit::kCount, ValueType::kInt, "events that touch the view"}}};
  const BothSides joined = Join(a, b, "self_us", "count");
  std::vector<SidesOfName> rows(joined.begin(), joined.end());
  std::stable_sort(rows.begin(), rows.end(), [](const SidesOfName& x, const SidesOfName& y) {
    const auto change = [](const Sides& s) { return std::fabs(s[1][0] - s[0][0]); };
    return change(x.second) > change(y.second);
  });
  for (const auto& [name, sides] : rows) {
    table.AddRow({name, sides[0][0], sides[1][0], sides[1][0] - sides[0][0],
                  static_cast<int64_t>(sides[0][1]), static_cast<int64_t>(sides[1][1])});
  }
  return table;
}

ResultTable KindsOfBoth(const ResultTable& a, const ResultTable& b) {
  ResultTable table{"visible_kinds_of_both",
                    "In view",
                    {{"kind", "Tracks", Unit::kNone, ValueType::kString, ""},
                     {"a_count", "Count A", Unit::kCount, ValueType::kInt, ""},
                     {"a_us", "Busy A", Unit::kUs, ValueType::kReal,
                      "sum over the tracks of the time in view that has an event"},
                     {"b_count", "Count B", Unit::kCount, ValueType::kInt, ""},
                     {"b_us", "Busy B", Unit::kUs, ValueType::kReal, "the same of B"}}};
  const BothSides joined = Join(a, b, "busy_us", "count");
  std::vector<SidesOfName> rows(joined.begin(), joined.end());
  std::stable_sort(rows.begin(), rows.end(), [](const SidesOfName& x, const SidesOfName& y) {
    const auto busy = [](const Sides& s) { return s[0][0] + s[1][0]; };
    return busy(x.second) > busy(y.second);
  });
  for (const auto& [kind, sides] : rows) {
    table.AddRow({kind, static_cast<int64_t>(sides[0][1]), sides[0][0],
                  static_cast<int64_t>(sides[1][1]), sides[1][0]});
  }
  return table;
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
  return {a.events + b.events, a.tracks + b.tracks, NamesOfBoth(a.names, b.names),
          KindsOfBoth(a.kinds, b.kinds)};
}

}  // namespace stepscope
