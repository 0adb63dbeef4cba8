// Layout: the last of three stages (track_list.h, arrange.h): what is drawn gets its pixels. Built
// when the arrangement or the rows of tracks change, O(items); a frame asks for the visible part
// by binary search. Heights are doubles in pixels: ten thousand tracks of a thousand rows pass the
// exact range of float.
#pragma once

#include <cstdint>
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
  float lane = 26;  // counter among the lanes of a GPU
  bool operator==(const LayoutSizes&) const = default;
};

// The heading of a run, host or plane that stays at the top while what it heads scrolls by.
struct StickyHeading {
  size_t item = 0;
  double y = 0;  // content pixels; the next heading pushes it out
};
using StickyHeadings = std::vector<StickyHeading>;  // one below the other: run, host, plane

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
  // Of content that is scrolled by `scroll`: none that is in its place, or folded. O(log items).
  StickyHeadings Sticky(double scroll) const;
  static constexpr size_t npos = static_cast<size_t>(-1);

 private:
  static constexpr uint32_t kNoHeading = 0xffffffffu;
  struct Heading {
    uint32_t item = 0;
    uint32_t around = kNoHeading;  // the one of its host or run, in headings_
    uint32_t end = 0;              // the item behind the last that it heads
  };

  void PlaceItems();
  void BuildIndex();
  void FindHeadings();
  // Of that kind, of the item at content height y; kNoHeading if there is none.
  uint32_t HeadingAt(double y, ItemKind kind) const;

  std::vector<LayoutItem> items_;
  std::vector<Heading> headings_;                          // in order
  std::vector<std::vector<std::vector<uint32_t>>> index_;  // by run, set, track: item + 1
  LayoutSizes sizes_;
  double height_ = 0;
};

bool IsHeading(ItemKind kind);
// Where the text of an item stands: at its top, or at `top` (content pixels) while the item goes on
// below it, so that the name of a tall track stays in sight.
double TextTop(const LayoutItem& item, double top, double text_height);

}  // namespace stepscope
