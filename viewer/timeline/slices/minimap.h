// Minimap: the busy share of the whole span, as texels. It is rebuilt when profiles or its width
// change. UI thread only.
#pragma once

#include <vector>

#include "viewer/timeline/slices/plan_area.h"

namespace stepscope {

class Minimap {
 public:
  // Returns the span that it shows: everything, or the densest part if stray events would squeeze
  // that to nothing.
  static TimeRange Whole(const Trace& trace);
  // Costs nothing unless something changed; then O(tracks * width * log n).
  void Update(const Profile& profile, uint64_t generation, uint32_t width, uint32_t height,
              const Theme& theme);
  void Draw(TexelSink& sink, ImDrawList* list, float x, float y, Rgba background) const;
  TimeRange span() const { return span_; }

 private:
  TimeRange span_;
  uint64_t generation_ = 0;
  const Trace* trace_ = nullptr;
  ThemeKind theme_ = ThemeKind::kDark;
  uint32_t width_ = 0, height_ = 0;
  bool changed_ = false;  // in the last Update
  std::array<Rgba, texel::kStackCurves> stack_{};
  std::vector<uint32_t> texels_;
  std::vector<TexelLine> lines_;
};

}  // namespace stepscope
