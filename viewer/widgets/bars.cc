#include "viewer/widgets/bars.h"

#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "model/base/digits.h"
#include "model/base/svg_writer.h"
#include "viewer/widgets/chart.h"
#include "viewer/widgets/draw.h"
#include "viewer/widgets/draw_text.h"

namespace stepscope {
namespace {

constexpr size_t kLeastBins = 12;

uint64_t AddTo(DurationHistogram* histogram, const Profile& profile, const RowLink& link) {
  if (link.set >= profile.sets()) return 0;
  const TrackSet& set = profile.Set(link.set);
  uint64_t count = 0;
  for (const EventRow row : link.rows) {
    if (row.value >= set.rows) continue;
    ++histogram->counts[DurationHistogram::BinOf(set.Duration(row))];
    ++count;
  }
  return count;
}

double Share(uint64_t part, uint64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

// The bins from the first to the last one in which either profile has events.
struct Bins {
  size_t first = 0, end = DurationHistogram::kBins;
  double most = 0;  // the largest share of a bin
  explicit Bins(const ComparedDurations& d) {
    const auto none = [&](size_t i) { return d.a.counts[i] == 0 && d.b.counts[i] == 0; };
    while (first < end && none(first)) ++first;
    while (end > first && none(end - 1)) --end;
    for (size_t i = first; i < end; ++i)
      most = std::max({most, Share(d.a.counts[i], d.count_a), Share(d.b.counts[i], d.count_b)});
  }
  size_t shown() const { return std::max(kLeastBins, end - first); }
};

void Tooltip(const ComparedDurations& d, size_t bin) {
  const auto side = [&](const char* name, uint64_t n, uint64_t of) {
    return "\n" + std::string(name) + ": " + Counted(n, "events") + ", " +
           PercentText(100 * Share(n, of), 1);
  };
  WrappedTooltip(DurationLimit(bin) + " to " + DurationLimit(bin + 1) +
                 side("A", d.a.counts[bin], d.count_a) + side("B", d.b.counts[bin], d.count_b));
}

}  // namespace

ComparedDurations CompareDurations(const Profile& run_a, const RowLink& a, const Profile& run_b,
                                   const RowLink& b) {
  ComparedDurations out;
  out.count_a = AddTo(&out.a, run_a, a);
  out.count_b = AddTo(&out.b, run_b, b);
  out.all_a = std::max(out.count_a, a.total);
  out.all_b = std::max(out.count_b, b.total);
  return out;
}

void DrawComparedBars(const PanelContext& context, const ComparedDurations& d, ImVec2 size) {
  const Bins bins(d);
  if (bins.first == bins.end) return;
  const ImVec2 p = ImGui::GetCursorScreenPos();
  const float text = ImGui::GetTextLineHeight(), height = std::max(8.0f, size.y - text - 4);
  ImGui::InvisibleButton("##compared", size);
  const bool hovered = ImGui::IsItemHovered();
  const float mouse = ImGui::GetIO().MousePos.x;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float step = size.x / static_cast<float>(bins.shown());
  const auto top = [&](double share) {
    return p.y + height - std::floor(height * static_cast<float>(share / bins.most));
  };
  float before = p.y + height;
  for (size_t i = bins.first; i < bins.end; ++i) {
    const float x = std::floor(p.x + step * static_cast<float>(i - bins.first));
    const float right = std::floor(p.x + step * static_cast<float>(i - bins.first + 1));
    const bool over = hovered && mouse >= x && mouse < right;
    if (over) {
      DrawBox(list, x, p.y, right - x, height, context.theme[Role::kHover]);
      Tooltip(d, i);
    }
    const float b = top(Share(d.b.counts[i], d.count_b));
    if (d.b.counts[i] > 0)
      DrawBox(list, x, std::min(b, p.y + height - 2), std::max(1.0f, right - x - 1),
              std::max(2.0f, p.y + height - b), context.theme.Alpha(Role::kAccent, 0.75f));
    const float a = top(Share(d.a.counts[i], d.count_a));
    const Rgba line = context.theme[Role::kText];
    list->AddLine({x, before}, {x, a}, line, 1.5f);
    list->AddLine({x, a}, {right, a}, line, 1.5f);
    before = a;
  }
  DrawDurationAxis(context, {p.x, p.y + height}, size.x,
                   step * static_cast<float>(bins.end - bins.first), {bins.first, bins.end});
}

namespace {

// The bins from the first to the last one with events.
std::pair<size_t, size_t> Used(const DurationHistogram& h) {
  size_t first = 0, end = DurationHistogram::kBins;
  while (first < end && h.counts[first] == 0) ++first;
  while (end > first && h.counts[end - 1] == 0) --end;
  return {first, end};
}

// A triangle that stands on the bar.
void Mark(ImDrawList* list, float x, float top, Rgba color) {
  const float r = std::floor(BaseEm() / 4), tip = top - 2;
  list->AddTriangleFilled({x - r, tip - r * 1.5f}, {x + r, tip - r * 1.5f}, {x, tip}, color);
}

}  // namespace

std::string DurationLimit(size_t bin) {
  return WithoutZeros(FormatDuration(DurationHistogram::BinBegin(bin), 3));
}

void DrawDurationAxis(const PanelContext& context, ImVec2 base, float width, float used,
                      std::pair<size_t, size_t> bins) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddLine(base, {base.x + width, base.y}, context.theme[Role::kLine]);
  const FaceScope small(context, Face::kMono, TypeSize::kSlice);
  const std::string first = DurationLimit(bins.first), last = DurationLimit(bins.second);
  list->AddText({base.x, base.y + 2}, context.theme[Role::kText3], first.c_str());
  if (used - TextWidth(last) > TextWidth(first) + 12)
    DrawRight(list, base.x + used, base.y + 2, context.theme[Role::kText3], last);
}

void DrawDurationBars(const PanelContext& context, const DurationHistogram& histogram, ImVec2 size,
                      std::optional<Ps> marked) {
  constexpr size_t kLeastBins = 12;  // keeps the bar of a single duration narrow
  const auto [first, end] = Used(histogram);
  if (first == end) return;
  const size_t bins = std::max(kLeastBins, end - first);
  const uint64_t most = *std::max_element(histogram.counts.begin(), histogram.counts.end());
  const ImVec2 p = ImGui::GetCursorScreenPos();
  const float text = ImGui::GetTextLineHeight(), above = marked ? BaseEm() / 2 : 0;
  const float height = std::max(8.0f, size.y - text - 4);
  ImGui::InvisibleButton("##durations", size);
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float step = size.x / static_cast<float>(bins);
  const size_t own = marked ? DurationHistogram::BinOf(*marked) : DurationHistogram::kBins;
  for (size_t b = first; b < end; ++b) {
    if (histogram.counts[b] == 0) continue;
    const float x = p.x + step * static_cast<float>(b - first);
    const double share = static_cast<double>(histogram.counts[b]) / static_cast<double>(most);
    const float bar = std::max(2.0f, std::floor((height - above) * static_cast<float>(share)));
    const bool over = ImGui::IsItemHovered() && ImGui::GetIO().MousePos.x >= x &&
                      ImGui::GetIO().MousePos.x < x + step;
    DrawBox(list, std::floor(x), p.y + height - bar, std::max(1.0f, std::floor(step) - 1), bar,
            context.theme[over                  ? Role::kText
                          : !marked || b == own ? Role::kAccent
                                                : Role::kText3]);
    if (b == own) Mark(list, x + step / 2, p.y + height - bar, context.theme[Role::kText]);
    if (over) {
      WrappedTooltip(DurationLimit(b) + " to " + DurationLimit(b + 1) + ": " +
                     Counted(histogram.counts[b], "events"));
    }
  }
  DrawDurationAxis(context, {p.x, p.y + height}, size.x, step * static_cast<float>(end - first),
                   {first, end});
}

namespace {

using compare::Waterfall;
using compare::WaterfallBar;

float BarRowHeight() { return std::floor(ImGui::GetTextLineHeight() * 1.4f); }

const std::string& BarLabel(const WaterfallBar& bar) {
  return bar.shown.empty() ? bar.label : bar.shown;
}

// One unit for all bars, and as many decimals as the largest change needs.
NumberFormat FormatOf(const Waterfall& waterfall) {
  double most = 0, change = 0;
  for (const WaterfallBar& bar : waterfall.bars) {
    most = std::max(most, std::abs(static_cast<double>(bar.to)));
    if (!bar.total()) change = std::max(change, std::abs(static_cast<double>(bar.change())));
  }
  constexpr int kDigits = 3, kMostDecimals = 6;
  constexpr double kMs = static_cast<double>(kPsPerMs);  // the unit of the tables beside the chart
  const bool time = waterfall.unit == Unit::kPs;
  NumberFormat format = time ? FormatFor(Unit::kMs, ValueType::kReal, most / kMs)
                             : FormatFor(waterfall.unit, ValueType::kReal, most);
  if (time) format.scale /= kMs;
  format.decimals = 1;
  if (change > 0) {
    const auto before = static_cast<int>(std::floor(std::log10(change * format.scale))) + 1;
    format.decimals = std::clamp(kDigits - before, 0, kMostDecimals);
  }
  return format;
}

class Chart {
 public:
  Chart(const PanelContext& context, const Waterfall& waterfall);
  // Draws the row at the cursor; returns true if it was clicked.
  bool Row(const WaterfallBar& bar, bool marked, bool last);

