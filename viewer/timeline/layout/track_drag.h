// TrackLanding: where a track or plane lands when it is dragged by its name. A track changes
// places with tracks of its plane, a pinned track with pinned ones, a plane with planes of its
// host. Pure. O(items of the profile)
#pragma once

#include <optional>
#include <vector>

#include "viewer/timeline/layout/layout.h"

namespace stepscope {

struct TrackLanding {
  double y = 0;               // in content pixels: the edge at which it lands
  std::vector<size_t> order;  // items from the first neighbour to the moved one, in their new order
};

// Returns the items that this one may change places with, including itself, in the order drawn. A
// track stands for its counters too. Empty: the item cannot be moved.
std::vector<size_t> NeighboursOf(const Layout& layout, size_t item);

// Returns the landing of a drag to content height `y`; null if nothing would move. `sticky` lists
// the items that are drawn at the top instead of in their places.
std::optional<TrackLanding> LandingAt(const Layout& layout, const StickyItems& sticky, size_t item,
                                      double y);

}  // namespace stepscope
