// Analyses read what they need of allocations, whose stats the source reads apart from others.
#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "loaders/loader.h"
#include "model/analysis/analysis.h"
#include "model/analysis/grouping/grouping.h"
#include "model/analysis/ops/op_database.h"
#include "model/analysis/steps/training.h"
#include "model/query/find_events.h"
#include "tests/support/xspace_builder.h"

namespace stepscope {
namespace {

// An op that only an allocation names, within an event of another op. `event` and `allocation` add
// stats to the two.
template <typename OfEvent, typename OfAllocation>
std::shared_ptr<const Trace> LoadAllocation(OfEvent event, OfAllocation allocation) {
  test::XSpaceBuilder space;
  auto& line = space.Plane("/host:CPU").Line(1, "python");
  event(line.Event("x", 0, 9'000'000).Stat("tf_op", "a/Relu:Relu"));
  allocation(line.Event("MemoryAllocation", 1'000'000, 10)
                 .Stat("bytes_allocated", int64_t{64})
                 .Stat("tf_op", "gradients/b/MatMul:MatMul"));
  auto trace = LoadBytes("a.xplane.pb", space.Bytes(), {});
  REQUIRE(trace.ok());
  REQUIRE((*trace)->source->reads_allocations_apart());
  return *trace;
}

constexpr auto kNothing = [](auto&) {};

bool HasOp(const OpDatabase& ops, std::string_view name) {
  return std::any_of(ops.hosts.begin(), ops.hosts.end(), [&](const HostOps& host) {
    const auto& rows = host.host_side.ops;
    return std::any_of(rows.begin(), rows.end(), [&](const OpRow& op) { return op.name == name; });
  });
}

TEST_CASE("allocations: the op that only an allocation names is an op") {
  AnalysisContext context(LoadAllocation(kNothing, kNothing), Definitions::kStepscope);
  CHECK(context.all_stats().size() == 2);
  const auto ops = context.Get<OpDatabase>(AnalysisParams());
  CHECK(HasOp(*ops, "a/Relu"));
  CHECK(HasOp(*ops, "gradients/b/MatMul"));
}

TEST_CASE("allocations: a program trains if only an allocation's op says so") {
  AnalysisContext context(LoadAllocation(kNothing, kNothing), Definitions::kStepscope);
  CHECK(IsTraining(context));
}

TEST_CASE("allocations: they are in the group that the file says") {
  const auto in_group = [](auto& event) { event.Stat("group_id", int64_t{3}); };
  AnalysisContext context(LoadAllocation(in_group, in_group), Definitions::kStepscope);
  const Grouping& grouping = context.Get<Grouping>();
  CHECK(grouping.from_file);
  REQUIRE(grouping.GroupOf(EventRow(0)) != nullptr);
  CHECK(grouping.GroupOf(EventRow(0)) == grouping.GroupOf(EventRow(1)));
  CHECK(grouping.GroupOf(EventRow(1))->id == 3);
}

TEST_CASE("allocations: a query finds them by their arguments") {
  AnalysisContext context(LoadAllocation(kNothing, kNothing), Definitions::kStepscope);
  for (const char* text : {"arg.tf_op=\"gradients/b/MatMul:MatMul\"", "arg.tf_op:matmul"}) {
    CAPTURE(text);
    const auto rows = FindAsked(context, *EventQuery::Parse(text));
    REQUIRE(rows.ok());
    REQUIRE(*rows);
    CHECK((*rows)->Rows() == std::vector<uint32_t>{1});
  }
}

}  // namespace
}  // namespace stepscope
