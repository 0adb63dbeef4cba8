#include "viewer/panels/analysis_panel.h"

#include <doctest/doctest.h>

#include "tests/viewer/drawn_text.h"
#include "tests/viewer/panel_fixture.h"
#include "tests/viewer/viewer_fixture.h"

namespace stepscope {
namespace {

// A fixture whose profile has a trace and a view.
struct ScopeFixture : PanelFixture {
  ScopeFixture() {
    profile.trace = test::TrainingTrace();
    ProfileViewState state;
    state.profile = profile.id;
    state.map.offset = kPsPerMs;
    view.profiles.push_back(state);
    view.active = profile.id;
  }
};

TEST_CASE("scope: totals say which part of the profile they are of, and a click shows it") {
  ScopeFixture f;
  const DrawnText whole = DrawCalm(f, DrawScope);
  const TimeRange span = f.profile.trace->span;
  const TextPiece& link = whole.At("Whole trace, " + FormatDuration(span.length(), 4));
  f.Click(link.middle().x, link.middle().y, DrawScope);
  const auto commands = f.TakeCommands();
  REQUIRE(commands.size() == 1);
  CHECK(commands[0].id == "view.set_range");
  CHECK(commands[0].args.range == span);
  CHECK(commands[0].args.profile == f.profile.id);
}

TEST_CASE("scope: a limit of all panels and a host are part of it, in the profile's time") {
  ScopeFixture f;
  f.view.filters.push_back({{2 * kPsPerMs, 5 * kPsPerMs}, "step 3"});
  f.view.profiles[0].host = "host-1";
  const DrawnText limited = DrawCalm(f, DrawScope);
  const TextPiece& link = limited.At("Only step 3, 3.000 ms, host-1");
  f.Click(link.middle().x, link.middle().y, DrawScope);
  const auto commands = f.TakeCommands();
  REQUIRE(commands.size() == 1);
  CHECK(commands[0].args.range == TimeRange{kPsPerMs, 4 * kPsPerMs});
  f.view.filters = {{{2 * kPsPerMs, 5 * kPsPerMs}, FormatDuration(3 * kPsPerMs, 4)}};
  f.view.profiles[0].host.clear();
  CHECK(DrawCalm(f, DrawScope).Find("Only 3.000 ms") != nullptr);
}

TEST_CASE("scope: averages say over how many steps they are") {
  ScopeFixture f;
  std::vector<Step> steps(3);
  for (Ps i = 0; i < 3; ++i)
    steps[static_cast<size_t>(i)].span = {i * kPsPerMs, (i + 1) * kPsPerMs};
  const auto draw = [&](const PanelContext& context) { DrawStepScope(context, steps, 2); };
  const DrawnText text = DrawCalm(f, draw);
  const TextPiece& link = text.At("average of 2 steps");
  f.Click(link.middle().x, link.middle().y, draw);
  const auto commands = f.TakeCommands();
  REQUIRE(commands.size() == 1);
  CHECK(commands[0].args.range == TimeRange{0, 3 * kPsPerMs});
}

}  // namespace
}  // namespace stepscope
