// Minimap: the busy share of the whole span, as texels: a row for the active profile, or one for
// each of two that are compared. It is rebuilt when profiles, their places in time or its width
// change. UI thread only.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "viewer/core/profiles/profile.h"
#include "viewer/core/search/highlight.h"
#include "viewer/core/state/view_state.h"
#include "viewer/timeline/slices/plan_area.h"

namespace stepscope {

// One profile in the minimap: `span` is what the minimap shows, in the profile's time.
struct MinimapPart {
  const Profile* profile = nullptr;
  TimeRange span;
};

class Minimap {
 public:
  // Returns a part for each of the two profiles that are compared, where both are among `profiles`,
  // else one for the profile `own`. Together they show all of each.
  static std::vector<MinimapPart> PartsOf(std::span<const Profile> profiles, const Profile& own,
                                          const ViewState& view);
  // Returns the span that it shows: everything, or the densest part if stray events would squeeze
  // that to nothing.
  static TimeRange Whole(const Trace& trace);
  // Costs nothing unless something changed; then O(tracks * width * log n). `span` is what all
  // parts show, in the time of the timeline's own profile.
  void Update(std::span<const MinimapPart> parts, TimeRange span, uint64_t generation,
              uint32_t width, uint32_t height, const Theme& theme);
  void Draw(TexelSink& sink, ImDrawList* list, float x, float y, Rgba background) const;
  TimeRange span() const { return span_; }
  size_t rows() const { return shown_.size(); }
  // The texels of a row, a pixel column each.
  std::span<const uint32_t> Row(size_t row) const {
    return std::span(texels_).subspan(row * width_, width_);
  }

 private:
  struct Shown {
    const Trace* trace = nullptr;
    TimeRange span;
    bool operator==(const Shown&) const = default;
  };
  // Fills a row of texels and returns how it is drawn.
  TexelLine::Kind FillRow(const MinimapPart& part, const Theme& theme, std::span<uint32_t> row);

  TimeRange span_;
  uint64_t generation_ = 0;
  std::vector<Shown> shown_;  // by row
  ThemeKind theme_ = ThemeKind::kDark;
  uint32_t width_ = 0, height_ = 0;
  bool changed_ = false;  // in the last Update
  std::array<Rgba, texel::kStackCurves> stack_{};
  std::vector<uint32_t> texels_;
  std::vector<TexelLine> lines_;
};

// MinimapMarks: where highlighted events lie on the minimap. They are hits of a search or
// selected events. The marks are made again when the events or the minimap change. UI thread
// only.
class MinimapMarks {
 public:
  // If something changed, it costs one binary search for each column without a mark, for each
  // lane with highlighted events.
  void Update(std::span<const MinimapPart> parts, const Highlight& highlight, uint32_t width);
  // By pixel column: 1 if a highlighted event begins there.
  const std::vector<uint8_t>& columns() const { return columns_; }

 private:
  std::vector<std::pair<ProfileId, TimeRange>> shown_;
  uint64_t version_ = 0;
  std::vector<uint8_t> columns_;
};

}  // namespace stepscope
