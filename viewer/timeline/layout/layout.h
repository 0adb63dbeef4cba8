// Layout: the last of three stages of the layout, after track_list.h and arrange.h. This folder
// turns the open profiles into rows with places; start reading at track_list.h. Layout gives each
// item its pixels. It is built when the arrangement or the rows of tracks change, in O(items); a
// frame asks for the visible part by binary search. Heights are doubles in pixels, because ten
// thousand tracks of a thousand rows exceed what a float holds exactly.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/track.h"
#include "viewer/timeline/layout/arrange.h"

namespace stepscope {

struct LayoutSizes {  // pixels, whole numbers
  float row = 19;     // slice and gap
  float gap = 1;
  float heading = 22;
  float track_gap = 2;
  float counter = 40;
  float lane = 26;   // a counter among the derived tracks of a GPU
  float stripe = 7;  // a track in the lane of all ranks; twice that if its rank has no other
  bool operator==(const LayoutSizes&) const = default;
};

// An item that stays at the top while the rest scrolls by: a heading of a profile, host or plane,
// or a pinned item.
struct StickyItem {
  size_t item = 0;
  // In content pixels; the next heading of its kind, or the next profile, pushes it out
  double y = 0;
};
using StickyItems = std::vector<StickyItem>;  // from the top: profile, pins, host, plane

class Layout {
 public:
  void SetItems(std::vector<LayoutItem> items, const LayoutSizes& sizes);
  // Sets the rows that tracks are drawn with, by item: at least 1, at most their depth. Entries
  // of other items are ignored.
  void SetRows(std::span<const uint32_t> rows);

  std::span<const LayoutItem> items() const { return items_; }
  double height() const { return height_; }
  const LayoutSizes& sizes() const { return sizes_; }
  // The height of each row of a track, with its gap.
  float RowHeight(const LayoutItem& item) const;
  // Returns the index of the item at content height `y`, to which the gap below it belongs;
  // items().size() if there is none. O(log items).
  size_t At(double y) const;
  // Returns the items [first, second) that touch [top, bottom).
  std::pair<size_t, size_t> Visible(double top, double bottom) const;
  // Returns the item of a track, or npos: collapsed planes are not laid out. O(1).
  size_t Find(uint32_t profile, uint32_t set, TrackId track) const;
  // Returns what stays at the top when the content is scrolled by `scroll`. An item in its own
  // place and a folded one are not listed. Pinned items stay as long as they and their profile's
  // heading take at most `most_pins` pixels. O(log items + pins).
  StickyItems Sticky(double scroll, double most_pins = 1e9) const;
  static constexpr size_t npos = static_cast<size_t>(-1);

 private:
  static constexpr uint32_t kNoHeading = 0xffffffffu;
  struct Heading {
    uint32_t item = 0;
    uint32_t around =
        kNoHeading;    // index in headings_ of the heading around it: its host or profile
    uint32_t end = 0;  // the item behind the last that it heads
  };

  void PlaceItems();
  void BuildIndex();
  // The heading of a profile, and what is pinned in it: the first of the profile's items.
  struct Top {
    uint32_t first = 0, last = 0, end = 0;  // items [first, last) of the profile's [first, end)
  };

  void FindHeadings();
  void FindTops();
  // Adds what stays of the profile at the top. Returns the item behind it, and its lower edge in
  // *top.
  size_t AddTop(double most, double* top, StickyItems* out) const;
  // Returns the heading of that kind above the item at content height `y`; kNoHeading if there is
  // none.
  uint32_t HeadingAt(double y, LayoutItemKind kind) const;

  std::vector<LayoutItem> items_;
  std::vector<Heading> headings_;                          // in order
  std::vector<Top> tops_;                                  // by profile
  std::vector<std::vector<std::vector<uint32_t>>> index_;  // by profile, set, track: item + 1
  LayoutSizes sizes_;
  double height_ = 0;
};

bool IsHeading(LayoutItemKind kind);
// Returns where the text of an item stands: at the item's top, or at `top` (content pixels) while
// the item continues below it, so that the name of a tall track stays in sight.
double TextTop(const LayoutItem& item, double top, double text_height);

// DepthInView: how many rows each track needs for what is in view. The deepest lane with an event
// in view decides. A track grows at once. It shrinks only when the gesture that moved the view
// has ended, so that nothing jumps meanwhile. Pure. A frame in which nothing moved costs nothing;
// any other O(rows of the tracks looked at * log n). All tracks are looked at where few are deep,
// else those in sight.
struct DepthInput {
  std::span<const Profile> profiles;
  std::span<const TimeRange>
      ranges;  // by profile: everything in view now or at the end of the animation
  const Layout& layout;
  size_t first = 0, last = 0;  // items in sight
  bool settled = true;         // no gesture: tracks may shrink
  StickyItems sticky = {};     // items that stay at the top are in sight too
};

class DepthInView {
 public:
  // Up to this many, tracks out of sight are looked at too
  static constexpr size_t kMaxDeepTracks = 256;

  // Starts with another arrangement, in which nothing is known of any track.
  void Reset(std::span<const LayoutItem> items);
  // Returns true if the rows of a track changed. The caller then gives them to Layout::SetRows.
  bool Update(const DepthInput& input);
  std::span<const uint32_t> rows() const { return rows_; }

 private:
  bool UpdateItem(const DepthInput& input, uint32_t item);

  std::vector<uint32_t> rows_;   // by item
  std::vector<uint8_t> known_;   // by item: rows_ is known, because the item was in view
  std::vector<uint32_t> deep_;   // items of more than one row
  std::vector<TimeRange> done_;  // ranges of the last update, and what was in sight then
  size_t done_first_ = 0, done_last_ = 0;
  bool done_settled_ = false, fresh_ = true;
};

// Returns the rows that the track needs for the events in the range, at least 1.
uint32_t RowsFor(const TrackSet& set, const LayoutItem& item, TimeRange range);

// TrackLabel: the text beside a track. The name lacks what the file's format adds; the number
// stands apart. Pure. O(length of the name).
struct TrackLabel {
  std::string name;  // "Compute", "python3", "tf_Compute"
  std::string tag;   // "#14", "2417", "\u20267184": right, muted; may be empty
};

// Turns "Stream #14(Compute)" into Compute, #14 and "thread 25286 (python3)" into python3, 25286.
// Thread ids that are hashes keep their last digits. `derived`: the track belongs to a derived
// set, whose ids nobody needs.
TrackLabel LabelOf(const TrackSet& set, const Track& track, bool derived);

// The label of an item of the layout, a plane or a track: the name that the user gave it,
// else its own.
TrackLabel LabelOf(const Profile& profile, const LayoutItem& item);

std::string RankText(const RankTracks& rank);  // "Rank 3"
// How often the others wait for a rank: "last in 25 % of steps"; empty: never.
std::string LateText(const RankTracks& rank);

// Returns a counter's value with the unit that its name, or the name of its first series, tells:
// "1.95 GiB", "42.1 %", "7.5 us", "12.4 k".
std::string CounterText(const TrackSet& set, const Track& track, double value);

}  // namespace stepscope
