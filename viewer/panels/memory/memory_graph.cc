#include "viewer/panels/memory/memory_graph.h"

#include <imgui.h>
#include <imgui_internal.h>
#include <implot.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "model/analysis/tables/in_unit.h"
#include "viewer/widgets/chart.h"
#include "viewer/widgets/draw_text.h"

namespace stepscope {
namespace {

constexpr uint32_t kNoSnapshot = ~0u;
constexpr double kPsPerMsReal = static_cast<double>(kPsPerMs);

int FormatPercent(double value, char* buffer, int size, void*) {
  return std::snprintf(buffer, static_cast<size_t>(size), "%.0f %%", value * 100);
}

struct Layer {
  const char* label;
  Kind kind;
};
constexpr Layer kLayers[] = {{"Stack", Kind::kStack},
                             {"Heap", Kind::kHeap},
                             {"Free", Kind::kFree},
                             {"Fragmentation", Kind::kFragmentation}};

constexpr uint64_t kFreeBit = 4;

// Level from each point to the next one's x, then up or down to it. Rectangles, which cost a
// fraction of what smoothed lines do.
void DrawStairs(ImDrawList* list, const std::vector<ImVec2>& points, float end, float half,
                Rgba color) {
  for (size_t i = 0; i < points.size(); ++i) {
    const ImVec2 p = points[i], next = i + 1 < points.size() ? points[i + 1] : ImVec2(end, p.y);
    list->AddRectFilled(ImVec2(p.x - half, p.y - half), ImVec2(next.x + half, p.y + half), color);
    const auto [low, high] = std::minmax(p.y, next.y);
    if (low < high)
      list->AddRectFilled(ImVec2(next.x - half, low - half), ImVec2(next.x + half, high + half),
                          color);
  }
}

}  // namespace

std::string ToCsv(const MemorySeries& s) {
  std::string csv = "time_ms,stack_bytes,heap_bytes,free_bytes,fragmentation\r\n";
  for (size_t i = 0; i < s.size(); ++i) {
    csv += RawValue(Value(InMs(s.time[i])));
    for (double v : {s.stack[i], s.heap[i], s.free[i], s.fragmentation[i]})
      csv += "," + RawValue(Value(v));
    csv += "\r\n";
  }
  return csv;
}

size_t MemorySeries::Peak() const {
  size_t best = 0;
  for (size_t i = 1; i < size(); ++i)
    if (in_use(i) >= in_use(best)) best = i;
  return best;
}

size_t MemorySeries::At(Ps t) const {
  const auto it = std::upper_bound(time.begin(), time.end(), t);
  return it == time.begin() ? 0 : static_cast<size_t>(it - time.begin()) - 1;
}

MemorySeries SeriesOf(const AllocatorUse& use) {
  MemorySeries s;
  for (const AllocatorUse::Moment& m : use.timeline) {
    s.time.push_back(m.time);
    s.stack.push_back(static_cast<double>(m.parts.stack));
    s.heap.push_back(static_cast<double>(m.parts.heap));
    s.free.push_back(static_cast<double>(m.parts.free));
    s.fragmentation.push_back(m.fragmentation);
    s.allocation.push_back(m.allocation ? 1 : 0);
    s.rows.push_back(m.row);
  }
  return s;
}

void MemoryGraph::Bin(const MemorySeries& series, uint64_t key, double first, double last,
                      int pixels) {
  if (key == key_ && first == bin_first_ && last == bin_last_ &&
      bins_.size() == static_cast<size_t>(pixels))
    return;
  key_ = key;
  bin_first_ = first;
  bin_last_ = last;
  bins_.assign(static_cast<size_t>(pixels), kNoSnapshot);
  const double step = (last - first) / pixels;
  for (int x = 0; x < pixels; ++x) {
    const double from = first + step * x, to = from + step;
    const auto begin =
        static_cast<size_t>(std::lower_bound(series.time.begin(), series.time.end(), from,
                                             [](Ps t, double ms) { return InMs(t) < ms; }) -
                            series.time.begin());
    size_t best = begin > 0 ? begin - 1 : series.size();
    double most = -1;
    for (size_t i = begin; i < series.size() && InMs(series.time[i]) < to; ++i) {
      if (series.in_use(i) >= most) most = series.in_use(i), best = i;
    }
    if (best < series.size()) bins_[static_cast<size_t>(x)] = static_cast<uint32_t>(best);
  }
}

bool MemoryGraph::Legend(const PanelContext& context) {
  std::array<ChartSeries, std::size(kLayers)> series;
  for (size_t i = 0; i < series.size(); ++i)
    series[i] = {kLayers[i].label, context.theme[kLayers[i].kind], {}};
  ChartState state;
  state.hidden = hidden_;
  DrawLegend(context, series, &state, false);
  const bool changed = state.hidden != hidden_;
  hidden_ = state.hidden;
  return changed;
}

// Neighbouring pixels that show the same snapshot are one rectangle.
void MemoryGraph::DrawAreas(const PanelContext& context, const MemorySeries& series, float left,
                            double scale) {
  ImDrawList* list = ImPlot::GetPlotDrawList();
  const auto y_of = [&](double bytes) {
    return std::floor(ImPlot::PlotToPixels(0, bytes * scale, ImAxis_X1, ImAxis_Y1).y);
  };
  const auto shown = [&](size_t layer) { return (hidden_ >> layer) % 2 == 0; };
  std::vector<ImVec2> fragmentation;  // where it takes another value
  float line_end = left;
  for (size_t x = 0; x < bins_.size();) {
    size_t end = x + 1;
    while (end < bins_.size() && bins_[end] == bins_[x]) ++end;
    const uint32_t i = bins_[x];
    if (i != kNoSnapshot) {
      const float x0 = left + static_cast<float>(x), x1 = left + static_cast<float>(end);
      const double values[] = {series.stack[i], series.heap[i], series.free[i]};
      double sum = 0;
      for (size_t layer = 0; layer < 3; ++layer) {
        if (!shown(layer) || values[layer] <= 0) continue;
        const float base = y_of(sum);
        sum += values[layer];
        const float alpha = layer == 2 ? 0.35f : 0.9f;
        list->AddRectFilled(ImVec2(x0, y_of(sum)), ImVec2(x1, base),
                            WithAlpha(context.theme[kLayers[layer].kind], alpha));
      }
      if (shown(3)) {
        const float y = ImPlot::PlotToPixels(0, series.fragmentation[i], ImAxis_X1, ImAxis_Y2).y;
        if (fragmentation.empty() || fragmentation.back().y != std::floor(y))
          fragmentation.emplace_back(x0, std::floor(y));
        line_end = x1;
      }
    }
    x = end;
  }
  // With an edge of the ground's colour: heap and fragmentation are of about one lightness.
  DrawStairs(list, fragmentation, line_end, 2, context.theme[Role::kPanel]);
  DrawStairs(list, fragmentation, line_end, 1, context.theme[Kind::kFragmentation]);
}

void MemoryGraph::DrawTooltip(const PanelContext& context, const MemorySeries& series,
                              size_t snapshot) {
  const uint32_t row = series.rows[snapshot];
  if (row != described_) {  // read from the file once per event, not per frame
    described_ = row;
    description_.clear();
    const Trace* trace = context.profile != nullptr ? context.profile->trace.get() : nullptr;
    if (trace != nullptr && trace->source && row < trace->set.rows) {
      const auto stats = trace->source->Decode(*trace, EventRow(row));
      if (stats.ok()) {
        for (const Stat& stat : *stats) description_ += stat.name + ": " + ToText(stat) + "\n";
      }
    }
  }
  if (!ImGui::BeginTooltip()) return;
  const auto bytes = [](double v) { return FormatValue(Value(v), Unit::kBytes); };
  ImGui::Text("%s at %s", series.allocation[snapshot] != 0 ? "Allocation" : "Deallocation",
              WithoutZeros(FormatDuration(series.time[snapshot], 7)).c_str());
  ImGui::Text("in use %s, heap %s, stack %s, free %s", bytes(series.in_use(snapshot)).c_str(),
              bytes(series.heap[snapshot]).c_str(), bytes(series.stack[snapshot]).c_str(),
              bytes(series.free[snapshot]).c_str());
  if (!description_.empty()) {
    const FaceScope mono(context, Face::kMono, TypeSize::kSlice);
    TextIn(context, Role::kText2, description_);
  }
  TextIn(context, Role::kText3, "Click lists what is live then");
  ImGui::EndTooltip();
}

bool MemoryGraph::Draw(const PanelContext& context, const MemorySeries& series, uint64_t key,
                       Ps marked, ImVec2 size, Ps* clicked) {
  const float top_y = ImGui::GetCursorPosY();
  const ImVec2 top_left = ImGui::GetCursorScreenPos();
  if (first_look_ && series.size() > 0) {
    // Memory that is nearly all free would flatten what is used to a line; the legend shows it.
    first_look_ = false;
    const size_t peak = series.Peak();
    if (series.in_use(peak) < 0.2 * (series.in_use(peak) + series.free[peak])) hidden_ |= kFreeBit;
  }
  Legend(context);
  const float height = std::max(size.y - (ImGui::GetCursorPosY() - top_y), BaseEm() * 6);
  if (series.size() == 0) return false;
  double most = 1;
  for (uint32_t i : bins_) {
    if (i == kNoSnapshot || i >= series.size()) continue;
    const double parts[] = {series.stack[i], series.heap[i], series.free[i]};
    double sum = 0;
    for (size_t layer = 0; layer < 3; ++layer)
      sum += (hidden_ >> layer) % 2 == 0 ? parts[layer] : 0;
    most = std::max(most, sum);
  }
  const NumberFormat format = FormatFor(Unit::kBytes, ValueType::kReal, most);
  const FaceScope mono(context, Face::kMono, TypeSize::kSlice);
  const TimeRange all{series.time.front(), series.time.back() + 1};
  if (!plot_.Begin(context, "##memory", ImVec2(size.x, height), all)) return false;
  plot_.SetupY(format, most * 1.08);
  constexpr ImPlotAxisFlags kLocked = ImPlotAxisFlags_NoTickMarks | ImPlotAxisFlags_Lock;
  ImPlot::SetupAxis(ImAxis_Y2, nullptr, kLocked | ImPlotAxisFlags_AuxDefault);
  ImPlot::SetupAxisLimits(ImAxis_Y2, 0, 1.08, ImPlotCond_Always);
  ImPlot::SetupAxisFormat(ImAxis_Y2, FormatPercent, nullptr);
  ImPlot::SetupFinish();
  const ImVec2 pos = ImPlot::GetPlotPos(), plot = ImPlot::GetPlotSize();
  Bin(series, key, plot_.first_ms(), plot_.last_ms(), std::max(1, static_cast<int>(plot.x)));
  ImPlot::PushPlotClipRect();
  DrawAreas(context, series, std::floor(pos.x), format.scale);
  TimePlot::DrawLine(marked, context.theme[Role::kText], 1);
  TimePlot::DrawMarks(context);
  ImPlot::PopPlotClipRect();
  bool picked = false;
  if (ImPlot::IsPlotHovered()) {
    const Ps at = TimePlot::Point(context);
    const float x = ImGui::GetMousePos().x - std::floor(pos.x);
    const auto bin = static_cast<size_t>(std::clamp(x, 0.0f, std::max(0.0f, plot.x - 1)));
    if (bin < bins_.size() && bins_[bin] != kNoSnapshot) DrawTooltip(context, series, bins_[bin]);
    if (TimePlot::Clicked()) {
      *clicked = at;
      picked = true;
    }
  }
  plot_.End(context, "##memory");
  ChartMenu(context, "##memory", {"memory", top_left, {top_left.x + size.x, top_left.y + size.y}},
            [&] { return ToCsv(series); });
  return picked;
}

}  // namespace stepscope
