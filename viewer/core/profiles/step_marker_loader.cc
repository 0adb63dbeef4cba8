#include "viewer/core/profiles/step_marker_loader.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "model/analysis/pages/overview.h"
#include "viewer/core/profiles/step_markers.h"

namespace stepscope {

StepMarkerLoader::Known* StepMarkerLoader::Find(ProfileId profile) {
  const auto found = std::find_if(known_.begin(), known_.end(), [profile](const Known& known) {
    return known.profile == profile;
  });
  return found == known_.end() ? nullptr : &*found;
}

void StepMarkerLoader::Use(ProfileId profile, std::shared_ptr<const AnalysisResult> overview) {
  if (!overview) return;
  Known* known = Find(profile);
  if (known == nullptr) {
    known = &known_.emplace_back();
    known->profile = profile;
  }
  if (known->serial == overview->serial) return;
  known->serial = overview->serial;
  known->job.Start(queue_, [overview = std::move(overview)](Progress&) {
    const Overview* known_steps = overview->As<Overview>();
    return std::make_shared<const std::vector<StepMarker>>(
        known_steps != nullptr ? StepMarkers(known_steps->db()) : std::vector<StepMarker>());
  });
}

bool StepMarkerLoader::waiting() const {
  return std::any_of(known_.begin(), known_.end(),
                     [](const Known& known) { return known.job.active(); });
}

bool StepMarkerLoader::Update(std::span<Profile> profiles) {
  known_.remove_if(
      [profiles](const Known& known) { return FindProfile(profiles, known.profile) == nullptr; });
  bool changed = false;
  for (Profile& profile : profiles) {
    Known* known = Find(profile.id);
    if (known == nullptr) continue;
    if (std::optional<Steps> steps = known->job.Take()) known->steps = std::move(*steps);
    changed = changed || profile.steps != known->steps;
    profile.steps = known->steps;
  }
  return changed;
}

}  // namespace stepscope
