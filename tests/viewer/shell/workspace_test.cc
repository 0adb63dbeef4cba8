// A kept docking layout comes back as it was, in a window of any size.
#include <doctest/doctest.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <cmath>
#include <string>
#include <utility>

#include "tests/viewer/viewer_fixture.h"
#include "viewer/core/panel.h"
#include "viewer/shell/shell.h"

namespace stepscope {
namespace {

using test::TrainingTrace;
using test::ViewerFixture;

struct Kept {
  std::string layout, settings;
};

// The split of the workspace into the timeline and the part below it.
ImGuiDockNode* Root() {
  for (const auto& pair : ImGui::GetCurrentContext()->DockContext.Nodes.Data) {
    auto* node = static_cast<ImGuiDockNode*>(pair.val_p);
    if (node != nullptr && node->IsDockSpace()) return node;
  }
  return nullptr;
}
float Below() {
  const ImGuiDockNode* root = Root();
  REQUIRE(root != nullptr);
  REQUIRE(root->IsSplitNode());
  return root->ChildNodes[1]->Size.y;
}
float Whole() { return Root()->Size.y; }

Kept Keep(const ViewerFixture& f) {
  size_t size = 0;
  const char* text = ImGui::SaveIniSettingsToMemory(&size);
  return {std::string(text, size), SettingsJson(f.viewer->settings())};
}

// A GPU with so many streams of one row each.
std::shared_ptr<const Trace> Streams(int n) {
  test::TraceMaker maker;
  const PlaneId gpu = maker.Plane("GPU 0", PlaneKind::kGpu);
  for (int i = 0; i < n; ++i)
    maker.Track(gpu, "stream " + std::to_string(i), TrackKind::kStream, {{"k", 0, kPsPerMs}});
  return maker.Finish();
}

// The kept layout of a window whose lower part the user made `below` high.
Kept WithBelow(float below) {
  ViewerFixture f({1600, 1000});
  f.Open(TrainingTrace());
  f.Frame(8);
  const float more = below - Below();
  ImGuiDockNode* root = Root();
  root->ChildNodes[0]->SizeRef.y -= more;
  root->ChildNodes[1]->SizeRef.y += more;
  f.Frame(3);
  CHECK(Below() == doctest::Approx(below).epsilon(0.01));
  return Keep(f);
}

TEST_CASE("workspace: a kept layout comes back as it was, however often") {
  Kept kept = WithBelow(300);
  for (int start = 0; start < 3; ++start) {
    ViewerFixture f({1600, 1000}, kept.settings);
    ImGui::LoadIniSettingsFromMemory(kept.layout.data(), kept.layout.size());
    f.Frame(2);  // the profile is still loading
    f.Open(TrainingTrace());
    f.Frame(8);
    CHECK(Below() == doctest::Approx(300).epsilon(0.01));
    kept = Keep(f);
  }
}

TEST_CASE("workspace: in a window of another size the parts keep their shares") {
  const Kept kept = WithBelow(450);
  for (const ImVec2 size : {ImVec2(1280, 800), ImVec2(2560, 1440)}) {
    ViewerFixture f(size, kept.settings);
    ImGui::LoadIniSettingsFromMemory(kept.layout.data(), kept.layout.size());
    f.Open(TrainingTrace());
    f.Frame(8);
    CHECK(Below() / Whole() == doctest::Approx(450.0 / 902).epsilon(0.03));
  }
}

TEST_CASE("workspace: the parts keep their shares of a window that changes") {
  ViewerFixture f({1600, 1000});
  f.Open(TrainingTrace());
  f.Frame(8);
  const float share = Below() / Whole();
  ImGui::GetIO().DisplaySize = {1280, 700};
  f.Frame(4);
  CHECK(Below() / Whole() == doctest::Approx(share).epsilon(0.03));
}

TEST_CASE("workspace: T switches the height of the panels, also after a restart with tall panels") {
  Kept kept;
  {
    ViewerFixture f({1600, 1000});
    f.Open(Streams(100));
    f.Frame(8);
    CHECK(Below() / Whole() < 0.45f);
    f.Key(ImGuiKey_T);
    f.Frame(3);
    CHECK(Below() / Whole() > 0.6f);
    kept = Keep(f);
  }
  ViewerFixture f({1600, 1000}, kept.settings);
  ImGui::LoadIniSettingsFromMemory(kept.layout.data(), kept.layout.size());
  f.Open(Streams(100));
  f.Frame(8);
  CHECK(Below() / Whole() > 0.6f);
  f.Key(ImGuiKey_T);
  f.Frame(3);
  CHECK(Below() / Whole() < 0.45f);
  f.Key(ImGuiKey_T);
  f.Frame(3);
  CHECK(Below() / Whole() > 0.6f);
}

TEST_CASE("workspace: panels get what the timeline's content leaves, and no less than 40 %") {
  for (const int streams : {1, 12, 100}) {
    ViewerFixture f({1600, 1000});
    f.Open(Streams(streams));
    f.Frame(10);
    CAPTURE(streams);
    const float share = Below() / Whole();
    if (streams == 1) CHECK(share == doctest::Approx(1 - 250 / Whole()).epsilon(0.01));
    if (streams == 100) CHECK(share == doctest::Approx(0.40).epsilon(0.01));
    if (streams != 12) continue;
    // All rows are in sight, and few pixels are empty.
    const float rows = Root()->ChildNodes[0]->Size.y - (46 + 22 + 22 + 1);
    const float content = 22 + 3 + 12 * (19 + 2) + 3;
    CHECK(rows >= content);
    CHECK(rows < content + 30);
  }
}

float ShareOfPanelsBelow(int streams) {
  ViewerFixture f({1600, 1000});
  f.Open(Streams(streams));
  f.WaitIdle();
  f.Frame(10);
  return Below() / Whole();
}

// A first picture has fewer rows than the profile, or more.
TEST_CASE("workspace: the split is fitted anew to the profile that follows its first picture") {
  for (const auto& [first, whole] : {std::pair(2, 14), std::pair(14, 2)}) {
    const float wanted = ShareOfPanelsBelow(whole);
    ViewerFixture f({1600, 1000});
    f.Frame(20);  // the welcome page
    f.Open(Streams(first));
    f.session.profiles[0].arriving = true;
    ++f.session.generation;
    f.Frame(30);
    CAPTURE(first);
    CHECK(std::abs(Below() / Whole() - wanted) > 0.1f);
    Profile profile = f.session.profiles[0];
    profile.follows = profile.id;
    profile.id = ProfileId(7);
    profile.arriving = false;
    profile.trace = Streams(whole);
    f.session.profiles[0] = profile;
    ++f.session.generation;
    f.WaitIdle();
    f.Frame(10);
    CHECK(Below() / Whole() == doctest::Approx(wanted).epsilon(0.005));
  }
}

TEST_CASE("workspace: a window without room for panels comes to rest with an open profile") {
  ViewerFixture f(ImVec2(200, 100));
  f.Open(Streams(1));
  f.Frame(30);
  CHECK_FALSE(f.viewer->moving());
}

TEST_CASE("workspace: a share that the user chose stays when another profile is opened") {
  const Kept kept = WithBelow(300);
  ViewerFixture f({1600, 1000}, kept.settings);
  ImGui::LoadIniSettingsFromMemory(kept.layout.data(), kept.layout.size());
  f.Open(Streams(1));
  f.Frame(10);
  CHECK(Below() == doctest::Approx(300).epsilon(0.01));
  f.Push("view.reset_layout");
  f.Frame(10);
  CHECK(Below() / Whole() == doctest::Approx(1 - 250 / Whole()).epsilon(0.01));
}

// The kept layout with one panel undocked, at a place of its own.
Kept Detached(const Kept& kept, const std::string& id, ImVec2 pos, ImVec2 size) {
  const std::string heading = "[Window][panel_" + id + "]\n";
  const size_t begin = kept.layout.find(heading);
  REQUIRE(begin != std::string::npos);
  const size_t end = kept.layout.find("\n\n", begin);
  const auto number = [](float v) { return std::to_string(static_cast<int>(v)); };
  const std::string window = heading + "Pos=" + number(pos.x) + "," + number(pos.y) +
                             "\nSize=" + number(size.x) + "," + number(size.y) + "\nCollapsed=0";
  return {kept.layout.substr(0, begin) + window + kept.layout.substr(end), kept.settings};
}

void CheckOnScreen(const char* id, ImVec2 screen) {
  const ImGuiWindow* window = ImGui::FindWindowByName(PanelWindowName(*FindPanel(id)).c_str());
  REQUIRE(window != nullptr);
  CHECK(bool{window->Active});
  const ImRect rect = window->Rect();
  CAPTURE(rect.Min.x);
  CAPTURE(rect.Min.y);
  CHECK(rect.Min.x >= 0);
  CHECK(rect.Min.y >= 0);
  CHECK(rect.Max.x <= screen.x);
  CHECK(rect.Max.y <= screen.y);
}

TEST_CASE("workspace: a detached panel is on the screen wherever it was before") {
  const Kept kept = WithBelow(300);
  for (const ImVec2 pos : {ImVec2(2300, 400), ImVec2(-500, 100), ImVec2(700, 3000)}) {
    const Kept detached = Detached(kept, "kernel_stats", pos, {900, 400});
    const ImVec2 screen(1280, 800);
    ViewerFixture f(screen, detached.settings);
    ImGui::LoadIniSettingsFromMemory(detached.layout.data(), detached.layout.size());
    f.Open(TrainingTrace());
    f.Frame(8);
    const ImGuiWindow* window =
        ImGui::FindWindowByName(PanelWindowName(*FindPanel("kernel_stats")).c_str());
    REQUIRE(window != nullptr);
    CHECK((window->DockNode == nullptr ||
           !ImGui::DockNodeGetRootNode(window->DockNode)->IsDockSpace()));
    CheckOnScreen("kernel_stats", screen);
  }
}

TEST_CASE("workspace: a detached panel stays on the screen when the window gets smaller") {
  const Kept detached = Detached(WithBelow(300), "kernel_stats", {900, 500}, {650, 400});
  ViewerFixture f({1600, 1000}, detached.settings);
  ImGui::LoadIniSettingsFromMemory(detached.layout.data(), detached.layout.size());
  f.Open(TrainingTrace());
  f.Frame(8);
  CheckOnScreen("kernel_stats", {1600, 1000});
  ImGui::GetIO().DisplaySize = {800, 600};
  f.Frame(6);
  CheckOnScreen("kernel_stats", {800, 600});
}

}  // namespace
}  // namespace stepscope
