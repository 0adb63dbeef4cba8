#include "viewer/core/search/first_named.h"

#include <cstdint>
#include <string>
#include <vector>

#include "model/base/job.h"
#include "viewer/core/search/search.h"

namespace stepscope {

EventRow FirstNamed(const Trace& trace, std::string_view text) {
  const NameQuery query{std::string(text)};
  const std::vector<uint8_t> wanted = query.MatchingMetas(*trace.set.names);
  EventRow first;
  Ps begin = kMaxPs;
  for (const Lane& lane : trace.set.lanes) {
    CheckStop();
    for (uint32_t i = 0; i < lane.size() && lane.start[i] < begin; ++i) {
      if (lane.meta[i] >= wanted.size() || wanted[lane.meta[i]] == 0) continue;
      first = EventRow(lane.first_row + i);
      begin = lane.start[i];
    }
  }
  return first;
}

EventRef FirstNamed(std::span<const Profile> profiles, std::string_view text) {
  EventRef first;
  Ps begin = kMaxPs;
  for (const Profile& profile : profiles) {
    const EventRef found{profile.id, 0, FirstNamed(*profile.trace, text)};
    if (!found.valid() || profile.trace->set.Start(found.row) >= begin) continue;
    first = found;
    begin = profile.trace->set.Start(found.row);
  }
  return first;
}

}  // namespace stepscope
