// Arrows between events: recorded ones, launches and contexts.
#include "model/analysis/grouping/flow_index.h"

#include <doctest/doctest.h>

#include "loaders/loader.h"
#include "model/analysis/analysis.h"
#include "tests/support/tpu_profile.h"
#include "tests/support/xspace_builder.h"

using namespace stepscope;  // NOLINT

TEST_CASE("arrows are found from both of their ends") {
  const FlowIndex index({{5, 9, FlowKind::kLaunch}, {5, 7, FlowKind::kLaunch}, {2, 7}});
  REQUIRE(index.From(EventRow(5)).size() == 2);
  CHECK(index.From(EventRow(5))[0].to == 7);
  CHECK(index.From(EventRow(5))[1].to == 9);
  REQUIRE(index.To(EventRow(7)).size() == 2);
  CHECK(index.To(EventRow(7))[0].from == 2);
  CHECK(index.To(EventRow(7))[0].kind == FlowKind::kRecorded);
  CHECK(index.To(EventRow(7))[1].from == 5);
  CHECK(index.From(EventRow(7)).empty());
  CHECK(index.To(EventRow()).empty());
}

TEST_CASE("an arrow recorded for a launch counts once, as the launch") {
  const FlowIndex index({{1, 2, FlowKind::kRecorded}, {1, 2, FlowKind::kLaunch}});
  REQUIRE(index.size() == 1);
  CHECK(index.From(EventRow(1))[0].kind == FlowKind::kLaunch);
  CHECK(index.To(EventRow(2))[0].kind == FlowKind::kLaunch);
}

TEST_CASE("arrows that lead nowhere are left out") {
  Trace trace;
  trace.flows.push_back({EventRow(1), EventRow(3), 0, StringId()});
  trace.flows.push_back({EventRow(), EventRow(3), 0, StringId()});
  Grouping grouping;
  grouping.launches.push_back({8, 4});
  const FlowIndex recorded = BuildFlowIndex(trace, nullptr);
  CHECK(recorded.size() == 1);
  const FlowIndex both = BuildFlowIndex(trace, &grouping);
  REQUIRE(both.To(EventRow(8)).size() == 1);
  CHECK(both.To(EventRow(8))[0] == FlowArrow{4, 8, FlowKind::kLaunch});
}

namespace {

struct Linked {
  std::shared_ptr<const Trace> trace;
  FlowIndex index;
  std::string Name(uint32_t row) const { return std::string(trace->set.Name(EventRow(row))); }
  // All arrows in order, as "a > b".
  std::vector<std::string> Arrows() const {
    std::vector<std::string> out;
    for (uint32_t row = 0; row < trace->set.rows; ++row) {
      for (const FlowArrow& arrow : index.From(EventRow(row))) {
        CHECK(arrow.kind == FlowKind::kContext);
        out.push_back(Name(arrow.from) + " > " + Name(arrow.to));
      }
    }
    std::sort(out.begin(), out.end());
    return out;
  }
};

Linked Load(const test::XSpaceBuilder& space) {
  auto trace = LoadBytes("h.xplane.pb", space.Bytes(), {});
  REQUIRE_MESSAGE(trace.ok(), trace.status().message());
  auto stats = (*trace)->source->LoadTyped(**trace, {});
  REQUIRE(stats.ok());
  return {*trace, BuildFlowIndex(**trace, nullptr, stats->get())};
}

}  // namespace

TEST_CASE("arrows lead from a producer to consumers of its type and id, within a host") {
  test::XSpaceBuilder space;
  space.Hostname("one");
  auto& plane = space.Plane("/host:CPU").Id(0);
  plane.Line(1, "main")
      .Event("enqueue", 0, 10'000)
      .Stat("_pt", int64_t{2})
      .Stat("_p", uint64_t{77})
      .Event("other type", 20'000, 10'000)
      .Stat("_pt", int64_t{3})
      .Stat("_p", uint64_t{77})
      .Event("no type", 40'000, 10'000)
      .Stat("_p", uint64_t{77});
  plane.Line(2, "worker")
      .Event("run", 15'000, 10'000)
      .Stat("_ct", int64_t{2})
      .Stat("_c", uint64_t{77})
      .Event("run again", 30'000, 10'000)
      .Stat("_ct", int64_t{2})
      .Stat("_c", uint64_t{77})
      .Event("other id", 50'000, 10'000)
      .Stat("_ct", int64_t{2})
      .Stat("_c", uint64_t{78});
  const Linked linked = Load(space);
  CHECK(linked.Arrows() == std::vector<std::string>{"enqueue > run", "enqueue > run again"});
}

TEST_CASE("an id that too many share gives no arrows; no arrow leads from an event to itself") {
  test::XSpaceBuilder space;
  auto& plane = space.Plane("/host:CPU").Id(0);
  auto& line = plane.Line(1, "main");
  for (int i = 0; i < 100; ++i) {
    line.Event("many", i * 1000, 500)
        .Stat("_pt", int64_t{1})
        .Stat("_p", uint64_t{0})
        .Stat("_ct", int64_t{1})
        .Stat("_c", uint64_t{0});
  }
  line.Event("loop", 200'000, 500)
      .Stat("_pt", int64_t{1})
      .Stat("_p", uint64_t{5})
      .Stat("_ct", int64_t{1})
      .Stat("_c", uint64_t{5});
  CHECK(Load(space).index.size() == 0);
}

TEST_CASE("asynchronous ops have arrows from the op that starts them and to the op that awaits") {
  for (const bool async_line : {true, false}) {
    CAPTURE(async_line);
    test::TpuProfileOptions options;
    options.async_line = async_line;
    const auto loaded = LoadBytes("h.xplane.pb", test::MakeTpuProfile(options), {});
    REQUIRE(loaded.ok());
    const Trace& trace = **loaded;
    AnalysisContext context(*loaded, Definitions::kStepscope);
    const FlowIndex index = BuildFlowIndex(trace, nullptr, &context.stats());
    // Three copies in each of 6 runs on 2 cores.
    CHECK(index.size() == (async_line ? 72 : 36));
    CHECK(trace.diagnostics.Find("track.partial_overlap") == nullptr);
    size_t checked = 0;
    for (uint32_t r = 0; r < trace.set.rows; ++r) {
      const EventRow done(r);
      if (trace.set.Name(done) != "copy-done.2") continue;
      REQUIRE(index.To(done).size() == 1);
      CHECK(index.To(done)[0].kind == FlowKind::kAsync);
      EventRow from(index.To(done)[0].from);
      if (async_line) {
        CHECK(trace.set.Name(from) == "async-copy");
        REQUIRE(index.To(from).size() == 1);
        from = EventRow(index.To(from)[0].from);
      }
      CHECK(trace.set.Name(from) == "copy-start.2");
      CHECK(trace.set.Start(done) - trace.set.Start(from) == 6 * kPsPerMs);
      ++checked;
    }
    CHECK(checked == 12);
  }
}
