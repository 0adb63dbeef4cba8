#include "viewer/widgets/chart.h"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "model/base/digits.h"
#include "model/base/statistics.h"
#include "viewer/core/look/name_cache.h"
#include "viewer/widgets/draw_text.h"

namespace stepscope {
namespace {

constexpr float kTurn = 2 * std::numbers::pi_v<float>;

std::string ShareText(double part, double whole) {
  return PercentText(whole > 0 ? 100 * part / whole : 0, 1);
}

// Slice under a point relative to the centre, or -1.
int SliceAt(const Ring& ring, ImVec2 offset, float inner, float outer) {
  const float distance = std::hypot(offset.x, offset.y);
  if (distance < inner || distance > outer || ring.total <= 0) return -1;
  double share = (std::atan2(offset.y, offset.x) + kTurn / 4) / kTurn;
  share -= std::floor(share);
  double sum = 0;
  for (size_t i = 0; i < ring.slices.size(); ++i) {
    sum += ring.slices[i].value / ring.total;
    if (share < sum) return static_cast<int>(i);
  }
  return -1;
}

void RingTooltip(const Ring& ring, int slice) {
  const RingSlice& s = ring.slices[static_cast<size_t>(slice)];
  if (!ImGui::BeginTooltip()) return;
  ImGui::PushTextWrapPos(Em() * 40);
  ImGui::TextUnformatted(s.label.c_str());
  ImGui::PopTextWrapPos();
  ImGui::TextUnformatted(ShareText(s.value, ring.total).c_str());
  ImGui::EndTooltip();
}

float LegendLine(const PanelContext& context) {
  const FaceScope small(context, Face::kUi);
  return std::floor(ImGui::GetTextLineHeight() * 1.35f);
}

void DrawRingLegend(const PanelContext& context, const Ring& ring, float left, float right,
                    float top, float bottom, bool centred) {
  const FaceScope small(context, Face::kUi);
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float line = LegendLine(context);
  const float chip = std::floor(Em() * 0.7f);
  const auto fit = static_cast<size_t>(std::max(0.0f, (bottom - top) / line));
  const size_t n = std::min(fit, ring.slices.size());
  float y = top;
  if (centred) y = std::floor(top + (bottom - top - static_cast<float>(n) * line) * 0.5f);
  for (size_t i = 0; i < n; ++i, y += line) {
    const RingSlice& s = ring.slices[i];
    DrawBox(list, left, y + std::floor((ImGui::GetTextLineHeight() - chip) * 0.5f), chip, chip,
            s.color, 2);
    const std::string share = ShareText(s.value, ring.total);
    DrawRight(list, right, y, context.theme[Role::kText2], share);
    const float x = left + chip * 1.8f, end = right - TextWidth(share) - Em() * 0.6f;
    const std::string& label = s.shown.empty() ? s.label : s.shown;
    DrawCut(list, ImVec2(x, y), end, context.theme[Role::kText],
            label.empty() ? std::string_view("(no name)") : label);
  }
}

}  // namespace

std::string_view StepBars::GroupOf(size_t step) const {
  const auto after = std::upper_bound(groups.begin(), groups.end(), step,
                                      [](size_t s, const BarGroup& g) { return s < g.first; });
  return after == groups.begin() ? std::string_view() : std::string_view((after - 1)->label);
}

double StepBars::TotalOf(size_t step, const ChartState& state) const {
  double sum = 0;
  for (size_t i = 0; i < series.size(); ++i) {
    if (state.Shown(i) && step < series[i].values.size()) sum += series[i].values[step];
  }
  return sum;
}

Rgba FreshColor(const Theme& theme, std::string name, std::span<const ChartSeries> taken) {
  for (int tries = 0; tries < 16; ++tries, name += "'") {
    const Rgba color = theme.NameColor(name);
    if (std::none_of(taken.begin(), taken.end(), [&](const auto& t) { return t.color == color; }))
      return color;
  }
  return theme.NameColor(name);
}

void DrawLegend(const PanelContext& context, std::span<const ChartSeries> series, ChartState* state,
                bool right_align) {
  const FaceScope small(context, Face::kUi, TypeSize::kSlice);
  const float chip = std::floor(Em() * 0.75f);
  const float gap = Em() * 0.9f;
  const auto width_of = [&](const ChartSeries& s) {
    return chip + Em() * 0.4f + TextWidth(s.label);
  };
  const float avail = ImGui::GetContentRegionAvail().x;
  float all = -gap;
  for (const ChartSeries& s : series) all += width_of(s) + gap;
  if (right_align && all < avail) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + avail - all);
  float used = 0;
  for (size_t i = 0; i < series.size(); ++i) {
    const float width = width_of(series[i]);
    if (i > 0 && used + gap + width <= avail) {
      ImGui::SameLine(0, gap);
      used += gap + width;
    } else {
      used = width;
    }
    ImGui::PushID(static_cast<int>(i));
    const ImVec2 p = ImGui::GetCursorScreenPos();
    const float height = ImGui::GetTextLineHeight() + Em() * 0.3f;
    if (ImGui::InvisibleButton("series", ImVec2(width, height)))
      state->hidden ^= uint64_t{1} << (i & 63);
    const bool shown = state->Shown(i);
    const bool hovered = ImGui::IsItemHovered();
    ImDrawList* list = ImGui::GetWindowDrawList();
    const Rgba box = shown ? series[i].color : context.theme[Role::kLine];
    DrawBox(list, p.x, p.y + std::floor((height - chip) * 0.5f), chip, chip, box, 2);
    const Role role = !shown ? Role::kText3 : hovered ? Role::kText : Role::kText2;
    DrawCut(list, ImVec2(p.x + chip + Em() * 0.4f, p.y + Em() * 0.15f), p.x + width + 2,
            context.theme[role], series[i].label);
    if (!shown) {
      const float y = std::floor(p.y + height * 0.5f);
      list->AddLine(ImVec2(p.x + chip + Em() * 0.4f, y), ImVec2(p.x + width, y),
                    context.theme[Role::kText3]);
    }
    ImGui::PopID();
  }
}

