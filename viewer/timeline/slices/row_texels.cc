#include "viewer/timeline/slices/row_texels.h"

#include <algorithm>
#include <cmath>

namespace stepscope {
namespace {

// The share of each column that the events of a lane cover. A bin of one event covers exactly the
// time that the event takes; one of several begins in its column, and a rest that does not fit
// covers the next ones. O(columns)
void AddCoverage(const Lane& lane, std::span<const Bin> bins, const TimeAxis& axis,
                 std::vector<float>* share) {
  const auto columns = static_cast<double>(share->size());
  for (const Bin& bin : bins) {
    const bool one = bin.count == 1;
    const double first = one ? std::clamp(axis.X(lane.start[bin.event]), 0.0, columns) : bin.px;
    const double last = one ? std::clamp(axis.X(lane.end(bin.event)), first, columns)
                            : first + static_cast<double>(bin.busy) / axis.ps_per_px();
    for (auto x = static_cast<size_t>(first); x < share->size(); ++x) {
      const double left = static_cast<double>(x);
      if (left >= last) break;
      (*share)[x] += static_cast<float>(std::min(last, left + 1) - std::max(first, left));
    }
  }
}

uint32_t CoverageOf(float share) {
  return static_cast<uint32_t>(std::clamp(std::round(texel::kOpaque * share), 1.0f, 63.0f));
}

}  // namespace

void DrawCurve(std::span<const float> values, Rgba color, std::span<uint32_t> row) {
  for (size_t x = 0; x < row.size(); ++x) {
    const float value = std::clamp(values[x * values.size() / row.size()], 0.0f, 1.0f);
    row[x] = texel::Make(color, 0) | (static_cast<uint32_t>(std::lround(value * 255.0f)) << 24);
  }
}

void DrawStack(const StackedShares& shares, std::span<uint32_t> row) {
  if (shares.sums.empty()) return;
  const size_t columns = shares.sums.front().size();
  for (size_t x = 0; x < row.size();) {
    const size_t column = x * columns / row.size();  // it may be several pixels wide
    const size_t end = ((column + 1) * row.size() + columns - 1) / columns;
    std::fill(row.begin() + static_cast<ptrdiff_t>(x), row.begin() + static_cast<ptrdiff_t>(end),
              StackAt(shares, column));
    x = end;
  }
}

void CoverByTime(const Lane& lane, std::span<const Bin> bins, const TimeAxis& axis,
                 std::vector<float>* shares, std::span<uint32_t> row) {
  shares->assign(row.size(), 0);
  AddCoverage(lane, bins, axis, shares);
  for (size_t x = 0; x < row.size(); ++x) {
    if ((texel::Alpha(row[x]) & texel::kOpaque) == 0) continue;
    row[x] = (row[x] & ~(texel::kOpaque << 24)) | (CoverageOf((*shares)[x]) << 24);
  }
}

void Brighten(const Lane& lane, std::span<const uint32_t> hits, const TimeAxis& axis,
              std::span<uint32_t> row) {
  const auto width = static_cast<int64_t>(row.size());
  auto hit = std::lower_bound(hits.begin(), hits.end(), lane.first_row);
  const auto last = std::lower_bound(hit, hits.end(), lane.first_row + lane.size());
  // The first hit that ends inside the view: hits of a lane are ordered by time.
  hit = std::partition_point(hit, last, [&](uint32_t event) {
    return lane.end(event - lane.first_row) < axis.view().begin;
  });
  while (hit != last) {
    const uint32_t i = *hit - lane.first_row;
    const double x0 = axis.X(lane.start[i]);
    if (x0 >= static_cast<double>(width)) return;
    const auto from = std::clamp<int64_t>(static_cast<int64_t>(std::floor(x0)), 0, width - 1);
    const auto to =
        std::clamp<int64_t>(static_cast<int64_t>(std::floor(axis.X(lane.end(i)))), from, width - 1);
    for (int64_t x = from; x <= to; ++x) {
      row[static_cast<size_t>(x)] &= ~(texel::kDim << 24);
    }
    const Ps next = axis.At(static_cast<double>(to + 1));
    hit = std::partition_point(
        hit + 1, last, [&](uint32_t event) { return lane.end(event - lane.first_row) <= next; });
  }
}

}  // namespace stepscope
