#include "model/analysis/findings/launch_threads.h"

#include <algorithm>
#include <set>
#include <utility>

namespace stepscope {

ThreadsOfDevices LaunchThreads(const FindingContext& input) {
  constexpr size_t kSample = 1024;
  const LaunchLinks& launches = input.context().Get<Grouping>().launches;
  const TrackSet& set = input.trace().set;
  const size_t stride = std::max<size_t>(1, launches.size() / kSample);
  std::set<std::pair<PlaneId, TrackId>> found;
  for (size_t i = 0; i < launches.size(); i += stride) {
    const TrackId stream = set.TrackOf(EventRow(launches[i].device_row));
    const TrackId thread = set.TrackOf(EventRow(launches[i].launch_row));
    if (!stream.valid() || !thread.valid()) continue;
    found.emplace(set.tracks[stream.value].plane, thread);
  }
  ThreadsOfDevices threads;
  for (const auto& [device, thread] : found) threads[device].push_back(&set.tracks[thread.value]);
  return threads;
}

}  // namespace stepscope
