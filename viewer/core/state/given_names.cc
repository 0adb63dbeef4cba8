#include "viewer/core/state/given_names.h"

#include <utility>

#include "viewer/core/state/track_path.h"
#include "viewer/core/state/track_rules.h"

namespace stepscope {

bool GivenNames::Update(const Settings& settings) {
  const std::string& rules = settings.Get("timeline.tracks");
  if (rules == rules_) return false;
  rules_ = rules;
  by_path_ = std::move(ParseTrackRules(rules).names);
  return true;
}

std::string GivenNames::OfPlane(const Trace& trace, PlaneId plane) const {
  if (!by_path_.empty()) {
    const auto given = by_path_.find(PlanePath(trace, plane));
    if (given != by_path_.end()) return given->second;
  }
  return trace.planes[plane.value].display_name;
}

std::string GivenNames::OfTrack(const Trace& trace, const TrackSet& set, TrackId track) const {
  if (!by_path_.empty()) {
    const auto given = by_path_.find(TrackPath(trace, set, track));
    if (given != by_path_.end()) return given->second;
  }
  return std::string(set.names->strings.View(set.tracks[track.value].name));
}

}  // namespace stepscope
