// ViewState: what the user looks at, as plain data: comparable, serialisable, kept per session.
// Changed only by commands.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "model/ids.h"
#include "model/time.h"
#include "viewer/core/shown_events.h"

namespace stepscope {

enum class Tool { kSelect, kPan, kZoom, kTiming };

struct EventKey {  // survives reload and maps between runs
  std::string track_path, name;
  Ps start = 0;
  uint64_t occurrence = 0;
  bool operator==(const EventKey&) const = default;
};

struct RunViewState {  // per run
  TraceId trace;
  TimeRange visible;  // target of animations; the displayed range belongs to the timeline
  std::set<std::string> collapsed;  // plane and track paths
  double scroll_y = 0;
  bool operator==(const RunViewState&) const = default;
};

struct ViewState {
  std::vector<RunViewState> runs;
  Tool tool = Tool::kPan;
  EventRef selected;
  ShownEvents shown;
  uint64_t reveals = 0;  // counts up when the selection is to be scrolled into sight
  TimeRange measured;    // timing tool; empty: none
  TraceId active;        // run that panels show
  std::string host;      // host filter, empty: all
  std::string panel;     // panel shown last, perhaps with a page: "memory/lifetimes"
  bool operator==(const ViewState&) const = default;
};

}  // namespace stepscope
