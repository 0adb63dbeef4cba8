// Arrows between events: what was recorded, and launches.
#include "model/analysis/flow_index.h"

#include <doctest/doctest.h>

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

TEST_CASE("an arrow that was recorded for a launch is that launch") {
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
