// The three stages of the layout in one call, for tests that want its result.
#pragma once

#include <string>
#include <vector>

#include "viewer/timeline/layout.h"

namespace stepscope::testing {

inline std::vector<LayoutItem> Arranged(const std::vector<Run>& runs, const TrackRules& rules,
                                        const std::string& host = {}) {
  const std::vector<TrackEntry> list = ListTracks(runs);
  const std::vector<TrackRules> all(runs.size(), rules);
  const std::vector<std::string> hosts(runs.size(), host);
  return Arrange({runs, list, all, hosts, {}});
}

inline Layout LayoutOf(const std::vector<Run>& runs, const TrackRules& rules = {},
                       const std::string& host = {}) {
  Layout layout;
  layout.Place(Arranged(runs, rules, host), LayoutSizes());
  return layout;
}

}  // namespace stepscope::testing
