#include "model/query/event_stats.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "model/analysis/steps/steps.h"
#include "model/analysis/tables/schema.h"
#include "model/base/demangle.h"
#include "model/jobs/job.h"
#include "model/query/duration_stats.h"
#include "model/query/event_groups.h"
#include "model/query/self_times.h"
#include "model/query/time_order.h"

namespace stepscope {
namespace {

constexpr uint32_t kPieceEvents = 1 << 16;
constexpr size_t kGroupsPerTask = 256;

// Events [first, end) of a lane. The part's bits say which of them count.
struct Piece {
  size_t part = 0;
  const Lane* lane = nullptr;
  uint32_t first = 0, end = 0;
};

// The slices that begin in the scope, in pieces of at most kPieceEvents.
std::vector<Piece> PiecesOf(const StatsQuestion& question) {
  std::vector<Piece> pieces;
  const Trace& trace = *question.trace;
  for (size_t p = 0; p < question.parts.size(); ++p) {
    const TrackSet& set = *question.parts[p].events;
    for (const Lane& lane : set.lanes) {
      if (lane.kind == LaneKind::kInstant) continue;
      uint32_t first = 0, end = lane.size();
      if (question.scope != nullptr) {
        const PlaneId plane = set.tracks[lane.track.value].plane;
        const bool placed = plane.value < trace.planes.size();
        const LaneRange range =
            BeginningIn(lane, *question.scope, placed ? trace.planes[plane.value].host : HostId());
        first = range.first;
        end = range.end;
      }
      for (; first < end; first += std::min(kPieceEvents, end - first))
        pieces.push_back({p, &lane, first, first + std::min(kPieceEvents, end - first)});
    }
  }
  return pieces;
}

// Divides the pieces into contiguous shares of about as many events each: the boundaries.
std::vector<size_t> SharesOf(const std::vector<Piece>& pieces, size_t groups) {
  uint64_t events = 0;
  for (const Piece& piece : pieces) events += piece.end - piece.first;
  // Each share counts all groups, so many groups make few shares.
  const uint64_t most = std::max<uint64_t>(1, events / (4 * std::max<size_t>(1, groups)));
  const uint64_t shares = std::min<uint64_t>(WorkerCount(), most);
  std::vector<size_t> bounds{0};
  uint64_t before = 0;
  for (size_t i = 0; i < pieces.size(); ++i) {
    before += pieces[i].end - pieces[i].first;
    if (before * shares >= events * bounds.size() && bounds.size() < shares)
      bounds.push_back(i + 1);
  }
  bounds.push_back(pieces.size());
  return bounds;
}

// AddUp in two passes: counts each group's events, then places their durations group by group.
class Adder {
 public:
  Adder(const StatsQuestion& question)
      : question_(question),
        groups_(question),
        pieces_(PiecesOf(question)),
        shares_(SharesOf(pieces_, groups_.size())) {}

  EventStats Run() {
    const size_t shares = shares_.size() - 1;
    places_.assign(shares, {});
    self_.assign(shares, {});
    ParallelFor(shares, [&](size_t s) { Count(s); });
    Place();
    if (count_ == 0) return {};
    durations_ = std::make_unique_for_overwrite<Ps[]>(count_);
    ParallelFor(shares, [&](size_t s) { Fill(s); });
    CheckStop();
    return Result();
  }

 private:
  // Calls fn(index, group) for the piece's events that count.
  template <typename Fn>
  void ForEvents(const Piece& piece, Fn fn) const {
    const RowBits* rows = question_.parts[piece.part].rows;
    groups_.ForEach(piece.part, *piece.lane, piece.first, piece.end, [&](uint32_t i, uint32_t g) {
      if (rows == nullptr || rows->Has(piece.lane->first_row + i)) fn(i, g);
    });
  }

  void Count(size_t share) {
    std::vector<uint64_t>& counts = places_[share];
    counts.assign(groups_.size(), 0);
    for (size_t p = shares_[share]; p < shares_[share + 1]; ++p)
      ForEvents(pieces_[p], [&](uint32_t, uint32_t group) { ++counts[group]; });
  }

  // Replaces each count by the index at which the share's durations of the group begin.
  void Place() {
    begin_.assign(groups_.size() + 1, 0);
    for (size_t g = 0; g < groups_.size(); ++g) {
      begin_[g] = count_;
      for (std::vector<uint64_t>& places : places_) {
        const uint64_t n = places[g];
        places[g] = count_;
        count_ += n;
      }
    }
    begin_.back() = count_;
  }

  void Fill(size_t share) {
    std::vector<uint64_t>& places = places_[share];
    std::vector<PsSum>& self = self_[share];
    self.assign(groups_.size(), 0);
    for (size_t p = shares_[share]; p < shares_[share + 1]; ++p) {
      CheckStop();
      const Piece& piece = pieces_[p];
      SelfTimes times(*question_.parts[piece.part].events, *piece.lane, piece.first);
      ForEvents(piece, [&](uint32_t i, uint32_t group) {
        durations_[places[group]++] = piece.lane->dur[i];
        self[group] += times.Of(i);
      });
    }
  }

