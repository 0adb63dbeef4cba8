#include "viewer/widgets/draw_text.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>

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

}  // namespace stepscope
