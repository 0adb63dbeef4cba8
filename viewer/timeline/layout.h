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

// What stays at the top while the rest scrolls by: the headings of a run, host and plane, and what
// is pinned.
struct StickyItem {
  size_t item = 0;
  double y = 0;  // content pixels; the next heading of its kind, or the next run, pushes it out
};
using StickyItems = std::vector<StickyItem>;  // one below the other: run, pins, host, plane

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
  // Of content that is scrolled by `scroll`: none that is in its place, or folded. What is pinned
  // stays as far as it takes at most `most_pins` pixels with its run's heading. O(log items +
  // pins).
  StickyItems Sticky(double scroll, double most_pins = 1e9) const;
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
  // The heading of a run, and what is pinned in it: the first of the run's items.
  struct Top {
    uint32_t first = 0, last = 0, end = 0;  // items [first, last) of the run's [first, end)
  };

  void FindHeadings();
  void FindTops();
  // Adds what stays of the run that is at the top; the item behind it, and in *top its lower edge.
  size_t AddTop(double most, double* top, StickyItems* out) const;
  // Of that kind, of the item at content height y; kNoHeading if there is none.
  uint32_t HeadingAt(double y, ItemKind kind) const;

  std::vector<LayoutItem> items_;
  std::vector<Heading> headings_;                          // in order
  std::vector<Top> tops_;                                  // by run
  std::vector<std::vector<std::vector<uint32_t>>> index_;  // by run, set, track: item + 1
  LayoutSizes sizes_;
  double height_ = 0;
};

bool IsHeading(ItemKind kind);
// Where the text of an item stands: at its top, or at `top` (content pixels) while the item goes on
// below it, so that the name of a tall track stays in sight.
double TextTop(const LayoutItem& item, double top, double text_height);

}  // namespace stepscope
