// Stacked bars over steps.
#include <imgui.h>
#include <imgui_internal.h>
#include <implot.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

#include "model/analysis/intervals/step_number.h"
#include "viewer/widgets/chart.h"
#include "viewer/widgets/draw_text.h"

namespace stepscope {
namespace {

constexpr double kEdge = 0.6;  // air left and right, in steps

struct Bucket {  // neighbouring steps that share a pixel are drawn as the longest of them
  size_t first, last, longest;
};

std::vector<Bucket> BucketsOf(const StepBars& bars, const ChartState& state, size_t first,
                              size_t last, size_t per_bucket) {
  std::vector<Bucket> buckets;
  for (size_t i = first; i < last; i += per_bucket) {
    Bucket b{i, std::min(i + per_bucket, last), i};
    double best = -1;
    for (size_t s = b.first; s < b.last; ++s) {
      const double total = bars.TotalOf(s, state);
      if (total > best) best = total, b.longest = s;
    }
    buckets.push_back(b);
  }
  return buckets;
}

int FormatStep(double value, char* buffer, int size, void* data) {
  const auto& labels = *static_cast<const std::vector<std::string>*>(data);
  const double nearest = std::round(value);
  if (std::fabs(value - nearest) > 1e-6 || nearest < 0 ||
      nearest >= static_cast<double>(labels.size())) {
    buffer[0] = 0;
    return 0;
  }
  // The number alone where it ends the label: "train 12" -> "12"; the tooltip has it whole.
  const std::string& label = labels[static_cast<size_t>(nearest)];
  const std::string_view digits = LastDigits(label);
  return std::snprintf(buffer, static_cast<size_t>(size), "%s",
                       digits.empty() ? label.c_str() : digits.data());
}

// Names the groups below their middles, fewer of them where there is no room for all. Where few
// steps are in view, these have their numbers. Returns whether the groups are named.
bool NameGroups(const StepBars& bars, const ChartState& state, float width) {
  constexpr double kFewSteps = 12;
  if (bars.groups.size() < 2 || state.x_max - state.x_min < kFewSteps) return false;
  std::vector<double> middles;
  std::vector<const char*> labels;
  float widest = 0;
  double least = state.x_max - state.x_min;  // steps of a group
  for (size_t g = 0; g < bars.groups.size(); ++g) {
    const auto first = static_cast<double>(bars.groups[g].first);
    const auto end = static_cast<double>(g + 1 < bars.groups.size() ? bars.groups[g + 1].first
                                                                    : bars.labels.size());
    widest = std::max(widest, TextWidth(bars.groups[g].label));
    least = std::min(least, end - first);
    middles.push_back((first + end - 1) / 2);
    labels.push_back(bars.groups[g].label.c_str());
  }
  const double room = static_cast<double>(width) * least / (state.x_max - state.x_min);
  const double wanted = static_cast<double>(widest + Em());
  const auto every = static_cast<size_t>(std::ceil(wanted / std::max(room, 1.0)));
  std::vector<double> at;
  std::vector<const char*> names;
  for (size_t g = 0; g < middles.size(); g += std::max<size_t>(1, every)) {
    at.push_back(middles[g]);
    names.push_back(labels[g]);
  }
  ImPlot::SetupAxisTicks(ImAxis_X1, at.data(), static_cast<int>(at.size()), names.data());
  return true;
}

void DrawGroupLines(const PanelContext& context, ImDrawList* list, const StepBars& bars) {
  const float top = ImPlot::GetPlotPos().y, bottom = top + ImPlot::GetPlotSize().y;
  for (size_t g = 1; g < bars.groups.size(); ++g) {
    const double at = static_cast<double>(bars.groups[g].first) - 0.5;
    const float x = std::floor(ImPlot::PlotToPixels(at, 0).x);
    list->AddLine(ImVec2(x, top), ImVec2(x, bottom), context.theme[Role::kLine]);
  }
}

void BarTooltip(const PanelContext& context, const StepBars& bars, const ChartState& state,
                size_t step) {
  if (!ImGui::BeginTooltip()) return;
  {
    const FaceScope bold(context, Face::kBold);
    ImGui::TextUnformatted(bars.labels[step].c_str());
  }
  if (const std::string_view group = bars.GroupOf(step); !group.empty())
    TextIn(context, Role::kText2, std::string(group));
  if (step < bars.notes.size() && !bars.notes[step].empty())
    TextIn(context, Role::kWarning, bars.notes[step]);
  const float start = ImGui::GetCursorPosX();
  const auto line = [&](Rgba color, const char* label, double value) {
    const ImVec2 p = ImGui::GetCursorScreenPos();
    const float chip = std::floor(Em() * 0.65f);
    if (color != 0)
      DrawBox(ImGui::GetWindowDrawList(), p.x, p.y + Em() * 0.25f, chip, chip, color, 2);
    ImGui::SetCursorPosX(start + Em() * 1.2f);
    ImGui::TextUnformatted(label);
    ImGui::SameLine(start + Em() * 12);
    const FaceScope mono(context, Face::kMono);
    ImGui::Text("%10.3f %s", value, bars.unit);
  };
  for (size_t i = bars.series.size(); i-- > 0;) {
    const ChartSeries& s = bars.series[i];
    if (state.Shown(i) && step < s.values.size() && s.values[step] > 0)
      line(s.color, s.label.c_str(), s.values[step]);
  }
  line(0, "Step", bars.TotalOf(step, state));
  TextIn(context, Role::kText3, "Click shows it on the timeline");
  ImGui::EndTooltip();
}

// Draws parts of bars. Neighbours that are equally high become one box: a thousand steps are some
// hundred boxes less, of a few pixels each. Draws the last ones when it goes.
class BarParts {
 public:
  BarParts(ImDrawList* list, size_t series) : list_(list), open_(series) {}
  ~BarParts() { Flush(); }
  BarParts(const BarParts&) = delete;
  BarParts& operator=(const BarParts&) = delete;

