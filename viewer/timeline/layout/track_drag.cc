#include "viewer/timeline/layout/track_drag.h"

#include <algorithm>

namespace stepscope {
namespace {

bool OneTrack(const LayoutItem& a, const LayoutItem& b) {
  return !IsHeading(a.kind) && !IsHeading(b.kind) && a.profile == b.profile && a.set == b.set &&
         a.track == b.track;
}

// Returns whether an item between the two keeps them apart.
bool Divides(const LayoutItem& between, const LayoutItem& moved) {
  if (between.profile != moved.profile || between.kind == LayoutItemKind::kProfileHeading)
    return true;
  if (moved.kind != LayoutItemKind::kPlaneHeading)
    return IsHeading(between.kind) || between.rank != nullptr || between.apart != moved.apart;
  return between.kind == LayoutItemKind::kHostHeading || between.apart ||
         between.pinned != moved.pinned || !between.plane.valid();
}

double TopOf(const Layout& layout, const StickyItems& sticky, size_t item) {
  const auto found = std::find_if(sticky.begin(), sticky.end(),
                                  [item](const StickyItem& s) { return s.item == item; });
  return found != sticky.end() ? found->y : layout.items()[item].y;
}

// Returns the edge below an item and what belongs to it.
double EndOf(const Layout& layout, const StickyItems& sticky, size_t item) {
  const std::span<const LayoutItem> items = layout.items();
  const bool plane = items[item].kind == LayoutItemKind::kPlaneHeading;
  size_t last = item;
  while (last + 1 < items.size() &&
         (plane ? !IsHeading(items[last + 1].kind) : OneTrack(items[last + 1], items[item])))
    ++last;
  return TopOf(layout, sticky, last) + static_cast<double>(items[last].height);
}

}  // namespace

std::vector<size_t> NeighboursOf(const Layout& layout, size_t item) {
  const std::span<const LayoutItem> items = layout.items();
  const LayoutItem& moved = items[item];
  const bool plane = moved.kind == LayoutItemKind::kPlaneHeading;
  if (plane ? !moved.plane.valid() : IsHeading(moved.kind)) return {};
  if (moved.rank != nullptr) return {};  // ranks lie in the order of their lateness
  size_t first = item, last = item + 1;
  while (first > 0 && !Divides(items[first - 1], moved)) --first;
  while (last < items.size() && !Divides(items[last], moved)) ++last;
  std::vector<size_t> out;
  for (size_t i = first; i < last; ++i) {
    const bool begins = plane ? items[i].kind == LayoutItemKind::kPlaneHeading
                              : i == first || !OneTrack(items[i], items[i - 1]);
    if (begins) out.push_back(i);
  }
  return out;
}

std::optional<TrackLanding> LandingAt(const Layout& layout, const StickyItems& sticky, size_t item,
                                      double y) {
  const std::vector<size_t> all = NeighboursOf(layout, item);
  if (all.empty()) return std::nullopt;
  const size_t from =
      static_cast<size_t>(std::upper_bound(all.begin(), all.end(), item) - all.begin()) -
      1;          // a counter: its track
  size_t to = 0;  // it lands before this one
  while (to < all.size() &&
         y >= (TopOf(layout, sticky, all[to]) + EndOf(layout, sticky, all[to])) / 2)
    ++to;
  if (to == from || to == from + 1) return std::nullopt;
  TrackLanding out;
  out.y = to < all.size() ? TopOf(layout, sticky, all[to]) : EndOf(layout, sticky, all.back());
  for (size_t i = 0; i < to; ++i) {
    if (i != from) out.order.push_back(all[i]);
  }
  out.order.push_back(all[from]);
  return out;
}

}  // namespace stepscope
