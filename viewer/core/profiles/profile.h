// Profile: one open profile with all that is known of it: its trace, the derived sets drawn with
// it, its steps, and what its analyses share. This folder holds what the viewer knows of open
// profiles and compares between them; start here and in session_view.h. Plain data, read-only
// during a frame. Copies share everything, so that a job keeps alive what it works on. A profile is
// named by its id, never by its place among the open ones.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "model/analysis/ranks/rank_order.h"
#include "model/trace.h"

namespace stepscope {

class AnalysisContext;  // model/analysis/analysis.h
class FlowIndex;        // model/analysis/grouping/flow_index.h

struct StepMarker {
  std::string label;  // "train 12", "12"
  TimeRange range;
  // As in Step::number (model/analysis/steps/steps.h).
  int64_t number = 0;
  bool counts = true;  // part of averages: neither partial nor warm-up
  // The step's time, the mean over the devices that the marker is of. `range` goes from the first
  // device's begin to the last one's end. 0: the step is as long as its range.
  Ps time = 0;
  Ps length() const { return time > 0 ? time : range.length(); }
};

struct Profile {
  ProfileId id;
  std::string label = {};  // "2026_11_21 · vm"
  std::shared_ptr<const Trace> trace = nullptr;
  std::vector<std::shared_ptr<const TrackSet>> derived = {};       // as they become ready
  std::shared_ptr<const FlowIndex> flows = nullptr;                // null until it is known
  std::shared_ptr<AnalysisContext> analysis = nullptr;             // null: not analysed
  std::shared_ptr<const std::vector<StepMarker>> steps = nullptr;  // null until they are known
  std::vector<std::string> runs = {};  // runs of the same log directory, newest first
  double load_seconds = 0;
  // By host, what its clock shows more than the first rank's, whether `trace` is on aligned clocks
  // or not. Null: not known, or there is nothing to align.
  std::shared_ptr<const std::vector<Ps>> clock_offsets = nullptr;
  // The ranks of a job, the latest first. Null until they are known; empty: there are none.
  std::shared_ptr<const std::vector<RankTracks>> ranks = nullptr;
  // A fingerprint of a profile's contents, independent of name and location. Notes are kept under
  // it; empty: notes are not kept.
  std::string fingerprint = {};
  // The trace is a first picture, without analyses: the rest of the profile is on its way.
  bool arriving = false;
  // The connection to the other machine broke before all of the profile had come.
  bool cut = false;
  // The part of this profile whose place it has taken: a first picture, or what had come before the
  // connection broke. Invalid if there was none.
  ProfileId follows = {};

  const TrackSet& Set(uint32_t set) const { return set == 0 ? trace->set : *derived[set - 1]; }
  uint32_t sets() const { return 1 + static_cast<uint32_t>(derived.size()); }
  // The set that holds the event; null if this profile has no such event.
  const TrackSet* SetOf(const EventRef& event) const {
    if (!trace || event.trace != id || !event.valid() || event.set >= sets()) return nullptr;
    const TrackSet& set = Set(event.set);
    return event.row.value < set.rows ? &set : nullptr;
  }
  // The row in the trace's own set: the event itself, or the one that a derived event stands for.
  // Invalid if there is none.
  EventRow OwnRow(const EventRef& event) const {
    const TrackSet* set = SetOf(event);
    if (set == nullptr) return {};
    if (event.set == 0) return event.row;
    return event.row.value < set->source.size() ? set->source[event.row.value] : EventRow();
  }
  std::span<const StepMarker> Steps() const {
    return steps ? std::span<const StepMarker>(*steps) : std::span<const StepMarker>();
  }
  const Diagnostics& diagnostics() const { return trace->diagnostics; }
};

// Null if no profile has that id.
inline const Profile* FindProfile(std::span<const Profile> profiles, ProfileId id) {
  for (const Profile& profile : profiles) {
    if (profile.id == id) return &profile;
  }
  return nullptr;
}

}  // namespace stepscope
