// GraphFacts: what is known of a kernel that a graph launched: its op, modules, layer, shapes, and
// how sure that is. Computed in the background, once for a run. UI thread only.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/analysis/graphs/graph_ops.h"
#include "model/base/latest_job.h"
#include "viewer/core/panel.h"

namespace stepscope {

struct GraphFact {
  std::string label, value, how;
};
// Of an event of the trace's own; none where nothing is known. Reads the file.
std::vector<GraphFact> GraphFactsOf(const GraphOps& graphs, EventRow row);

class GraphFacts {
 public:
  // Null until they are known. The same pointer means the same run and contents.
  std::shared_ptr<const GraphOps> Of(const PanelContext& context, const Run& run);
  bool busy() const { return job_.busy(); }

 private:
  LatestJob<std::shared_ptr<const GraphOps>> job_;
  std::shared_ptr<AnalysisContext> analysis_;  // of which they are
  std::shared_ptr<const GraphOps> graphs_;
};

}  // namespace stepscope
