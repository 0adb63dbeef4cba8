#include "viewer/widgets/roofline_chart.h"

#include <fmt/format.h>
#include <imgui_internal.h>
#include <implot.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "viewer/widgets/draw_text.h"

namespace stepscope {
namespace {

struct Box {
  float left, top, right, bottom;
};

bool Meet(const Box& a, const Box& b) {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

// Lines never fall towards the right, so inside the box's width one is highest at its right end.
bool Meet(const Box& box, const RoofLine& line) {
  const float width = line.to.x - line.from.x;
  const float left = std::max(box.left, line.from.x), right = std::min(box.right, line.to.x);
  if (width <= 0 || left > right) return false;
  const auto height = [&](float x) {
    return line.from.y + (line.to.y - line.from.y) * (x - line.from.x) / width;
  };
  return height(right) < box.bottom && height(left) > box.top;
}

class Placer {
 public:
  Placer(std::span<const RoofLine> lines, ImVec2 min, ImVec2 max, float em,
         std::span<const RoofPoint> points)
      : lines_(lines), points_(points), min_(min), max_(max), em_(em) {}

  // At the right end above the line, else below it, else further to the left.
  RoofLabel Level(const RoofLine& line) {
    const float above = line.from.y - line.name.y - em_ * 0.1f, below = line.from.y + em_ * 0.2f;
    const float right = std::min(line.to.x, max_.x) - em_ * 0.5f - line.name.x;
    float x = right;
    while (x >= std::max(line.from.x, min_.x)) {
      if (const RoofLabel label = Try({x, above}, line.name); label.shown) return label;
      if (const RoofLabel label = Try({x, below}, line.name); label.shown) return label;
      x -= em_;
    }
    return {};
  }

  // Below the line or above it, from its middle outwards. On a point only where nothing else is
  // left, and across another line only then.
  RoofLabel Rising(const RoofLine& line) {
    for (const int allowed : {0, 1, 2}) {
      for (const float along : {0.55f, 0.45f, 0.65f, 0.35f, 0.75f, 0.25f, 0.85f, 0.15f, 0.05f}) {
        const ImVec2 p(line.from.x + (line.to.x - line.from.x) * along,
                       line.from.y + (line.to.y - line.from.y) * along);
        const ImVec2 below(p.x + em_, p.y + em_ * 0.2f);
        const ImVec2 above(p.x - em_ * 0.6f - line.name.x, p.y - em_ * 0.2f - line.name.y);
        for (const ImVec2 at : {below, above}) {
          if (allowed < 2 && CrossesLine(at, line.name)) continue;
          if (allowed < 1 && CoversPoint(at, line.name)) continue;
          if (const RoofLabel label = Try(at, line.name); label.shown) return label;
        }
      }
    }
    return {};
  }

 private:
  bool CoversPoint(ImVec2 at, ImVec2 size) const {
    return std::any_of(points_.begin(), points_.end(), [&](const RoofPoint& point) {
      return Meet(Box{at.x, at.y, at.x + size.x, at.y + size.y},
                  Box{point.at.x - point.radius, point.at.y - point.radius,
                      point.at.x + point.radius, point.at.y + point.radius});
    });
  }

  bool CrossesLine(ImVec2 at, ImVec2 size) const {
    const Box box{at.x, at.y, at.x + size.x, at.y + size.y};
    return std::any_of(lines_.begin(), lines_.end(),
                       [&](const RoofLine& line) { return Meet(box, line); });
  }

  RoofLabel Try(ImVec2 at, ImVec2 size) {
    const Box box{at.x, at.y, at.x + size.x, at.y + size.y};
    if (box.left < min_.x || box.top < min_.y || box.right > max_.x || box.bottom > max_.y)
      return {};
    if (std::any_of(taken_.begin(), taken_.end(), [&](const Box& b) { return Meet(b, box); }))
      return {};
    const float air = em_ * 0.6f;  // between two names of one line
    taken_.push_back({box.left - air, box.top, box.right + air, box.bottom});
    return {at, true};
  }

  const std::span<const RoofLine> lines_;
  const std::span<const RoofPoint> points_;
  const ImVec2 min_, max_;
  const float em_;
  std::vector<Box> taken_;
};

}  // namespace

std::vector<RoofLabel> PlaceRoofLabels(std::span<const RoofLine> lines, ImVec2 plot_min,
                                       ImVec2 plot_max, float em,
                                       std::span<const RoofPoint> points) {
  std::vector<RoofLabel> labels(lines.size());
  Placer placer(lines, plot_min, plot_max, std::max(em, 1.0f), points);
  std::vector<size_t> rising;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].from.y == lines[i].to.y)
      labels[i] = placer.Level(lines[i]);
    else
      rising.push_back(i);
  }
  // The shortest line has the fewest places for its name.
  std::stable_sort(rising.begin(), rising.end(), [&](size_t a, size_t b) {
    return lines[a].to.x - lines[a].from.x < lines[b].to.x - lines[b].from.x;
  });
  for (const size_t i : rising) labels[i] = placer.Rising(lines[i]);
  return labels;
}

