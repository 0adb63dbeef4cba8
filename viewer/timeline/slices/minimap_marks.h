// MinimapMarks: where highlighted events lie on the minimap. They are hits of a search or
// selected events. The marks are made again when the events or the minimap change. UI thread
// only.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "viewer/core/profiles/profile.h"
#include "viewer/core/search/highlight.h"
#include "viewer/timeline/slices/minimap.h"

namespace stepscope {

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
