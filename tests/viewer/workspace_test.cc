// The docking layout that was kept: it comes back as it was, in a window of any size.
#include <doctest/doctest.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <string>

#include "tests/viewer/viewer_fixture.h"

namespace stepscope {
namespace {

using testing::TrainingTrace;
using testing::ViewerFixture;

struct Kept {
  std::string layout, settings;
};

// Of the workspace's split into the timeline and what is below it.
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
  return {std::string(text, size), f.viewer->SettingsText()};
}

// What is kept of a window whose lower part the user made `below` high.
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

TEST_CASE("workspace: T switches what is seen, after a restart with tall panels too") {
  Kept kept;
  {
    ViewerFixture f({1600, 1000});
    f.Open(TrainingTrace());
    f.Frame(8);
    CHECK(Below() / Whole() < 0.45f);
    f.Key(ImGuiKey_T);
    f.Frame(3);
    CHECK(Below() / Whole() > 0.6f);
    kept = Keep(f);
  }
  ViewerFixture f({1600, 1000}, kept.settings);
  ImGui::LoadIniSettingsFromMemory(kept.layout.data(), kept.layout.size());
  f.Open(TrainingTrace());
  f.Frame(8);
  CHECK(Below() / Whole() > 0.6f);
  f.Key(ImGuiKey_T);
  f.Frame(3);
  CHECK(Below() / Whole() < 0.45f);
  f.Key(ImGuiKey_T);
  f.Frame(3);
  CHECK(Below() / Whole() > 0.6f);
}

}  // namespace
}  // namespace stepscope
