#include "viewer/timeline/layout/layout.h"

#include <algorithm>

namespace stepscope {

bool IsHeading(LayoutItemKind kind) {
  return kind != LayoutItemKind::kTrack && kind != LayoutItemKind::kCounter;
}

double TextTop(const LayoutItem& item, double top, double text_height) {
  const double last = item.y + static_cast<double>(item.height) - text_height;
  return std::max(item.y, std::min(top, last));
}

void Layout::Place(std::vector<LayoutItem> items, const LayoutSizes& sizes) {
  items_ = std::move(items);
  sizes_ = sizes;
  FindHeadings();
  FindTops();
  BuildIndex();
  PlaceItems();
}

void Layout::SetRows(std::span<const uint32_t> rows) {
  for (size_t i = 0; i < std::min(rows.size(), items_.size()); ++i) {
    if (items_[i].kind == LayoutItemKind::kTrack)
      items_[i].rows = std::clamp<uint32_t>(rows[i], 1, std::max(1u, items_[i].depth));
  }
  PlaceItems();
}

float Layout::RowHeight(const LayoutItem& item) const {
  if (!item.thin) return sizes_.row;
  const bool alone = item.rank == nullptr || item.rank->tracks.size() < 2;
  return alone ? 2 * sizes_.stripe : sizes_.stripe;
}

void Layout::PlaceItems() {
  constexpr float kHeadingGap = 1, kPlaneGap = 3;
  height_ = 0;
  for (size_t i = 0; i < items_.size(); ++i) {
    LayoutItem& item = items_[i];
    float gap = sizes_.track_gap;
    switch (item.kind) {
      case LayoutItemKind::kProfileHeading:
      case LayoutItemKind::kHostHeading:
        item.height = sizes_.heading;
        gap = kHeadingGap;
        break;
      case LayoutItemKind::kPlaneHeading:
        item.height = sizes_.heading;
        gap = kPlaneGap;
        break;
      case LayoutItemKind::kCounter:
        item.height = item.lane == DerivedTrackKind::kNone ? sizes_.counter : sizes_.lane;
        break;
      case LayoutItemKind::kTrack:
        item.height = RowHeight(item) * static_cast<float>(item.rows);
        if (item.thin && i + 1 < items_.size() && items_[i + 1].thin) gap = 0;
        // The gap depends on the rows that the track could have, so that neighbours do not move
        // when its rows change.
        if (item.depth > 1) gap *= 2;
        break;
    }
    item.y = height_;
    height_ += static_cast<double>(item.height + gap);
    // The wider gap follows the last track of a plane. A folded plane is one line among others
    // and has none.
    const bool last = i + 1 == items_.size() || IsHeading(items_[i + 1].kind);
    const bool plane = item.kind == LayoutItemKind::kPlaneHeading && !item.collapsed;
    if (last && (plane || !IsHeading(item.kind))) height_ += static_cast<double>(kPlaneGap);
  }
}

size_t Layout::At(double y) const {
  if (y < 0 || y >= height_) return items_.size();
  const auto after =
      std::upper_bound(items_.begin(), items_.end(), y,
                       [](double value, const LayoutItem& item) { return value < item.y; });
  return after == items_.begin() ? items_.size() : static_cast<size_t>(after - items_.begin()) - 1;
}

std::pair<size_t, size_t> Layout::Visible(double top, double bottom) const {
  if (items_.empty() || bottom <= 0 || top >= height_) return {0, 0};
  const size_t first = At(std::max(top, 0.0));
  const auto last =
      std::lower_bound(items_.begin(), items_.end(), bottom,
                       [](const LayoutItem& item, double value) { return item.y < value; });
  return {std::min(first, items_.size()), static_cast<size_t>(last - items_.begin())};
}

void Layout::FindHeadings() {
  headings_.clear();
  uint32_t profile = kNoHeading, host = kNoHeading;
  for (uint32_t i = 0; i < items_.size(); ++i) {
    const LayoutItem& item = items_[i];
    if (!IsHeading(item.kind)) continue;
    const auto self = static_cast<uint32_t>(headings_.size());
    Heading& heading = headings_.emplace_back();
    heading.item = i;
    if (item.kind == LayoutItemKind::kProfileHeading) {
      profile = self;
      host = kNoHeading;
    } else if (item.kind == LayoutItemKind::kHostHeading) {
      heading.around = profile;
      host = self;
    } else {
      if (!item.plane.valid()) host = kNoHeading;  // derived tracks are of no host
      heading.around = host != kNoHeading ? host : profile;
    }
  }
  // A heading ends where the next one of its kind or of a larger kind begins: profile, host,
  // plane.
  auto next = static_cast<uint32_t>(items_.size());
  uint32_t next_host = next, next_profile = next;
  for (size_t h = headings_.size(); h-- > 0;) {
    Heading& heading = headings_[h];
    const LayoutItem& item = items_[heading.item];
    const bool of_profile = item.kind == LayoutItemKind::kProfileHeading;
    const bool of_host = item.kind == LayoutItemKind::kHostHeading;
    heading.end = of_profile ? next_profile : of_host ? next_host : next;
    next = heading.item;
    if (of_profile) next_profile = next;
    if (of_profile || of_host || !item.plane.valid()) next_host = next;
  }
}

void Layout::FindTops() {
  tops_.clear();
  for (uint32_t i = 0; i < items_.size(); ++i) {
    const bool other = tops_.empty() || items_[i].profile != items_[tops_.back().first].profile;
    if (other) tops_.push_back({i, i, i});
    Top& top = tops_.back();
    const bool keeps = items_[i].pinned || items_[i].kind == LayoutItemKind::kProfileHeading;
    if (keeps && top.last == i) top.last = i + 1;
    top.end = i + 1;
  }
}

uint32_t Layout::HeadingAt(double y, LayoutItemKind kind) const {
  const size_t top = At(y);
  if (top >= items_.size()) return kNoHeading;
  const auto after =
      std::upper_bound(headings_.begin(), headings_.end(), top,
                       [](size_t item, const Heading& heading) { return item < heading.item; });
  if (after == headings_.begin()) return kNoHeading;
  auto at = static_cast<uint32_t>(after - headings_.begin()) - 1;
  while (at != kNoHeading && items_[headings_[at].item].kind != kind) at = headings_[at].around;
  return at;
}

size_t Layout::AddTop(double most, double* top, StickyItems* out) const {
  const size_t at = At(*top);
  const auto after =
      std::upper_bound(tops_.begin(), tops_.end(), at,
                       [](size_t i, const Top& profile) { return i < profile.first; });
  if (at >= items_.size() || after == tops_.begin()) return 0;
  const Top& profile = *(after - 1);
  const double begin = items_[profile.first].y;
  const auto bottom = [this](size_t i) {
    return items_[i].y + static_cast<double>(items_[i].height);
  };
  const auto fits = [&](size_t i) {
    return bottom(i) <= begin + most || items_[i].kind == LayoutItemKind::kProfileHeading;
  };
  size_t last = profile.first;
  while (last < profile.last && fits(last)) ++last;
  if (last == profile.first) return 0;
  // Pins are pushed out together.
  const double height = bottom(last - 1) - begin;
  const double end = profile.end < items_.size() ? items_[profile.end].y : height_;
  const double y = std::min(*top, end - height);
  if (y <= begin) return 0;
  for (size_t i = profile.first; i < last; ++i) out->push_back({i, y + (items_[i].y - begin)});
  *top = y + height;
  return last;
}

StickyItems Layout::Sticky(double scroll, double most_pins) const {
  StickyItems out;
  double top = scroll;  // below those that were found
  const size_t behind = AddTop(most_pins, &top, &out);
  for (const LayoutItemKind kind : {LayoutItemKind::kHostHeading, LayoutItemKind::kPlaneHeading}) {
    const uint32_t at = HeadingAt(top, kind);
    if (at == kNoHeading || headings_[at].item < behind) continue;
    const LayoutItem& heading = items_[headings_[at].item];
    if (heading.collapsed || heading.y >= top) continue;
    const size_t next = headings_[at].end;
    const double end = next < items_.size() ? items_[next].y : height_;
    const double y = std::min(top, end - static_cast<double>(heading.height));
    if (y <= heading.y) continue;
    out.push_back({headings_[at].item, y});
    top = y + static_cast<double>(heading.height);
  }
  return out;
}

size_t Layout::Find(uint32_t profile, uint32_t set, TrackId track) const {
  if (profile >= index_.size() || set >= index_[profile].size()) return npos;
  const auto& tracks = index_[profile][set];
  return track.value < tracks.size() && tracks[track.value] > 0 ? tracks[track.value] - 1 : npos;
}

void Layout::BuildIndex() {
  index_.clear();
  for (uint32_t i = 0; i < items_.size(); ++i) {
    const LayoutItem& item = items_[i];
    if (IsHeading(item.kind)) continue;
    if (item.profile >= index_.size()) index_.resize(item.profile + 1);
    auto& sets = index_[item.profile];
    if (item.set >= sets.size()) sets.resize(item.set + 1);
    auto& tracks = sets[item.set];
    if (item.track.value >= tracks.size()) tracks.resize(item.track.value + size_t{1}, 0);
    uint32_t& slot = tracks[item.track.value];
    if (slot == 0) slot = i + 1;  // a track's counters follow its slices
  }
}

}  // namespace stepscope
