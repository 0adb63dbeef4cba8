// GraphFacts says what is known about a kernel that a graph launched: its op, modules, layer,
// shapes, and how certain that is. A job computes it once for a profile. UI thread only.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/analysis/graphs/graph_ops.h"
#include "model/jobs/latest_job.h"
#include "viewer/core/panel.h"

namespace stepscope {

struct GraphFact {
  std::string label, value, how;
};
// The facts of an event of the trace's own set; empty if nothing is known. Reads the file.
std::vector<GraphFact> GraphFactsOf(const GraphOps& graphs, EventRow row);

class GraphFacts {
 public:
  // Null until they are known. The same pointer means the same profile and contents.
  std::shared_ptr<const GraphOps> Of(const PanelContext& context, const Profile& profile);
  bool busy() const { return job_.busy(); }

 private:
  LatestJob<std::shared_ptr<const GraphOps>> job_;
  std::shared_ptr<AnalysisContext> analysis_;  // what the ops were computed from
  std::shared_ptr<const GraphOps> graphs_;
};

}  // namespace stepscope