namespace {

constexpr size_t kNamedGroups = 7;  // the legend has one entry more, for all others

constexpr size_t kKeptFree = 500;  // points that names of limits leave free

// A tick as "0.1", "100" or "10 k".
int FormatTick(double value, char* buffer, int size, void*) {
  const auto n = static_cast<size_t>(size);
  if (value >= 1e15) return std::snprintf(buffer, n, "%g P", value / 1e15);
  if (value >= 1e12) return std::snprintf(buffer, n, "%g T", value / 1e12);
  if (value >= 1e9) return std::snprintf(buffer, n, "%g G", value / 1e9);
  if (value >= 1e6) return std::snprintf(buffer, n, "%g M", value / 1e6);
  if (value >= 1e4) return std::snprintf(buffer, n, "%g k", value / 1e3);
  return std::snprintf(buffer, n, "%g", value);
}

// A tick of an axis whose values are GFLOP/s, in FLOP/s: "1 P".
int FormatFlops(double value, char* buffer, int size, void* data) {
  return FormatTick(value * 1e9, buffer, size, data);
}

// Gives points the groups with most time; the others share the last one. Sums have none.
void Group(std::vector<std::string> names, RooflineData* data) {
  std::map<std::string, double> times;
  for (size_t i = 0; i < names.size(); ++i)
    if (!data->points[i].ring) times[names[i]] += data->points[i].time;
  std::vector<std::pair<double, std::string>> order;
  order.reserve(times.size());
  for (const auto& [name, time] : times) order.emplace_back(-time, name);
  std::sort(order.begin(), order.end());
  std::map<std::string, uint32_t> places;
  for (const auto& [time, name] : order) {
    const auto place = static_cast<uint32_t>(std::min(places.size(), kNamedGroups));
    places[name] = place;
    if (place < kNamedGroups) data->groups.push_back(name);
  }
  if (order.size() > kNamedGroups) data->groups.emplace_back("others");
  for (size_t i = 0; i < names.size(); ++i)
    if (!data->points[i].ring) data->points[i].group = places[names[i]];
}

// The part of a limit's line that the plot shows; nullopt: none of it. A level line begins where
// the first memory stops to limit.
std::optional<RoofLine> LineOf(const Roof& roof, const RooflineData& data) {
  const ImPlotRect view = ImPlot::GetPlotLimits();
  if (roof.gb_per_s > 0) {
    const double from = std::max(view.X.Min, view.Y.Min / roof.gb_per_s);
    const double to =
        std::min({view.X.Max, view.Y.Max / roof.gb_per_s, roof.gflops / roof.gb_per_s});
    if (from >= to) return std::nullopt;
    return RoofLine{ImPlot::PlotToPixels(from, from * roof.gb_per_s),
                    ImPlot::PlotToPixels(to, to * roof.gb_per_s),
                    {}};
  }
  if (roof.gflops < view.Y.Min || roof.gflops > view.Y.Max) return std::nullopt;
  double from = view.X.Max;
  for (const Roof& other : data.roofs)
    if (other.gb_per_s > 0) from = std::min(from, roof.gflops / other.gb_per_s);
  if (from >= view.X.Max) from = view.X.Min;
  const ImVec2 a = ImPlot::PlotToPixels(std::max(from, view.X.Min), roof.gflops);
  return RoofLine{a, {ImPlot::GetPlotPos().x + ImPlot::GetPlotSize().x, a.y}, {}};
}

}  // namespace

RooflineData MakeRoofline(std::span<const GroupedPoint> points) {
  RooflineData data;
  std::vector<std::string> names;
  const auto known = [](double value) { return std::isfinite(value) && value > 0; };
  for (const auto& [point, group] : points) {
    if (!known(point.intensity) || !known(point.gflops)) {
      data.left_out += point.ring ? 0 : 1;
      continue;
    }
    data.points.push_back(point);
    names.emplace_back(point.ring ? std::string_view() : group);
  }
  Group(std::move(names), &data);
  std::stable_sort(data.points.begin(), data.points.end(),
                   [](const auto& a, const auto& b) { return a.time > b.time; });
  return data;
}

std::string ToCsv(const RooflineData& data) {
  std::string csv = "flop_per_byte,gflop_per_s,time,group\r\n";
  for (const RooflinePoint& p : data.points) {
    csv += RawValue(Value(p.intensity)) + "," + RawValue(Value(p.gflops)) + "," +
           RawValue(Value(p.time)) + "," + (p.ring ? "sum" : CsvField(data.groups[p.group])) +
           "\r\n";
  }
  return csv;
}