Ring MakeRing(const PanelContext& context, std::string title, std::span<const RingRow> rows,
              size_t most) {
  Ring ring;
  ring.title = std::move(title);
  std::vector<std::pair<double, size_t>> sizes;
  for (size_t r = 0; r < rows.size(); ++r) {
    const double v = rows[r].second;
    if (!std::isfinite(v) || v <= 0) continue;
    sizes.emplace_back(v, r);
    ring.total += v;
  }
  const size_t shown = std::min(most, sizes.size());
  std::partial_sort(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(shown), sizes.end(),
                    [](const auto& a, const auto& b) {
                      return a.first != b.first ? a.first > b.first : a.second < b.second;
                    });
  double rest = ring.total;
  for (size_t i = 0; i < shown; ++i) {
    const std::string label(rows[sizes[i].second].first);
    ring.slices.push_back(
        {label, sizes[i].first, context.theme.NameColor(label), static_cast<int>(sizes[i].second)});
    rest -= sizes[i].first;
  }
  std::vector<std::string_view> labels;
  for (const RingSlice& slice : ring.slices) labels.push_back(slice.label);
  const std::vector<std::string> short_names = DistinctNames(labels);
  for (size_t i = 0; i < short_names.size(); ++i) ring.slices[i].shown = short_names[i];
  if (sizes.size() > shown && rest > 0) {
    ring.slices.push_back(
        {GroupDigits(sizes.size() - shown) + " others", rest, context.theme[Kind::kOther], -1});
  }
  return ring;
}

