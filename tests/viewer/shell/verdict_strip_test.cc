// The strip under the menu bar: its tooltip, and what it says of a file that was cut off.
#include "viewer/shell/verdict_strip.h"

#include <doctest/doctest.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <string>

#include "model/analysis/derived_tracks/device_tracks.h"
#include "tests/viewer/drawn_text.h"
#include "tests/viewer/viewer_fixture.h"
#include "viewer/core/state/settings.h"

namespace stepscope {
namespace {

using test::TraceMaker;
using test::ViewerFixture;

void OpenAnalysed(ViewerFixture& f, std::shared_ptr<const Trace> trace) {
  f.Open(trace);
  Profile& profile = f.session.profiles.back();
  profile.analysis = std::make_shared<AnalysisContext>(trace, Definitions::kStepscope);
  profile.derived = profile.analysis->Get<DerivedTracks>().sets;
  ++f.session.generation;
  f.Frame(2);  // which starts the analyses
  f.WaitIdle();
  f.Frame(5);
}

const ImGuiWindow* Tooltip() {
  for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows) {
    if ((window->Flags & ImGuiWindowFlags_Tooltip) != 0 && window->Active && !window->Hidden)
      return window;
  }
  return nullptr;
}

float StripMiddle() {
  const ImGuiWindow* bar = ImGui::FindWindowByName("##verdict_bar");
  REQUIRE(bar != nullptr);
  return bar->Rect().GetCenter().y;
}

TEST_CASE("verdict strip: the tooltip has padding and a background") {
  ViewerFixture f;
  OpenAnalysed(f, test::TrainingTrace());
  f.MoveTo(120, StripMiddle());
  const ImGuiWindow* tooltip = nullptr;
  for (int i = 0; i < 300 && tooltip == nullptr; ++i) {  // the strip's numbers may still be counted
    f.Frame();
    f.WaitIdle();
    tooltip = Tooltip();
  }
  REQUIRE(tooltip != nullptr);
  CHECK(tooltip->WindowPadding.x >= 4);
  CHECK(tooltip->WindowPadding.y >= 4);
  CHECK(ImGui::GetStyle().Colors[ImGuiCol_PopupBg].w == doctest::Approx(1));
}

std::shared_ptr<const Trace> CutTrace(const char* id, Severity severity) {
  TraceMaker maker;
  const PlaneId host = maker.Plane("Host threads", PlaneKind::kHostThreads);
  maker.Track(host, "python3", TrackKind::kThread, {{"train", 0, kPsPerMs}});
  maker.trace().diagnostics.Count(id, severity, "The file ends in the middle of an event.",
                                  "a.json byte 77");
  return maker.Finish();
}

// A click at the right end of the strip, where it says that a file is incomplete.
bool LeadsToDiagnostics(std::shared_ptr<const Trace> trace) {
  ViewerFixture f;
  OpenAnalysed(f, std::move(trace));
  f.Click(1920 - 60, StripMiddle());
  f.Frame(3);
  return f.viewer->view().panel == "diagnostics";
}

TEST_CASE("verdict strip: it says that a file was cut off") {
  CHECK(LeadsToDiagnostics(CutTrace("chrome.truncated_stream", Severity::kWarning)));
  CHECK_FALSE(LeadsToDiagnostics(CutTrace("chrome.overlap", Severity::kWarning)));
  CHECK_FALSE(LeadsToDiagnostics(test::TrainingTrace()));
}

TEST_CASE("verdict strip: what is missing of a cut profile is a click away, until it comes") {
  for (const ImVec2 size : {ImVec2(1280, 800), ImVec2(1920, 1080)}) {
    ViewerFixture f(size);
    OpenAnalysed(f, CutTrace("remote.cut", Severity::kWarning));
    CHECK(DrawnText().Find("Load the rest") == nullptr);
    f.session.profiles.back().cut = true;
    ++f.session.generation;
    f.Frame(3);
    CHECK(DrawnText().Has("Incomplete profile"));
    const TextPiece rest = DrawnText().At("Load the rest");
    CHECK(rest.max.x < size.x);
    f.Click(rest.middle().x, rest.middle().y);
    f.Frame(2);
    CHECK(f.services.rest_of == f.session.profiles.back().id);
    f.session.loading.emplace().previewed = true;
    f.Frame(3);
    CHECK(DrawnText().Find("Load the rest") == nullptr);
  }
}

TEST_CASE(
    "definitions: the session is told the setting, which is kept, and shown if it is XProf's") {
  ViewerFixture f;
  CHECK(f.services.definitions == Definitions::kStepscope);
  OpenAnalysed(f, test::TrainingTrace());
  CommandArgs args;
  args.text = "definitions=XProf";
  f.Push("app.set", args);
  CHECK(f.services.definitions == Definitions::kXprof);
  CHECK(f.viewer->settings().definitions == Definitions::kXprof);
  args.text = "definitions=Nobody";
  f.Push("app.set", args);
  CHECK(f.services.definitions == Definitions::kXprof);
  f.Frame(3);
  f.Click(1920 - 60, StripMiddle());  // the chip at the right end of the strip
  CHECK(f.services.definitions == Definitions::kStepscope);
  CHECK(f.viewer->settings().definitions == Definitions::kStepscope);
  f.Push("view.definitions");
  CHECK(f.services.definitions == Definitions::kXprof);

  const ViewerFixture again({1920, 1080}, SettingsJson(f.viewer->settings()));
  CHECK(again.services.definitions == Definitions::kXprof);
}

TEST_CASE("definitions: results are computed again when the profiles have other contexts") {
  ViewerFixture f;
  OpenAnalysed(f, test::TrainingTrace());
  const std::weak_ptr<AnalysisContext> before = f.session.profiles[0].analysis;
  Profile& profile = f.session.profiles[0];
  profile.analysis = std::make_shared<AnalysisContext>(profile.trace, Definitions::kXprof);
  ++f.session.generation;
  f.Frame();
  CHECK(f.viewer->animating());  // it is being computed
  f.WaitIdle();
  f.Frame(2);
  CHECK(before.expired());  // nothing shown goes by the old one
}

}  // namespace
}  // namespace stepscope