float RooflineChart::RadiusOf(const RooflinePoint& point) const {
  const float least = BaseEm() * 0.24f, most = BaseEm() * 1.1f;
  if (point.ring || most_time_ <= 0) return BaseEm() * 0.4f;
  return least + (most - least) * static_cast<float>(std::sqrt(point.time / most_time_));
}

bool RooflineChart::Shown(const RooflinePoint& point) const {
  return state_.Shown(point.ring ? legend_.size() - 1 : point.group);
}

// Colours of groups, and the part of the plane that holds all points and ridge points.
void RooflineChart::Prepare(const PanelContext& context, const RooflineData& data, uint64_t key) {
  const Rgba panel = context.theme[Role::kPanel];
  if (key == key_ && panel == panel_) return;
  fit_ = fit_ || key != key_;
  key_ = key;
  panel_ = panel;
  legend_.clear();
  for (const std::string& group : data.groups) {
    const bool others = group == "others" && legend_.size() == kNamedGroups;
    legend_.push_back({group.empty() ? "(none)" : group,
                       others ? context.theme[Kind::kOther] : context.theme.NameColor(group),
                       {}});
  }
  if (std::any_of(data.points.begin(), data.points.end(), [](const auto& p) { return p.ring; }))
    legend_.push_back({data.sums, context.theme[Role::kText], {}});
  most_time_ = 0;
  double low_x = 1e300, high_x = 0, low_y = 1e300, high_y = 0;
  for (const RooflinePoint& p : data.points) {
    if (!p.ring) most_time_ = std::max(most_time_, p.time);
    low_x = std::min(low_x, p.intensity), high_x = std::max(high_x, p.intensity);
    low_y = std::min(low_y, p.gflops), high_y = std::max(high_y, p.gflops);
  }
  for (const Roof& roof : data.roofs) {
    high_y = std::max(high_y, roof.gflops);
    if (roof.gb_per_s > 0) high_x = std::max(high_x, roof.gflops / roof.gb_per_s * 4);
  }
  if (high_x <= 0) low_x = 0.1, high_x = 1000;
  if (high_y <= 0 || low_y > high_y) low_y = 1, high_y = std::max(high_y, 1000.0);
  x_min_ = low_x / 3, x_max_ = high_x * 3;
  y_min_ = low_y / 3, y_max_ = high_y * 3;
}

// The lines first and their names last: points lie between them.
void RooflineChart::DrawRoofs(const PanelContext& context, const RooflineData& data,
                              const std::function<void()>& draw_points) const {
  ImDrawList* list = ImPlot::GetPlotDrawList();
  const ImVec2 min = ImPlot::GetPlotPos(), size = ImPlot::GetPlotSize();
  const Rgba color = context.theme[Role::kText2];
  std::vector<RoofLine> lines;
  std::vector<const Roof*> roofs;
  for (const Roof& roof : data.roofs) {
    std::optional<RoofLine> line = LineOf(roof, data);
    if (!line) continue;
    line->name = ImGui::CalcTextSize(roof.label.c_str());
    list->AddLine(line->from, line->to, color, 1.5f);
    if (roof.gb_per_s > 0) list->AddCircleFilled(line->to, BaseEm() * 0.2f, color);
    lines.push_back(*line);
    roofs.push_back(&roof);
  }
  std::vector<RoofPoint> points;  // the largest come first
  for (const RooflinePoint& p : data.points) {
    if (points.size() == kKeptFree) break;
    if (Shown(p)) points.push_back({ImPlot::PlotToPixels(p.intensity, p.gflops), RadiusOf(p)});
  }
  const std::vector<RoofLabel> labels =
      PlaceRoofLabels(lines, min, ImVec2(min.x + size.x, min.y + size.y), Em(), points);
  draw_points();
  const float around = Em() * 0.2f;
  for (size_t i = 0; i < labels.size(); ++i) {
    if (!labels[i].shown) continue;
    const ImVec2 at = labels[i].at, name = lines[i].name;
    list->AddRectFilled({at.x - around, at.y}, {at.x + name.x + around, at.y + name.y},
                        WithAlpha(context.theme[Role::kPanel], 0.75f), around);
    list->AddText(at, color, roofs[i]->label.c_str());
  }
}

