#include "viewer/widgets/draw_text.h"

#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <utility>

#include "model/base/digits.h"
#include "model/base/key_table.h"

namespace stepscope {
namespace {

ImFont* FontOf(const PanelContext& context, Face face) {
  switch (face) {
    case Face::kBold:
      return context.fonts.bold;
    case Face::kMono:
      return context.fonts.mono;
    case Face::kMonoBold:
      return context.fonts.mono_bold;
    case Face::kUi:
      break;
  }
  return context.fonts.ui;
}

const char* End(std::string_view text) { return text.data() + text.size(); }

}  // namespace

FaceScope::FaceScope(const PanelContext& context, Face face, float size) {
  ImGui::PushFont(FontOf(context, face), size);
}

float TextWidth(std::string_view text) {
  return text.empty() ? 0 : ImGui::CalcTextSize(text.data(), End(text)).x;
}

float LineHeightIn(const PanelContext& context, Face face, float size) {
  const FaceScope scope(context, face, size);
  return ImGui::GetTextLineHeight();
}

float BaseEm() {
  const ImGuiStyle& style = ImGui::GetStyle();
  return style.FontSizeBase * style.FontScaleMain * style.FontScaleDpi;
}

void TextIn(const PanelContext& context, Role role, std::string_view text) {
  ImGui::PushStyleColor(ImGuiCol_Text, context.theme[role]);
  ImGui::TextUnformatted(text.data(), End(text));
  ImGui::PopStyleColor();
}

std::string WithUnitsKept(std::string_view text) {
  constexpr std::string_view kUnits[] = {"%", "ms",  "\u00b5s", "s",   "ns", "ps",
                                         "B", "KiB", "MiB",     "GiB", "TiB"};
  constexpr std::string_view kNoBreak = "\u00a0";
  const auto is_letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  const auto begins_unit = [&](std::string_view rest) {
    return std::any_of(std::begin(kUnits), std::end(kUnits), [&](std::string_view unit) {
      return rest.starts_with(unit) &&
             (rest.size() == unit.size() || !is_letter(rest[unit.size()]));
    });
  };
  std::string out;
  out.reserve(text.size() + 8);
  for (size_t i = 0; i < text.size(); ++i) {
    const bool after_digit = i > 0 && text[i - 1] >= '0' && text[i - 1] <= '9';
    if (text[i] == ' ' && after_digit && begins_unit(text.substr(i + 1))) {
      out += kNoBreak;
    } else {
      out += text[i];
    }
  }
  return out;
}

void WrappedIn(const PanelContext& context, Role role, std::string_view text) {
  ImGui::PushTextWrapPos(0);
  TextIn(context, role, WithUnitsKept(text));
  ImGui::PopTextWrapPos();
}

void SectionTitle(const PanelContext& context, std::string_view text, std::string_view note) {
  {
    const FaceScope bold(context, Face::kBold, TypeSize::kTitle);
    TextIn(context, Role::kText, text);
  }
  if (note.empty()) return;
  const FaceScope small(context, Face::kUi);
  ImGui::SameLine(0, Em());
  ImGui::AlignTextToFramePadding();
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() - ImGui::GetStyle().FramePadding.y + Em() * 0.1f);
  TextIn(context, Role::kText2, note);
}

bool DrawCut(ImDrawList* list, ImVec2 pos, float right, Rgba color, std::string_view text) {
  if (text.empty() || right <= pos.x) return false;
  const ImVec2 size = ImGui::CalcTextSize(text.data(), End(text));
  if (size.x <= right - pos.x) {
    list->AddText(pos, color, text.data(), End(text));
    return false;
  }
  ImGui::PushStyleColor(ImGuiCol_Text, color);
  ImGui::RenderTextEllipsis(list, pos, ImVec2(right, pos.y + size.y), right, text.data(), End(text),
                            &size);
  ImGui::PopStyleColor();
  return true;
}

void DrawRight(ImDrawList* list, float right, float y, Rgba color, std::string_view text) {
  if (text.empty()) return;
  list->AddText(ImVec2(std::floor(right - TextWidth(text)), y), color, text.data(), End(text));
}

