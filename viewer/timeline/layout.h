// Layout: the last of three stages (track_list.h, arrange.h): what is drawn gets its pixels. Built
// when the arrangement or the rows of tracks change, O(items); a frame asks for the visible part
// by binary search. Heights are doubles in pixels: ten thousand tracks of a thousand rows pass the
// exact range of float.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "viewer/timeline/arrange.h"

namespace stepscope {

struct LayoutSizes {  // pixels, whole numbers
  float row = 19;     // slice and gap
  float gap = 1;
  float heading = 22;
  float track_gap = 2;
  float counter = 40;
  bool operator==(const LayoutSizes&) const = default;
};

// A plane's heading that stays at the top while its tracks scroll by.
struct StickyHeading {
  size_t item = 0;
  double y = 0;  // content pixels; the next heading pushes it out
};

class Layout {
 public:
  void Place(std::vector<LayoutItem> items, const LayoutSizes& sizes);
  // Rows that tracks are drawn with, by item; at most their depth, at least 1. Of what is no track
  // it does not matter.
  void SetRows(std::span<const uint32_t> rows);

  std::span<const LayoutItem> items() const { return items_; }
  double height() const { return height_; }
  const LayoutSizes& sizes() const { return sizes_; }
  // Index of the item at content height y (the gap below belongs to it); items().size() if none.
  // O(log items).
  size_t At(double y) const;
  // Items [first, second) that touch [top, bottom).
  std::pair<size_t, size_t> Visible(double top, double bottom) const;
  // The item of an event's track, or npos (collapsed planes are not laid out). O(1).
  size_t Find(uint32_t run, uint32_t set, TrackId track) const;
  // Of content that is scrolled by `scroll`: nothing where the heading is in its place, or folded.
  // O(log items).
  std::optional<StickyHeading> Sticky(double scroll) const;
  static constexpr size_t npos = static_cast<size_t>(-1);

 private:
  void PlaceItems();
  void BuildIndex();

  std::vector<LayoutItem> items_;
  std::vector<uint32_t> headings_;                         // items that are headings, in order
  std::vector<std::vector<std::vector<uint32_t>>> index_;  // by run, set, track: item + 1
  LayoutSizes sizes_;
  double height_ = 0;
};

bool IsHeading(ItemKind kind);
// Where the text of an item stands: at its top, or at `top` (content pixels) while the item goes on
// below it, so that the name of a tall track stays in sight.
double TextTop(const LayoutItem& item, double top, double text_height);

}  // namespace stepscope
