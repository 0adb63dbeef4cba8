// Theme: the colour of every role and kind, from one table in theme.cc. A plain value; panels get
// it by const reference. ApplyStyle() builds the styles of ImGui and ImPlot anew, so it may be
// called at any time between frames.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "model/analysis/steps/losses.h"
#include "model/base/color.h"

namespace stepscope {

enum class ThemeKind : uint8_t { kDark, kLight, kColorBlind, kHighContrast };

// The purpose of a colour; each theme gives every role a colour.
enum class Role : uint8_t {
  kWindow,
  kPanel,
  kRaised,
  kHover,
  kLine,
  kGrid,
  kText,
  kText2,
  kText3,
  kAccent,
  kAccentBg,
  kGood,
  kWarning,
  kBad,
  kSlower,
  kFaster,
  kSliceDark,
  kSliceLight,
  kShade,
  kCount,
};

// The meaning of a colour, which is the same in every chart and lane.
enum class Kind : uint8_t {
  kDeviceCompute,
  kDeviceToDevice,
  kCollective,
  kHostCompute,
  kKernelLaunch,
  kInput,
  kOutput,
  kCompilation,
  kOther,
  kHeap,
  kStack,
  kFree,
  kFragmentation,
  kQueued,
  kSync,
  kCount,
};

struct Theme {
  ThemeKind kind = ThemeKind::kDark;
  std::array<Rgba, static_cast<size_t>(Role::kCount)> roles{};
  std::array<Rgba, static_cast<size_t>(Kind::kCount)> kinds{};
  int hues = 24;                                      // different hues of event names
  float name_lightness = 0.72f, name_chroma = 0.10f;  // OKLCH

  Rgba operator[](Role r) const { return roles[static_cast<size_t>(r)]; }
  Rgba operator[](Kind k) const { return kinds[static_cast<size_t>(k)]; }
  Rgba Alpha(Role r, float a) const { return WithAlpha((*this)[r], a); }
  bool light() const { return Luminance((*this)[Role::kPanel]) > 0.5f; }
  Rgba NameColor(std::string_view name) const;  // hue by the name without digits
  Rgba TextOn(Rgba fill) const;                 // the slice text that contrasts more
};

// The colour for Marker::color. They are far from each other in every theme.
Rgba MarkerColor(const Theme& theme, uint32_t color);

Theme MakeTheme(ThemeKind kind);

// Sets ImGui's and ImPlot's styles; sizes are multiples of the font size. `scale` is the content
// scale times the setting "scale".
void ApplyStyle(const Theme& theme, float scale);

// Font sizes at scale 1, in pixels.
struct TypeSize {
  static constexpr float kUi = 14, kSmall = 13, kTitle = 15, kSlice = 12, kBig = 26, kVerdict = 20;
};

// The colour of a part of a step: the same in the overview, the verdict and the idle lanes of GPUs.
Kind LossKind(StepPart part);
// The same for the id of a part (IdOf); kOther for any other text.
Kind LossKind(std::string_view id);

}  // namespace stepscope
