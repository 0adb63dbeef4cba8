#include "viewer/timeline/layout/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/base/digits.h"
#include "viewer/core/search/search.h"
#include "viewer/widgets/draw_text.h"

namespace stepscope {

bool IsHeading(LayoutItemKind kind) {
  return kind != LayoutItemKind::kTrack && kind != LayoutItemKind::kCounter;
}

double TextTop(const LayoutItem& item, double top, double text_height) {
  const double last = item.y + static_cast<double>(item.height) - text_height;
  return std::max(item.y, std::min(top, last));
}

void Layout::SetItems(std::vector<LayoutItem> items, const LayoutSizes& sizes) {
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

namespace {

constexpr size_t kLongId = 9;  // digits; longer ones are hashes, which nobody reads out

bool Digits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string Number(std::string_view digits) {
  if (digits.size() <= kLongId) return std::string(digits);
  return "\xE2\x80\xA6" + std::string(digits.substr(digits.size() - 4));
}

// Reads "prefix<number>(<rest>)" with nothing behind it; returns false for any other text.
bool TakeNumbered(std::string_view text, std::string_view prefix, std::string_view* number,
                  std::string_view* rest) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  const size_t open = text.find('(');
  if (open == std::string_view::npos || text.back() != ')') return false;
  *number = text.substr(0, open);
  while (number->ends_with(' ')) number->remove_suffix(1);
  *rest = text.substr(open + 1, text.size() - open - 2);
  return Digits(*number) && !rest->empty();
}

Unit UnitOf(std::string_view name, std::string_view series) {
  const auto says = [&](std::string_view word) {
    return ContainsLower(name, word) || ContainsLower(series, word);
  };
  // The percent words come first: "memory throughput percentage" is no number of bytes.
  if (says("percent") || says("pct") || says("%")) return Unit::kPercent;
  if (ContainsLower(name, "memory") || says("bytes")) return Unit::kBytes;
  return series == "us" || name.ends_with("_us") || name.ends_with("(us)") ? Unit::kUs
                                                                           : Unit::kNone;
}

std::string Short(double value) { return fmt::format("{:.4g}", value); }

// Values in a file may be of any size, so the product saturates.
Ps InPs(double value, Ps unit) {
  constexpr double kMost = 9e18;
  return static_cast<Ps>(std::clamp(value * static_cast<double>(unit), -kMost, kMost));
}

}  // namespace

TrackLabel LabelOf(const TrackSet& set, const Track& track, bool derived) {
  const std::string_view name = set.names->strings.View(track.name);
  std::string_view number, rest;
  if (TakeNumbered(name, "Stream #", &number, &rest))
    return {std::string(rest), "#" + std::string(number)};
  if (TakeNumbered(name, "thread ", &number, &rest)) return {std::string(rest), Number(number)};
  if (const size_t from = name.rfind(" - from #"); from != std::string_view::npos) {
    const std::string_view stream = name.substr(from + 9);
    if (Digits(stream)) return {std::string(name.substr(0, from)), "#" + std::string(stream)};
  }
  if (const size_t cut = name.find_last_of("/-"); cut != std::string_view::npos && cut > 0) {
    const std::string_view id = name.substr(cut + 1);
    std::string_view base = name.substr(0, cut);
    while (base.ends_with('/') || base.ends_with('-')) base.remove_suffix(1);
    if (Digits(id) && id.size() > kLongId) return {std::string(base), Number(id)};
  }
  TrackLabel label{name.empty() ? "(unnamed)" : std::string(name), {}};
  const int64_t id = track.display_id != 0 ? track.display_id : track.id;
  if (derived || id == 0 || track.kind == TrackKind::kDerived) return label;
  const std::string text = std::to_string(id);
  const std::string_view digits = std::string_view(text).substr(id < 0 ? 1 : 0);
  // Most names in the file end in the id already.
  if (name.find(text) == std::string_view::npos) label.tag = Number(digits);
  return label;
}

TrackLabel LabelOf(const Profile& profile, const LayoutItem& item) {
  if (!item.given.empty()) return {std::string(item.given), {}};
  if (item.kind == LayoutItemKind::kPlaneHeading) {
    const bool plane = item.plane.valid();
    return {plane ? profile.trace->planes[item.plane.value].display_name : "Derived", {}};
  }
  const TrackSet& set = profile.Set(item.set);
  return LabelOf(set, set.tracks[item.track.value], item.set != 0);
}

std::string RankText(const RankTracks& rank) { return "Rank " + std::to_string(rank.number); }

std::string LateText(const RankTracks& rank) {
  return rank.late_percent > 0 ? "last in " + PercentText(rank.late_percent, 0) + " of steps"
                               : std::string();
}

std::string CounterText(const TrackSet& set, const Track& track, double value) {
  const std::string_view name = set.names->strings.View(track.name);
  const std::string_view series =
      track.counters.empty() ? std::string_view() : set.names->strings.View(track.counters[0].name);
  switch (UnitOf(name, series)) {
    case Unit::kBytes:
      return FormatValue(Value(value), Unit::kBytes);
    case Unit::kPercent:
      return Short(value) + " %";
    case Unit::kUs:
      return WithoutZeros(FormatDuration(InPs(value, kPsPerUs), 3));
    default:
      break;
  }
  constexpr const char* kUnits[] = {"", " k", " M", " G", " T"};
  size_t unit = 0;
  while (std::fabs(value) >= 1e4 && unit + 1 < std::size(kUnits)) {
    value /= 1000;
    ++unit;
  }
  return Short(value) + kUnits[unit];
}

}  // namespace stepscope
