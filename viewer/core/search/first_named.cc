#include "viewer/core/search/first_named.h"

#include <cstdint>
#include <string>
#include <vector>

#include "viewer/core/search/search.h"

namespace stepscope {

EventRow FirstNamed(const Trace& trace, std::string_view text, const std::stop_token& stop) {
  const NameQuery query{std::string(text)};
  const std::vector<uint8_t> wanted = query.MatchingMetas(*trace.set.names);
  EventRow first;
  Ps begin = 0;
  for (const Lane& lane : trace.set.lanes) {
    if (stop.stop_requested()) return EventRow();
    for (uint32_t i = 0; i < lane.size() && (!first.valid() || lane.start[i] < begin); ++i) {
      if (lane.meta[i] >= wanted.size() || wanted[lane.meta[i]] == 0) continue;
      first = EventRow(lane.first_row + i);
      begin = lane.start[i];
    }
  }
  return first;
}

EventRef FirstNamed(std::span<const Profile> profiles, std::string_view text) {
  EventRef first;
  Ps begin = 0;
  for (const Profile& profile : profiles) {
    const EventRef found{profile.id, 0, FirstNamed(*profile.trace, text)};
    if (!found.valid()) continue;
    const Ps start = profile.trace->set.Start(found.row);
    if (first.valid() && start >= begin) continue;
    first = found;
    begin = start;
  }
  return first;
}

}  // namespace stepscope
