// NameTints: the colours and patterns of slices while two profiles are compared. A job finds what
// each name takes in a step of either profile (model/compare/name_changes.h). A frame looks up
// one number for a slice. UI thread only.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "model/compare/name_changes.h"
#include "model/jobs/latest_job.h"
#include "viewer/core/look/texel_sink.h"
#include "viewer/core/look/theme.h"
#include "viewer/core/profiles/profile.h"
#include "viewer/core/state/view_state.h"

namespace stepscope {

// Colours by kind and strength of a change: slower is warm, faster is cool, no change is grey.
// The pattern says the kind again.
class TintColors {
 public:
  TintColors() = default;
  explicit TintColors(const Theme& theme);
  // Returns the colour with its pattern in it (texel::WithPattern).
  Rgba operator()(const NameChange& change) const {
    return colors_[static_cast<size_t>(change.kind)][change.strength];
  }
  static texel::Pattern PatternOf(NameChange::Kind kind);

 private:
  std::array<std::array<Rgba, NameChange::kMostStrength + 1>, 5> colors_{};
};

class NameTints {
 public:
  // Call it in each frame. It is cheap, except that new profiles, sets or steps start a job on
  // `queue`, which must outlive this object. Returns true if the results of Of() changed.
  bool Update(std::span<const Profile> profiles, const ViewState& view, bool wanted,
              JobQueue& queue);
  // True while slices have the colours of their changes.
  bool on() const { return shown_; }
  bool busy() const { return job_.active(); }
  // Returns the changes by meta of a set of a profile; null if the set is not compared.
  const std::vector<NameChange>* Of(ProfileId profile, uint32_t set) const;
  ProfileId base() const { return base_; }

 private:
  // The job holds a copy, which keeps alive what it works on.
  struct Side {
    std::shared_ptr<const Trace> trace;
    std::vector<std::shared_ptr<const TrackSet>> derived;
    std::shared_ptr<const std::vector<StepMarker>> steps;
    bool operator==(const Side&) const = default;
  };
  struct Question {
    Side a, b;
    bool operator==(const Question&) const = default;
  };
  static Side SideOf(const Profile& profile) {
    return {profile.trace, profile.derived, profile.steps};
  }
  static NamesOfProfile NamesOf(const Side& side);
  bool Hide();

  LatestJob<NameChanges> job_;
  Question asked_, made_of_;
  NameChanges made_;
  ProfileId base_, profile_;
  bool shown_ = false;
};

}  // namespace stepscope
