// The three stages of the layout in one call, for tests that want its result.
#pragma once

#include <string>
#include <vector>

#include "viewer/timeline/layout/layout.h"

namespace stepscope::test {

inline std::vector<LayoutItem> Arranged(const std::vector<Profile>& profiles,
                                        const TrackRules& rules, const std::string& host = {}) {
  const std::vector<TrackEntry> list = ListTracks(profiles);
  const std::vector<TrackRules> all(profiles.size(), rules);
  const std::vector<std::string> hosts(profiles.size(), host);
  return Arrange({profiles, list, all, hosts, {}});
}

inline Layout LayoutOf(const std::vector<Profile>& profiles, const TrackRules& rules = {},
                       const std::string& host = {}) {
  Layout layout;
  layout.SetItems(Arranged(profiles, rules, host), LayoutSizes());
  return layout;
}

}  // namespace stepscope::test
