// StepMarkerLoader: takes the steps of the open profiles from their overviews. A job does
// this, because a table may have a million steps; the steps known before stay until it ends.
// UI thread only.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <span>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/jobs/latest_job.h"
#include "viewer/core/profiles/profile.h"

namespace stepscope {

class StepMarkerLoader {
 public:
  explicit StepMarkerLoader(JobQueue& queue) : queue_(queue) {}
  // Starts to take the steps from this overview of the profile, once for each overview. Null: the
  // overview is not computed yet.
  void Use(ProfileId profile, std::shared_ptr<const AnalysisResult> overview);
  // Call it once a frame. Fills in Profile::steps where they are known and forgets profiles that
  // were closed. True when the steps of some profile changed. O(profiles).
  bool Update(std::span<Profile> profiles);
  // Whether steps are under way that Update() has not filled in yet.
  bool waiting() const;

 private:
  using Steps = std::shared_ptr<const std::vector<StepMarker>>;
  struct Known {
    ProfileId profile;
    uint64_t serial = 0;  // AnalysisResult::serial of the overview used
    Steps steps;
    LatestJob<Steps> job;
  };
  Known* Find(ProfileId profile);

  JobQueue& queue_;
  std::list<Known> known_;
};

}  // namespace stepscope