int DrawRing(const PanelContext& context, const char* id, const Ring& ring, int selected,
             ImVec2 size) {
  const ImVec2 p = ImGui::GetCursorScreenPos();
  const bool pressed =
      ImGui::InvisibleButton(id, ImVec2(std::max(size.x, 8.0f), std::max(size.y, 8.0f)));
  const bool hovered = ImGui::IsItemHovered();
  // A legend below takes its lines from the ring's height, as long as that stays a ring. Else it
  // stands beside the ring, where there is room for a few letters.
  const float lines = static_cast<float>(ring.slices.size()) * LegendLine(context) + Em() * 0.6f;
  const float rest = size.y - std::min(lines, size.y * 0.4f);
  const bool wide = size.x > size.y * 1.6f;
  const bool below = !wide && rest > BaseEm() * 6;
  const bool beside = wide || (!below && size.x > BaseEm() * 11);
  const float diameter = std::min(beside ? size.x * 0.5f : size.x, below ? rest : size.y);
  const float outer = std::floor(diameter * 0.48f), inner = outer * 0.66f;
  const ImVec2 centre(std::floor(p.x + (beside ? diameter : size.x) * 0.5f),
                      std::floor(p.y + (below ? diameter : size.y) * 0.5f));
  const ImVec2 mouse = ImGui::GetMousePos();
  const int under =
      hovered ? SliceAt(ring, ImVec2(mouse.x - centre.x, mouse.y - centre.y), inner, outer) : -1;
  ImDrawList* list = ImGui::GetWindowDrawList();
  double sum = 0;
  for (size_t i = 0; i < ring.slices.size() && ring.total > 0; ++i) {
    const RingSlice& s = ring.slices[i];
    const float from = static_cast<float>(sum / ring.total) * kTurn - kTurn / 4;
    sum += s.value;
    const float to = static_cast<float>(sum / ring.total) * kTurn - kTurn / 4;
    const bool strong = static_cast<int>(i) == under || (selected >= 0 && s.row == selected);
    const float width = (outer - inner) * (strong ? 1.0f : 0.88f);
    const float gap = ring.slices.size() > 1 ? std::min(1.2f / outer, (to - from) * 0.3f) : 0;
    list->PathArcTo(centre, inner + width * 0.5f, from + gap, to - gap,
                    std::max(4, static_cast<int>((to - from) / kTurn * 120)));
    list->PathStroke(s.color, width);
  }
  if (ring.total <= 0)
    list->AddCircle(centre, (inner + outer) * 0.5f, context.theme[Role::kLine], 0, 2);
  const auto centred = [&](Face face, float points, Role role, const std::string& text, float dy) {
    const FaceScope scope(context, face, points);
    const float width = TextWidth(text);
    if (width > inner * 1.85f) return;
    list->AddText(ImVec2(std::floor(centre.x - width * 0.5f), std::floor(centre.y + dy * Em())),
                  context.theme[role], text.c_str());
  };
  const bool two = !ring.centre_note.empty() && inner > BaseEm() * 2;
  centred(Face::kMonoBold, inner > BaseEm() * 3.4f ? 18.0f : TypeSize::kSmall, Role::kText,
          ring.centre, two ? -1.0f : -0.5f);
  if (two) centred(Face::kUi, TypeSize::kSlice, Role::kText2, ring.centre_note, 0.45f);
  if (beside) {
    DrawRingLegend(context, ring, p.x + diameter + Em(), p.x + size.x, p.y, p.y + size.y, true);
  } else if (below) {
    DrawRingLegend(context, ring, p.x, p.x + size.x, p.y + diameter + Em() * 0.4f, p.y + size.y,
                   false);
  }
  if (under >= 0) RingTooltip(ring, under);
  ChartMenu(
      context, id, {ring.title, p, {p.x + size.x, p.y + size.y}}, [&] { return ToCsv(ring); },
      [&] { return ToSvg(ring, context.theme[Role::kText], context.theme[Role::kPanel]); });
  return pressed ? under : -1;
}

Histogram MakeHistogram(std::vector<double> values, size_t bins, double low, double high) {
  Histogram h;
  h.counts.assign(std::max<size_t>(bins, 1), 0);
  if (values.empty()) return h;
  std::sort(values.begin(), values.end());
  h.total = values.size();
  h.low = values.front();
  h.high = h.max = values.back();
  h.p50 = values[NearestRank(values.size(), 50)];
  h.p95 = values[NearestRank(values.size(), 95)];
  if (low < high) h.low = low, h.high = high;
  const double span = h.high - h.low;
  for (double v : values) {
    if (v < h.low || v > h.high) continue;
    const double at = span > 0 ? (v - h.low) / span * static_cast<double>(h.counts.size()) : 0;
    ++h.counts[std::min(h.counts.size() - 1, static_cast<size_t>(at))];
  }
  return h;
}

