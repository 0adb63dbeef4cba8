#include "model/query/event_stats.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "model/analysis/steps/scope.h"
#include "model/analysis/steps/steps.h"
#include "model/lookup.h"
#include "model/query/duration_stats.h"
#include "model/query/find_events.h"
#include "model/trace_builder.h"
#include "tests/model/lane_support.h"
#include "tests/support/gpu_profile.h"
#include "tests/support/loaded.h"
#include "tests/support/stopped_job.h"
#include "tests/support/xspace_builder.h"

namespace stepscope {
namespace {

using TracePtr = std::shared_ptr<const Trace>;

TracePtr Load(const std::string& bytes) { return test::Loaded("h.xplane.pb", bytes); }

StatsQuestion All(const Trace& trace, GroupBy by = GroupBy::kName) {
  StatsQuestion question;
  question.trace = &trace;
  question.parts = {{0, &trace.set, nullptr}};
  question.by = by;
  return question;
}

const EventStatsRow& Group(const EventStats& stats, std::string_view name) {
  for (const EventStatsRow& row : stats.groups) {
    if (row.name == name) return row;
  }
  FAIL("no group " << name);
  return stats.total;
}

// One thread, times in ns. Step [0, 100) encloses a [10, 40) and a [50, 60); the first a encloses
// b [20, 30) and b [30, 38). An instant lies at 70, and [90, 110) overlaps the step.
std::string OneThread() {
  test::XSpaceBuilder b;
  b.Plane("/host:CPU")
      .Line(1, "python")
      .Event("step", 0, 100'000)
      .Event("a", 10'000, 30'000)
      .Event("b", 20'000, 10'000)
      .Event("b", 30'000, 8'000)
      .Event("a", 50'000, 10'000)
      .Event("mark", 70'000, 0)
      .Event("late", 90'000, 20'000);
  return b.Bytes();
}

// Computes slowly, event by event, the sums that AddUp has to return.
struct Slow {
  std::vector<Ps> durations;
  Ps self = 0;
};
std::map<std::string, Slow> SlowByName(const TrackSet& set, const TimeScope& scope) {
  std::map<std::string, Slow> by_name;
  for (const Lane& lane : set.lanes) {
    for (uint32_t i = 0; i < lane.size() && lane.kind != LaneKind::kInstant; ++i) {
      if (!scope.Contains(lane.start[i])) continue;
      for (const std::string& name :
           {std::string(set.names->Name(MetaId(lane.meta[i]))), std::string("(total)")}) {
        by_name[name].durations.push_back(lane.dur[i]);
        by_name[name].self += SelfTime(set, EventRow(lane.first_row + i));
      }
    }
  }
  return by_name;
}

Ps Rank(const std::vector<Ps>& sorted, double share) {
  const double rank = std::ceil(share * static_cast<double>(sorted.size()));
  return sorted[static_cast<size_t>(std::max(rank, 1.0)) - 1];
}

void CheckRow(const EventStatsRow& row, Slow slow) {
  std::vector<Ps>& d = slow.durations;
  std::sort(d.begin(), d.end());
  CAPTURE(row.name);
  REQUIRE(row.count == d.size());
  Ps total = 0;
  double squares = 0;
  for (const Ps t : d) total += t;
  const double mean = static_cast<double>(total) / static_cast<double>(d.size());
  for (const Ps t : d) squares += (static_cast<double>(t) - mean) * (static_cast<double>(t) - mean);
  CHECK(row.total == total);
  CHECK(row.self == slow.self);
  CHECK(row.mean == doctest::Approx(mean).epsilon(1e-12));
  CHECK(row.median == Rank(d, 0.5));
  CHECK(row.p95 == Rank(d, 0.95));
  CHECK(row.p99 == Rank(d, 0.99));
  CHECK(row.min == d.front());
  CHECK(row.max == d.back());
  CHECK(row.stddev ==
        doctest::Approx(std::sqrt(squares / static_cast<double>(d.size()))).epsilon(1e-9));
}

void CheckAgainstSlow(const Trace& trace, const EventStats& stats, const TimeScope& scope) {
  std::map<std::string, Slow> slow = SlowByName(trace.set, scope);
  REQUIRE(stats.groups.size() + 1 == std::max<size_t>(slow.size(), 1));
  for (const EventStatsRow& row : stats.groups) CheckRow(row, slow[row.name]);
  if (!stats.groups.empty()) CheckRow(stats.total, slow["(total)"]);
}

// Many tracks of nested and overlapping events, with names that several metas share.
TracePtr RandomTrace(uint64_t seed, int tracks, int events) {
  test::Random random(seed);
  TraceBuilder builder;
  for (int m = 0; m < 40; ++m) {
    EventMeta meta;
    meta.name = builder.strings().Intern("name " + std::to_string(m % 23));
    builder.AddMeta(meta);
  }
  Host host;
  host.name = builder.strings().Intern("h");
  Plane plane;
  plane.host = builder.AddHost(std::move(host));
  const PlaneId threads = builder.AddPlane(std::move(plane));
  for (int t = 0; t < tracks; ++t) {
    TrackData data;
    data.track.plane = threads;
    for (int e = 0; e < events; ++e) {
      const Ps dur = Ps{1} << test::Uniform(random, 0, 20);
      const auto meta = static_cast<uint32_t>(random() % 41);  // 40: a meta that does not exist
      data.slices.Add(test::Uniform(random, 0, 1 << 22), test::Uniform(random, 0, dur), meta, 0);
    }
    data.instants.Add(5, 0, 0, 0);
    builder.AddTrack(std::move(data));
  }
  auto trace = builder.Finish();
  REQUIRE(trace.ok());
  return *trace;
}

}  // namespace

TEST_CASE("event statistics by hand") {
  const TracePtr trace = Load(OneThread());
  const EventStats stats = AddUp(All(*trace));
  CHECK(stats.total.name.empty());
  CHECK(stats.total.count == 6);
  CHECK(stats.total.total == 178'000);
  CHECK(stats.total.min == 8'000);
  CHECK(stats.total.max == 100'000);
  CHECK(stats.total.median == 10'000);
  CHECK(stats.total.p95 == 100'000);
  REQUIRE(stats.groups.size() == 4);
  const EventStatsRow& step = Group(stats, "step");
  CHECK(step.total == 100'000);
  CHECK(step.self == 60'000);
  const EventStatsRow& a = Group(stats, "a");
  CHECK(a.count == 2);
  CHECK(a.total == 40'000);
  CHECK(a.self == 22'000);
  CHECK(a.mean == 20'000);
  CHECK(a.median == 10'000);  // nearest rank: the first of two
  CHECK(a.p95 == 30'000);
  CHECK(a.stddev == doctest::Approx(10'000));
  CHECK(Group(stats, "b").self == 18'000);
  CHECK(Group(stats, "late").self == 20'000);  // on a spill lane: its whole duration
  CHECK(stats.total.self == 60'000 + 22'000 + 18'000 + 20'000);
  CHECK(stats.groups[0].name == "step");  // the largest total first
  CHECK(stats.groups[1].name == "a");
  CHECK(stats.groups[2].name == "late");
  CHECK(stats.groups[3].name == "b");
}

TEST_CASE("event statistics of a range: events that begin in it count whole") {
  const TracePtr trace = Load(OneThread());
  AnalysisParams params;
  params.range = {10'000, 30'000};
  const Scope scope(*trace, params, {});
  StatsQuestion question = All(*trace);
  question.scope = &scope;
  const EventStats stats = AddUp(question);
  CHECK(stats.total.count == 2);
  CHECK(stats.total.total == 40'000);
  CHECK(Group(stats, "a").self == 12'000);  // without the b that begins behind the range
  CHECK(Group(stats, "b").total == 10'000);
}

TEST_CASE("event statistics of a query and of lists of events") {
  const TracePtr trace = Load(OneThread());
  const auto rows = FindEvents(*EventQuery::Parse("=a dur<20ns"), *trace, trace->set);
  CHECK(rows->Count() == 0);  // the whole name is "a dur<20ns"
  const auto short_ones = FindEvents(*EventQuery::Parse("dur<20ns"), *trace, trace->set);
  StatsQuestion question = All(*trace);
  question.parts[0].rows = &*short_ones;
  const EventStats stats = AddUp(question);
  CHECK(stats.total.count == 3);
  CHECK(stats.total.total == 28'000);
  CHECK(stats.total.self == 28'000);

  std::vector<TrackData> tracks(1);
  tracks[0].slices.Add(0, 7'000, 0, 0);
  tracks[0].slices.Add(10'000, 9'000, 0, 0);
  auto other_names = std::make_shared<NameTable>();
  EventMeta meta;
  meta.name = other_names->strings.Intern("b");
  other_names->metas.push_back(meta);
  const TrackSet derived = TraceBuilder::BuildSet("d", other_names, std::move(tracks));
  EventRow b;
  FindEvents(*EventQuery::Parse("=b"), *trace, trace->set)->ForEach([&](uint32_t row) {
    if (!b.valid()) b = EventRow(row);
  });
  RowBits own(trace->set.rows), of_derived(derived.rows);
  own.Set(b.value);
  of_derived.Set(1);
  question.parts = {{0, &trace->set, &own}, {1, &derived, &of_derived}};
  const EventStats both = AddUp(question);
  REQUIRE(both.groups.size() == 1);  // one name, though it is in two tables
  CHECK(both.groups[0].name == "b");
  CHECK(both.groups[0].count == 2);
  CHECK(both.groups[0].total == 19'000);
  question.by = GroupBy::kTrack;
  const EventStats by_track = AddUp(question);
  REQUIRE(by_track.groups.size() == 2);
  CHECK(by_track.groups[0].set == 0);
  CHECK(by_track.groups[0].name == "python");
  CHECK(by_track.groups[1].set == 1);
  CHECK(by_track.groups[1].track == TrackId(0));
}

TEST_CASE("event statistics of nothing") {
  const TracePtr trace = Load(OneThread());
  const RowBits none(trace->set.rows);
  for (const GroupBy by : {GroupBy::kNone, GroupBy::kName, GroupBy::kTrack, GroupBy::kStep}) {
    StatsQuestion question = All(*trace, by);
    question.parts[0].rows = &none;
    CHECK(AddUp(question).total.count == 0);
    CHECK(AddUp(question).groups.empty());
    question.parts.clear();
    CHECK(AddUp(question).total.count == 0);
  }
  CHECK_THROWS_AS(test::RunStopped([&] { AddUp(All(*trace)); }), Stopped);
}

TEST_CASE("event statistics: they equal a slow reference, and parts add up") {
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    CAPTURE(seed);
    const TracePtr trace = RandomTrace(seed, seed == 6 ? 2 : 7, seed == 6 ? 90'000 : 400);
    const EventStats all = AddUp(All(*trace));
    CheckAgainstSlow(*trace, all, {});
    const Ps half = trace->span.begin + trace->span.length() / 2;
    std::vector<EventStats> halves;
    for (const TimeRange range : {TimeRange{trace->span.begin, half}, {half, trace->span.end}}) {
      AnalysisParams params;
      params.range = range;
      const Scope scope(*trace, params, {});
      StatsQuestion question = All(*trace);
      question.scope = &scope;
      halves.push_back(AddUp(question));
      TimeScope time;
      if (range.begin == half) time.first = half;
      if (range.end == half) time.last = half - 1;
      std::map<std::string, Slow> slow = SlowByName(trace->set, time);
      CHECK(halves.back().total.count == slow["(total)"].durations.size());
    }
    CHECK(halves[0].total.count + halves[1].total.count == all.total.count);
    CHECK(halves[0].total.total + halves[1].total.total == all.total.total);
    CHECK(halves[0].total.self + halves[1].total.self == all.total.self);
    for (const GroupBy by : {GroupBy::kName, GroupBy::kTrack}) {
      const EventStats grouped = AddUp(All(*trace, by));
      uint64_t count = 0;
      Ps total = 0, self = 0;
      for (const EventStatsRow& row : grouped.groups) {
        count += row.count;
        total += row.total;
        self += row.self;
      }
      CHECK(count == grouped.total.count);
      CHECK(total == grouped.total.total);
      CHECK(self == grouped.total.self);
      CHECK(grouped.total.median == all.total.median);
    }
    uint64_t in_bins = 0;
    for (const uint64_t n : all.histogram.counts) in_bins += n;
    CHECK(in_bins == all.total.count);
  }
}

TEST_CASE(
    "event statistics by step: a step has the kernels that it launched, and no event is left out") {
  test::GpuProfileOptions options;
  options.steps = 5;
  options.layers = 4;
  const TracePtr trace = Load(test::MakeGpuProfile(options));
  AnalysisContext context(trace, Definitions::kStepscope);
  StatsQuestion question = All(*trace, GroupBy::kStep);
  question.steps = &context.Get<StepDatabase>();
  question.grouping = &context.Get<Grouping>();
  const EventStats stats = AddUp(question);
  const EventStats all = AddUp(All(*trace));
  REQUIRE(stats.groups.size() >= 5);
  uint64_t count = 0, outside = 0;
  std::vector<uint64_t> in_steps;
  for (const EventStatsRow& row : stats.groups) {
    count += row.count;
    if (row.step == ~uint32_t{0}) {
      CHECK(row.name == "outside steps");
      outside += row.count;
    } else {
      CHECK(row.name == context.Get<StepDatabase>().steps[row.step].label);
      in_steps.push_back(row.count);
    }
  }
  CHECK(count == all.total.count);
  CHECK(in_steps.size() == context.Get<StepDatabase>().steps.size());
  CHECK(outside * 5 < all.total.count);

  // All kernels of a step have its group, wherever the device is by then.
  const auto kernels = FindEvents(*EventQuery::Parse("cat:kernel"), *trace, trace->set);
  question.parts[0].rows = &*kernels;
  const EventStats of_kernels = AddUp(question);
  std::map<std::string, uint64_t> expected;
  kernels->ForEach([&](uint32_t row) {
    const EventGroup* group = context.Get<Grouping>().GroupOf(EventRow(row));
    for (const Step& step : context.Get<StepDatabase>().steps) {
      if (group == &context.Get<Grouping>().groups[static_cast<size_t>(std::max(step.group, 0))] &&
          step.group >= 0)
        ++expected[step.label];
    }
  });
  REQUIRE(expected.size() >= 4);
  for (const auto& [label, n] : expected) {
    CAPTURE(label);
    CHECK(Group(of_kernels, label).count >= n);
  }
}

TEST_CASE("durations: sums beyond the range of a time saturate, squares do not overflow") {
  TraceBuilder builder;
  EventMeta meta;
  meta.name = builder.strings().Intern("long");
  builder.AddMeta(meta);
  for (int t = 0; t < 3; ++t) {
    TrackData data;
    data.slices.Add(0, kMaxPs / 2, 0, 0);
    builder.AddTrack(std::move(data));
  }
  auto trace = builder.Finish();
  REQUIRE(trace.ok());
  const EventStats stats = AddUp(All(**trace));
  CHECK(stats.total.total == kMaxPs);
  CHECK(stats.total.self == kMaxPs);
  CHECK(stats.total.mean == doctest::Approx(static_cast<double>(kMaxPs / 2)));
  CHECK(stats.total.stddev == 0);
  CHECK(stats.total.p99 == kMaxPs / 2);
}

TEST_CASE("durations: percentiles of few and of many are those of a sorted list") {
  test::Random random(7);
  for (const size_t n : {1u, 2u, 3u, 19u, 20u, 21u, 99u, 100u, 101u, 70'000u, 200'000u}) {
    for (const int bits : {3, 12, 40}) {
      std::vector<Ps> values(n);
      for (Ps& v : values) v = static_cast<Ps>(random() >> (64 - bits));
      std::vector<Ps> sorted = values;
      std::sort(sorted.begin(), sorted.end());
      const DurationStats stats = StatsOf(values);
      CAPTURE(n);
      CAPTURE(bits);
      CHECK(stats.median == sorted[(n * 50 + 99) / 100 - 1]);
      CHECK(stats.p95 == sorted[(n * 95 + 99) / 100 - 1]);
      CHECK(stats.p99 == sorted[(n * 99 + 99) / 100 - 1]);
    }
  }
}

TEST_CASE("durations: bins are contiguous") {
  for (const Ps v : {Ps{0}, Ps{1}, Ps{3}, Ps{4}, Ps{7}, Ps{8}, Ps{9}, Ps{255}, Ps{256}, Ps{511},
                     Ps{512}, Ps{123'456'789}, kMaxPs - 1, kMaxPs}) {
    CAPTURE(v);
    const size_t bin = DurationHistogram::BinOf(v);
    REQUIRE(bin < DurationHistogram::kBins);
    CHECK(DurationHistogram::BinBegin(bin) <= v);
    CHECK((DurationHistogram::BinBegin(bin + 1) > v || v == kMaxPs));
    const size_t fine = FineCounts::BinOf(v);
    REQUIRE(fine < FineCounts::kBins);
    CHECK(FineCounts::BinBegin(fine) <= v);
    CHECK((FineCounts::BinBegin(fine + 1) > v || v == kMaxPs));
  }
  for (size_t b = 1; b < 240; ++b)
    CHECK(DurationHistogram::BinBegin(b) > DurationHistogram::BinBegin(b - 1));
}

}  // namespace stepscope
