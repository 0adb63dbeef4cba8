#include "viewer/core/profiles/derived_parts.h"

#include "model/analysis/analysis.h"
#include "model/lookup.h"

namespace stepscope {

bool HasDerivedParts(const Trace& trace) { return HasGpuPlane(trace) || !trace.flows.empty(); }

DerivedParts Derive(AnalysisContext& context, const std::stop_token& stop) {
  const Trace& trace = context.trace();
  // Without a GPU there are no launches to look for.
  const Grouping* grouping = HasGpuPlane(trace) ? &context.grouping(stop) : nullptr;
  DerivedParts parts;
  parts.flows = std::make_shared<const FlowIndex>(
      BuildFlowIndex(trace, grouping, &context.stats(stop), stop));
  if (grouping != nullptr) parts.sets = context.derived(stop);
  return parts;
}

}  // namespace stepscope
