// Drives the dialog that records a running program, and what is shown while it is recorded.
#include <imgui_internal.h>

#include <string>

#include "tests/ui/ui_app.h"
#include "viewer/core/state/settings.h"

namespace stepscope::ui {
namespace {

constexpr const char* kDialog = "//Capture###capture_dialog";

bool IsOpen() {
  const ImGuiWindow* window = ImGui::FindWindowByName("Capture###capture_dialog");
  return window != nullptr && window->WasActive;
}

void OpenByMenu(UiApp& app, ImGuiTestContext* ctx) {
  ctx->SetRef("//##MainMenuBar");
  ctx->MenuClick("File/Capture\u2026");
  app.WaitIdle(ctx);
  IM_CHECK(IsOpen());
  ctx->SetRef(kDialog);
}

// Without Enter, which records.
void Write(ImGuiTestContext* ctx, const char* box, const char* text) {
  ctx->ItemClick(box);
  ctx->KeyCharsReplace(text);
}

void Record(UiApp& app, ImGuiTestContext* ctx) {
  app.services.captured.clear();
  OpenByMenu(app, ctx);
  Write(ctx, "##address", "node7:6009");
  Write(ctx, "##duration", "0.5");
  Write(ctx, "##delay", "1");
  ctx->ItemClick("Annotations");
  ctx->ItemUncheck("Kernels and copies##device");
  ctx->ItemCheck("Calls of functions##python");
  Write(ctx, "##folder", "/logs");
  ctx->ItemClick("Record");
  app.WaitIdle(ctx);
  IM_CHECK(!IsOpen());
  IM_CHECK_EQ(app.services.captured.size(), 1u);
  const CaptureRequest& request = app.services.captured[0];
  IM_CHECK_STR_EQ(request.addresses.c_str(), "node7:6009");
  IM_CHECK_EQ(request.duration_ms, 500);
  IM_CHECK_EQ(request.delay_ms, 1000);
  IM_CHECK_EQ(request.host_level, 1);
  IM_CHECK_EQ(request.device_level, 0);
  IM_CHECK_EQ(request.python_level, 1);
  IM_CHECK_STR_EQ(request.folder.c_str(), "/logs");
}

void RecordFromRecent(UiApp& app, ImGuiTestContext* ctx) {
  app.Push(ctx, "app.set", "capture.addresses=b:2; node7:6009");
  app.services.captured.clear();
  OpenByMenu(app, ctx);
  ctx->ItemClick("##recent");
  ctx->ItemClick("//$FOCUSED/node7:6009");
  app.WaitIdle(ctx);
  ctx->SetRef(kDialog);
  ctx->ItemClick("Record");
  app.WaitIdle(ctx);
  IM_CHECK_EQ(app.services.captured.size(), 1u);
  IM_CHECK_STR_EQ(app.services.captured[0].addresses.c_str(), "node7:6009");
  const std::vector<std::string> recent = {"node7:6009", "b:2"};
  IM_CHECK(app.viewer->settings().capture_addresses == recent);
}

void RefuseNonsense(UiApp& app, ImGuiTestContext* ctx) {
  app.services.captured.clear();
  OpenByMenu(app, ctx);
  Write(ctx, "##duration", "soon");
  IM_CHECK((ctx->ItemInfo("Record").ItemFlags & ImGuiItemFlags_Disabled) != 0);
  ctx->KeyPress(ImGuiKey_Enter);
  app.WaitIdle(ctx);
  IM_CHECK(IsOpen());
  ctx->ItemClick("Cancel");
  app.WaitIdle(ctx);
  IM_CHECK(!IsOpen());
  IM_CHECK(app.services.captured.empty());
}

void CancelRunning(UiApp& app, ImGuiTestContext* ctx) {
  app.services.captures_cancelled = 0;
  app.session.capture.running = true;
  app.session.capture.stage = "Recording";
  app.session.capture.done = 0.5;
  ctx->Yield(3);
  ctx->ItemClick("//##capture/Cancel");
  ctx->Yield(2);
  IM_CHECK_EQ(app.services.captures_cancelled, 1);
  app.session.capture = {};
  app.session.capture.problem = "node7:6009: nobody listens there";
  ctx->Yield(3);
  app.services.captured.clear();
  ctx->ItemClick("//##capture/Record again");
  app.session.capture = {};
  app.WaitIdle(ctx);
  IM_CHECK_EQ(app.services.captured.size(), 1u);
}

}  // namespace

void AddCaptureTests(UiApp* app) {
  app->Add("capture_record", Record);
  app->Add("capture_recent", RecordFromRecent);
  app->Add("capture_nonsense", RefuseNonsense);
  app->Add("capture_running", CancelRunning);
}

}  // namespace stepscope::ui
