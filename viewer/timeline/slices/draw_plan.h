// DrawPlan: what the timeline draws, as data. This folder turns the slices, instants and counters
// of visible lanes into texels, one for each pixel column; start reading here. Layout goes in
// (viewer/timeline/layout/layout.h); rows of texels, labels and marks come out, which
// viewer/timeline/painting draws. Pure apart from a cache of rows; knows no ImGui. A frame costs
// O(visible rows x pixel columns); a row whose view did not change costs a copy.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/base/number_hash.h"
#include "viewer/core/look/name_cache.h"
#include "viewer/core/look/texel_sink.h"
#include "viewer/core/look/time_axis.h"
#include "viewer/core/search/highlight.h"
#include "viewer/timeline/layout/layout.h"
#include "viewer/timeline/slices/name_tints.h"
#include "viewer/timeline/slices/plan_area.h"

namespace stepscope {

struct PlanInput {
  std::span<const Profile> profiles;
  std::span<const TimeAxis> axes;  // by profile; all of one width
  const Layout* layout = nullptr;
  double scroll = 0;               // content y at the top of the canvas
  StickyItems sticky;              // drawn over the rows that scroll under them
  uint32_t width = 0, height = 0;  // canvas, pixels
  NameCache* names = nullptr;
  const Highlight* highlight = nullptr;
  uint64_t content_generation = 0;   // changes when profiles or derived sets do
  unsigned threads = 0;              // 0: as many as help
  const NameTints* tints = nullptr;  // null or not on(): slices have the colours of their names
};

// Identifies a row from frame to frame, wherever it is drawn.
struct PlanRowKey {
  ProfileId profile;
  LayoutItemKind kind = LayoutItemKind::kTrack;
  uint32_t set = 0, id = 0, depth = 0;  // id: of the track or plane
  bool operator==(const PlanRowKey&) const = default;
};

struct PlanRowKeyHash {
  size_t operator()(const PlanRowKey& key) const {
    return HashOf({key.profile.value, static_cast<uint64_t>(key.kind), key.set, key.id, key.depth});
  }
};

class DrawPlan {
 public:
  static constexpr size_t kMaxLabels = 500;
  static constexpr size_t kMaxMarks = 4000;
  static constexpr uint32_t kMinAlone = 2;  // pixels
  static constexpr float kLabelPadding = 5, kMinLabelWidth = 20, kMarkDistance = 10;

  void Build(const PlanInput& input);
  void Clear();

  std::span<const PlanRow> rows() const { return rows_; }
  std::span<const uint32_t> texels() const { return texels_; }
  std::span<const TexelLine> lines() const { return lines_; }
  // The number of rows that scroll. Rows that stay at the top follow them in rows().
  size_t scrolling_rows() const { return below_; }
  // The slices of a row that are drawn one by one, in order of time.
  std::span<const PlanSlice> SlicesAlone(size_t row) const { return row_cache_[row]->alone; }
  std::span<const PlanLabel> labels() const { return labels_; }
  std::span<const PlanMark> marks() const { return marks_; }
  uint32_t width() const { return width_; }
  bool patterns() const { return patterns_; }  // texels are hatched
  uint32_t dirty_begin() const { return dirty_begin_; }
  uint32_t dirty_end() const { return dirty_end_; }
  // The mean share of busy time in view of the plane whose heading is `item`, in [0, 1]; -1 if it
  // is not known.
  double Utilisation(uint32_t item) const;
  // Adds the slices with a name, in all profiles, that are drawn one by one and at least
  // kMinAlone wide, until `out` has `most` boxes. O(slices drawn one by one)
  void AddSlicesOf(std::span<const Profile> profiles, const Layout& layout, std::string_view name,
                   size_t most, std::vector<PlanBox>* out) const;
  // Returns the row of an item at canvas height `y`, or null.
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
    std::vector<float> shares;  // by column
  };

  void CollectRows(const PlanInput& input);
  void AddRows(const PlanInput& input, size_t item, double top);  // `top`: canvas pixels
  void LearnKinds(const PlanInput& input);
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
  // The label of the row that shows several outer frames: how many there are.
  const NameLabel& FramesLabel(const PlanInput& input, uint32_t frames, const NameLabel& innermost);
  const std::vector<Kind>* KindsOf(const PlanInput& input, const LayoutItem& item) const;
  const std::vector<NameChange>* ChangesOf(const PlanInput& input, const LayoutItem& item) const;

  std::vector<PlanRow> rows_;
  size_t below_ = 0;  // see scrolling_rows()
  std::vector<Cached*> row_cache_;
  std::vector<Work> work_;
  std::unordered_map<PlanRowKey, Cached, PlanRowKeyHash> cache_;
  std::vector<uint64_t> last_rows_;  // key and stamp of each row of the last frame
  std::vector<uint32_t> texels_;
  std::vector<TexelLine> lines_;
  std::vector<PlanLabel> labels_;
  std::deque<NameLabel> frames_labels_;  // that labels_ view
  std::vector<PlanMark> marks_;
  // Kinds of work of the events in stripes, by meta: their rows are too low for names.
  std::map<const NameTable*, std::vector<Kind>> kinds_;
  uint64_t kinds_content_ = 0;
  TintColors tint_colors_;
  uint64_t tint_names_ = 0;  // generation of the NameCache that tint_colors_ fit
  bool patterns_ = false;
  uint32_t width_ = 0, dirty_begin_ = 0, dirty_end_ = 0;
  uint64_t frame_ = 0;
};

}  // namespace stepscope
