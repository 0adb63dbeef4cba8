// ClockAligner: lists the ranks of each open profile by lateness, and aligns the clocks of their
// hosts (model/analysis/ranks). A job finds the offsets and makes the same profile on aligned
// clocks, with analyses and derived tracks of its own; until it ends, the profile is shown
// as it was recorded. Events keep their rows, so an EventRef stays valid. UI thread only.
#pragma once

#include <list>
#include <memory>
#include <span>
#include <vector>

#include "model/jobs/latest_job.h"
#include "viewer/core/profiles/derived_parts.h"
#include "viewer/core/profiles/profile.h"
#include "viewer/core/state/view_state.h"

namespace stepscope {

class ClockAligner {
 public:
  // Profiles of several hosts are aligned by `soon`. Those of one host, which have nothing to
  // align, wait in `later`.
  ClockAligner(JobQueue& soon, JobQueue& later) : soon_(soon), later_(later) {}
  // Call it once a frame with the session's profiles. Starts and takes jobs, and forgets profiles
  // that were closed. O(profiles).
  void Update(std::span<const Profile> recorded);
  // The profile as `view` wants to see it: on aligned clocks if they are known, else `recorded`.
  const Profile& Shown(const Profile& recorded, const ViewState& view) const;
  // By host; null: they are not known, or there is nothing to align.
  std::shared_ptr<const std::vector<Ps>> OffsetsOf(ProfileId profile) const;
  // The ranks, the latest first; null until they are known.
  std::shared_ptr<const std::vector<RankTracks>> RanksOf(ProfileId profile) const;
  // Whether a job runs whose result Update() has not taken.
  bool waiting() const;

 private:
  struct Aligned {
    std::shared_ptr<const std::vector<RankTracks>> ranks;
    std::shared_ptr<const std::vector<Ps>> offsets;  // null: nothing to align
    std::shared_ptr<const Trace> trace;
    std::shared_ptr<AnalysisContext> analysis;
    DerivedParts parts;
  };
  struct Known {
    ProfileId id;
    std::shared_ptr<AnalysisContext> recorded;  // what was asked
    std::shared_ptr<const std::vector<RankTracks>> ranks;
    std::shared_ptr<const std::vector<Ps>> offsets;
    Profile aligned;  // without a trace until it is known
    LatestJob<Aligned> job;
  };
  static Aligned Align(AnalysisContext& recorded, const std::shared_ptr<const Trace>& trace);
  void Restart(const Profile& profile, Known* known);
  JobQueue& QueueFor(const Profile& profile) const;
  static void SetAligned(const Profile& profile, Aligned aligned, Known* known);
  const Known* Find(ProfileId profile) const;

  JobQueue &soon_, &later_;
  std::list<Known> known_;
};

// Moves what is in view when the clocks of a profile are aligned, or are those of the recording
// again, so that the selected event stays in its place on the screen. Does nothing if no event of
// the profile is selected. O(log lanes).
void KeepSelectionInPlace(const Profile& profile, bool aligns, ViewState* view);

}  // namespace stepscope