  void Add(size_t series, ImVec2 min, ImVec2 max, Rgba color) {
    if (min.y >= max.y) return;
    Part& open = open_[series];
    if (open.color == color && open.max.x == min.x && open.min.y == min.y && open.max.y == max.y) {
      open.max.x = max.x;
      return;
    }
    Draw(open);
    open = {min, max, color};
  }
  void Flush() {
    for (Part& part : open_) Draw(std::exchange(part, {}));
  }

 private:
  struct Part {
    ImVec2 min, max;
    Rgba color = 0;
  };
  void Draw(const Part& part) {
    if (part.max.x > part.min.x) list_->AddRectFilled(part.min, part.max, part.color);
  }
  ImDrawList* list_;
  std::vector<Part> open_;  // by series
};

// Draws one bar from the bottom up. Partial and inferred steps are paler.
void DrawBar(const PanelContext& context, ImDrawList* list, const StepBars& bars,
             const ChartState& state, const Bucket& b, float left, float right, bool hovered,
             BarParts* parts) {
  const size_t step = b.longest;
  const bool pale = step < bars.notes.size() && !bars.notes[step].empty();
  double sum = 0;
  for (size_t i = 0; i < bars.series.size(); ++i) {
    const ChartSeries& s = bars.series[i];
    if (!state.Shown(i) || step >= s.values.size() || s.values[step] <= 0) continue;
    const float y0 = ImPlot::PlotToPixels(0, sum).y;
    sum += s.values[step];
    const float y1 = ImPlot::PlotToPixels(0, sum).y;
    const Rgba color = pale ? WithAlpha(s.color, 0.55f) : s.color;
    parts->Add(i, ImVec2(left, std::floor(y1)), ImVec2(right, std::floor(y0)), color);
  }
  if (hovered) {
    parts->Flush();
    const float top = std::floor(ImPlot::PlotToPixels(0, sum).y),
                base = std::floor(ImPlot::PlotToPixels(0, 0).y);
    list->AddRect(ImVec2(left - 1, top - 1), ImVec2(right + 1, base + 1),
                  context.theme[Role::kText]);
  }
}

double TallestIn(const StepBars& bars, const ChartState& state, size_t first, size_t last) {
  double most = 0;
  for (size_t s = first; s < last; ++s) most = std::max(most, bars.TotalOf(s, state));
  return most;
}

// The tallest bar between two places of the plot.
double TallestBetween(const StepBars& bars, const ChartState& state, float left, float right) {
  const auto n = static_cast<double>(bars.labels.size());
  const auto at = [n](float x) { return std::clamp(ImPlot::PixelsToPlot(x, 0).x + 0.5, 0.0, n); };
  return TallestIn(bars, state, static_cast<size_t>(at(left)),
                   static_cast<size_t>(std::ceil(at(right))));
}

void DrawReference(const PanelContext& context, ImDrawList* list, const StepBars& bars,
                   const ChartState& state) {
  const ImVec2 pos = ImPlot::GetPlotPos(), size = ImPlot::GetPlotSize();
  const float y = std::floor(ImPlot::PlotToPixels(0, bars.reference).y);
  const Rgba color = WithAlpha(context.theme[Role::kText], 0.7f);
  for (int i = 0; i < static_cast<int>(size.x / 8); ++i) {
    const float x = pos.x + static_cast<float>(i * 8);
    list->AddLine(ImVec2(x, y), ImVec2(x + 4, y), color);
  }
  // The label stands where fewer bars exceed the average, with a background if some do.
  const float line = ImGui::GetTextLineHeight(), width = TextWidth(bars.reference_label);
  const double at_left = TallestBetween(bars, state, pos.x, pos.x + width + 12);
  const double at_right = TallestBetween(bars, state, pos.x + size.x - width - 12, pos.x + size.x);
  const bool left = at_right > bars.reference && at_left < at_right;
  const float right = left ? pos.x + width + 8 : pos.x + size.x - 4;
  const float top = y - line - 2 >= pos.y ? y - line - 2 : y + 3;
  DrawBox(list, right - width - 4, top, width + 8, line + 1,
          WithAlpha(context.theme[Role::kPanel], 0.85f), 2);
  DrawRight(list, right, top, context.theme[Role::kText], bars.reference_label);
}

}  // namespace

int DrawStepBars(const PanelContext& context, const char* id, const StepBars& bars, uint64_t key,
                 ChartState* state, ImVec2 size) {
  const auto n = static_cast<double>(bars.labels.size());
  if (bars.labels.empty()) return -1;
  if (state->key != key || state->x_max <= state->x_min) {
    state->key = key;
    state->x_min = -kEdge;
    state->x_max = n - 1 + kEdge;
  }
  const auto clamp_index = [&](double x) { return static_cast<size_t>(std::clamp(x, 0.0, n)); };
  const size_t first = clamp_index(std::floor(state->x_min)),
               last = clamp_index(std::ceil(state->x_max) + 1);
  // Above the bars is room for the reference's label.
  const float label = ImGui::GetTextLineHeight() * 1.4f;
  const double air = std::max(1.12, 1 / (1 - std::min(0.4, static_cast<double>(label / size.y))));
  const double top = std::max({TallestIn(bars, *state, first, last), bars.reference, 1e-9}) * air;
  const FaceScope mono(context, Face::kMono, TypeSize::kSlice);
  int clicked = -1;
  constexpr ImPlotFlags kFlags = ImPlotFlags_NoLegend | ImPlotFlags_NoMouseText |
                                 ImPlotFlags_NoMenus | ImPlotFlags_NoTitle |
                                 ImPlotFlags_NoBoxSelect;
  const ImVec2 p = ImGui::GetCursorScreenPos();
  if (!ImPlot::BeginPlot(id, size, kFlags)) return -1;
  ImPlot::SetupAxes(nullptr, nullptr, ImPlotAxisFlags_NoGridLines | ImPlotAxisFlags_NoTickMarks,
                    ImPlotAxisFlags_NoTickMarks | ImPlotAxisFlags_Lock);
  ImPlot::SetupAxisLinks(ImAxis_X1, &state->x_min, &state->x_max);
  ImPlot::SetupAxisLimitsConstraints(ImAxis_X1, -kEdge, n - 1 + kEdge);
  if (!NameGroups(bars, *state, size.x)) {
    ImPlot::SetupAxisFormat(ImAxis_X1, FormatStep,
                            const_cast<std::vector<std::string>*>(&bars.labels));
  }
  ImPlot::SetupAxisLimits(ImAxis_Y1, 0, top, ImPlotCond_Always);
  ImPlot::SetupFinish();
  const float step_px = ImPlot::PlotToPixels(1, 0).x - ImPlot::PlotToPixels(0, 0).x;
  const auto per_bucket =
      static_cast<size_t>(std::max(1.0f, std::ceil(2.0f / std::max(step_px, 1e-6f))));
  const bool hovered = ImPlot::IsPlotHovered();
  const double mouse = ImPlot::GetPlotMousePos().x;
  ImDrawList* list = ImPlot::GetPlotDrawList();
  ImPlot::PushPlotClipRect();
  DrawGroupLines(context, list, bars);
  int under = -1;
  BarParts parts(list, bars.series.size());
  for (const Bucket& b : BucketsOf(bars, *state, first, last, per_bucket)) {
    const auto from = static_cast<double>(b.first), to = static_cast<double>(b.last - 1);
    const bool over = hovered && mouse >= from - 0.5 && mouse < to + 0.5;
    if (over) under = static_cast<int>(b.longest);
    const double half = per_bucket > 1 ? 0.5 : std::min(0.36, 40.0 / std::max(1.0f, step_px));
    const float left = std::floor(ImPlot::PlotToPixels(from - half, 0).x);
    const float right = std::max(left + 1, std::floor(ImPlot::PlotToPixels(to + half, 0).x));
    DrawBar(context, list, bars, *state, b, left, right, over && per_bucket == 1, &parts);
  }
  parts.Flush();
  if (bars.reference > 0) DrawReference(context, list, bars, *state);
  ImPlot::PopPlotClipRect();
  if (under >= 0) {
    BarTooltip(context, bars, *state, static_cast<size_t>(under));
    if (ImGui::IsMouseReleased(ImGuiMouseButton_Left) &&
        !ImGui::IsMouseDragPastThreshold(ImGuiMouseButton_Left)) {
      clicked = under;
    }
  }
  if (hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left))
    state->x_max = state->x_min;  // everything
  const bool open_menu = hovered && ImGui::IsMouseReleased(ImGuiMouseButton_Right) &&
                         !ImGui::IsMouseDragPastThreshold(ImGuiMouseButton_Right);
  ImPlot::EndPlot();
  if (open_menu) OpenChartMenu(id);
  ChartMenu(
      context, id, {bars.title, p, {p.x + size.x, p.y + size.y}}, [&] { return ToCsv(bars); },
      [&] { return ToSvg(bars, *state, context.theme[Role::kText], context.theme[Role::kPanel]); });
  return clicked;
}

}  // namespace stepscope
