// The compare panel says by how much a step changed and by what. Times are in us.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>

#include "loaders/loader.h"
#include "tests/support/kineto_text.h"
#include "tests/viewer/drawn_text.h"
#include "tests/viewer/open_trace.h"
#include "tests/viewer/viewer_fixture.h"

namespace stepscope {
namespace {

std::vector<StepMarker> Markers(int steps, double us) {
  std::vector<StepMarker> markers(static_cast<size_t>(steps));
  const Ps step = static_cast<Ps>(us) * kPsPerUs;
  for (Ps s = 0; s < steps; ++s) markers[static_cast<size_t>(s)].range = {s * step, (s + 1) * step};
  return markers;
}

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
  profile.steps = std::make_shared<const std::vector<StepMarker>>(Markers(12, step));
  return profile;
}

class TwoProfiles {
 public:
  TwoProfiles() {
    OpenTrace(f, test::TrainingTrace());
    f.view.profiles.clear();
    for (const Profile& profile : profiles) f.view.profiles.emplace_back().profile = profile.id;
    f.view.baseline = ProfileId(1);
    f.view.active = ProfileId(2);
  }
  DrawnText Text() {
    DrawnText text = DrawCalm(f, draw);
    while (panel->animating()) text = DrawCalm(f, draw);
    return text;
  }