void RooflineChart::DrawPoints(const PanelContext& context, const RooflineData& data, int chosen,
                               const std::vector<bool>& shown) const {
  ImDrawList* list = ImPlot::GetPlotDrawList();
  for (const RooflinePoint& p : data.points) {  // large ones first, so that small ones lie on top
    if (!Shown(p)) continue;
    const ImVec2 at = ImPlot::PlotToPixels(p.intensity, p.gflops);
    const bool dim = !shown.empty() && p.row < shown.size() && !shown[p.row];
    const Rgba color = p.ring ? context.theme[Role::kText] : legend_[p.group].color;
    const float radius = RadiusOf(p);
    if (p.ring) {
      list->AddCircle(at, radius, WithAlpha(color, dim ? 0.25f : 0.9f), 0, 1.5f);
    } else {
      list->AddCircleFilled(at, radius, WithAlpha(color, dim ? 0.15f : 0.75f));
      list->AddCircle(at, radius, WithAlpha(context.theme[Role::kPanel], dim ? 0.3f : 0.9f));
    }
    if (chosen == static_cast<int>(p.row))
      list->AddCircle(at, radius + 3, context.theme[Role::kAccent], 0, 2.0f);
  }
}

int RooflineChart::Hit(const RooflineData& data) const {
  const ImVec2 mouse = ImGui::GetMousePos();
  int best = -1;
  for (size_t i = 0; i < data.points.size(); ++i) {
    const RooflinePoint& p = data.points[i];
    if (!Shown(p)) continue;
    const ImVec2 at = ImPlot::PlotToPixels(p.intensity, p.gflops);
    const float beyond = std::hypot(at.x - mouse.x, at.y - mouse.y) - std::max(RadiusOf(p), 4.0f);
    if (beyond <= 0) best = static_cast<int>(i);  // the last drawn lies on top
  }
  return best;
}

int RooflineChart::Draw(const PanelContext& context, const RooflineData& data, uint64_t key,
                        int chosen, const std::vector<bool>& shown,
                        const std::function<std::string(uint32_t)>& tooltip, ImVec2 size) {
  const ImVec2 top = ImGui::GetCursorScreenPos();
  const float top_y = ImGui::GetCursorPosY();
  Prepare(context, data, key);
  DrawLegend(context, legend_, &state_, false);
  size.y = std::max(size.y - (ImGui::GetCursorPosY() - top_y), BaseEm() * 8);
  const FaceScope mono(context, Face::kMono, TypeSize::kSlice);
  constexpr ImPlotFlags kFlags = ImPlotFlags_NoLegend | ImPlotFlags_NoMouseText |
                                 ImPlotFlags_NoMenus | ImPlotFlags_NoTitle |
                                 ImPlotFlags_NoBoxSelect;
  if (!ImPlot::BeginPlot("##roofline", size, kFlags)) return -1;
  ImPlot::SetupAxis(ImAxis_X1, "operations per byte (FLOP/byte)", ImPlotAxisFlags_NoTickMarks);
  ImPlot::SetupAxis(ImAxis_Y1, "FLOP/s", ImPlotAxisFlags_NoTickMarks);
  ImPlot::SetupAxisScale(ImAxis_X1, ImPlotScale_Log10);
  ImPlot::SetupAxisScale(ImAxis_Y1, ImPlotScale_Log10);
  ImPlot::SetupAxisFormat(ImAxis_X1, FormatTick);
  ImPlot::SetupAxisFormat(ImAxis_Y1, FormatFlops);
  const ImPlotCond when = std::exchange(fit_, false) ? ImPlotCond_Always : ImPlotCond_Once;
  ImPlot::SetupAxisLimits(ImAxis_X1, x_min_, x_max_, when);
  ImPlot::SetupAxisLimits(ImAxis_Y1, y_min_, y_max_, when);
  ImPlot::SetupFinish();
  ImPlot::PushPlotClipRect();
  DrawRoofs(context, data, [&] { DrawPoints(context, data, chosen, shown); });
  ImPlot::PopPlotClipRect();
  int clicked = -1;
  bool menu = false;
  if (ImPlot::IsPlotHovered()) {
    const int hit = Hit(data);
    const bool dragged = ImGui::IsMouseDragPastThreshold(ImGuiMouseButton_Left);
    if (hit >= 0) {
      const uint32_t row = data.points[static_cast<size_t>(hit)].row;
      WrappedTooltip(tooltip(row));
      if (ImGui::IsMouseReleased(ImGuiMouseButton_Left) && !dragged)
        clicked = static_cast<int>(row);
    }
    if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left) && hit < 0) fit_ = true;
    menu = ImGui::IsMouseReleased(ImGuiMouseButton_Right) &&
           !ImGui::IsMouseDragPastThreshold(ImGuiMouseButton_Right);
  }
  ImPlot::EndPlot();
  if (menu) OpenChartMenu("##roofline");
  const ChartBox box{"roofline", top, {top.x + size.x, ImGui::GetItemRectMax().y}};
  ChartMenu(context, "##roofline", box, [&] { return ToCsv(data); });
  return clicked;
}

}  // namespace stepscope
