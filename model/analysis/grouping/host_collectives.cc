#include "model/analysis/grouping/host_collectives.h"

#include <algorithm>
#include <tuple>

#include "model/analysis/grouping/host_activity.h"

namespace stepscope {

bool IsHostCollective(std::string_view event) {
  return event.starts_with("gloo:") || event.starts_with("mpi:") || event.starts_with("ucc:");
}

std::vector<uint8_t> HostCollectiveMetas(const NameTable& names) {
  std::vector<uint8_t> found(names.metas.size());
  for (size_t m = 0; m < found.size(); ++m)
    found[m] = IsHostCollective(names.strings.View(names.metas[m].name));
  return found;
}

std::vector<HostCollective> CollectivesOfHost(const Trace& trace, HostId host,
                                              const std::vector<uint8_t>& metas) {
  std::vector<HostCollective> found;
  if (std::find(metas.begin(), metas.end(), 1) == metas.end()) return found;
  for (const Track* thread : HostThreadsOf(trace, host)) {
    for (const Lane& lane : trace.set.LanesOf(*thread)) {
      for (uint32_t i = 0; i < lane.size(); ++i) {
        if (metas[lane.meta[i]] == 0 || lane.dur[i] <= 0) continue;
        found.push_back({lane.first_row + i, lane.meta[i], lane.track, lane.start[i], lane.start[i],
                         lane.end(i)});
      }
    }
  }
  std::sort(found.begin(), found.end(), [](const HostCollective& a, const HostCollective& b) {
    return std::tie(a.call, a.row) < std::tie(b.call, b.row);
  });
  Ps done = kMinPs;
  for (HostCollective& c : found) {
    c.begin = std::min(std::max(c.call, done), c.end);
    done = std::max(done, c.end);
  }
  return found;
}

}  // namespace stepscope
