// Writes the texels of one row: curves, the time that slices cover, and what is highlighted. A row
// is a span of texels, one for each pixel column of the view. Pure; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/track.h"
#include "viewer/core/look/texel_sink.h"
#include "viewer/core/look/time_axis.h"
#include "viewer/timeline/slices/plan_area.h"

namespace stepscope {

// Draws a curve, whose values may be fewer than the columns; there is at least one. O(columns)
void DrawCurve(std::span<const float> values, Rgba color, std::span<uint32_t> row);
// Draws curves on each other. A part that the device does not have is as high as the one below.
// O(columns)
void DrawStack(const StackedShares& shares, std::span<uint32_t> row);

// Gives each column in which slices were drawn the share of its time that events of the lane cover.
// Columns in which events lie are never empty, so that no event vanishes. `shares` is scratch.
// O(columns)
void CoverByTime(const Lane& lane, std::span<const Bin> bins, const TimeAxis& axis,
                 std::vector<float>* shares, std::span<uint32_t> row);

// Marks the columns of highlighted events, whose rows are sorted. O(columns * log n), however many
// events there are.
void Brighten(const Lane& lane, std::span<const uint32_t> hits, const TimeAxis& axis,
              std::span<uint32_t> row);

}  // namespace stepscope
