// View tokens: a view as a short text that people paste into a message or a command line. It says
// what is in sight, measured and selected, what panels are limited to, and which panel is open. It
// holds no profile: whoever opens it needs the same one. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "viewer/core/state/view_state.h"

namespace stepscope {

// The content of a token. Times are those of the profile.
struct ViewPlace {
  TimeRange visible, measured, filter;
  EventRef selected;  // its profile is left invalid
  double scroll_y = 0;
  bool recorded_clocks = false;
  RankLayout ranks = RankLayout::kApart;
  std::string host, panel;
  bool operator==(const ViewPlace&) const = default;
};

// "v1:r0-2500:e0.17": letters, digits and . : - _ % only, so that no shell reads it another way.
std::string TokenOf(const ViewState& view, const ProfileViewState& profile);
std::string ToToken(const ViewPlace& place);
// Leaves out parts that this version does not know. nullopt if the text is no token.
std::optional<ViewPlace> ParseViewToken(std::string_view text);

}  // namespace stepscope
