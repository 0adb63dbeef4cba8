// A view as a short text that can be pasted into a message and a command line: what is in sight,
// measured, selected, limited, and which panel is open. It goes with one profile, not in it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "viewer/core/view_state.h"

namespace stepscope {

struct ViewPlace {  // of one run, in its time
  TimeRange visible, measured, filter;
  EventRef selected;  // without its run
  double scroll_y = 0;
  std::string host, panel;
  bool operator==(const ViewPlace&) const = default;
};

// "v1:r0-2500:e0.17": letters, digits and . : - _ % only, so that no shell reads it another way.
std::string TokenOf(const ViewState& view, const RunState& run);
std::string ToToken(const ViewPlace& place);
// What this version does not know is left out; nullopt if it is no token at all.
std::optional<ViewPlace> ParseViewToken(std::string_view text);

}  // namespace stepscope
