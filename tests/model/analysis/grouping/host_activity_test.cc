// Tests of how a host thread's time is divided in ranges, with deep stacks and many ranges.
#include "model/analysis/grouping/host_activity.h"
#include "tests/support/loaded.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>

#include "loaders/loader.h"
#include "model/analysis/analysis.h"
#include "model/trace_builder.h"
#include "tests/support/profile_database.h"
#include "tests/support/xspace_builder.h"

namespace stepscope {
namespace {

using test::XSpaceBuilder;

// A stack of `depth` functions that are open all the time, with ops at its top.
std::shared_ptr<const Trace> DeepStack(int64_t depth, int64_t ops) {
  XSpaceBuilder b;
  auto& host = b.Plane("/host:CPU").Line(1, "python");
  const int64_t end = (depth + 100 * ops + depth) * kPsPerUs;
  for (int64_t d = 0; d < depth; ++d) host.Event("call", d * kPsPerUs, end - 2 * d * kPsPerUs);
  for (int64_t i = 0; i < ops; ++i) host.Event("op", (depth + 100 * i) * kPsPerUs, 50 * kPsPerUs);
  return test::Loaded("h.xplane.pb", b.Bytes());
}

std::vector<TimeRange> EachOp(int64_t depth, int64_t ops) {
  std::vector<TimeRange> ranges;
  for (int64_t i = 0; i < ops; ++i) {
    const Ps begin = (depth + 100 * i + 25) * kPsPerUs;
    ranges.push_back({begin, begin + 50 * kPsPerUs});
  }
  return ranges;
}

// Returns the part of `pieces`, which cover all the time, that lies in the range.
std::vector<HostPiece> Clip(const std::vector<HostPiece>& pieces, TimeRange range) {
  std::vector<HostPiece> out;
  for (HostPiece piece : pieces) {
    piece.begin = std::max(piece.begin, range.begin);
    piece.end = std::min(piece.end, range.end);
    if (piece.begin < piece.end) out.push_back(piece);
  }
  return out;
}

bool Same(const HostPiece& a, const HostPiece& b) {
  return a.begin == b.begin && a.end == b.end && a.state == b.state && a.marked == b.marked &&
         a.executor == b.executor && a.row == b.row && a.meta == b.meta && a.inside == b.inside;
}

}  // namespace

TEST_CASE("a deep stack is looked at once, not for each range in it") {
  constexpr int64_t kDepth = 2'000, kOps = 3'000;
  const auto trace = DeepStack(kDepth, kOps);
  AnalysisContext context(trace, Definitions::kStepscope);
  const HostActivity activity(*trace, context.stats(), context.Get<Grouping>(), {});
  const std::vector<const Track*> threads = HostThreadsOf(*trace, HostId(0));
  REQUIRE(threads.size() == 1);
  REQUIRE(threads[0]->lane_count > kDepth);
  const std::vector<TimeRange> ranges = EachOp(kDepth, kOps);
  uint64_t looks = 0;
  const std::vector<HostPiece> pieces = activity.During(*threads[0], ranges, &looks);
  CHECK(looks <= static_cast<uint64_t>(kDepth + 4 * kOps));
  REQUIRE(pieces.size() ==
          static_cast<size_t>(2 * kOps));  // the end of an op, then the innermost function
  for (size_t i = 0; i < pieces.size(); ++i) {
    CAPTURE(i);
    CHECK(pieces[i].state == HostState::kWork);
    CHECK(pieces[i].end - pieces[i].begin == 25 * kPsPerUs);
    CHECK(trace->names().Name(MetaId(pieces[i].meta)) == (i % 2 == 0 ? "op" : "call"));
  }
}

TEST_CASE("what a thread does in ranges is what it does all the time, cut to them") {
  std::mt19937 random(11);
  XSpaceBuilder b;
  auto& host = b.Plane("/host:CPU").Line(1, "python");
  static constexpr const char* kNames[] = {"op",
                                           "ExecutorState::Process",
                                           "cudaStreamSynchronize",
                                           "cuLaunchKernel",
                                           "IteratorGetNext",
                                           "cudaMalloc",
                                           "block_until_ready"};
  for (int i = 0; i < 3'000; ++i) {  // nested, overlapping and without duration
    const auto begin = static_cast<int64_t>(random() % 100'000);
    const auto us = static_cast<int64_t>(random() % 3 == 0 ? random() % 900 : random() % 30);
    host.Event(kNames[random() % 7], begin * kPsPerUs, us * kPsPerUs);
  }
  auto trace = LoadBytes("h.xplane.pb", b.Bytes(), {});
  REQUIRE(trace.ok());
  AnalysisContext context(*trace, Definitions::kStepscope);
  const HostActivity activity(**trace, context.stats(), context.Get<Grouping>(), {});
  const Track& thread = *HostThreadsOf(**trace, HostId(0)).at(0);
  const TimeRange all{0, 120'000 * kPsPerUs};
  const std::vector<HostPiece> whole = activity.During(thread, {&all, 1});
  std::vector<TimeRange> ranges;
  std::vector<HostPiece> expected;
  for (Ps at = 0; at < all.end;) {
    const Ps begin = at + (1 + static_cast<Ps>(random() % 200)) * kPsPerUs;
    at = std::min(begin + static_cast<Ps>(random() % 300) * kPsPerUs, all.end);
    if (at > begin) ranges.push_back({begin, at});
    for (const HostPiece& piece : Clip(whole, {begin, at})) expected.push_back(piece);
  }
  const std::vector<HostPiece> pieces = activity.During(thread, ranges);
  REQUIRE(pieces.size() == expected.size());
  CHECK(pieces.size() > 1'000);
  for (size_t i = 0; i < pieces.size(); ++i) {
    CAPTURE(i);
    CHECK(Same(pieces[i], expected[i]));
  }
}

TEST_CASE("an event that overlaps others holds only until the next one begins") {
  XSpaceBuilder b;
  auto& host = b.Plane("/host:CPU").Line(1, "python");
  host.Event("outer", 0, 100 * kPsPerUs);
  host.Event("Optimizer.step", 20 * kPsPerUs, 110 * kPsPerUs);  // ends after `outer`
  host.Event("inner", 40 * kPsPerUs, 30 * kPsPerUs);
  auto trace = LoadBytes("h.xplane.pb", b.Bytes(), {});
  REQUIRE(trace.ok());
  AnalysisContext context(*trace, Definitions::kStepscope);
  const HostActivity activity(**trace, context.stats(), context.Get<Grouping>(), {});
  const TimeRange all{0, 140 * kPsPerUs};
  std::string said;
  for (const HostPiece& piece :
       activity.During(*HostThreadsOf(**trace, HostId(0)).at(0), {&all, 1})) {
    const bool named = piece.meta != HostPiece::kNone;
    said += std::string(named ? (*trace)->names().Name(MetaId(piece.meta)) : "nothing") +
            " until " + std::to_string(piece.end / kPsPerUs) + ", ";
  }
  CHECK(said ==
        "outer until 20, Optimizer.step until 40, inner until 70, Optimizer.step until 130, "
        "nothing until 140, ");
}

TEST_CASE("of events in any order the one that began last is the innermost") {
  std::mt19937 random(5);
  XSpaceBuilder b;
  auto& host = b.Plane("/host:CPU").Line(1, "python");
  struct Event {
    int64_t begin, end;
  };
  std::vector<Event> events;
  for (int i = 0; i < 300; ++i) {  // each begins at a time of its own
    const int64_t begin = 7 * i + static_cast<int64_t>(random() % 7);
    const auto us = static_cast<int64_t>(1 + (random() % 4 == 0 ? random() % 200 : random() % 20));
    events.push_back({begin, begin + us});
    host.Event("op " + std::to_string(i), begin * kPsPerUs, us * kPsPerUs);
  }
  auto trace = LoadBytes("h.xplane.pb", b.Bytes(), {});
  REQUIRE(trace.ok());
  AnalysisContext context(*trace, Definitions::kStepscope);
  const HostActivity activity(**trace, context.stats(), context.Get<Grouping>(), {});
  const TimeRange all{0, 2'400 * kPsPerUs};
  const std::vector<HostPiece> pieces =
      activity.During(*HostThreadsOf(**trace, HostId(0)).at(0), {&all, 1});
  auto piece = pieces.begin();
  for (int64_t us = 0; us < all.end / kPsPerUs; ++us) {
    CAPTURE(us);
    std::string expected;
    for (size_t i = 0; i < events.size(); ++i) {
      if (events[i].begin <= us && us < events[i].end) expected = "op " + std::to_string(i);
    }
    while (piece->end <= us * kPsPerUs) ++piece;
    const bool named = piece->meta != HostPiece::kNone;
    CHECK((named ? (*trace)->names().Name(MetaId(piece->meta)) : "") == expected);
  }
}

// Two kernels of one name, of which the launch of the second is at the end of all time.
TEST_CASE("the first launch of a kernel may be at the greatest time") {
  test::DatabaseWriter db;
  db.Run(R"(
      CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
      INSERT INTO StringIds VALUES (1, 'k'), (2, 'cudaLaunchKernel_v7000');
      CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId,
          correlationId, globalPid, demangledName, shortName);
      INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
          (1200000000, 1300000000, 0, 1, 7, 1, 281476838981632, 1, 1),
          (1400000000, 1500000000, 1, 2, 7, 2, 281476838981632, 1, 1);
      CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, eventClass, globalTid, correlationId,
          nameId, returnValue);
      INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES
          (1000000000, 1190000000, 0, 281476838981637, 1, 2, 0),
          (9223372036854775807, 9223372036854775807, 0, 281476838981638, 2, 2, 0);)");
  const auto trace = test::Loaded("x.sqlite", db.Bytes());
  AnalysisContext context(trace, Definitions::kStepscope);
  const LaunchLinks& launches = context.Get<Grouping>().launches;
  REQUIRE(launches.size() == 2);
  REQUIRE(trace->set.Start(EventRow(launches[1].launch_row)) == kMaxPs);
  const HostActivity activity(*trace, context.stats(), context.Get<Grouping>(), {});
  const uint32_t first = launches[0].launch_row;
  const MetaId call = trace->set.Meta(EventRow(first));
  CHECK(activity.StateOfLaunch(first, call.value, trace->set.Duration(EventRow(first))) ==
        HostState::kCompile);
}

TEST_CASE("an event that overlaps others may last until the greatest time") {
  TraceBuilder builder;
  Plane plane;
  plane.kind = PlaneKind::kHostThreads;
  EventMeta op;
  op.name = builder.strings().Intern("op");
  const uint32_t meta = builder.AddMeta(op).value;
  TrackData thread;
  thread.track.plane = builder.AddPlane(plane);
  thread.track.kind = TrackKind::kThread;
  thread.slices.Add(0, kMaxPs - 10, meta, Lane::kNoRef);
  thread.slices.Add(kMaxPs - 20, 20, meta, Lane::kNoRef);  // ends after the first one
  builder.AddTrack(std::move(thread));
  auto trace = builder.Finish();
  REQUIRE(trace.ok());
  REQUIRE((*trace)->set.lanes.back().kind == LaneKind::kSpill);
  AnalysisContext context(*trace, Definitions::kStepscope);
  const HostActivity activity(**trace, context.stats(), context.Get<Grouping>(), {});
  const TimeRange last{kMaxPs - 30, kMaxPs};
  const std::vector<HostPiece> pieces = activity.During((*trace)->set.tracks[0], {&last, 1});
  REQUIRE(!pieces.empty());
  CHECK(pieces.front().begin == last.begin);
  CHECK(pieces.back().end == last.end);
  CHECK(pieces.back().row == (*trace)->set.lanes.back().first_row);
}

}  // namespace stepscope
