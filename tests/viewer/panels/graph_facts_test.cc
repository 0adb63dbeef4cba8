#include "viewer/panels/graph_facts.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "loaders/loader.h"
#include "tests/support/graph_traces.h"

namespace stepscope {
namespace {

TEST_CASE("Details of a graph's kernel: op, layer, modules, shapes, and how sure that is") {
  test::KinetoText t;
  test::AddCapture(2, 8, 0, &t);
  test::AddReplay(test::GraphKernels(2), 1, 1000, &t);
  const auto trace = LoadBytes("t.json", t.Text(), {});
  REQUIRE(trace.ok());
  AnalysisContext context(*trace, Definitions::kStepscope);
  const GraphOps graphs = GraphOps::Compute(context);
  REQUIRE(graphs.kernels.size() == 9);
  const std::vector<GraphFact> facts = GraphFactsOf(graphs, EventRow(graphs.kernels[5].row));
  const auto value = [&](std::string_view label) {
    const auto it = std::find_if(facts.begin(), facts.end(),
                                 [&](const GraphFact& f) { return f.label == label; });
    return it != facts.end() ? it->value : std::string("-");
  };
  CHECK(value("Op in the graph") == "aiter::rmsnorm");
  CHECK(value("Layer") == "DecoderLayer_1");
  CHECK(value("Modules") == "Model_0 / DecoderLayer_1 / RMSNorm_4");
  CHECK(value("Shapes") == "[[8,64],[]]");
  CHECK(value("Found in") == "recording in this trace");
  CHECK(value("Confidence") == "100 %: 9 of 9 kernels");
  CHECK(GraphFactsOf(graphs, EventRow()).empty());
  CHECK(GraphFactsOf(graphs, graphs.launches[0].call).empty());
}

}  // namespace
}  // namespace stepscope
