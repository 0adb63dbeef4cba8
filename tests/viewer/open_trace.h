// Gives a panel test a profile, as the session does: the trace with all that is found out about it.
#pragma once

#include <memory>
#include <utility>

#include "model/analysis/analysis.h"
#include "model/analysis/derived_tracks/device_tracks.h"
#include "model/analysis/grouping/flow_index.h"
#include "tests/viewer/panel_fixture.h"

namespace stepscope {

inline Profile ProfileOf(ProfileId id, std::shared_ptr<const Trace> trace) {
  Profile profile;
  profile.id = id;
  profile.trace = std::move(trace);
  profile.analysis = std::make_shared<AnalysisContext>(profile.trace, Definitions::kStepscope);
  profile.derived = profile.analysis->Get<DerivedTracks>().sets;
  profile.flows = std::make_shared<const FlowIndex>(
      BuildFlowIndex(*profile.trace, &profile.analysis->Get<Grouping>()));
  return profile;
}

// The fixture shows this profile, all of it in view.
inline void OpenProfile(PanelFixture& fixture, Profile profile) {
  fixture.profile = std::move(profile);
  fixture.view.profiles.emplace_back().profile = fixture.profile.id;
  fixture.view.visible = fixture.profile.trace->span;
  fixture.view.active = fixture.profile.id;
}

inline void OpenTrace(PanelFixture& fixture, std::shared_ptr<const Trace> trace) {
  OpenProfile(fixture, ProfileOf(fixture.profile.id, std::move(trace)));
}

}  // namespace stepscope
