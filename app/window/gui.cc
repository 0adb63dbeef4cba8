#include "app/window/gui.h"

#include <epoxy/gl.h>
#include <imgui.h>
#include <imgui_impl_opengl3.h>
#include <imgui_internal.h>
#include <implot.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "app/system/process.h"
#include "viewer/core/commands/command.h"
#include "viewer/core/commands/keys.h"
#include "viewer/gl/program.h"
#include "viewer/gl/row_texture.h"
#include "viewer/gl/solid_fills.h"

namespace stepscope {
namespace {

constexpr int kSettleFrames =
    3;  // after the last job, in which tables and docking find their sizes
constexpr double kRestBeforeTidy = 2;  // seconds; longer than a user's pauses

}  // namespace

// Passes texels on to another sink and notes whether any were drawn.
class WatchedSink final : public TexelSink {
 public:
  explicit WatchedSink(std::unique_ptr<TexelSink> sink) : sink_(std::move(sink)) {}
  void Draw(const TexelFrame& frame, ImDrawList* list) override {
    drawn_ = true;
    sink_->Draw(frame, list);
  }
  bool TakeDrawn() { return std::exchange(drawn_, false); }

 private:
  std::unique_ptr<TexelSink> sink_;
  bool drawn_ = false;
};

Gui::Gui(Surface& surface, Session& session, const SettingsStore& store, GuiConfig config)
    : surface_(surface),
      session_(session),
      store_(store),
      other_windows_(config.other_windows && surface.has_other_windows()),
      agent_jobs_(session.scheduler(), Urgency::kSoon),
      agents_(session, agent_jobs_) {
  IMGUI_CHECKVERSION();
  context_ = ImGui::CreateContext();
  ImPlot::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;  // kept by SettingsStore, which writes atomically
  io.LogFilename = nullptr;
  io.ConfigFlags |= ImGuiConfigFlags_DockingEnable;
  io.ConfigInputTextCursorBlink = false;  // an idle text box costs nothing
  io.ConfigWindowsMoveFromTitleBarOnly = true;
  surface_.Attach();
  ImGui_ImplOpenGL3_Init("#version 330 core");
  const bool software = DrawsInSoftware();
  sink_ = std::make_unique<WatchedSink>(std::make_unique<RowTexture>(software));
  if (software) solid_fills_ = std::make_unique<SolidFills>();
  content_scale_ = surface_.content_scale();
  viewer_ = std::make_unique<Viewer>(session_, sink_.get(),
                                     ViewerConfig{.animate = config.animate,
                                                  .content_scale = content_scale_,
                                                  .settings = std::move(config.settings)});
  saved_settings_ = viewer_->settings();
  const std::string layout = config.layout.empty() ? viewer_->DefaultLayoutIni() : config.layout;
  CloseUnavailablePanels();
  if (!layout.empty()) ImGui::LoadIniSettingsFromMemory(layout.data(), layout.size());
}

Gui::~Gui() {
  Persist();
  viewer_.reset();  // its jobs end before what they wake
  solid_fills_.reset();
  sink_.reset();
  ImGui_ImplOpenGL3_Shutdown();
  surface_.Detach();
  ImPlot::DestroyContext();
  ImGui::DestroyContext(context_);
}

// Dear ImGui takes the flag back where the platform has no such windows, as Wayland.
void Gui::CloseUnavailablePanels() {
  if (!other_windows_) return;
  ImGuiIO& io = ImGui::GetIO();
  if (viewer_->settings().panel_windows) {
    io.ConfigFlags |= ImGuiConfigFlags_ViewportsEnable;
  } else {
    io.ConfigFlags &= ~ImGuiConfigFlags_ViewportsEnable;
  }
}

void Gui::DrawFrame(Image* picture) {
  const SessionView& session = session_.Update();
  if (const float scale = surface_.content_scale(); scale != content_scale_) {
    content_scale_ = scale;  // the window moved to another monitor
    viewer_->SetContentScale(scale);
  }
  if (const bool light = session_.desktop_is_light(); light != light_desktop_) {
    light_desktop_ = light;
    viewer_->commands().Push("view.desktop_theme", {.text = light ? "light" : "dark"});
  }
  agents_.Update(*viewer_);
  CloseUnavailablePanels();
  ImGui_ImplOpenGL3_NewFrame();
  surface_.BeginFrame();
  NewFrameKeepingChords();
  viewer_->Frame(session);
  drew_timeline_ = sink_->TakeDrawn() || viewer_->shows_fleet();
  ImGui::Render();
  surface_.BindTarget();
  glDisable(GL_SCISSOR_TEST);
  const ImVec4 background = ImGui::GetStyleColorVec4(ImGuiCol_WindowBg);
  glClearColor(background.x, background.y, background.z, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  if (solid_fills_) solid_fills_->Split(*ImGui::GetDrawData());
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  if (picture) *picture = ReadPixels(surface_.size().width, surface_.size().height);
  SavePictures();
  surface_.EndFrame();
}

// Saves parts of the frame just drawn, which the menu of a chart asked for. They are in coordinates
// of the screen if panels may be windows of the system. A part of such a window is not read.
void Gui::SavePictures() {
  PictureRequest request;
  const ImVec2 origin = ImGui::GetMainViewport()->Pos;
  while (viewer_->TakePicture(&request)) {
    request.x -= origin.x;
    request.y -= origin.y;
    const Image whole = ReadPixels(surface_.size().width, surface_.size().height);
    const std::string png =
        EncodePng(Crop(whole, static_cast<int>(request.x), static_cast<int>(request.y),
                       static_cast<int>(request.width), static_cast<int>(request.height)));
    std::string where;
    const bool ok = !png.empty() && session_.SaveFile(request.name, png, request.replace, &where);
    viewer_->Note((ok ? "Saved " : "Not saved: ") + where);
  }
}

bool Gui::busy() {
  // A stopped job runs until it checks its stop token; its end requests a frame.
  return session_.loading() || session_.saving() || session_.deriving() || session_.recording() ||
         session_.cancelling() || viewer_->animating() || viewer_->stopping() ||
         !viewer_->commands().empty();
}

bool Gui::Step(double max_seconds) {
  PacerState state;
  state.animating = viewer_->moving() || !viewer_->commands().empty();
  state.jobs_running = session_.loading() || session_.saving() || session_.deriving() ||
                       session_.recording() || viewer_->animating();
  state.hidden = surface_.hidden();
  state.ends_in = viewer_->EndsIn();
  PacerWait wait = pacer_.Next(state);
  // Nothing moves, so files that changed are written now.
  if (wait.kind != PacerWait::Kind::kPoll && !state.jobs_running) Persist();
  if (const double tidy = Tidy(wait.kind == PacerWait::Kind::kForever); std::isfinite(tidy))
    wait = {PacerWait::Kind::kTimeout, tidy};
  if (wait.kind == PacerWait::Kind::kForever && max_seconds > 0)
    wait = {PacerWait::Kind::kTimeout, max_seconds};
  if (max_seconds > 0) wait.seconds = std::min(wait.seconds, max_seconds);
  surface_.Wait(wait);
  if (!pacer_.ShouldDraw(surface_.TakeInput()) || surface_.closing()) return false;
  const PixelSize size = surface_.size();
  if (size.width <= 0 || size.height <= 0) return false;
  DrawFrame();
  return true;
}

int Gui::StepFor(double seconds) {
  const Stopwatch watch;
  int frames = 0;
  while (true) {
    const double left = seconds - watch.Seconds();
    if (left <= 0) return frames;  // Step(0) would sleep until something changes
    frames += Step(left) ? 1 : 0;
  }
}

double Gui::Tidy(bool at_rest) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  const auto now = std::chrono::steady_clock::now();
  if (!at_rest || busy()) {
    worked_ = true;
    rests_since_ = now;
    return kNever;
  }
  if (!worked_) return kNever;
  const double left = kRestBeforeTidy - std::chrono::duration<double>(now - rests_since_).count();
  if (left > 0) return left;
  worked_ = false;
  for (const Profile& profile : session_.view().profiles) {
    if (profile.analysis) profile.analysis->ReleaseCaches();
  }
  ReturnFreeMemory();
  return kNever;
}

Status Gui::DrawUntilIdle(double seconds) {
  const auto begin = std::chrono::steady_clock::now();
  for (int calm = 0; calm < kSettleFrames;) {
    DrawFrame();
    calm = busy() ? 0 : calm + 1;
    if (std::chrono::steady_clock::now() - begin > std::chrono::duration<double>(seconds)) {
      const bool loading = session_.loading() || session_.deriving() || session_.cancelling();
      const char* loads = loading ? "loading; " : session_.saving() ? "saving; " : "";
      return Status(ErrorCode::kLimit, "the window was still busy after " +
                                           std::to_string(static_cast<int>(seconds)) +
                                           " s: " + loads + viewer_->BusyWith());
    }
    // Drawing as fast as possible would take the cores from what is being waited for.
    if (calm == 0) surface_.Wait({PacerWait::Kind::kTimeout, 0.01});
    surface_.TakeInput();
  }
  return Status::Ok();
}

void Gui::Persist() {
  if (const Settings& settings = viewer_->settings(); settings != saved_settings_) {
    if (store_.WriteSettings(settings)) saved_settings_ = settings;
  }
  // Dear ImGui asks to save only after some seconds of drawing, and a window at rest draws
  // nothing: the timer of the change tells as well.
  ImGuiIO& io = ImGui::GetIO();
  if (!io.WantSaveIniSettings && ImGui::GetCurrentContext()->SettingsDirtyTimer <= 0) return;
  io.WantSaveIniSettings = false;
  size_t size = 0;
  const char* text = ImGui::SaveIniSettingsToMemory(&size);  // also resets the timer
  store_.WriteLayout(std::string_view(text, size));
}

}  // namespace stepscope
