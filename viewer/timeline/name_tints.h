// NameTints: while two runs are compared, what each name takes in a step of either
// (model/compare/name_changes.h), found in the background; and the colours and patterns that slices
// have by it. A frame looks up one number for a slice. UI thread only.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "model/base/latest_job.h"
#include "model/compare/name_changes.h"
#include "viewer/core/run.h"
#include "viewer/core/texel_sink.h"
#include "viewer/core/theme.h"
#include "viewer/core/view_state.h"

namespace stepscope {

// Colours by kind and strength: slower is warm, faster cool, what did not change grey. The pattern
// says the kind again.
class TintColors {
 public:
  TintColors() = default;
  explicit TintColors(const Theme& theme);
  // With its pattern in it (texel::WithPattern).
  Rgba operator()(const NameChange& change) const {
    return colors_[static_cast<size_t>(change.kind)][change.strength];
  }
  static texel::Pattern PatternOf(NameChange::Kind kind);

 private:
  std::array<std::array<Rgba, NameChange::kMostStrength + 1>, 5> colors_{};
};

class NameTints {
 public:
  // Each frame. Cheap, but for the first time with these runs, sets and steps: that starts a job on
  // `threads`, which must outlive this. True if what Of() gives changed.
  bool Update(std::span<const Run> runs, const ViewState& view, bool wanted, JobThreads& threads);
  // Slices have the colours of their changes.
  bool on() const { return shown_; }
  bool busy() const { return job_.active(); }
  // By meta of a set of a run; null where it is not compared.
  const std::vector<NameChange>* Of(TraceId run, uint32_t set) const;
  TraceId base() const { return base_; }

 private:
  // Shared by the job, so that what it works on stays.
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
  static Side SideOf(const Run& run) { return {run.trace, run.derived, run.steps}; }
  static NamesOfRun NamesOf(const Side& side);
  bool Hide();

  LatestJob<NameChanges> job_;
  Question asked_, made_of_;
  NameChanges made_;
  TraceId base_, run_;
  bool shown_ = false;
};

}  // namespace stepscope
