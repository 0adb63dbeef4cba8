// Minimap: the busy share of the whole span, as texels: a row for the active profile, or one for
// each of two that are compared. It is rebuilt when profiles, their places in time or its width
// change. UI thread only.
#pragma once

#include <span>
#include <vector>

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

}  // namespace stepscope
