// The kinds of the planes and lines of an XSpace, by their names and ids
// (docs/xspace.md#planes-and-lines), how they are called on screen, and in which order they are
// shown. Other formats use the same names and order. Pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "model/track.h"

namespace stepscope::naming {

struct PlaneNaming {
  PlaneKind kind = PlaneKind::kOther;
  std::string display_name;
  int device_ordinal = -1;
};
PlaneNaming NamePlane(std::string_view name, int64_t id);

// "A100-SXM4-80GB, 108 SMs", from the stats of a device plane; empty if they do not say.
std::string DeviceSubtitle(std::span<const PlaneStat> stats);

struct LineNaming {
  TrackKind kind = TrackKind::kOther;
  bool derived_in_file = false;  // written by XProf's preprocessing
};
LineNaming NameLine(PlaneKind plane, std::string_view name, int64_t id);

// The category of an event with this name on a plane of this kind.
EventCategory CategoryOf(PlaneKind plane, std::string_view name);

// Position of a plane among those of its host: devices by ordinal, then what belongs to them, then
// host threads.
int PlaneRank(PlaneKind kind);
// Position of a line on a device plane: steps above modules above operations above streams.
int TrackRank(TrackKind kind);

}  // namespace stepscope::naming
