// The folder viewer/widgets holds what panels draw with: tables (start at result_table_view.h),
// charts (here), text and numbers (draw_text.h). Widgets know no panel.
//
// Charts of the panels: stacked bars over steps, rings, histograms, areas over time. Each chart is
// plain data made once per result and a draw function that costs O(pixels). Legend entries switch
// series on and off; a right click exports the chart as SVG or its numbers as CSV. UI thread only.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/base/color.h"
#include "viewer/core/panel.h"

namespace stepscope {

struct ChartSeries {
  std::string label;
  Rgba color = 0;
  std::vector<double> values;
};

// The settings that the user changed in a chart: the hidden series and the visible part of the x
// axis.
struct ChartState {
  uint64_t hidden = 0;          // bit per series
  double x_min = 0, x_max = 0;  // if equal, everything is visible
  uint64_t key = 0;             // identifies the data that x_min and x_max belong to
  bool Shown(size_t series) const { return (hidden >> (series & 63)) % 2 == 0; }
};

// The name's usual colour, unless an entry above has it already. There are only a few dozen hues,
// and areas of equal colour would lie side by side.
Rgba FreshColor(const Theme& theme, std::string name, std::span<const ChartSeries> taken);

// Draws the entries as small buttons in a row that wraps, and returns its height. A click hides or
// shows a series.
void DrawLegend(const PanelContext& context, std::span<const ChartSeries> series, ChartState* state,
                bool right_align);

// --- Bars, one per step
struct BarGroup {  // of neighbouring steps, such as those of one host
  size_t first = 0;
  std::string label;
};
struct StepBars {
  std::string title = "steps";
  const char* unit = "ms";
  std::vector<ChartSeries> series;  // bottom to top, values by step
  std::vector<std::string> labels;  // by step
  std::vector<std::string> notes;   // by step: "partial", "inferred"; may be empty
  std::vector<BarGroup> groups;     // in the order of the steps; empty: all are of one
  double reference = 0;             // dashed line; 0: none
  std::string reference_label;
  double TotalOf(size_t step, const ChartState& state) const;  // the sum of the shown series
  std::string_view GroupOf(size_t step) const;                 // its label; empty without groups
};
// Returns the index of the clicked step, or -1.
int DrawStepBars(const PanelContext& context, const char* id, const StepBars& bars, uint64_t key,
                 ChartState* state, ImVec2 size);

// --- Ring
struct RingSlice {
  std::string label;
  double value = 0;
  Rgba color = 0;
  int row = -1;            // in the table it came from; -1: "other"
  std::string shown = {};  // a short name that differs from the others; empty: the label
};
struct Ring {
  std::string title = "ring";
  std::vector<RingSlice> slices;  // largest first
  double total = 0;
  std::string centre, centre_note;  // "56.2 ms", "Tensor Core 58.9 %"
};
using RingRow = std::pair<std::string_view, double>;  // a name and its value
// The largest `most` rows, and the rest as one slice. Rows whose value is not finite and above 0
// are left out. RingSlice::row is the index in `rows`.
Ring MakeRing(const PanelContext& context, std::string title, std::span<const RingRow> rows,
              size_t most = 9);
// Returns the clicked slice, or -1. The slice of the table's row `selected` is drawn thicker. Names
// are listed below or beside the ring.
int DrawRing(const PanelContext& context, const char* id, const Ring& ring, int selected,
             ImVec2 size);

// --- Histogram
struct Histogram {
  std::string title = "durations";
  std::vector<uint32_t> counts;
  double low = 0, high = 0;  // range of all bins
  double p50 = 0, p95 = 0, max = 0;
  uint64_t total = 0;
};
// The values need not be sorted. With low < high, bins count only the values between them;
// percentiles and total count all values.
Histogram MakeHistogram(std::vector<double> values, size_t bins, double low = 0, double high = 0);
// Returns the clicked bin, or -1. `unit` is that of low, high and the percentiles. The wheel writes
// the range it asks for into *zoom (low, high; both 0: everything).
int DrawHistogram(const PanelContext& context, const char* id, const Histogram& histogram,
                  Unit unit, ImVec2 size, std::pair<double, double>* zoom = nullptr);

// --- One bar of shares ("where a step goes")
void DrawShares(const PanelContext& context, std::span<const RingSlice> shares, double total,
                float height);

// --- Export
std::string ToSvg(const StepBars& bars, const ChartState& state, Rgba text, Rgba background);
std::string ToSvg(const Ring& ring, Rgba text, Rgba background);
std::string ToCsv(const StepBars& bars);
std::string ToCsv(const Ring& ring);
std::string ToCsv(const Histogram& histogram, Unit unit);

// A right-click menu for the item drawn last, or one that OpenChartMenu opens. It copies or saves
// the numbers of `csv`, and saves the picture between `min` and `max` as PNG or that of `svg`.
struct ChartBox {
  std::string_view name;  // file name without extension
  ImVec2 min, max;        // screen
};
void OpenChartMenu(const char* id);
void ChartMenu(const PanelContext& context, const char* id, const ChartBox& box,
               const std::function<std::string()>& csv,
               const std::function<std::string()>& svg = {});

}  // namespace stepscope
