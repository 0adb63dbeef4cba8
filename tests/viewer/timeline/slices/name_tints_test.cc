// Tests of the colours that slices have while two profiles are compared.
#include "viewer/timeline/slices/name_tints.h"

#include <doctest/doctest.h>

#include <map>
#include <string>

#include "tests/viewer/viewer_fixture.h"
#include "viewer/core/state/settings.h"

using namespace stepscope;        // NOLINT
using namespace stepscope::test;  // NOLINT

namespace {

using ChangeKind = NameChange::Kind;
using texel::Pattern;

std::shared_ptr<const Trace> OneStream(const std::vector<SimpleEvent>& events) {
  TraceMaker maker;
  maker.Track(maker.Plane("GPU 0", PlaneKind::kGpu), "Stream #1", TrackKind::kStream, events);
  return maker.Finish();
}

// Counts the texels with each pattern.
std::map<Pattern, int> PatternsOf(const TexelFrame& frame) {
  std::map<Pattern, int> out;
  for (const uint32_t texel : frame.texels) {
    if ((texel::Alpha(texel) & texel::kOpaque) != 0) ++out[texel::PatternIn(texel)];
  }
  return out;
}

struct Compared {
  Compared() {
    f.Open(OneStream({{"gemm", 0, kPsPerMs},
                      {"old", 2 * kPsPerMs, kPsPerMs},
                      {"copy", 4 * kPsPerMs, 2 * kPsPerMs},
                      {"same", 7 * kPsPerMs, kPsPerMs}}));
    f.Open(OneStream({{"gemm", 0, 2 * kPsPerMs},
                      {"new", 3 * kPsPerMs, kPsPerMs},
                      {"copy", 5 * kPsPerMs, kPsPerMs},
                      {"same", 7 * kPsPerMs, kPsPerMs}}));
    f.WaitIdle();
  }
  ViewerFixture f;
};

}  // namespace

TEST_CASE("a pattern goes into a colour and comes out of it, and hardly changes it") {
  for (const Pattern p :
       {Pattern::kPlain, Pattern::kRising, Pattern::kFalling, Pattern::kCrossed}) {
    const Rgba color = texel::WithPattern(0xffabcdefu, p);
    CHECK(texel::PatternIn(texel::Make(color, texel::kOpaque, texel::kEdge)) == p);
    CHECK((color & 0xfffffefeu) == (0xffabcdefu & 0xfffffefeu));
  }
}

TEST_CASE("tints: slower and faster differ in colour and hatching in every theme") {
  for (const ThemeKind kind :
       {ThemeKind::kDark, ThemeKind::kLight, ThemeKind::kColorBlind, ThemeKind::kHighContrast}) {
    const Theme theme = MakeTheme(kind);
    const TintColors colors(theme);
    const Rgba slower = colors({ChangeKind::kSlower, NameChange::kMostStrength, 0, 0});
    const Rgba faster = colors({ChangeKind::kFaster, NameChange::kMostStrength, 0, 0});
    CHECK((slower & 255u) > (slower >> 16 & 255u));  // warm: more red than blue
    CHECK((faster & 255u) < (faster >> 16 & 255u));
    CHECK(texel::PatternIn(slower) != texel::PatternIn(faster));
    CHECK(texel::PatternIn(colors({ChangeKind::kSame, 0, 0, 0})) == Pattern::kPlain);
    for (const Rgba color : {slower, faster}) CHECK(Contrast(theme.TextOn(color), color) > 3);
  }
}

TEST_CASE("tints: both timelines are hatched while two runs are compared") {
  Compared c;
  const TexelFrame& frame = c.f.canvas();
  REQUIRE(frame.patterns);
  const auto found = PatternsOf(frame);
  CHECK(found.at(Pattern::kRising) > 0);   // gemm
  CHECK(found.at(Pattern::kFalling) > 0);  // copy
  CHECK(found.at(Pattern::kCrossed) > 0);  // old, new
  CHECK(found.at(Pattern::kPlain) > 0);    // same
  const std::string svg = c.f.viewer->TimelineSvg();
  CHECK(svg.find("<pattern ") != std::string::npos);
}

TEST_CASE("tints: a command switches them, and one run alone has none") {
  Compared c;
  c.f.Push("compare.colors");
  c.f.WaitIdle();
  CHECK_FALSE(c.f.canvas().patterns);
  CHECK_FALSE(c.f.viewer->settings().compare_colors);
  c.f.Push("compare.colors");
  c.f.WaitIdle();
  CHECK(c.f.canvas().patterns);
  c.f.session.profiles.pop_back();
  ++c.f.session.generation;
  c.f.Frame(3);
  c.f.WaitIdle();
  CHECK_FALSE(c.f.canvas().patterns);
}

TEST_CASE("tints: swapping the baseline swaps slower and faster") {
  Compared c;
  const auto before = PatternsOf(c.f.canvas());
  c.f.Push("compare.swap");
  c.f.WaitIdle();
  const auto after = PatternsOf(c.f.canvas());
  CHECK(before.at(Pattern::kRising) == after.at(Pattern::kFalling));
  CHECK(before.at(Pattern::kFalling) == after.at(Pattern::kRising));
}
