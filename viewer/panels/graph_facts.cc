#include "viewer/panels/graph_facts.h"

#include <fmt/format.h>

#include <utility>

#include "model/base/digits.h"
#include "viewer/core/profiles/profile.h"

namespace stepscope {
namespace {

std::string Confidence(const GraphLaunch& launch) {
  std::string text = fmt::format("{}: {} of {} kernels", PercentText(100 * launch.confidence(), 0),
                                 GroupDigits(launch.matched), GroupDigits(launch.kernels));
  if (launch.alike > 1) text += fmt::format("; one of {} that look alike", launch.alike);
  return text;
}

}  // namespace

std::vector<GraphFact> GraphFactsOf(const GraphOps& graphs, EventRow row) {
  std::vector<GraphFact> facts;
  const GraphKernel* kernel = row.valid() ? graphs.Find(row.value) : nullptr;
  if (kernel == nullptr) return facts;
  const GraphOp& op = graphs.ops[kernel->op];
  const auto add = [&](const char* label, std::string value, const char* how) {
    if (!value.empty()) facts.push_back({label, std::move(value), how});
  };
  add("Op in the graph", std::string(graphs.NameOf(op)),
      "The innermost op around the launch that was recorded.");
  add("Layer", std::string(graphs.LayerOf(op)),
      "The outermost module around it that stands beside others of its class.");
  add("Modules", graphs.ModuleOf(op), "The modules around it, outermost first.");
  add("Shapes", graphs.ShapesOf(op), "Shapes of the op's inputs when it was recorded.");
  add("Found in", SourceText(graphs.sources[op.source]),
      "The recording that the ops of this graph come from: a replay does not name them.");
  add("Confidence", Confidence(graphs.launches[kernel->launch]),
      "Kernels of this launch that were found in that recording by name and order.");
  return facts;
}

std::shared_ptr<const GraphOps> GraphFacts::Of(const PanelContext& context,
                                               const Profile& profile) {
  if (profile.analysis == nullptr) return nullptr;
  if (analysis_ != profile.analysis) {
    analysis_ = profile.analysis;
    graphs_ = nullptr;
    job_.Start(context.jobs, [analysis = analysis_](Progress&) {
      return std::shared_ptr<const GraphOps>(analysis, &analysis->Get<GraphOps>());
    });
  }
  if (auto done = job_.Take()) graphs_ = *std::move(done);
  return graphs_;
}

}  // namespace stepscope