int DrawHistogram(const PanelContext& context, const char* id, const Histogram& h, Unit unit,
                  ImVec2 size, std::pair<double, double>* zoom) {
  const ImVec2 p = ImGui::GetCursorScreenPos();
  const bool pressed =
      ImGui::InvisibleButton(id, ImVec2(std::max(size.x, 8.0f), std::max(size.y, 8.0f)));
  const bool hovered = ImGui::IsItemHovered();
  if (h.total == 0) return -1;
  ChartMenu(context, id, {h.title, p, {p.x + size.x, p.y + size.y}},
            [&] { return ToCsv(h, unit); });
  if (zoom != nullptr) {
    ImGui::SetItemKeyOwner(ImGuiKey_MouseWheelY);
    const float wheel = ImGui::GetIO().MouseWheel;
    if (hovered && wheel != 0) {
      const double share = static_cast<double>((ImGui::GetMousePos().x - p.x) / size.x);
      const double at = h.low + (h.high - h.low) * share;
      const double factor = std::pow(0.7, static_cast<double>(wheel));
      *zoom = {std::max(0.0, at - (at - h.low) * factor), at + (h.high - at) * factor};
      if (zoom->first <= 0 && zoom->second >= h.max) *zoom = {0, 0};
    }
    if (hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) *zoom = {0, 0};
  }
  ImDrawList* list = ImGui::GetWindowDrawList();
  const FaceScope small(context, Face::kMono, TypeSize::kSlice);
  const float axis = ImGui::GetTextLineHeight() + 2;
  const float base = std::floor(p.y + size.y - axis);
  const uint32_t most = std::max(1u, *std::max_element(h.counts.begin(), h.counts.end()));
  const float step = size.x / static_cast<float>(h.counts.size());
  int under = -1;
  const ImVec2 mouse = ImGui::GetMousePos();
  if (hovered)
    under = std::clamp(static_cast<int>((mouse.x - p.x) / step), 0,
                       static_cast<int>(h.counts.size()) - 1);
  for (size_t i = 0; i < h.counts.size(); ++i) {
    if (h.counts[i] == 0) continue;
    const float height =
        std::max(2.0f, (base - p.y) * static_cast<float>(h.counts[i]) / static_cast<float>(most));
    const Role role = static_cast<int>(i) == under ? Role::kAccent : Role::kText3;
    DrawBox(list, p.x + step * static_cast<float>(i), base - height, std::max(1.0f, step - 1),
            height, context.theme[role]);
  }
  list->AddLine(ImVec2(p.x, base), ImVec2(p.x + size.x, base), context.theme[Role::kLine]);
  const NumberFormat format = FormatFor(unit, ValueType::kReal, h.max);
  const auto text = [&](double v) { return NumberText(v, format) + " " + format.header; };
  list->AddText(ImVec2(p.x, base + 2), context.theme[Role::kText2], text(h.low).c_str());
  DrawRight(list, p.x + size.x, base + 2, context.theme[Role::kText2], text(h.high));
  if (under >= 0) {
    const double width = (h.high - h.low) / static_cast<double>(h.counts.size());
    const double from = h.low + width * under;
    ImGui::SetTooltip("%s to %s: %s of %s", text(from).c_str(), text(from + width).c_str(),
                      GroupDigits(h.counts[static_cast<size_t>(under)]).c_str(),
                      GroupDigits(h.total).c_str());
  }
  return pressed ? under : -1;
}

void DrawShares(const PanelContext& context, std::span<const RingSlice> shares, double total,
                float height) {
  const ImVec2 p = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  ImDrawList* list = ImGui::GetWindowDrawList();
  DrawBox(list, p.x, p.y, width, height, context.theme[Role::kHover]);
  double sum = 0;
  const float mouse = ImGui::GetMousePos().x;
  const RingSlice* under = nullptr;
  for (const RingSlice& s : shares) {
    if (total <= 0 || s.value <= 0) continue;
    const float a = p.x + static_cast<float>(sum / total) * width;
    sum += s.value;
    const float b = p.x + static_cast<float>(sum / total) * width;
    DrawBox(list, a, p.y, std::max(1.0f, b - a - 1), height, s.color);
    if (mouse >= a && mouse < b) under = &s;
  }
  ImGui::Dummy(ImVec2(width, height));
  if (under != nullptr && ImGui::IsItemHovered()) {
    ImGui::SetTooltip("%s: %s", under->label.c_str(), ShareText(under->value, total).c_str());
  }
}

void OpenChartMenu(const char* id) {
  ImGui::PushID(id);
  ImGui::OpenPopup("chart menu");
  ImGui::PopID();
}

void ChartMenu(const PanelContext& context, const char* id, const ChartBox& box,
               const std::function<std::string()>& csv, const std::function<std::string()>& svg) {
  if (ImGui::IsItemClicked(ImGuiMouseButton_Right)) OpenChartMenu(id);
  const std::string name(box.name);
  ImGui::PushID(id);
  if (ImGui::BeginPopup("chart menu")) {
    if (ImGui::MenuItem("Copy numbers")) {
      context.services.SetClipboard(csv());
      context.commands.Push("app.note", {.text = "Numbers copied"});
    }
    ImGui::Separator();
    if (ImGui::MenuItem("Save numbers (CSV)\u2026"))
      context.commands.Push("file.export", {.text = name + ".csv", .contents = csv()});
    if (ImGui::MenuItem("Save picture (PNG)\u2026")) {
      const std::string picture =
          fmt::format("{:.80}.png {:.0f} {:.0f} {:.0f} {:.0f}", name, box.min.x, box.min.y,
                      box.max.x - box.min.x, box.max.y - box.min.y);
      context.commands.Push("file.export_picture", {.text = picture});
    }
    if (svg && ImGui::MenuItem("Save picture (SVG)\u2026"))
      context.commands.Push("file.export", {.text = name + ".svg", .contents = svg()});
    ImGui::EndPopup();
  }
  ImGui::PopID();
}

}  // namespace stepscope
