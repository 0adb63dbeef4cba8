#include "viewer/timeline/slices/minimap.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "viewer/core/look/time_axis.h"
#include "viewer/core/profiles/align_profiles.h"

namespace stepscope {
namespace {

void AddTo(const PlaneActivity& activity, std::span<std::vector<float>> sums) {
  const auto add = [](const std::vector<float>& from, const std::vector<float>* below,
                      std::vector<float>* to) {
    for (size_t i = 0; i < to->size(); ++i)
      (*to)[i] += from[i] - (below != nullptr ? (*below)[i] : 0.0f);
  };
  const StackedShares& parts = activity.parts;
  if (parts.parts.empty()) return add(activity.share, nullptr, &sums[0]);
  for (size_t p = 0; p < parts.parts.size(); ++p) {
    const auto part = static_cast<size_t>(parts.parts[p]);
    if (part < sums.size()) add(parts.sums[p], p > 0 ? &parts.sums[p - 1] : nullptr, &sums[part]);
  }
}

}  // namespace

TimeRange Minimap::Whole(const Trace& trace) {
  return trace.dense_view.empty() ? trace.span : trace.dense_view;
}

std::vector<MinimapPart> Minimap::PartsOf(std::span<const Profile> profiles, const Profile& own,
                                          const ViewState& view) {
  std::vector<MinimapPart> parts;
  const Profile *a = FindProfile(profiles, view.baseline), *b = FindComparedProfile(profiles, view);
  if (a != nullptr && b != nullptr) {
    parts = {{a, {}}, {b, {}}};
  } else {
    parts = {{&own, {}}};
  }
  TimeRange all{kMaxPs, kMinPs};
  for (const MinimapPart& part : parts) {
    const TimeRange whole = Whole(*part.profile->trace);
    all.begin = std::min(all.begin, view.Translate(part.profile->id, own.id, whole.begin));
    all.end = std::max(all.end, view.Translate(part.profile->id, own.id, whole.end));
  }
  for (MinimapPart& part : parts) {
    part.span = {view.Translate(own.id, part.profile->id, all.begin),
                 view.Translate(own.id, part.profile->id, all.end)};
  }
  return parts;
}

TexelLine::Kind Minimap::FillRow(const MinimapPart& part, const Theme& theme,
                                 std::span<uint32_t> row) {
  const auto width = static_cast<uint32_t>(row.size());
  const TimeAxis axis(part.span, width);
  const auto& planes = part.profile->trace->planes;
  const bool devices =
      std::any_of(planes.begin(), planes.end(), [](const Plane& p) { return IsDevice(p.kind); });
  // An undivided activity is drawn as the first part.
  constexpr auto kParts = static_cast<size_t>(WorkPart::kCount);
  std::array<std::vector<float>, kParts> sums;
  std::vector<Bin> scratch;
  size_t used = 0;
  Kind alone = devices ? Kind::kDeviceCompute : Kind::kHostCompute;
  for (uint32_t p = 0; p < planes.size(); ++p) {
    if (devices && !IsDevice(planes[p].kind)) continue;
    const PlaneActivity activity =
        PlaneActivityInView(*part.profile, PlaneId(p), axis, width, &scratch);
    if (activity.share.empty()) continue;
    for (std::vector<float>& sum : sums) sum.resize(activity.share.size(), 0);
    AddTo(activity, sums);
    if (!devices) alone = WorkKind(activity);
    ++used;
  }
  for (uint32_t x = 0; x < width && used > 0; ++x) {
    float share = 0;
    for (size_t of = 0; of < sums.size(); ++of) {
      share += sums[of][size_t{x} * sums[of].size() / width] / static_cast<float>(used);
      const auto top = static_cast<uint32_t>(std::lround(std::min(1.0f, share) * 255.0f));
      row[x] =
          devices ? texel::WithHeight(row[x], of, top) : texel::Make(theme[alone], 0) | top << 24;
    }
  }
  return devices ? TexelLine::kStack : TexelLine::kArea;
}

void Minimap::Update(std::span<const MinimapPart> parts, TimeRange span, uint64_t generation,
                     uint32_t width, uint32_t height, const Theme& theme) {
  std::vector<Shown> shown;
  for (const MinimapPart& part : parts) shown.push_back({part.profile->trace.get(), part.span});
  const bool same = shown == shown_ && span == span_ && generation == generation_ &&
                    width == width_ && height == height_ && theme.kind == theme_;
  changed_ = !same;
  if (same) return;
  shown_ = std::move(shown);
  span_ = span;
  generation_ = generation;
  width_ = width;
  height_ = height;
  theme_ = theme.kind;
  stack_ = StackColors(theme);
  texels_.assign(size_t{width} * parts.size(), texel::kEmpty);
  lines_.assign(height, {});
  const size_t n = parts.size();
  const uint32_t gap = n > 1 ? 1 : 0;  // lines between two rows
  for (size_t i = 0; i < n; ++i) {
    const auto kind = FillRow(parts[i], theme, std::span(texels_).subspan(i * width, width));
    const auto begin = static_cast<uint32_t>(height * i / n);
    const auto end = static_cast<uint32_t>(height * (i + 1) / n) - (i + 1 < n ? gap : 0);
    for (uint32_t y = begin; y < end; ++y) {
      lines_[y] = {static_cast<uint16_t>(i), static_cast<uint16_t>(y - begin),
                   static_cast<uint16_t>(end - begin), static_cast<uint16_t>(kind)};
    }
  }
}

void Minimap::Draw(TexelSink& sink, ImDrawList* list, float x, float y, Rgba background) const {
  sink.Draw({.slot = 1,
             .x = x,
             .y = y,
             .width = width_,
             .rows = static_cast<uint32_t>(rows()),
             .texels = texels_,
             .lines = lines_,
             .dirty_end = changed_ ? static_cast<uint32_t>(rows()) : 0u,
             .background = background,
             .stack = stack_},
            list);
}

namespace {

// Marks the columns in which events begin. It searches once for each column that has no mark yet.
void MarkLane(const Lane& lane, std::span<const uint32_t> rows, const TimeAxis& axis,
              std::vector<uint8_t>* columns) {
  const auto at = [&](uint32_t row) { return axis.X(lane.start[row - lane.first_row]); };
  const auto width = static_cast<double>(columns->size());
  auto row = rows.begin();
  for (size_t x = 0; x < columns->size(); ++x) {
    if ((*columns)[x] != 0) continue;
    row = std::partition_point(row, rows.end(),
                               [&](uint32_t r) { return at(r) < static_cast<double>(x); });
    if (row == rows.end() || at(*row) >= width) return;
    x = static_cast<size_t>(at(*row));
    (*columns)[x] = 1;
  }
}

}  // namespace

void MinimapMarks::Update(std::span<const MinimapPart> parts, const Highlight& highlight,
                          uint32_t width) {
  std::vector<std::pair<ProfileId, TimeRange>> shown;
  for (const MinimapPart& part : parts) shown.emplace_back(part.profile->id, part.span);
  const uint64_t version = highlight.version;
  if (shown == shown_ && version == version_ && columns_.size() == width) return;
  shown_ = std::move(shown);
  version_ = version;
  columns_.assign(width, 0);
  if (version == 0 || width == 0) return;
  for (const MinimapPart& part : parts) {
    const Profile& profile = *part.profile;
    const TimeAxis axis(part.span, width);
    for (const Highlight::Rows& rows : highlight.rows) {
      if (rows.profile != profile.id || rows.set >= profile.sets()) continue;
      ForLanesWith(profile.Set(rows.set), *rows.rows,
                   [&](const Lane& lane, std::span<const uint32_t> of_lane) {
                     MarkLane(lane, of_lane, axis, &columns_);
                   });
    }
  }
}

}  // namespace stepscope
