// The paths by which rules and commands name planes and tracks: the same for the same track of
// another profile. Pure; O(length of the path).
#pragma once

#include <string>

#include "model/trace.h"

namespace stepscope {

// "host|plane"; "derived" for tracks without a plane. TrackPath: "host|plane|track#id".
std::string PlanePath(const Trace& trace, PlaneId plane);
std::string TrackPath(const Trace& trace, const TrackSet& set, TrackId track);
// What is folded though it is no track: the derived tracks of a plane, and the outer frames of a
// thread (viewer/core/state/outer_frames.h).
std::string DerivedTracksPath(const Trace& trace, PlaneId plane);
std::string OuterFramesPath(const Trace& trace, const TrackSet& set, TrackId track);

// The name of the plane or track of a path, without host, plane and id.
std::string NameInPath(const std::string& path);

}  // namespace stepscope
