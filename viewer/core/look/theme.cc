#include "viewer/core/look/theme.h"

#include <imgui.h>
#include <implot.h>

namespace stepscope {
namespace {

constexpr size_t kKinds = 4;

struct RoleRow {
  Role role;
  uint32_t rgb[kKinds];  // dark, light, colour-blind (dark), high contrast
};

constexpr RoleRow kRoles[] = {
    {Role::kWindow, {0x121418, 0xeceff3, 0x121418, 0x000000}},
    {Role::kPanel, {0x1a1d23, 0xffffff, 0x1a1d23, 0x000000}},
    {Role::kRaised, {0x23272f, 0xf1f3f7, 0x23272f, 0x141414}},
    {Role::kHover, {0x2c313b, 0xe6eaf0, 0x2c313b, 0x2a2a2a}},
    {Role::kLine, {0x323743, 0xd5d9e0, 0x323743, 0x8c8c8c}},
    {Role::kGrid, {0x262a33, 0xe9ecf1, 0x262a33, 0x3a3a3a}},
    {Role::kText, {0xe4e7ec, 0x1b1f27, 0xe4e7ec, 0xffffff}},
    {Role::kText2, {0x9aa3b2, 0x545e6d, 0x9aa3b2, 0xe0e0e0}},
    {Role::kText3, {0x8791a1, 0x616b7b, 0x8791a1, 0xd0d0d0}},
    {Role::kAccent, {0x4c9aff, 0x1a5fd0, 0x56b4e9, 0xffd400}},
    {Role::kAccentBg, {0x1c2f4b, 0xe0ebfd, 0x1b3040, 0x3d3300}},
    {Role::kGood, {0x3fb97f, 0x1a7a4a, 0x56b4e9, 0x5dff9b}},
    {Role::kWarning, {0xe0a93b, 0x925a00, 0xe69f00, 0xffd400}},
    {Role::kBad, {0xe86e69, 0xb82e2a, 0xe8834a, 0xff8a80}},
    {Role::kSlower, {0xe08a3c, 0x9a5410, 0xe69f00, 0xffa347}},
    {Role::kFaster, {0x4c9aff, 0x1a5fd0, 0x56b4e9, 0x7fc4ff}},
    {Role::kSliceDark, {0x10131a, 0x10131a, 0x10131a, 0x000000}},
    {Role::kSliceLight, {0xffffff, 0xffffff, 0xffffff, 0xffffff}},
    {Role::kShade, {0x000000, 0x1b1f27, 0x000000, 0x000000}},
};
static_assert(std::size(kRoles) == static_cast<size_t>(Role::kCount));

struct KindRow {
  Kind kind;
  uint32_t rgb, okabe_ito;
};

constexpr KindRow kKindRows[] = {
    {Kind::kDeviceCompute, 0x5b8ff9, 0x56b4e9}, {Kind::kDeviceToDevice, 0x61d9c3, 0x009e73},
    {Kind::kCollective, 0x9b7bea, 0xcc79a7},    {Kind::kHostCompute, 0xf6bd16, 0xf0e442},
    {Kind::kKernelLaunch, 0xf08f5a, 0xe69f00},  {Kind::kInput, 0xe8684a, 0xd55e00},
    {Kind::kOutput, 0xb8863b, 0xb8863b},        {Kind::kCompilation, 0x7c8798, 0x7c8798},
    {Kind::kOther, 0xaab2bf, 0xaab2bf},         {Kind::kHeap, 0xf08f5a, 0xe69f00},
    {Kind::kStack, 0xe8684a, 0xd55e00},         {Kind::kFree, 0x5bb98c, 0x009e73},
    {Kind::kFragmentation, 0x9b7bea, 0xcc79a7}, {Kind::kQueued, 0xe58fb1, 0xe58fb1},
    {Kind::kSync, 0x9fbf4d, 0x8a8a3c},
};
static_assert(std::size(kKindRows) == static_cast<size_t>(Kind::kCount));

struct ColorRow {
  ImGuiCol target;
  Role role;
  float alpha;
};

constexpr ColorRow kColors[] = {
    {ImGuiCol_Text, Role::kText, 1},
    {ImGuiCol_TextDisabled, Role::kText2, 1},
    {ImGuiCol_WindowBg, Role::kPanel, 1},
    {ImGuiCol_ChildBg, Role::kPanel, 0},
    {ImGuiCol_PopupBg, Role::kRaised, 1},
    {ImGuiCol_Border, Role::kLine, 1},
    {ImGuiCol_BorderShadow, Role::kLine, 0},
    {ImGuiCol_FrameBg, Role::kRaised, 1},
    {ImGuiCol_FrameBgHovered, Role::kHover, 1},
    {ImGuiCol_FrameBgActive, Role::kHover, 1},
    {ImGuiCol_TitleBg, Role::kWindow, 1},
    {ImGuiCol_TitleBgActive, Role::kWindow, 1},
    {ImGuiCol_TitleBgCollapsed, Role::kWindow, 1},
    {ImGuiCol_MenuBarBg, Role::kWindow, 1},
    {ImGuiCol_ScrollbarBg, Role::kPanel, 0},
    {ImGuiCol_ScrollbarGrab, Role::kLine, 1},
    {ImGuiCol_ScrollbarGrabHovered, Role::kText3, 1},
    {ImGuiCol_ScrollbarGrabActive, Role::kText2, 1},
    {ImGuiCol_CheckMark, Role::kAccent, 1},
    {ImGuiCol_SliderGrab, Role::kAccent, 1},
    {ImGuiCol_SliderGrabActive, Role::kAccent, 1},
    {ImGuiCol_Button, Role::kRaised, 1},
    {ImGuiCol_ButtonHovered, Role::kHover, 1},
    {ImGuiCol_ButtonActive, Role::kAccentBg, 1},
    {ImGuiCol_Header, Role::kAccentBg, 1},
    {ImGuiCol_HeaderHovered, Role::kHover, 1},
    {ImGuiCol_HeaderActive, Role::kAccentBg, 1},
    {ImGuiCol_Separator, Role::kLine, 1},
    {ImGuiCol_SeparatorHovered, Role::kAccent, 1},
    {ImGuiCol_SeparatorActive, Role::kAccent, 1},
    {ImGuiCol_ResizeGrip, Role::kLine, 0},
    {ImGuiCol_ResizeGripHovered, Role::kAccent, 0.5f},
    {ImGuiCol_ResizeGripActive, Role::kAccent, 0.8f},
    {ImGuiCol_Tab, Role::kWindow, 0},
    {ImGuiCol_TabHovered, Role::kHover, 1},
    {ImGuiCol_TabSelected, Role::kPanel, 1},
    {ImGuiCol_TabSelectedOverline, Role::kAccent, 1},
    {ImGuiCol_TabDimmed, Role::kWindow, 0},
    {ImGuiCol_TabDimmedSelected, Role::kPanel, 1},
    {ImGuiCol_TabDimmedSelectedOverline, Role::kLine, 1},
    {ImGuiCol_DockingPreview, Role::kAccent, 0.35f},
    {ImGuiCol_DockingEmptyBg, Role::kWindow, 1},
    {ImGuiCol_TableHeaderBg, Role::kRaised, 1},
    {ImGuiCol_TableBorderStrong, Role::kLine, 1},
    {ImGuiCol_TableBorderLight, Role::kGrid, 1},
    {ImGuiCol_TableRowBg, Role::kPanel, 0},
    {ImGuiCol_TableRowBgAlt, Role::kText, 0.025f},
    {ImGuiCol_TextLink, Role::kAccent, 1},
    {ImGuiCol_TextSelectedBg, Role::kAccent, 0.35f},
    {ImGuiCol_NavCursor, Role::kAccent, 1},
    {ImGuiCol_InputTextCursor, Role::kAccent, 1},
    {ImGuiCol_TreeLines, Role::kLine, 1},
    {ImGuiCol_ModalWindowDimBg, Role::kShade, 0.5f},
    {ImGuiCol_PlotHistogram, Role::kAccent, 1},
};

ImVec4 ToVec(Rgba c) { return ImGui::ColorConvertU32ToFloat4(c); }

void ApplyMetrics(ImGuiStyle& style) {
  style.WindowRounding = 0;
  style.ChildRounding = 0;
  style.FrameRounding = 4;
  style.PopupRounding = 6;
  style.GrabRounding = 4;
  style.TabRounding = 4;
  style.ScrollbarRounding = 4;
  style.ScrollbarSize = 10;
  style.WindowBorderSize = 0;
  style.ChildBorderSize = 0;
  style.FrameBorderSize = 0;
  style.PopupBorderSize = 1;
  style.TabBorderSize = 0;
  style.TabBarBorderSize = 0;
  style.TabBarOverlineSize = 2;
  style.DockingSeparatorSize = 4;
  style.IndentSpacing = 16;
  style.GrabMinSize = 12;
  style.DisabledAlpha = 0.5f;
  style.WindowPadding = {8, 8};
  style.FramePadding = {8, 4};
  style.ItemSpacing = {8, 6};
  style.ItemInnerSpacing = {6, 4};
  style.CellPadding = {8, 3};
}

void ApplyPlotStyle(const Theme& theme) {
  ImPlotStyle plot;
  plot.PlotBorderSize = 0;
  plot.MinorAlpha = 0;
  plot.MajorTickLen = plot.MinorTickLen = {0, 0};
  plot.PlotPadding = {0, 4};
  plot.LabelPadding = {6, 4};
  plot.PlotMinSize = {40, 40};
  plot.LegendPadding = {0, 0};
  const ImVec4 clear(0, 0, 0, 0);
  plot.Colors[ImPlotCol_FrameBg] = plot.Colors[ImPlotCol_PlotBg] = clear;
  plot.Colors[ImPlotCol_LegendBg] = plot.Colors[ImPlotCol_LegendBorder] = clear;
  plot.Colors[ImPlotCol_PlotBorder] = plot.Colors[ImPlotCol_AxisTick] = ToVec(theme[Role::kLine]);
  plot.Colors[ImPlotCol_AxisText] = ToVec(theme[Role::kText3]);
  plot.Colors[ImPlotCol_AxisGrid] = ToVec(theme[Role::kGrid]);
  plot.Colors[ImPlotCol_InlayText] = ToVec(theme[Role::kText]);
  plot.Colors[ImPlotCol_LegendText] = ToVec(theme[Role::kText2]);
  ImPlot::GetStyle() = plot;
}

}  // namespace

Rgba Theme::NameColor(std::string_view name) const {
  const uint32_t step = NameHash(name) % static_cast<uint32_t>(hues);
  const float hue = static_cast<float>(step) * 6.2831853f / static_cast<float>(hues);
  return Oklch(name_lightness, name_chroma, hue);
}

Rgba Theme::TextOn(Rgba fill) const {
  const Rgba dark = (*this)[Role::kSliceDark];
  const Rgba bright = (*this)[Role::kSliceLight];
  return Contrast(dark, fill) >= Contrast(bright, fill) ? dark : bright;
}

Rgba MarkerColor(const Theme& theme, uint32_t color) {
  constexpr std::array kKinds = {Kind::kDeviceCompute, Kind::kInput,       Kind::kCollective,
                                 Kind::kOutput,        Kind::kCompilation, Kind::kKernelLaunch};
  return theme[kKinds[color % kKinds.size()]];
}

Theme MakeTheme(ThemeKind kind) {
  Theme theme;
  theme.kind = kind;
  const size_t column = static_cast<size_t>(kind);
  for (const RoleRow& row : kRoles) {
    theme.roles[static_cast<size_t>(row.role)] = FromRgb(row.rgb[column]);
  }
  const bool okabe_ito = kind == ThemeKind::kColorBlind;
  for (const KindRow& row : kKindRows) {
    theme.kinds[static_cast<size_t>(row.kind)] = FromRgb(okabe_ito ? row.okabe_ito : row.rgb);
  }
  if (kind == ThemeKind::kLight) {
    theme.name_lightness = 0.80f;
    theme.name_chroma = 0.09f;
  } else if (kind == ThemeKind::kColorBlind) {
    theme.hues = 12;
  } else if (kind == ThemeKind::kHighContrast) {
    theme.name_lightness = 0.80f;
    theme.name_chroma = 0.13f;
  }
  return theme;
}

void ApplyStyle(const Theme& theme, float scale) {
  ImGuiStyle style;
  if (theme.light()) {
    ImGui::StyleColorsLight(&style);
  } else {
    ImGui::StyleColorsDark(&style);
  }
  ApplyMetrics(style);
  style.ScaleAllSizes(scale);
  style.FontSizeBase = TypeSize::kUi;
  style.FontScaleDpi = scale;
  for (const ColorRow& row : kColors) {
    style.Colors[row.target] = ToVec(theme.Alpha(row.role, row.alpha));
  }
  ImGui::GetStyle() = style;
  if (ImPlot::GetCurrentContext() != nullptr) ApplyPlotStyle(theme);
}

Kind LossKind(StepPart part) {
  // In the order of StepPart. Some have the colours of kinds that are no losses: neighbours in a
  // bar must be told apart.
  static constexpr std::array<Kind, kStepParts> kKinds = {
      Kind::kDeviceCompute, Kind::kDeviceToDevice, Kind::kInput,       Kind::kHostCompute,
      Kind::kKernelLaunch,  Kind::kSync,           Kind::kCompilation, Kind::kOutput,
      Kind::kCollective,    Kind::kCollective,     Kind::kFree,        Kind::kQueued,
      Kind::kOther};
  return kKinds[static_cast<size_t>(part)];
}

Kind LossKind(std::string_view id) {
  for (size_t i = 0; i < kStepParts; ++i) {
    if (id == IdOf(static_cast<StepPart>(i))) return LossKind(static_cast<StepPart>(i));
  }
  return Kind::kOther;
}

}  // namespace stepscope