  std::span<Ps> DurationsOf(size_t group) const {
    return {durations_.get() + begin_[group], begin_[group + 1] - begin_[group]};
  }

  static Ps Saturated(PsSum sum) { return sum > kMaxPs ? kMaxPs : static_cast<Ps>(sum); }

  static EventStatsRow RowOf(const DurationStats& stats, PsSum self) {
    EventStatsRow row;
    row.count = stats.count;
    row.total = Saturated(stats.total);
    row.self = Saturated(self);
    row.mean = stats.mean;
    row.median = stats.median;
    row.p95 = stats.p95;
    row.p99 = stats.p99;
    row.min = stats.min;
    row.max = stats.max;
    row.stddev = std::sqrt(stats.squares / static_cast<double>(stats.count));
    return row;
  }

  // Call it before StatsOf reorders the groups' durations.
  void AddTotalPercentiles(DurationStats* total, DurationHistogram* histogram) const {
    std::vector<std::span<const Ps>> parts;
    const size_t shares = shares_.size() - 1;
    for (size_t s = 0; s < shares; ++s) {
      const size_t from = count_ * s / shares, to = count_ * (s + 1) / shares;
      parts.emplace_back(durations_.get() + from, to - from);
    }
    std::vector<FineCounts> counts(parts.size());
    ParallelFor(parts.size(), [&](size_t s) { counts[s].Add(parts[s]); });
    for (size_t s = 1; s < counts.size(); ++s) counts[0].Add(counts[s]);
    const std::array<Ps, 3> found = PercentilesOf(parts, counts[0], count_);
    total->median = found[0];
    total->p95 = found[1];
    total->p99 = found[2];
    for (size_t b = 0; b < FineCounts::kBins; ++b) {
      if (counts[0][b] > 0)
        histogram->counts[DurationHistogram::BinOf(FineCounts::BinBegin(b))] += counts[0][b];
    }
  }

  EventStats Result() {
    EventStats result;
    std::vector<DurationStats> stats(groups_.size());
    DurationStats total;
    AddTotalPercentiles(&total, &result.histogram);
    ParallelFor((stats.size() + kGroupsPerTask - 1) / kGroupsPerTask, [&](size_t task) {
      const size_t end = std::min(stats.size(), (task + 1) * kGroupsPerTask);
      for (size_t g = task * kGroupsPerTask; g < end; ++g) stats[g] = StatsOf(DurationsOf(g));
    });
    CheckStop();
    PsSum self_total = 0;
    bool first = true;
    for (size_t g = 0; g < stats.size(); ++g) {
      if (stats[g].count == 0) continue;
      PsSum self = 0;
      for (const std::vector<PsSum>& of_share : self_) self += of_share[g];
      self_total += self;
      total.min = first ? stats[g].min : std::min(total.min, stats[g].min);
      total.max = first ? stats[g].max : std::max(total.max, stats[g].max);
      first = false;
      total.count += stats[g].count;
      total.total += stats[g].total;
      if (question_.by == GroupBy::kNone) continue;
      groups_.Describe(g, &result.groups.emplace_back(RowOf(stats[g], self)));
    }
    total.mean = static_cast<double>(total.total) / static_cast<double>(total.count);
    for (const DurationStats& s : stats) {
      const double distance = s.mean - total.mean;
      total.squares += s.squares + static_cast<double>(s.count) * distance * distance;
    }
    result.total = RowOf(total, self_total);
    std::stable_sort(result.groups.begin(), result.groups.end(),
                     [](const EventStatsRow& a, const EventStatsRow& b) {
                       return a.total != b.total ? a.total > b.total : a.name < b.name;
                     });
    return result;
  }