void DrawBox(ImDrawList* list, float x, float y, float w, float h, Rgba color, float rounding) {
  list->AddRectFilled(ImVec2(std::floor(x), std::floor(y)),
                      ImVec2(std::floor(x + w), std::floor(y + h)), color, rounding);
}

bool LinkText(const PanelContext& context, const char* id, std::string_view text) {
  const ImVec2 pos = ImGui::GetCursorScreenPos();
  const ImVec2 whole = ImGui::CalcTextSize(text.data(), End(text));
  const float width = std::max(1.0f, std::min(whole.x, ImGui::GetContentRegionAvail().x));
  const bool clicked = ImGui::InvisibleButton(id, ImVec2(width, whole.y));
  const Rgba color = context.theme[Role::kAccent];
  ImDrawList* list = ImGui::GetWindowDrawList();
  const bool cut = DrawCut(list, pos, pos.x + width + 1, color, text);
  if (ImGui::IsItemHovered()) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    list->AddLine(ImVec2(pos.x, pos.y + whole.y), ImVec2(pos.x + width, pos.y + whole.y), color);
    if (cut) WrappedTooltip(text);
  }
  return clicked;
}

bool ChoiceButton(const PanelContext& context, const char* label, bool on) {
  if (on) ImGui::PushStyleColor(ImGuiCol_Button, context.theme[Role::kAccentBg]);
  if (on) ImGui::PushStyleColor(ImGuiCol_Text, context.theme[Role::kAccent]);
  const bool pressed = ImGui::Button(label);
  if (on) ImGui::PopStyleColor(2);
  return pressed;
}

std::string ItemLabel(std::string_view name) {
  std::string label;
  for (const char c : name) {
    if (c == '#' && label.ends_with('#')) label += ' ';
    label += c;
  }
  return label;
}

