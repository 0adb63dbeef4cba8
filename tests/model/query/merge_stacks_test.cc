// Merged stacks, against sums that are made event by event.
#include "model/query/merge_stacks.h"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "loaders/loader.h"
#include "model/analysis/steps/scope.h"
#include "model/analysis/steps/steps.h"
#include "model/lookup.h"
#include "model/query/call_tree.h"
#include "model/query/event_stats.h"
#include "model/query/find_events.h"
#include "model/trace_builder.h"
#include "tests/support/growth.h"
#include "tests/support/source_paths.h"
#include "tests/support/stopped_job.h"

namespace stepscope {
namespace {

using TracePtr = std::shared_ptr<const Trace>;

struct Sums {
  uint64_t count = 0;
  Ps total = 0, self = 0;
  bool operator==(const Sums&) const = default;
};
using ByPath = std::map<std::string, Sums>;

std::string Text(const ByPath& sums) {
  std::string text;
  for (const auto& [path, s] : sums) {
    text += path + " " + std::to_string(s.count) + " " + std::to_string(s.total) + " " +
            std::to_string(s.self) + "\n";
  }
  return text;
}

TracePtr Sample(const char* name) {
  Progress progress;
  auto trace = LoadPath(test::SourcePath("tests/data/") + name, {}, {}, progress);
  REQUIRE_MESSAGE(trace.ok(), trace.status().message());
  return *trace;
}

// The sums event by event, with Parent(), Children() and SelfTime().
class Slowly {
 public:
  Slowly(const Trace& trace, const RowBits& selected, TimeRange range = {kMinPs, kMaxPs})
      : set_(trace.set), selected_(selected), range_(range) {
    for (const Lane& lane : set_.lanes) {
      if (lane.kind == LaneKind::kInstant) continue;
      for (uint32_t i = 0; i < lane.size(); ++i) Add(EventRow(lane.first_row + i));
    }
  }
  ByPath sums;

 private:
  bool Has(EventRow row) const { return selected_.Has(row.value); }
  std::string PathOf(EventRow row) const {
    const EventRow parent = Parent(set_, row);
    return (parent.valid() ? PathOf(parent) : std::string()) + "/" + std::string(set_.Name(row));
  }
  bool HasInside(EventRow row) const {
    if (Has(row)) return true;
    for (const EventRow child : Children(set_, row)) {
      if (HasInside(child)) return true;
    }
    return false;
  }
  Ps Contribution(EventRow row) const {
    if (Has(row)) return Inside(row);
    Ps sum = 0;
    for (const EventRow child : Children(set_, row)) sum += Contribution(child);
    return sum;
  }
  void Add(EventRow row) {
    if (!HasInside(row)) return;
    Sums& s = sums[PathOf(row)];
    s.total += Contribution(row);
    if (!Has(row)) return;
    ++s.count;
    s.self += Inside(row);
    for (const EventRow child : Children(set_, row)) s.self -= Inside(child);
  }
  Ps Inside(EventRow row) const {
    const Ps begin = std::max(set_.Start(row), range_.begin);
    return std::max<Ps>(0, std::min(set_.Start(row) + set_.Duration(row), range_.end) - begin);
  }

