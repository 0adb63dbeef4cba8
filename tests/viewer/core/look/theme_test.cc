#include "viewer/core/look/theme.h"

#include <doctest/doctest.h>

#include <set>
#include <string>

using namespace stepscope;  // NOLINT

namespace {
const ThemeKind kAll[] = {ThemeKind::kDark, ThemeKind::kLight, ThemeKind::kColorBlind,
                          ThemeKind::kHighContrast};
}

TEST_CASE("text has a contrast of 4.5 : 1 on every surface it is drawn on, in every theme") {
  for (ThemeKind kind : kAll) {
    const Theme theme = MakeTheme(kind);
    for (Role surface : {Role::kWindow, Role::kPanel, Role::kRaised}) {
      for (Role text : {Role::kText, Role::kText2, Role::kText3, Role::kAccent, Role::kGood,
                        Role::kWarning, Role::kBad}) {
        CAPTURE(static_cast<int>(kind));
        CAPTURE(static_cast<int>(surface));
        CAPTURE(static_cast<int>(text));
        CHECK(Contrast(theme[text], theme[surface]) >= 4.5f);
      }
    }
    for (Role surface : {Role::kHover, Role::kAccentBg}) {
      CHECK(Contrast(theme[Role::kText], theme[surface]) >= 4.5f);
      CHECK(Contrast(theme[Role::kText2], theme[surface]) >= 4.5f);
    }
    CHECK(Contrast(theme.TextOn(theme[Role::kAccent]), theme[Role::kAccent]) >= 4.5f);
  }
}

TEST_CASE("every colour of the name wheel carries readable text") {
  for (ThemeKind kind : kAll) {
    const Theme theme = MakeTheme(kind);
    std::set<Rgba> seen;
    for (int i = 0; i < 2000; ++i) {
      std::string name = "op";
      for (int k = i; k > 0; k /= 26) name += static_cast<char>('a' + k % 26);
      const Rgba color = theme.NameColor(name);
      seen.insert(color);
      CHECK(Contrast(theme.TextOn(color), color) >= 4.5f);
    }
    CHECK(seen.size() == static_cast<size_t>(theme.hues));
  }
}

TEST_CASE("names differ in colour by their letters, not by their numbers") {
  const Theme theme = MakeTheme(ThemeKind::kDark);
  CHECK(theme.NameColor("fusion.12") == theme.NameColor("fusion.345"));
  CHECK(theme.NameColor("train 1") == theme.NameColor("train 20"));
  CHECK(NameHash("conv") != NameHash("gemm"));
}

TEST_CASE("known colours come out of OKLCH and the contrast formula") {
  CHECK(Contrast(0xff000000u, 0xffffffffu) == doctest::Approx(21.0));
  CHECK(Oklch(1.0f, 0.0f, 0.0f) == 0xffffffffu);
  CHECK(Oklch(0.0f, 0.0f, 0.0f) == 0xff000000u);
  CHECK(Mix(0xff000000u, 0xffffffffu, 0.5f) == 0xff808080u);
}
