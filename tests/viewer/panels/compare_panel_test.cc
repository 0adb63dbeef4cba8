// The compare panel says by how much a step changed and by what. Times are in us.
#include <doctest/doctest.h>

#include <array>

#include "loaders/loader.h"
#include "tests/support/kineto_text.h"
#include "tests/viewer/drawn_text.h"
#include "tests/viewer/open_trace.h"
#include "tests/viewer/viewer_fixture.h"

namespace stepscope {
namespace {

// Twelve steps of 1,000 us and of what `gemm` takes longer than 300 us.
Profile Training(ProfileId id, const char* label, double gemm) {
  test::KinetoText t;
  const double step = 700 + gemm;
  for (int s = 0; s < 12; ++s) {
    const double at = s * step;
    t.Host("user_annotation", "ProfilerStep#" + std::to_string(s), at, step);
    t.Host("cpu_op", "aten::mm", at + 10, 40).Launch(2 * s, at + 20, 10);
    t.Kernel("gemm", 2 * s, at + 100, gemm);
    t.Launch(2 * s + 1, at + 70, 10).Kernel("relu", 2 * s + 1, at + 100 + gemm, 500);
  }
  Profile profile = ProfileOf(id, LoadBytes("t.json", t.Text(test::kH100), {}).value());
  profile.label = label;
  return profile;
}

TEST_CASE("compare: the change of a step, its share, and the op that it is made of") {
  PanelFixture f;
  OpenTrace(f, testing::TrainingTrace());
  const std::array profiles{Training(ProfileId(1), "before", 300),
                            Training(ProfileId(2), "after", 400)};
  f.view.profiles.clear();
  for (const Profile& profile : profiles) f.view.profiles.emplace_back().profile = profile.id;
  f.view.baseline = ProfileId(1);
  f.view.active = ProfileId(2);
  const auto panel = FindPanel("compare")->create();
  const auto draw = [&](const PanelContext& context) {
    PanelContext two = context;
    two.profiles = profiles;
    two.profile = &profiles[1];
    panel->Draw(two);
  };
  DrawnText text = DrawCalm(f, draw);
  while (text.Has("Comparing")) text = DrawCalm(f, draw);
  CAPTURE(text.All());
  CHECK(text.RightOf("+100 µs").starts_with("a step (+10.0 %), 1 ms to 1.1 ms; significant (p = "));
  CHECK(text.RightOf("Baseline A") == "before | B | after | Swap | Layout");
  // The kernels that the op launched took 300 us, then 400 us.
  CHECK(text.RightOf("op").starts_with("mm | slower | 300.0 | 400.0 | 100.0 | 100.0 % | Compute"));
  const ImVec2 swap = text.At("Swap").middle();
  f.TakeCommands();
  f.Click(swap.x, swap.y, draw);
  const auto commands = f.TakeCommands();
  REQUIRE(commands.size() == 1);
  CHECK(commands[0].id == "compare.swap");
}

TEST_CASE("compare: with one profile open the panel offers to open another") {
  PanelFixture f;
  OpenTrace(f, testing::TrainingTrace());
  const auto panel = FindPanel("compare")->create();
  const DrawnText text = DrawCalm(f, *panel);
  CAPTURE(text.All());
  CHECK(text.Has("Nothing is compared."));
  REQUIRE(text.pieces().back().text.starts_with("Compare with"));
  const ImVec2 open = text.pieces().back().middle();
  f.Click(open.x, open.y, [&](const PanelContext& context) { panel->Draw(context); });
  const auto commands = f.TakeCommands();
  REQUIRE(commands.size() == 1);
  CHECK(commands[0].id == "file.compare");
}

}  // namespace
}  // namespace stepscope