  const TrackSet& set_;
  const RowBits& selected_;
  const TimeRange range_;
};

ByPath PathsOf(const Trace& trace, const CallTree& tree) {
  ByPath out;
  std::vector<std::string> paths(tree.frames.size());
  for (uint32_t f = 1; f < tree.frames.size(); ++f) {
    const CallFrame& frame = tree.frames[f];
    paths[f] = paths[frame.parent] + "/" + std::string(NameOf(frame, trace.names()));
    out[paths[f]] = {frame.count, frame.total, frame.self};
  }
  return out;
}

// The order of the frames, their rows, and that no frame has more time than the one above it.
void CheckShape(const Trace& trace, const CallTree& tree) {
  REQUIRE(!tree.frames.empty());
  CHECK(tree.frames[0].end == tree.frames.size());
  for (uint32_t f = 1; f < tree.frames.size(); ++f) {
    const CallFrame &frame = tree.frames[f], &above = tree.frames[frame.parent];
    REQUIRE(frame.parent < f);
    REQUIRE(frame.end > f);
    REQUIRE(frame.end <= above.end);
    REQUIRE(frame.depth == above.depth + 1);
    REQUIRE(frame.total <= above.total);
    const auto rows = tree.RowsOf(f);
    REQUIRE(rows.size() == frame.count);
    for (const EventRow row : rows) REQUIRE(trace.set.Name(row) == NameOf(frame, trace.names()));
  }
}

RowBits AllRows(const Trace& trace) {
  RowBits rows(trace.set.rows);
  for (const Lane& lane : trace.set.lanes) {
    if (lane.kind == LaneKind::kInstant) continue;
    for (uint32_t i = 0; i < lane.size(); ++i) rows.Set(lane.first_row + i);
  }
  return rows;
}

TEST_CASE("stacks: of all events, of a search and of a range, as added up one by one") {
  for (const char* name : {"torch_cpu_stack.json.gz", "torch_cpu.json.gz"}) {
    CAPTURE(name);
    const TracePtr trace = Sample(name);
    const RowBits all = AllRows(*trace);
    RowBits some(trace->set.rows), inside(trace->set.rows);
    AnalysisParams params;
    params.range = {trace->span.begin + trace->span.length() / 3,
                    trace->span.begin + trace->span.length() / 2};
    const Scope scope(*trace, params, {});
    all.ForEach([&](uint32_t row) {
      if (trace->set.Name(EventRow(row)).find("linear") != std::string_view::npos) some.Set(row);
      const Ps begin = trace->set.Start(EventRow(row));
      const Ps end = begin + trace->set.Duration(EventRow(row));
      const bool touches = begin < params.range.end && end > params.range.begin;
      if (touches || params.range.Contains(begin)) inside.Set(row);
    });
    REQUIRE(some.Count() > 0);
    REQUIRE(inside.Count() > 100);
    const CallTree of_all = BuildCallTree({trace.get(), nullptr, nullptr});
    CheckShape(*trace, of_all);
    CHECK(Text(PathsOf(*trace, of_all)) == Text(Slowly(*trace, all).sums));
    const CallTree found = BuildCallTree({trace.get(), &some, nullptr});
    CheckShape(*trace, found);
    CHECK(Text(PathsOf(*trace, found)) == Text(Slowly(*trace, some).sums));
    const CallTree in_range = BuildCallTree({trace.get(), nullptr, &scope});
    CheckShape(*trace, in_range);
    // Events that the range cuts count with the part inside.
    CHECK(Text(PathsOf(*trace, in_range)) == Text(Slowly(*trace, inside, params.range).sums));
    const CallTree both = BuildCallTree({trace.get(), &inside, &scope});
    CHECK(Text(PathsOf(*trace, both)) == Text(PathsOf(*trace, in_range)));
    CHECK(in_range.frames[0].total < of_all.frames[0].total);
  }
}

TEST_CASE("stacks: their self times add up to what the selection says") {
  const TracePtr trace = Sample("torch_cpu_stack.json.gz");
  const CallTree tree = BuildCallTree({trace.get(), nullptr, nullptr});
  StatsQuestion question;
  question.trace = trace.get();
  question.parts = {{0, &trace->set, nullptr}};
  const EventStats stats = AddUp(question);
  Ps self = 0;
  uint64_t count = 0;
  for (const CallFrame& frame : tree.frames) {
    self += frame.self;
    count += frame.count;
  }
  CHECK(self == stats.total.self);
  CHECK(count == stats.total.count);
  CHECK(tree.cut == 0);

  const CallTree turned = TurnOver(tree);
  std::map<std::string_view, std::pair<uint64_t, Ps>> names;
  for (uint32_t f = 1; f < turned.frames.size(); ++f) {
    const CallFrame& frame = turned.frames[f];
    if (frame.depth != 1) continue;
    names[NameOf(frame, trace->names())] = {frame.count, frame.self};
    CHECK(turned.RowsOf(f).size() == frame.count);
  }
  REQUIRE(names.size() == stats.groups.size());
  for (const EventStatsRow& row : stats.groups) {
    CAPTURE(row.name);
    const auto [calls, time] = names[row.name];
    CHECK(calls == row.count);
    CHECK(time == row.self);
  }
}

// A thread whose slices are given as name, begin and duration.
TracePtr ThreadOf(const std::vector<std::tuple<std::string, Ps, Ps>>& slices,
                  PlaneKind kind = PlaneKind::kHostThreads) {
  TraceBuilder builder;
  Plane plane;
  plane.host = builder.AddHost({});
  plane.kind = kind;
  TrackData data;
  data.track.plane = builder.AddPlane(plane);
  std::map<std::string, MetaId> metas;
  for (const auto& [name, start, dur] : slices) {
    EventMeta meta;
    meta.name = builder.strings().Intern(name);
    if (metas.count(name) == 0) metas[name] = builder.AddMeta(meta);
    data.slices.Add(start, dur, metas[name].value, Lane::kNoRef);
  }
  builder.AddTrack(std::move(data));
  return *builder.Finish();
}

TEST_CASE("stacks: recursion counts once from below, and callers are told apart") {
  // main calls f twice; the first f calls itself and g.
  const TracePtr trace =
      ThreadOf({{"main", 0, 100}, {"f", 10, 50}, {"f", 20, 20}, {"g", 45, 10}, {"f", 70, 10}});
  const CallTree tree = BuildCallTree({trace.get(), nullptr, nullptr});
  CHECK(Text(PathsOf(*trace, tree)) ==
        "/main 1 100 40\n/main/f 2 60 30\n/main/f/f 1 20 20\n/main/f/g 1 10 10\n");
  CHECK(tree.frames[0].total == 100);
  const CallTree turned = TurnOver(tree);
  CHECK(Text(PathsOf(*trace, turned)) ==
        "/f 3 60 50\n/f/f 1 0 20\n/f/f/main 1 0 20\n/f/main 2 60 30\n/g 1 10 10\n/g/f 1 10 10\n"
        "/g/f/main 1 10 10\n/main 1 100 40\n");
  CHECK(NameOf(turned.frames[1], trace->names()) == "f");  // the most self time
}

TEST_CASE("stacks: events without duration and at borders are not lost") {
  const TracePtr trace = ThreadOf({{"a", 0, 10},
                                   {"z", 0, 0},
                                   {"z", 10, 0},
                                   {"b", 10, 10},
                                   {"z", 20, 0},
                                   {"z", 25, 0},
                                   {"z", 25, 0},
                                   {"c", 30, 0}});
  const CallTree tree = BuildCallTree({trace.get(), nullptr, nullptr});
  uint64_t count = 0;
  for (const CallFrame& frame : tree.frames) count += frame.count;
  CHECK(count == 8);
  CHECK(tree.frames[0].total == 20);
}

TEST_CASE("stacks: what overlaps without nesting has no callers") {
  const TracePtr trace = ThreadOf({{"a", 0, 10}, {"b", 5, 10}});
  const CallTree tree = BuildCallTree({trace.get(), nullptr, nullptr});
  CHECK(Text(PathsOf(*trace, tree)) == "/a 1 10 10\n/b 1 10 10\n");
}

TEST_CASE("stacks: devices count where no host does") {
  const TracePtr trace = ThreadOf({{"kernel", 0, 10}}, PlaneKind::kGpu);
  const CallTree tree = BuildCallTree({trace.get(), nullptr, nullptr});
  CHECK(tree.devices);
  CHECK(Text(PathsOf(*trace, tree)) == "/kernel 1 10 10\n");
}

// n levels, each 2 ps shorter than the one above it.
TracePtr Deep(int n) {
  std::vector<std::tuple<std::string, Ps, Ps>> slices;
  for (int d = 0; d < n; ++d) slices.emplace_back("f" + std::to_string(d % 7), d, 2 * (n - d));
  return ThreadOf(slices);
}

TEST_CASE("stacks: frames that are too deep are counted, and their time is kept") {
  const TracePtr trace = Deep(2'000);
  const CallTree tree = BuildCallTree({trace.get(), nullptr, nullptr});
  CHECK(tree.frames.size() == kDeepestFrame + 1);
  CHECK(tree.frames.back().depth == kDeepestFrame);
  CHECK(tree.cut == 2'000 - kDeepestFrame);
  Ps self = 0;
  for (const CallFrame& frame : tree.frames) self += frame.self;
  CHECK(self == tree.frames[0].total);
}

TEST_CASE("stacks: a call can be stopped") {
  const TracePtr trace = ThreadOf({{"a", 0, 10}});
  CHECK_THROWS_AS(test::RunStopped([&] {
                    BuildCallTree({trace.get(), nullptr, nullptr});
                  }),
                  Stopped);
}

TEST_CASE("stacks: in time that grows with the events") {
  const double growth = test::GrowthOfFour(100'000, [](size_t n) {
    std::vector<std::tuple<std::string, Ps, Ps>> slices;
    for (size_t i = 0; i < n; ++i) {
      const Ps at = static_cast<Ps>(i / 4) * 100, depth = static_cast<Ps>(i % 4);
      slices.emplace_back("f" + std::to_string(i % 4 + i / 4 % 11), at + depth, 90 - 2 * depth);
    }
    const TracePtr trace = ThreadOf(slices);
    return test::CpuSeconds([&] { BuildCallTree({trace.get(), nullptr, nullptr}); });
  });
  CHECK(growth < test::kNearlyLinear);
}

TEST_CASE("stacks: the table lists callers before callees, and links to their events") {
  const TracePtr trace = ThreadOf({{"main", 0, 100}, {"f", 10, 50}, {"g", 45, 10}});
  const CallTree tree = BuildCallTree({trace.get(), nullptr, nullptr});
  const ResultTable table = CallTreeTable(*trace, tree, false);
  CHECK(ToCsv(table) ==
        "name,total_us,self_us,share,count,depth,parent\r\n"
        "main,0.0001,5e-05,100,1,1,\r\nf,5e-05,4e-05,50,1,2,main\r\n"
        "g,1e-05,1e-05,10,1,3,f\r\n");
  CHECK(table.ShownText(2, 0) == "\u2003\u2003g");
  REQUIRE(table.links.size() == 3);
  CHECK(trace->set.Name(table.links[2].rows.front()) == "g");
}

}  // namespace
}  // namespace stepscope
