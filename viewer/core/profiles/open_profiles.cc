#include "viewer/core/profiles/open_profiles.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "model/analysis/fleet/fleet.h"

namespace stepscope {

OpenProfiles::Change OpenProfiles::Update(const SessionView& session, const ViewState& view) {
  clocks_.Update(session.profiles);
  Change change;
  change.profiles = session.generation != generation_ || all_.size() != session.profiles.size();
  for (size_t i = 0; !change.profiles && i < all_.size(); ++i) {
    const Profile &mine = all_[i], &theirs = clocks_.Shown(session.profiles[i], view);
    change.profiles =
        mine.trace != theirs.trace || mine.id != theirs.id || mine.analysis != theirs.analysis;
    change.content = change.content || mine.derived != theirs.derived || mine.flows != theirs.flows;
  }
  change.content = change.content || change.profiles;
  if (change.content) {
    generation_ = session.generation;
    change.before = std::exchange(all_, {});
    for (const Profile& recorded : session.profiles) all_.push_back(clocks_.Shown(recorded, view));
  }
  for (Profile& profile : all_) {
    profile.clock_offsets = clocks_.OffsetsOf(profile.id);
    profile.ranks = clocks_.RanksOf(profile.id);
  }
  ListTimeline();
  return change;
}

void OpenProfiles::UseOverview(ProfileId profile, std::shared_ptr<const AnalysisResult> overview) {
  steps_.Use(profile, std::move(overview));
}

bool OpenProfiles::TakeSteps() {
  const bool changed = steps_.Update(all_);
  ListTimeline();
  return changed;
}

void OpenProfiles::ListTimeline() {
  const auto is_fleet = [](const Profile& profile) { return FleetOf(*profile.trace) != nullptr; };
  any_fleet_ = std::any_of(all_.begin(), all_.end(), is_fleet);
  without_fleets_.clear();
  if (any_fleet_)
    std::remove_copy_if(all_.begin(), all_.end(), std::back_inserter(without_fleets_), is_fleet);
}

}  // namespace stepscope