  PanelFixture f;
  const std::array<Profile, 2> profiles{Training(ProfileId(1), "before", 300),
                                        Training(ProfileId(2), "after", 400)};
  const std::unique_ptr<Panel> panel = FindPanel("compare")->create();
  const std::function<void(const PanelContext&)> draw = [this](const PanelContext& context) {
    PanelContext two = context;
    two.profiles = profiles;
    two.profile = &profiles[1];
    panel->Draw(two);
  };
};

TEST_CASE("compare: what is in view is added up for both profiles") {
  TwoProfiles t;
  t.f.view.visible = {0, 20 * kPsPerMs};
  const auto details = FindPanel("details")->create();
  const std::function<void(const PanelContext&)> draw = [&](const PanelContext& context) {
    PanelContext two = context;
    two.profiles = t.profiles;
    two.profile = &t.profiles[1];
    two.state = context.view.Find(t.profiles[1].id);
    details->Draw(two);
  };
  DrawnText text = DrawCalm(t.f, draw);
  // A job adds it up; on a busy machine it takes more frames than that of the panel alone.
  for (int i = 0; i < 1000 && text.Has("Adding up what is in view"); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    text = DrawCalm(t.f, draw);
  }
  CAPTURE(text.All());
  CHECK(text.Has(" of A and B"));
  CHECK(text.RightOf("Streams, A").starts_with("24 events, 9"));   // 300 and 500 us
  CHECK(text.RightOf("Streams, B").starts_with("24 events, 10"));  // 400 and 500 us
  const std::string gemm = text.RightOf("gemm");
  CAPTURE(gemm);
  CHECK(gemm.ends_with(" | 12 | 12"));
  CHECK(gemm.find("200.0 | 12") != std::string::npos);  // B takes 1,200 us more
}

TEST_CASE("compare: a bar has the name of its row, and the difference is in sight") {
  TwoProfiles t;
  const DrawnText text = t.Text();
  CAPTURE(text.All());
  size_t names = 0;
  for (const TextPiece& piece : text.pieces()) names += piece.text == "mm" ? 1 : 0;
  CHECK(names >= 2);
  CHECK_FALSE(text.Has("aten::mm"));
  CHECK(text.At("\u0394").min.x < text.At("Kind").min.x);
}

TEST_CASE("compare: the change of a step, its share, and the op that it is made of") {
  TwoProfiles t;
  const DrawnText text = t.Text();
  CAPTURE(text.All());
  CHECK(text.Has("B's step is 100 µs longer (+10 %), significant (p = "));
  CHECK(text.Has("In common: 100 % of the names of kernels, "));
  CHECK(text.RightOf("Baseline A")
            .starts_with("before | 12 steps | B | after | 12 steps | Swap | Layout | Fit both | "));
  // The kernels that the op launched took 300 us, then 400 us.
  CHECK(text.RightOf("100.0").starts_with("300.0 | 400.0 | op | slower | 100.0 % | Compute"));
  const ImVec2 swap = text.At("Swap").middle();
  t.f.TakeCommands();
  t.f.Click(swap.x, swap.y, t.draw);
  const auto commands = t.f.TakeCommands();
  REQUIRE(commands.size() == 1);
  CHECK(commands[0].id == "compare.swap");
}

TEST_CASE("compare: a click on the steps that the numbers are of shows them in their profile") {
  TwoProfiles t;
  const DrawnText text = t.Text();
  const TextPiece* of_b = nullptr;
  for (const TextPiece& piece : text.pieces()) {
    if (piece.text == "12 steps") of_b = &piece;
  }
  REQUIRE(of_b != nullptr);
  t.f.TakeCommands();
  t.f.Click(of_b->middle().x, of_b->middle().y, t.draw);
  const auto commands = t.f.TakeCommands();
  REQUIRE(commands.size() == 1);
  CHECK(commands[0].id == "view.set_range");
  CHECK(commands[0].args.profile == ProfileId(2));
  CHECK(commands[0].args.range == TimeRange{0, 12 * 1100 * kPsPerUs});
}

// How many of the events are of the profile.
int64_t CountOf(const Command& command, uint32_t profile) {
  return std::count_if(command.args.events.begin(), command.args.events.end(),
                       [&](const EventRef& event) { return event.trace == ProfileId(profile); });
}

TEST_CASE("compare: a bar leads from A's step to B's, and shows its events in both") {
  TwoProfiles t;
  const DrawnText text = t.Text();
  CAPTURE(text.All());
  CHECK(text.RightOf("A's step").starts_with("1.000 ms"));
  CHECK(text.RightOf("mm").starts_with("+0.100 ms"));
  CHECK(text.RightOf("B's step").starts_with("1.100 ms"));
  CHECK(text.Has("Durations of mm"));  // of the largest change, until a row is selected
  const ImVec2 bar = text.At("mm").middle();
  t.f.TakeCommands();
  t.f.Click(bar.x, bar.y, t.draw);
  const auto commands = t.f.TakeCommands();
  REQUIRE(commands.size() == 1);
  CHECK(commands[0].id == "select.show_events");
  CHECK(CountOf(commands[0], 1) == 12);
  CHECK(CountOf(commands[0], 2) == 12);
  CHECK_FALSE(t.Text().Has("Select a row to see"));  // its durations are shown
}

TEST_CASE("compare: the arrow keys choose a bar, and Enter shows its events") {
  TwoProfiles t;
  t.Text();
  t.f.TakeCommands();
  for (const ImGuiKey key : {ImGuiKey_DownArrow, ImGuiKey_DownArrow}) t.f.Key(key, t.draw);
  CHECK(t.f.TakeCommands().empty());
  CHECK_FALSE(t.Text().Has("Select a row to see"));
  t.f.Key(ImGuiKey_Enter, t.draw);
  const auto commands = t.f.TakeCommands();
  REQUIRE(commands.size() == 1);
  CHECK(commands[0].id == "select.show_events");
  CHECK(CountOf(commands[0], 1) == 12);
  CHECK(CountOf(commands[0], 2) == 12);
}

TEST_CASE("compare: the bars are exported as numbers and as a picture") {
  TwoProfiles t;
  const DrawnText text = t.Text();
  const ImVec2 bar = text.At("A's step").middle();
  t.f.Click(bar.x, bar.y, t.draw, ImGuiMouseButton_Right);
  const DrawnText menu = t.Text();
  CAPTURE(menu.All());
  CHECK(menu.Has("Copy numbers"));
  const ImVec2 svg = menu.At("Save picture (SVG)\u2026").middle();
  t.f.TakeCommands();
  t.f.Click(svg.x, svg.y, t.draw);
  const auto commands = t.f.TakeCommands();
  REQUIRE(commands.size() == 1);
  CHECK(commands[0].id == "file.export");
  CHECK(commands[0].args.text == "from_a_to_b.svg");
  CHECK(commands[0].args.contents.find("aten::mm") != std::string::npos);
}

TEST_CASE("compare: with one profile open the panel offers to open another") {
  PanelFixture f;
  OpenTrace(f, test::TrainingTrace());
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
