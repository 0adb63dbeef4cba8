// ViewState: what the user looks at, as plain data: comparable, serialisable, kept per session.
// Changed only by commands. Times are on the axis that all open runs share; RunState::map leads
// from there to the time of a trace and back.
#pragma once

#include <string>
#include <vector>

#include "model/ids.h"
#include "model/time.h"
#include "viewer/core/shown_events.h"
#include "viewer/core/time_map.h"
#include "viewer/core/track_rules.h"

namespace stepscope {

enum class Tool { kSelect, kPan, kZoom, kTiming };

// A time that someone wants to find again, or a range that stays measured.
struct Marker {
  TimeRange range;     // in the time of its run; empty: one moment, its begin
  std::string name;    // one line
  uint32_t color = 0;  // of kMarkerColors
  bool operator==(const Marker&) const = default;
};
inline constexpr uint32_t kMarkerColors = 6;

struct RunState {  // of one open run
  TraceId run;
  TimeMap map;
  std::string host;                  // the only one shown; empty: all
  TrackRules::Paths collapsed;       // planes and tracks
  std::vector<Marker> markers = {};  // by begin
  std::string track_filter = {};     // words that the names of shown tracks have; empty: all
  TrackRules::Paths only = {};       // the only tracks that are shown; empty: all
  bool aligned = false;              // its map was chosen: it is not chosen again
  double scroll_y = 0;  // pixels; where each run has rows of its own (viewer/core/run_layout.h)
  bool operator==(const RunState&) const = default;
};

// What panels are limited to, and the words for it: "step 3", "12 ms".
struct RangeFilter {
  TimeRange range;  // on the shared axis, not empty
  std::string label;
  bool operator==(const RangeFilter&) const = default;
};

struct ViewState {
  std::vector<RunState> runs;  // in the order of the session
  TimeRange visible;           // target of animations; the displayed range belongs to the timeline
  double scroll_y = 0;         // pixels, of the list of all runs
  std::vector<RangeFilter> filters;  // each lies inside the one before it
  TimeRange measured;                // timing tool; empty: none
  Tool tool = Tool::kPan;
  EventRef selected;
  ShownEvents shown;
  uint64_t reveals = 0;  // counts up when the selection is to be scrolled into sight
  TraceId active;        // what panels show and what commands mean that name no run
  TraceId baseline;      // what the active run is compared with; invalid: nothing
  std::string panel;     // panel shown last, perhaps with a page: "memory/lifetimes"
  TraceId panel_run;     // the run that this panel is pinned to; invalid: it follows the active
  bool operator==(const ViewState&) const = default;

  const RunState* Find(TraceId run) const {
    for (const RunState& state : runs) {
      if (state.run == run) return &state;
    }
    return nullptr;
  }
  RunState* Find(TraceId run) {
    return const_cast<RunState*>(static_cast<const ViewState*>(this)->Find(run));
  }
  // What analyses and tables are asked about; empty: everything.
  TimeRange Filter() const { return filters.empty() ? TimeRange{} : filters.back().range; }
  // In the time of a run; empty if it is not open.
  TimeRange VisibleIn(TraceId run) const { return In(run, visible); }
  TimeRange MeasuredIn(TraceId run) const { return In(run, measured); }
  TimeRange FilterIn(TraceId run) const { return In(run, Filter()); }
  // A time of one run in the time of another; as it is where one of them is not open.
  Ps Translate(TraceId from, TraceId to, Ps t) const {
    const RunState *a = Find(from), *b = Find(to);
    return a == b || a == nullptr || b == nullptr ? t : b->map.ToTrace(a->map.ToShared(t));
  }

 private:
  TimeRange In(TraceId run, TimeRange range) const {
    const RunState* state = Find(run);
    return state != nullptr ? state->map.ToTrace(range) : TimeRange{};
  }
};

}  // namespace stepscope
