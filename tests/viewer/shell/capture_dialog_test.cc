#include "viewer/shell/capture_dialog.h"

#include <doctest/doctest.h>
#include <imgui_internal.h>

#include "tests/viewer/viewer_fixture.h"
#include "viewer/core/state/settings.h"

namespace stepscope::test {
namespace {

void OpenDialog(ViewerFixture& f) {
  f.Push("file.capture");
  f.Frame(6);
}

TEST_CASE("capture dialog: an address and Enter record with the options of last time") {
  ViewerFixture f({1920, 1080}, "capture.duration_ms = 1500\ncapture.host_level = 3\n");
  f.Frame(2);
  OpenDialog(f);
  f.Type("node7:6009");
  f.Key(ImGuiKey_Enter);
  f.Frame(3);
  REQUIRE(f.services.captured.size() == 1);
  const CaptureRequest& request = f.services.captured[0];
  CHECK(request.addresses == "node7:6009");
  CHECK(request.duration_ms == 1500);
  CHECK(request.host_level == 3);
  CHECK(request.device_level == 1);
  CHECK(request.python_level == 0);
  CHECK(f.viewer->settings().capture_addresses == std::vector<std::string>{"node7:6009"});
}

TEST_CASE("capture dialog: without an address there is nothing to record; Escape closes it") {
  ViewerFixture f;
  f.Frame(2);
  OpenDialog(f);
  f.Key(ImGuiKey_Enter);
  f.Frame(3);
  CHECK(f.services.captured.empty());
  f.Key(ImGuiKey_Escape);
  f.Frame(3);
  f.Key(ImGuiKey_Enter);
  CHECK(f.services.captured.empty());
  CHECK(f.viewer->settings().capture_addresses.empty());
  CHECK_FALSE(ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel));
}

TEST_CASE("capture dialog: a key records again; without a last time it asks") {
  ViewerFixture f;
  f.Frame(2);
  f.Key(ImGuiKey_R, ImGuiMod_Ctrl | ImGuiMod_Shift);
  f.Frame(4);
  CHECK(f.services.captured.empty());
  CHECK(ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel));
  f.Key(ImGuiKey_Escape);
  f.Frame(3);
  f.Push("file.record", {.text = "a:1,b:2"});
  f.Frame(2);
  f.Key(ImGuiKey_R, ImGuiMod_Ctrl | ImGuiMod_Shift);
  f.Frame(2);
  REQUIRE(f.services.captured.size() == 2);
  CHECK(f.services.captured[1].addresses == "a:1,b:2");
}

TEST_CASE("capture dialog: a recording is shown and cancelled, and does not hold up the window") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  CaptureStatus& capture = f.session.capture;
  capture.running = true;
  capture.addresses = "node7:6009";
  capture.stage = "Recording";
  capture.done = 0.5;
  capture.amount = "1.0 of 2 s";
  f.Frame(4);
  const TimeRange before = f.visible();
  f.Key(ImGuiKey_W);
  f.Frame(5);
  CHECK(f.visible() != before);
  f.Push("file.record", {.text = "other:1"});
  f.Frame(2);
  CHECK(f.services.captured.empty());
  f.Push("file.stop_recording");
  f.Frame(2);
  CHECK(f.services.captures_cancelled == 1);
}

TEST_CASE("capture dialog: what went wrong stays until it is dismissed") {
  ViewerFixture f;
  f.session.capture.problem = "node7:6009: nobody listens there";
  f.Frame(4);
  CHECK(ImGui::FindWindowByName("##capture") != nullptr);
  f.Key(ImGuiKey_Escape);
  f.Frame(2);
  CHECK(f.services.problems_dismissed == 1);
}

}  // namespace
}  // namespace stepscope::test
