#include "viewer/timeline/layout/depth_in_view.h"

#include <algorithm>

namespace stepscope {

uint32_t RowsFor(const TrackSet& set, const LayoutItem& item, TimeRange range) {
  uint32_t rows = 1;
  const uint32_t skipped = FirstDepth(item);
  const std::span<const Lane> lanes = DrawnLanes(set, item);
  for (size_t i = lanes.size(); i-- > 0;) {
    if (lanes[i].depth < rows + skipped) continue;
    const auto [first, last] = EventsTouching(lanes[i].view(), range);
    if (first != last) rows = lanes[i].depth + 1u - skipped;
  }
  return std::min(rows, std::max(1u, item.depth));
}

void DepthInView::Reset(std::span<const LayoutItem> items) {
  rows_.clear();
  deep_.clear();
  for (uint32_t i = 0; i < items.size(); ++i) {
    rows_.push_back(std::max(1u, items[i].depth));
    if (items[i].kind == LayoutItemKind::kTrack && items[i].depth > 1) deep_.push_back(i);
  }
  known_.assign(rows_.size(), 0);
  fresh_ = true;
}

bool DepthInView::UpdateItem(const DepthInput& input, uint32_t i) {
  const LayoutItem& item = input.layout.items()[i];
  if (item.kind != LayoutItemKind::kTrack || item.depth <= 1 || item.profile >= input.ranges.size())
    return false;
  const uint32_t needed =
      RowsFor(input.profiles[item.profile].Set(item.set), item, input.ranges[item.profile]);
  const bool shrinks = needed < rows_[i];
  if (needed == rows_[i] || (shrinks && known_[i] != 0 && !input.settled)) {
    known_[i] = 1;
    return false;
  }
  known_[i] = 1;
  rows_[i] = needed;
  return true;
}

bool DepthInView::Update(const DepthInput& input) {
  const bool moved = done_.size() != input.ranges.size() ||
                     !std::equal(done_.begin(), done_.end(), input.ranges.begin());
  const bool same = !fresh_ && !moved && done_settled_ == input.settled &&
                    done_first_ == input.first && done_last_ == input.last;
  if (same || input.layout.items().size() != rows_.size()) return false;
  fresh_ = false;
  done_.assign(input.ranges.begin(), input.ranges.end());
  done_first_ = input.first;
  done_last_ = input.last;
  done_settled_ = input.settled;
  bool changed = false;
  if (deep_.size() <= kMaxDeepTracks) {
    for (const uint32_t i : deep_) changed = UpdateItem(input, i) || changed;
    return changed;
  }
  for (const StickyItem& sticky : input.sticky)
    changed = UpdateItem(input, static_cast<uint32_t>(sticky.item)) || changed;
  const auto first =
      std::lower_bound(deep_.begin(), deep_.end(), static_cast<uint32_t>(input.first));
  for (auto i = first; i != deep_.end() && *i < input.last; ++i)
    changed = UpdateItem(input, *i) || changed;
  return changed;
}

}  // namespace stepscope