 private:
  float X(int64_t level) const;
  Rgba ColorOf(const WaterfallBar& bar) const;
  std::string NumberOf(const WaterfallBar& bar) const;
  void DrawBar(const WaterfallBar& bar, float y, bool last) const;
  void Tooltip(const WaterfallBar& bar) const;

  const PanelContext& context_;
  const Waterfall& waterfall_;
  const NumberFormat format_;
  const float left_, width_, row_;
  float bars_ = 0, end_ = 0;  // where the bars begin and end
};

Chart::Chart(const PanelContext& context, const Waterfall& waterfall)
    : context_(context),
      waterfall_(waterfall),
      format_(FormatOf(waterfall)),
      left_(ImGui::GetCursorScreenPos().x),
      width_(std::max(1.0f, ImGui::GetContentRegionAvail().x)),
      row_(BarRowHeight()) {
  float label = 0, number = 0;
  for (const WaterfallBar& bar : waterfall.bars) {
    label = std::max(label, TextWidth(BarLabel(bar)));
    const FaceScope mono(context, Face::kMono);
    number = std::max(number, TextWidth(NumberOf(bar)));
  }
  const float air = BaseEm() * 0.6f;
  bars_ = std::ceil(left_ + std::min(label, width_ * 0.4f) + 2 * air) + 1;
  end_ = std::max(bars_ + 1, std::floor(left_ + width_ - number - 2 * air));
}

float Chart::X(int64_t level) const {
  const auto low = static_cast<double>(waterfall_.low), high = static_cast<double>(waterfall_.high);
  const double share = (static_cast<double>(level) - low) / (high - low);
  return std::floor(bars_ + static_cast<float>(std::clamp(share, 0.0, 1.0)) * (end_ - bars_));
}

Rgba Chart::ColorOf(const WaterfallBar& bar) const {
  if (bar.total()) return context_.theme[Kind::kOther];
  if (bar.kind == WaterfallBar::Kind::kRest) return context_.theme[Role::kText3];
  return context_.theme[bar.change() > 0 ? Role::kSlower : Role::kFaster];
}

std::string Chart::NumberOf(const WaterfallBar& bar) const {
  const int64_t value = bar.total() ? bar.to : bar.change();
  return (!bar.total() && value > 0 ? "+" : "") + NumberText(static_cast<double>(value), format_) +
         " " + format_.header;
}

void Chart::DrawBar(const WaterfallBar& bar, float y, bool last) const {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float from = X(bar.total() ? waterfall_.low : bar.from), to = X(bar.to);
  const float high = std::floor(row_ * 0.6f), top = y + std::floor((row_ - high) * 0.5f);
  DrawBox(list, std::min(from, to), top, std::max(1.0f, std::abs(to - from)), high, ColorOf(bar));
  if (bar.total() && waterfall_.low > 0) {  // a gap says that the bar begins further left
    const float x = bars_ + high * 0.5f;
    list->AddLine({x, top + high}, {x + high * 0.5f, top}, context_.theme[Role::kPanel], 3);
  }
  if (!last) list->AddLine({to, top + high}, {to, top + row_}, context_.theme[Role::kText3]);
}

void Chart::Tooltip(const WaterfallBar& bar) const {
  const auto total = [&](int64_t value) { return compare::TotalText(value, waterfall_.unit); };
  std::string text = bar.label + "\n";
  if (bar.total()) {
    text += total(bar.to);
    if (waterfall_.unit == Unit::kPs) text += ", the median";
  } else {
    text += compare::ChangeText(bar.change(), waterfall_.unit) + ": from " + total(bar.from) +
            " to " + total(bar.to);
  }
  if (bar.kind == WaterfallBar::Kind::kRest)
    text += "\nChanges too small to list, and what medians and means differ by.";
  if (waterfall_.low > 0) text += "\nThe axis begins at " + total(waterfall_.low) + ".";
  if (bar.rows > 0) text += "\nClick: show its events in both profiles";
  WrappedTooltip(text);
}

bool Chart::Row(const WaterfallBar& bar, bool marked, bool last) {
  const ImVec2 p = ImGui::GetCursorScreenPos();
  const bool clicked = ImGui::InvisibleButton("bar", {width_, row_});
  const bool hovered = ImGui::IsItemHovered();
  ImDrawList* list = ImGui::GetWindowDrawList();
  if (hovered || marked) {
    const Role role = marked ? Role::kAccentBg : Role::kHover;
    DrawBox(list, p.x, p.y, width_, row_, context_.theme[role], 2);
  }
  const float y = p.y + std::floor((row_ - ImGui::GetTextLineHeight()) * 0.5f);
  const float air = BaseEm() * 0.6f;
  const Rgba color = context_.theme[bar.total() ? Role::kText : Role::kText2];
  std::array<char, 256> cut{};  // the end of a name tells more than its middle
  const std::string_view label =
      MiddleCut(BarLabel(bar), bars_ - 2 * air - p.x, cut.data(), cut.size());
  DrawCut(list, {p.x + air, y}, bars_ - air, color, label);
  DrawBar(bar, p.y, last);
  {
    const FaceScope mono(context_, Face::kMono);
    DrawRight(list, left_ + width_ - air, y, color, NumberOf(bar));
  }
  if (hovered) Tooltip(bar);
  return clicked;
}

// The bar that the keys lead to from `current`. The child owns them then, so that they do not move
// the timeline.
WaterfallChoice ReadKeys(const Waterfall& waterfall, int current) {
  const ImGuiID owner = ImGui::GetCurrentWindow()->ID;
  const auto pressed = [&](ImGuiKey key) {
    ImGui::SetKeyOwner(key, owner);
    return ImGui::GetIO().KeyMods == ImGuiMod_None &&
           ImGui::IsKeyPressed(key, ImGuiInputFlags_Repeat, owner);
  };
  const int last = static_cast<int>(waterfall.bars.size()) - 1;
  int to = current;
  if (pressed(ImGuiKey_DownArrow)) to = std::min(current + 1, last);
  if (pressed(ImGuiKey_UpArrow)) to = std::max(current - 1, 0);
  const bool show = pressed(ImGuiKey_Enter) && current >= 0;
  return {to != current || show ? to : -1, show};
}

void Menu(const PanelContext& context, const char* id, const Waterfall& waterfall, ImVec2 min,
          ImVec2 max) {
  const auto role = [&](Role of) { return SvgColor(context.theme[of]); };
  if (ImGui::IsMouseHoveringRect(min, max) && ImGui::IsWindowHovered() &&
      ImGui::IsMouseReleased(ImGuiMouseButton_Right)) {
    OpenChartMenu(id);
  }
  ChartMenu(
      context, id, {"from_a_to_b", min, max}, [&] { return compare::ToCsv(waterfall); },
      [&] {
        return compare::ToSvg(
            waterfall,
            {role(Role::kText), role(Role::kText2), SvgColor(context.theme[Kind::kOther]),
             role(Role::kSlower), role(Role::kFaster), role(Role::kText3), role(Role::kPanel)});
      });
}

}  // namespace

float WaterfallRowHeight(const PanelContext& context) {
  const FaceScope small(context, Face::kUi);
  return BarRowHeight();
}

WaterfallChoice DrawWaterfall(const PanelContext& context, const char* id,
                              const Waterfall& waterfall, int current, bool keys, ImVec2 size) {
  const ImVec2 min = ImGui::GetCursorScreenPos();
  WaterfallChoice choice;
  ImGui::BeginChild(id, size);
  {
    const FaceScope small(context, Face::kUi);
    ImGui::PushStyleVarY(ImGuiStyleVar_ItemSpacing, 0);
    Chart chart(context, waterfall);
    if ((keys || ImGui::IsWindowFocused()) && !ImGui::GetIO().WantTextInput)
      choice = ReadKeys(waterfall, current);
    for (size_t i = 0; i < waterfall.bars.size(); ++i) {
      const auto bar = static_cast<int>(i);
      ImGui::PushID(bar);
      const bool last = i + 1 == waterfall.bars.size();
      if (chart.Row(waterfall.bars[i], bar == current, last)) choice = {bar, true};
      if (bar == choice.bar) ImGui::SetScrollHereY();
      ImGui::PopID();
    }
    ImGui::PopStyleVar();
  }
  Menu(context, id, waterfall, min,
       {min.x + ImGui::GetWindowWidth(), min.y + ImGui::GetWindowHeight()});
  ImGui::EndChild();
  return choice;
}

}  // namespace stepscope
