// Run: one open run and all that is read of it: the trace, the sets drawn with it, its steps, what
// its analyses share. Plain data, read-only in a frame; copies share everything, so that a job
// keeps alive what it works on. A run is known by its id, never by its place among the open ones.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "model/trace.h"

namespace stepscope {

class AnalysisContext;  // model/analysis/analysis.h
class FlowIndex;        // model/analysis/flow_index.h

struct StepMarker {
  std::string label;  // "train 12", "12"
  TimeRange range;
  // As in Step::number (model/analysis/steps.h).
  int64_t number = 0;
  bool counts = true;  // in averages: neither partial nor warm-up
  // What it took, as the table of steps has it: the mean over devices, where `range` goes from the
  // first device's begin to the last one's end. 0: as long as the range.
  Ps time = 0;
  Ps length() const { return time > 0 ? time : range.length(); }
};

struct Run {
  TraceId id;
  std::string label = {};  // "2026_11_21 · vm"
  std::shared_ptr<const Trace> trace = nullptr;
  std::vector<std::shared_ptr<const TrackSet>> derived = {};       // as they become ready
  std::shared_ptr<const FlowIndex> flows = nullptr;                // null until it is known
  std::shared_ptr<AnalysisContext> analysis = nullptr;             // null: not analysed
  std::shared_ptr<const std::vector<StepMarker>> steps = nullptr;  // null until they are known
  std::vector<std::string> runs = {};  // runs of the same log directory, newest first
  double load_seconds = 0;
  // The same for files of the same contents, wherever they lie: what notes are kept under. Empty:
  // notes are not kept.
  std::string content = {};

  const TrackSet& Set(uint32_t set) const { return set == 0 ? trace->set : *derived[set - 1]; }
  uint32_t sets() const { return 1 + static_cast<uint32_t>(derived.size()); }
  // The set of an event of this run; null if there is none such.
  const TrackSet* SetOf(const EventRef& event) const {
    if (!trace || event.trace != id || !event.valid() || event.set >= sets()) return nullptr;
    const TrackSet& set = Set(event.set);
    return event.row.value < set.rows ? &set : nullptr;
  }
  // The trace's own event that an event is or, as a derived one, stands for; invalid if there is
  // none.
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

// Null if no run has that id.
inline const Run* FindRun(std::span<const Run> runs, TraceId id) {
  for (const Run& run : runs) {
    if (run.id == id) return &run;
  }
  return nullptr;
}

}  // namespace stepscope
