// The Compare panel: what it says of two profiles, and that it lets them go.
#include <doctest/doctest.h>
#include <imgui_internal.h>

#include <array>
#include <string>
#include <thread>

#include "loaders/loader.h"
#include "tests/support/gpu_profile.h"
#include "tests/support/has_text.h"
#include "tests/viewer/panel_fixture.h"
#include "tests/viewer/viewer_fixture.h"

namespace stepscope {
namespace {

using test::Has;

Profile Training(uint32_t id, double slower) {
  test::GpuProfileOptions options;
  options.layers = 10;
  options.slower_op = "conv";
  options.slower_factor = slower;
  Profile profile;
  profile.id = ProfileId(id);
  profile.label = "profile " + std::to_string(id);
  profile.trace = *LoadBytes("h.xplane.pb", test::MakeGpuProfile(options), {});
  profile.analysis = std::make_shared<AnalysisContext>(profile.trace, Definitions::kStepscope);
  return profile;
}

class ComparePanelTest {
 public:
  ComparePanelTest() : profiles{Training(1, 1), Training(2, 1.2)} {
    for (const Profile& profile : profiles) {
      ProfileViewState state;
      state.profile = profile.id;
      fixture.view.profiles.push_back(state);
    }
    fixture.view.active = profiles[1].id;
    fixture.view.baseline = profiles[0].id;
  }

  // The text that one frame shows.
  std::string Frame(std::span<const Profile> open) {
    std::string text;
    fixture.analyses.NextFrame();
    fixture.Frame([&](const PanelContext& context) {
      PanelContext two = context;
      two.profiles = open;
      ImGui::LogToBuffer();
      panel->Draw(two);
      text = GImGui->LogBuffer.c_str();
      ImGui::LogFinish();
    });
    return text;
  }
  std::string FrameWhenDone() {
    std::string text = Frame(profiles);
    while (panel->animating()) {
      std::this_thread::yield();
      text = Frame(profiles);
    }
    return text;
  }

  PanelFixture fixture;
  std::array<Profile, 2> profiles;
  std::unique_ptr<Panel> panel = FindPanel("compare")->create();
};

TEST_CASE("compare panel: says how much longer a step takes, in which profile, and why") {
  ComparePanelTest test;
  const std::string text = test.FrameWhenDone();
  CAPTURE(text);
  CHECK(text.starts_with("B's step is "));
  CHECK(Has(text, "), significant (p = "));
  CHECK(Has(text, "profile 1"));
  CHECK(Has(text, "profile 2"));
}

TEST_CASE("compare panel: another part is another answer, and the last one stays until then") {
  ComparePanelTest test;
  test.FrameWhenDone();
  RangeFilter steps;
  const TimeRange all = test.profiles[0].trace->span;
  steps.range = {all.begin, all.begin + all.length() / 2};
  test.fixture.view.filters.push_back(steps);
  const std::string before = test.Frame(test.profiles), after = test.FrameWhenDone();
  CAPTURE(before);
  CAPTURE(after);
  CHECK(before != after);
  CHECK(before.starts_with("B's step is "));
  CHECK(after.starts_with("B's step is "));
}

TEST_CASE("compare panel: of a profile that is closed nothing is shown and nothing is kept") {
  ComparePanelTest test;
  test.FrameWhenDone();
  const std::weak_ptr<AnalysisContext> watch = test.profiles[0].analysis;
  const std::array left{test.profiles[1]};
  CHECK(Has(test.Frame(left), "Nothing is compared."));
  test.fixture.analyses.KeepOnly(left);
  test.profiles[0] = {};
  CHECK(watch.expired());
}

TEST_CASE("compare panel: says why two profiles cannot be compared") {
  ComparePanelTest test;
  for (Profile& profile : test.profiles) {
    profile.trace = test::TraceMaker().Finish();
    profile.analysis = std::make_shared<AnalysisContext>(profile.trace, Definitions::kStepscope);
  }
  const std::string text = test.FrameWhenDone();
  CAPTURE(text);
  CHECK(Has(text, "Neither run has steps or device events to compare."));
  CHECK_FALSE(Has(text, "B's step"));
}

}  // namespace
}  // namespace stepscope
