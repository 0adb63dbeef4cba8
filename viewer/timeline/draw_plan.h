// DrawPlan: what the timeline draws, as data: rows of texels, labels, marks. Pure apart from its
// own cache of rows; knows no ImGui. A frame costs O(visible rows x pixel columns); rows whose view
// did not change cost a copy.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "viewer/core/highlight.h"
#include "viewer/core/name_cache.h"
#include "viewer/core/texel_sink.h"
#include "viewer/core/time_axis.h"
#include "viewer/timeline/layout.h"
#include "viewer/timeline/name_tints.h"

namespace stepscope {

struct PlanInput {
  std::span<const Run> runs;
  std::span<const TimeAxis> axes;  // by run; all of one width
  const Layout* layout = nullptr;
  double scroll = 0;               // content y at the top of the canvas
  StickyItems sticky;              // drawn over what scrolls by under them
  uint32_t width = 0, height = 0;  // canvas, pixels
  NameCache* names = nullptr;
  const Highlight* highlight = nullptr;
  uint64_t content_generation = 0;   // changes when runs or derived sets do
  unsigned threads = 0;              // 0: as many as pay off
  const NameTints* tints = nullptr;  // null, or not on: slices have the colours of their names
};

struct PlanRow {
  uint32_t item = 0, depth = 0;
  TexelLine::Kind kind = TexelLine::kSlices;
  const Lane* lane = nullptr;  // of slices; null: instants only, or an area
  float y = 0, height = 0;     // canvas pixels, may be negative at the top
};

struct PlanLabel {
  float x = 0, y = 0, width = 0;  // of the text, canvas pixels; y is the row's top
  std::string_view text;          // lives as long as the NameCache's generation
  bool cut = false;               // draw an ellipsis after it
  bool sticks = false;            // in a row that stays at the top
  Rgba color = 0;
};

struct PlanMark {
  float x = 0, y = 0;
  Rgba color = 0;
  bool sticks = false;
};  // an instant on top of slices

struct PlanBox {
  float x = 0, y = 0, w = 0, h = 0;  // canvas pixels
  bool sticks = false;
};  // a slice

// A slice that shares its columns with no other.
struct PlanSlice {
  uint32_t px = 0, width = 0, event = 0;  // event: index in the row's lane
};

// What a row is known by from frame to frame, whatever is drawn above it.
struct PlanRowKey {
  TraceId run;
  ItemKind kind = ItemKind::kTrack;
  uint32_t set = 0, id = 0, depth = 0;  // id: of the track or plane
  bool operator==(const PlanRowKey&) const = default;
};

struct PlanRowKeyHash {
  size_t operator()(const PlanRowKey& key) const {
    uint64_t h = key.run.value;
    for (const uint32_t part : {static_cast<uint32_t>(key.kind), key.set, key.id, key.depth})
      h = (h ^ part) * 0x9e3779b97f4a7c15ull, h ^= h >> 29;
    return h;
  }
};

class DrawPlan {
 public:
  static constexpr size_t kMaxLabels = 500;
  static constexpr size_t kMaxMarks = 400;
  static constexpr uint32_t kMinAlone = 2;  // pixels
  static constexpr float kLabelPadding = 5, kMinLabelWidth = 20, kMarkDistance = 10;

  void Build(const PlanInput& input);
  void Clear();

  std::span<const PlanRow> rows() const { return rows_; }
  std::span<const uint32_t> texels() const { return texels_; }
  std::span<const TexelLine> lines() const { return lines_; }
  // Of these rows those that stay at the top come last.
  size_t scrolling_rows() const { return below_; }
  // Of a row, in order of time.
  std::span<const PlanSlice> SlicesAlone(size_t row) const { return row_cache_[row]->alone; }
  std::span<const PlanLabel> labels() const { return labels_; }
  std::span<const PlanMark> marks() const { return marks_; }
  uint32_t width() const { return width_; }
  bool patterns() const { return patterns_; }  // texels are hatched
  uint32_t dirty_begin() const { return dirty_begin_; }
  uint32_t dirty_end() const { return dirty_end_; }
  uint32_t rebuilt_rows() const {
    return rebuilt_;
  }  // of the last Build, for tests and the frame statistics
  // Mean share of busy time of a plane heading in view, in [0, 1]; -1 if not known.
  double Utilisation(uint32_t item) const;
  // The slices of a name, of all runs, that are drawn one by one and at least kMinAlone wide; up to
  // `most` boxes in all. O(slices drawn one by one)
  void AddSlicesOf(std::span<const Run> runs, const Layout& layout, std::string_view name,
                   size_t most, std::vector<PlanBox>* out) const;
  // The row of an item at a canvas y, or null.
  const PlanRow* RowAt(size_t item, float y) const;

 private:
  struct Cached {
    TimeRange view;
    uint32_t width = 0;
    uint64_t names = 0, highlight = 0, content = 0, used = 0;
    double utilisation = -1;
    std::vector<uint32_t> texels;
    std::vector<PlanSlice> alone;
    std::vector<PlanMark> marks;
  };
  class SliceColors;
  struct Work {
    Cached* cached = nullptr;
    uint32_t row = 0;
    std::vector<Bin> bins;
  };

  void CollectRows(const PlanInput& input);
  void AddRows(const PlanInput& input, size_t item, double top);  // `top`: canvas pixels
  void FindStale(const PlanInput& input);
  void FillRow(const PlanInput& input, Work& work) const;
  void FillSlices(const PlanInput& input, const LayoutItem& item, const PlanRow& row,
                  Work& work) const;
  void FillInstants(const PlanInput& input, const LayoutItem& item, const PlanRow& row,
                    Work& work) const;
  void FillArea(const PlanInput& input, const LayoutItem& item, Work& work) const;
  void FillCounter(const PlanInput& input, const LayoutItem& item, Cached& cached) const;
  void Compose(const PlanInput& input);
  void ComposeLines(const PlanInput& input);
  void SetLines(uint32_t row, int first);  // from pixel line `first` on
  void PlaceLabels(const PlanInput& input);
  const std::vector<NameChange>* ChangesOf(const PlanInput& input, const LayoutItem& item) const;

  std::vector<PlanRow> rows_;
  size_t below_ = 0;  // rows that scroll; those that stay follow
  std::vector<Cached*> row_cache_;
  std::vector<Work> work_;
  std::unordered_map<PlanRowKey, Cached, PlanRowKeyHash> cache_;
  std::vector<uint64_t> last_rows_;  // key and stamp of each row of the last frame
  std::vector<uint32_t> texels_;
  std::vector<TexelLine> lines_;
  std::vector<PlanLabel> labels_;
  std::vector<PlanMark> marks_;
  TintColors tint_colors_;
  uint64_t tint_names_ = 0;  // generation of the names whose theme they are of
  bool patterns_ = false;
  uint32_t width_ = 0, dirty_begin_ = 0, dirty_end_ = 0, rebuilt_ = 0;
  uint64_t frame_ = 0;
};

}  // namespace stepscope
