#include "viewer/core/state/outer_frames.h"

namespace stepscope {
namespace {

bool IsOuterFrame(const Trace& trace, const Lane& lane) {
  const auto& metas = trace.names().metas;
  if (lane.kind != LaneKind::kNested || lane.size() != 1 || lane.meta[0] >= metas.size())
    return false;
  return metas[lane.meta[0]].category == EventCategory::kPythonFunction &&
         lane.dur[0] >= trace.span.length() / 2;
}

}  // namespace

uint32_t OuterFrames(const Trace& trace, const Track& track) {
  uint32_t frames = 0;
  for (const Lane& lane : trace.set.LanesOf(track)) {
    if (lane.depth != frames || !IsOuterFrame(trace, lane)) break;
    ++frames;
  }
  return frames > 1 ? frames : 0;
}

}  // namespace stepscope