  const StatsQuestion& question_;
  const EventGroups groups_;
  const std::vector<Piece> pieces_;
  const std::vector<size_t> shares_;
  std::vector<std::vector<uint64_t>> places_;  // by share and group: count, then next free index
  std::vector<std::vector<PsSum>> self_;       // by share and group: self time
  std::vector<uint64_t> begin_;                // by group: where its durations begin
  std::unique_ptr<Ps[]> durations_;            // by group, then share
  uint64_t count_ = 0;
};

}  // namespace

EventStats AddUp(const StatsQuestion& question) { return Adder(question).Run(); }

namespace {

const char* NameLabel(GroupBy by) {
  if (by == GroupBy::kTrack) return "Track";
  return by == GroupBy::kStep ? "Step" : "Name";
}

}  // namespace

GroupPlace PlaceOfGroup(const EventStatsReport& report, const EventStatsRow& row) {
  const Trace& trace = *report.trace;
  if (report.by == GroupBy::kStep && report.steps != nullptr &&
      row.step < report.steps->steps.size())
    return {{}, trace.HostName(report.steps->steps[row.step].host)};
  if (report.by != GroupBy::kTrack || row.track.value >= trace.set.tracks.size()) return {};
  const PlaneId plane = trace.set.tracks[row.track.value].plane;
  if (plane.value >= trace.planes.size()) return {};
  return {trace.names().strings.View(trace.planes[plane.value].name),
          trace.HostName(trace.planes[plane.value].host)};
}

bool GroupsHaveHosts(const EventStatsReport& report) {
  return report.trace->hosts.size() > 1 && report.by != GroupBy::kName;
}

ResultTable StatsTable(const EventStatsReport& report, bool people) {
  using R = EventStatsRow;
  struct Facts {
    bool people, tracks, hosts;
  };
  using Field = Schema<R, Facts>::Field;
  const auto for_people = [](const Facts& f) { return f.people; };
  const auto for_data = [](const Facts& f) { return !f.people; };
  const auto rounded = [](double R::*value) {
    return [value](const R& r) { return static_cast<int64_t>(std::min(r.*value, 9e18)); };
  };
  const bool names = people && report.by == GroupBy::kName;
  const auto name = [names](const R& r) {
    const std::string readable = names ? Demangle(r.name) : "";
    return readable.empty() ? r.name : readable;
  };
  const Schema<R, Facts> schema(
      "events", "",
      {{"name", NameLabel(report.by), Unit::kNone, name, "", kKeyColumn},
       Field{"process", "Process", Unit::kNone,
             [&](const R& r) { return PlaceOfGroup(report, r).process; }}
           .When([](const Facts& f) { return f.tracks; }),
       Field{"host", "Host", Unit::kNone, [&](const R& r) { return PlaceOfGroup(report, r).host; }}
           .When([](const Facts& f) { return f.hosts; }),
       {"count", "Count", Unit::kCount, &R::count, "", kKeyColumn},
       {"total_ps", "Total", Unit::kPs, &R::total, "", kKeyColumn},
       {"self_ps", "Self", Unit::kPs, &R::self, "", kKeyColumn},
       Field{"mean_ps", "Mean", Unit::kPs, rounded(&R::mean), "", kKeyColumn}.When(for_people),
       Field{"mean_ps", "Mean", Unit::kPs, &R::mean, "", kKeyColumn}.When(for_data),
       {"median_ps", "Median", Unit::kPs, &R::median},
       {"p95_ps", "p95", Unit::kPs, &R::p95},
       {"p99_ps", "p99", Unit::kPs, &R::p99},
       {"min_ps", "Min", Unit::kPs, &R::min},
       {"max_ps", "Max", Unit::kPs, &R::max},
       Field{"stddev_ps", "Deviation", Unit::kPs, rounded(&R::stddev)}.When(for_people),
       Field{"stddev_ps", "Deviation", Unit::kPs, &R::stddev}.When(for_data)});
  return schema.Make(report.stats->groups,
                     {people, report.by == GroupBy::kTrack, GroupsHaveHosts(report)});
}

namespace {

constexpr uint32_t kStopEveryEvents = 1 << 16;  // events between two calls of CheckStop

// By MetaId, whether it has that name. Several metas may share one.
std::vector<uint8_t> MetasOfName(const NameTable& names, MetaId of) {
  const std::string_view name = names.DisplayName(of);
  std::vector<uint8_t> out(names.metas.size(), 0);
  for (uint32_t m = 0; m < out.size(); ++m) out[m] = names.DisplayName(MetaId(m)) == name ? 1 : 0;
  return out;
}

void AddLane(const Lane& lane, const std::vector<uint8_t>& wanted, Ps own, NameRank* out) {
  for (uint32_t i = 0; i < lane.size(); ++i) {
    if (i % kStopEveryEvents == 0) CheckStop();
    if (lane.meta[i] >= wanted.size() || wanted[lane.meta[i]] == 0) continue;
    const Ps duration = lane.dur[i];
    ++out->histogram.counts[DurationHistogram::BinOf(duration)];
    ++out->count;
    out->total = SaturatingAdd(out->total, duration);
    if (duration < own) ++out->shorter;
    if (duration > own) ++out->longer;
  }
}

}  // namespace

NameRank RankByName(const TrackSet& set, EventRow row) {
  NameRank out;
  const Lane& own = set.lanes[set.LaneOf(row).value];
  if (own.kind == LaneKind::kInstant) return out;
  const uint32_t meta = own.meta[row.value - own.first_row];
  const std::vector<uint8_t> wanted = MetasOfName(*set.names, MetaId(meta));
  for (const Lane& lane : set.lanes) {
    if (lane.kind != LaneKind::kInstant) AddLane(lane, wanted, set.Duration(row), &out);
  }
  return out;
}

}  // namespace stepscope
