#include "tests/ui/ui_app.h"

#include <implot.h>

#include <chrono>
#include <stdexcept>
#include <thread>

#include "loaders/loader.h"
#include "model/analysis/derived_tracks/device_tracks.h"
#include "viewer/core/commands/command.h"
#include "viewer/core/state/view_state.h"

namespace stepscope::ui {
namespace {

constexpr int kMaxFrames =
    20'000;  // at most, while waiting: a job that never ends fails instead of hanging

// Does what a renderer would do with the font atlas: it says that textures exist.
void AcknowledgeTextures() {
  for (ImTextureData* texture : ImGui::GetPlatformIO().Textures) {
    if (texture->Status == ImTextureStatus_WantCreate ||
        texture->Status == ImTextureStatus_WantUpdates) {
      texture->SetTexID(ImTextureID(1));
      texture->SetStatus(ImTextureStatus_OK);
    }
  }
}

Profile Load(const std::string& path) {
  Progress progress;
  auto trace = LoadPath(path, {}, {}, progress);
  if (!trace.ok()) throw std::runtime_error(trace.status().message());
  Profile profile;
  profile.id = ProfileId(3);
  profile.label = path;
  profile.trace = *trace;
  profile.analysis = std::make_shared<AnalysisContext>(*trace, Definitions::kStepscope);
  profile.derived = profile.analysis->Get<DerivedTracks>().sets;
  return profile;
}

}  // namespace

UiApp::UiApp(const std::string& path) {
  session.profiles.push_back(Load(path));
  session.generation = 1;
  imgui_ = ImGui::CreateContext();
  ImPlot::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.DisplaySize = ImVec2(1920, 1080);
  io.BackendFlags |= ImGuiBackendFlags_RendererHasTextures;
  ViewerConfig config;
  config.animate = false;
  viewer = std::make_unique<Viewer>(services, nullptr, config);
  engine_ = ImGuiTestEngine_CreateContext();
  ImGuiTestEngineIO& test = ImGuiTestEngine_GetIO(engine_);
  test.ConfigRunSpeed = ImGuiTestRunSpeed_Fast;
  test.ConfigVerboseLevel = ImGuiTestVerboseLevel_Error;
  test.ConfigVerboseLevelOnError = ImGuiTestVerboseLevel_Info;
  test.ConfigLogToTTY = true;
  test.ConfigSavedSettings = false;
  test.ConfigNoThrottle = true;
  ImGuiTestEngine_Start(engine_, imgui_);
}

UiApp::~UiApp() {
  ImGuiTestEngine_Stop(engine_);
  viewer.reset();
  for (ImTextureData* texture : ImGui::GetPlatformIO().Textures) {
    texture->SetTexID(ImTextureID_Invalid);
    texture->SetStatus(ImTextureStatus_Destroyed);
  }
  ImPlot::DestroyContext();
  ImGui::DestroyContext(imgui_);
  ImGuiTestEngine_DestroyContext(engine_);
}

void UiApp::Add(const char* name, Body body) {
  ImGuiTest* test = ImGuiTestEngine_RegisterTest(engine_, "stepscope", name);
  test->TestFunc = [this, body](ImGuiTestContext* ctx) { body(*this, ctx); };
}

void UiApp::Frame() {
  ImGui::GetIO().DeltaTime = 1 / 60.0f;
  ImGui::NewFrame();
  viewer->Frame(session);
  ImGui::Render();
  AcknowledgeTextures();
  ImGuiTestEngine_PostSwap(engine_);
}

int UiApp::RunAll() {
  for (int i = 0; i < 5; ++i) Frame();  // the layout finds its place
  ImGuiTestEngine_QueueTests(engine_, ImGuiTestGroup_Tests, nullptr,
                             ImGuiTestRunFlags_RunFromCommandLine);
  while (!ImGuiTestEngine_IsTestQueueEmpty(engine_)) Frame();
  ImGuiTestEngineResultSummary summary;
  ImGuiTestEngine_GetResultSummary(engine_, &summary);
  return summary.CountTested - summary.CountSuccess;
}

void UiApp::WaitIdle(ImGuiTestContext* ctx) {
  ctx->Yield(2);
  for (int i = 0; i < kMaxFrames && viewer->animating(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ctx->Yield();
  }
  IM_CHECK(!viewer->animating());
  ctx->Yield(2);
}

void UiApp::Push(ImGuiTestContext* ctx, CommandId command, const std::string& text) {
  CommandArgs args;
  args.text = text;
  viewer->commands().Push(command, std::move(args));
  WaitIdle(ctx);
}

std::string UiApp::NameOf(const EventRef& event) const {
  const Profile& profile = session.profiles.front();
  const TrackSet& set = event.set == 0 ? profile.trace->set : *profile.derived[event.set - 1];
  return event.valid() ? std::string(set.Name(event.row)) : std::string();
}

}  // namespace stepscope::ui
