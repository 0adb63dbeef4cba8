// OpenProfiles: the profiles as the window shows them: those of the session, on the clocks that the
// view asks for, with the ranks and steps that jobs find. It owns this list; panels, commands and
// the timeline have views of it, which are valid until the next Update(). UI thread only.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "model/jobs/latest_job.h"
#include "viewer/core/profiles/clock_aligner.h"
#include "viewer/core/profiles/profile.h"
#include "viewer/core/profiles/session_view.h"
#include "viewer/core/profiles/step_marker_loader.h"
#include "viewer/core/state/view_state.h"

namespace stepscope {

class OpenProfiles {
 public:
  struct Change {
    bool profiles = false;             // other profiles, traces or contexts of analyses
    bool content = false;              // also: other derived tracks or arrows
    std::vector<Profile> before = {};  // the list until now, if the content changed
  };

  // `later`: for what the view does not show yet (ClockAligner). Both must outlive this object.
  OpenProfiles(JobQueue& soon, JobQueue& later) : clocks_(soon, later), steps_(soon) {}
  // Call it once a frame. O(profiles)
  Change Update(const SessionView& session, const ViewState& view);
  // Starts to take a profile's steps from its overview; null: it is not computed yet.
  void UseOverview(ProfileId profile, std::shared_ptr<const AnalysisResult> overview);
  bool TakeSteps();  // fills in the steps that were found; true: some changed

  std::span<const Profile> all() const { return all_; }
  // Without fleets, which have no rows in the timeline.
  std::span<const Profile> of_timeline() const { return any_fleet_ ? without_fleets_ : all_; }
  bool aligns_clocks() const { return clocks_.waiting(); }
  bool finds_steps() const { return steps_.waiting(); }

 private:
  void ListTimeline();

  ClockAligner clocks_;
  StepMarkerLoader steps_;
  std::vector<Profile> all_, without_fleets_;
  bool any_fleet_ = false;
  uint64_t generation_ = 0;  // of the session that the list was made for
};

}  // namespace stepscope