void WrappedTooltip(std::string_view text) {
  if (!ImGui::BeginTooltip()) return;
  ImGui::PushTextWrapPos(BaseEm() * 40);
  ImGui::TextUnformatted(text.data(), text.data() + text.size());
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

void Rule(const PanelContext& context) {
  const float air = std::floor(BaseEm() * 0.5f);
  ImGui::Dummy(ImVec2(0, air * 0.5f));
  const ImVec2 p = ImGui::GetCursorScreenPos();
  const float w = ImGui::GetContentRegionAvail().x;
  ImGui::GetWindowDrawList()->AddLine(p, ImVec2(p.x + w, p.y), context.theme[Role::kGrid]);
  ImGui::Dummy(ImVec2(0, air));
}

void KeyValue(const PanelContext& context, std::string_view key, std::string_view value,
              float value_x, bool mono) {
  const FaceScope small(context, Face::kUi);
  const ImVec2 p = ImGui::GetCursorScreenPos();
  const float right = p.x + ImGui::GetContentRegionAvail().x;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float line = ImGui::GetTextLineHeight();
  const bool cut_key =
      DrawCut(list, p, p.x + value_x - Em() * 0.5f, context.theme[Role::kText2], key);
  bool cut = false;
  {
    const FaceScope face(context, mono ? Face::kMono : Face::kUi);
    cut = DrawCut(list, ImVec2(p.x + value_x, p.y), right, context.theme[Role::kText], value);
  }
  ImGui::Dummy(ImVec2(right - p.x, line));
  if ((cut || cut_key) && ImGui::IsItemHovered(ImGuiHoveredFlags_DelayShort)) {
    ImGui::SetTooltip("%.*s: %.*s", static_cast<int>(key.size()), key.data(),
                      static_cast<int>(value.size()), value.data());
  }
}

namespace {

struct Step {
  const char* name;
  double base;  // in ps or bytes
};
constexpr Step kTimes[] = {{"ps", 1}, {"ns", 1e3}, {"\u00b5s", 1e6}, {"ms", 1e9}, {"s", 1e12}};
constexpr Step kSizes[] = {{"B", 1},
                           {"KiB", 1024.0},
                           {"MiB", 1024.0 * 1024},
                           {"GiB", 1024.0 * 1024 * 1024},
                           {"TiB", 1024.0 * 1024 * 1024 * 1024}};

// The largest unit that leaves the maximum at least `least`.
const Step& Choose(std::span<const Step> steps, double base_value, double least) {
  size_t i = 0;
  while (i + 1 < steps.size() && base_value >= least * steps[i + 1].base) ++i;
  return steps[i];
}

// The column's own unit, unless its largest value is under 1 or has more than five digits in it.
const Step& ChooseTime(double max_ps, double own_base) {
  size_t i = 0;
  while (i + 1 < std::size(kTimes) && kTimes[i].base < own_base) ++i;
  while (i > 0 && max_ps > 0 && max_ps < kTimes[i].base) --i;
  while (i + 1 < std::size(kTimes) && max_ps >= 1e5 * kTimes[i].base) ++i;
  return kTimes[i];
}

int Decimals(double max_abs) { return max_abs >= 100 ? 1 : max_abs >= 10 ? 2 : 3; }

}  // namespace

Dimension DimensionOf(Unit unit) {
  using enum Dimension;
  static constexpr std::pair<Unit, Dimension> kDimensions[] = {
      {Unit::kPs, kTime},         {Unit::kNs, kTime},         {Unit::kUs, kTime},
      {Unit::kMs, kTime},         {Unit::kBytes, kBytes},     {Unit::kGiB, kBytes},
      {Unit::kPercent, kPercent}, {Unit::kFraction, kPercent}};
  return FindValue(kDimensions, unit, kNone);
}

double BaseFactor(Unit unit) {
  static constexpr std::pair<Unit, double> kFactors[] = {{Unit::kNs, 1e3},
                                                         {Unit::kUs, 1e6},
                                                         {Unit::kMs, 1e9},
                                                         {Unit::kGiB, kSizes[3].base},
                                                         {Unit::kFraction, 100}};
  return FindValue(kFactors, unit, 1);
}

NumberFormat FormatFor(Unit unit, ValueType type, double max_abs) {
  const double base = BaseFactor(unit);
  switch (DimensionOf(unit)) {
    case Dimension::kTime: {
      const Step& step = ChooseTime(max_abs * base, base);
      const double shown = max_abs * base / step.base;
      return {base / step.base, step.base <= 1 ? 0 : Decimals(shown), step.name, ""};
    }
    case Dimension::kBytes: {
      const Step& step = Choose(kSizes, max_abs * base, 1);
      return {base / step.base, step.base <= 1 ? 0 : Decimals(max_abs * base / step.base),
              step.name, ""};
    }
    case Dimension::kPercent:
      return {base, 1, "", " %"};
    case Dimension::kNone:
      break;
  }
  const char* header = unit == Unit::kGflops ? "GFLOP/s" : "";
  return {1, type == ValueType::kInt ? 0 : Decimals(max_abs), header, ""};
}

std::string_view WriteNumber(double value, const NumberFormat& format, std::span<char, 64> buffer) {
  constexpr std::string_view kDash = "\u2013";
  const double shown = value * format.scale;
  std::array<char, 40> digits{};
  const int n = std::isfinite(shown) && std::fabs(shown) < 1e18
                    ? std::snprintf(digits.data(), digits.size(), "%.*f", format.decimals, shown)
                    : 0;
  if (n <= 0) {
    std::memcpy(buffer.data(), kDash.data(), kDash.size());
    return {buffer.data(), kDash.size()};
  }
  const size_t out = GroupDigits({digits.data(), static_cast<size_t>(n)}, buffer.data());
  const size_t suffix = std::min(std::strlen(format.suffix), buffer.size() - out);
  std::memcpy(buffer.data() + out, format.suffix, suffix);
  return {buffer.data(), out + suffix};
}

std::string NumberText(double value, const NumberFormat& format) {
  std::array<char, 64> buffer{};
  return std::string(WriteNumber(value, format, buffer));
}

std::string WithoutZeros(std::string text) {
  const size_t dot = text.find('.');
  if (dot == std::string::npos) return text;
  size_t end = std::min(text.find(' '), text.size());
  size_t keep = end;
  while (keep > dot && (text[keep - 1] == '0' || text[keep - 1] == '.')) --keep;
  text.erase(keep, end - keep);
  return text;
}

}  // namespace stepscope
