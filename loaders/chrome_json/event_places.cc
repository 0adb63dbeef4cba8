#include "loaders/chrome_json/event_places.h"

#include <algorithm>

#include "model/base/job.h"

namespace stepscope::chrome {
namespace {

using Place = EventPlaces::Place;

// Calls fn(stretch, place) for the rows [first, end); `stretches`: the first one of each file.
template <typename Fn>
void ForPlaces(const Trace& trace, uint32_t first, uint32_t end, const std::vector<uint64_t>& sizes,
               const std::vector<size_t>& stretches, Fn fn) {
  for (const Lane& lane : trace.set.lanes) {
    const uint32_t source = trace.set.tracks[lane.track.value].source;
    const uint32_t from = std::max(first, lane.first_row),
                   to = std::min(end, lane.first_row + lane.size());
    if (source >= sizes.size()) continue;
    for (uint32_t row = from; row < to; ++row) {
      const uint32_t i = row - lane.first_row;
      const uint64_t offset = lane.SourceOffset(i);
      if (offset >= sizes[source]) continue;
      const auto in_stretch = static_cast<uint32_t>(offset % EventPlaces::kStretch);
      fn(stretches[source] + offset / EventPlaces::kStretch, Place{in_stretch, row, lane.meta[i]});
    }
  }
}

}  // namespace

// Rows are divided among the cores: each first counts its places in each stretch, then puts them
// behind those of the cores before it.
EventPlaces::EventPlaces(const Trace& trace, const std::vector<uint64_t>& sizes) {
  std::vector<size_t> first_of_file;
  for (uint32_t file = 0; file < sizes.size(); ++file) {
    first_of_file.push_back(stretches_.size());
    for (uint64_t begin = 0; begin < sizes[file]; begin += kStretch)
      stretches_.push_back({file, begin, begin + kStretch, {}});
  }
  const uint32_t parts = WorkerCount(), rows = trace.set.rows;
  const auto for_places = [&](size_t part, auto fn) {
    const auto first = static_cast<uint32_t>(uint64_t{rows} * part / parts),
               end = static_cast<uint32_t>(uint64_t{rows} * (part + 1) / parts);
    ForPlaces(trace, first, end, sizes, first_of_file, fn);
  };
  std::vector<std::vector<size_t>> next(parts, std::vector<size_t>(stretches_.size()));
  ParallelFor(parts, [&](size_t part) {
    for_places(part, [&](size_t stretch, const Place&) { ++next[part][stretch]; });
  });
  size_t all = 0;
  std::vector<size_t> first_place;
  for (size_t stretch = 0; stretch < stretches_.size(); ++stretch) {
    first_place.push_back(all);
    for (std::vector<size_t>& of_part : next) {
      const size_t count = of_part[stretch];
      of_part[stretch] = all;
      all += count;
    }
  }
  first_place.push_back(all);
  places_.Resize(all);
  ParallelFor(parts, [&](size_t part) {
    for_places(part,
               [&](size_t stretch, const Place& place) { places_[next[part][stretch]++] = place; });
  });
  for (size_t i = 0; i < stretches_.size(); ++i)
    stretches_[i].places =
        places_.span().subspan(first_place[i], first_place[i + 1] - first_place[i]);
  std::erase_if(stretches_, [](const Stretch& s) { return s.places.empty(); });
}

}  // namespace stepscope::chrome
