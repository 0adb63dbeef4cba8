// Where a track or plane lands that is dragged by its name. It changes places with its neighbours:
// a track with those of its plane, a pinned one with the pinned, a plane with those of its host.
// Pure. O(items of the run)
#pragma once

#include <optional>
#include <vector>

#include "viewer/timeline/layout.h"

namespace stepscope {

struct TrackLanding {
  double y = 0;               // content pixels: the edge between those it lands between
  std::vector<size_t> order;  // items: the neighbours as far as the moved one, in their new order
};

// The items that this one may change places with, itself among them, in the order drawn. A track
// stands for its counters too. Empty: it stays where it is.
std::vector<size_t> NeighboursOf(const Layout& layout, size_t item);

// For a drag to the content height y; nullopt where nothing would move. `sticky`: what is drawn
// elsewhere than in its place.
std::optional<TrackLanding> LandingAt(const Layout& layout, const StickyItems& sticky, size_t item,
                                      double y);

}  // namespace stepscope
