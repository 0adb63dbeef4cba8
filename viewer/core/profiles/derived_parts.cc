#include "viewer/core/profiles/derived_parts.h"

#include <algorithm>

#include "model/analysis/analysis.h"
#include "model/analysis/derived_tracks/device_tracks.h"
#include "model/lookup.h"

namespace stepscope {
namespace {

bool HasTpuCore(const Trace& trace) {
  return std::any_of(trace.planes.begin(), trace.planes.end(),
                     [](const Plane& plane) { return plane.kind == PlaneKind::kTpu; });
}

}  // namespace

bool HasDerivedParts(const Trace& trace) {
  return HasGpuPlane(trace) || HasTpuCore(trace) || !trace.flows.empty();
}

DerivedParts Derive(AnalysisContext& context) {
  const Trace& trace = context.trace();
  const bool gpus = HasGpuPlane(trace);
  // Without a device there are no launches to look for.
  const Grouping* grouping = gpus || HasTpuCore(trace) ? &context.Get<Grouping>() : nullptr;
  DerivedParts parts;
  parts.flows =
      std::make_shared<const FlowIndex>(BuildFlowIndex(trace, grouping, &context.stats()));
  // The lines that XProf derives of cores repeat what their recorded lines have.
  parts.sets = gpus ? context.Get<DerivedTracks>().sets : BuildDeviceTracks(context);
  return parts;
}

}  // namespace stepscope
