// PanelFixture: what panel tests need: a Dear ImGui context without a backend, the viewer's fonts,
// services that record, a trace made with TraceBuilder or none, and frames that show one panel in a
// window of its own.
#pragma once

#include <imgui.h>
#include <implot.h>

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tests/viewer/recording_services.h"
#include "viewer/core/analysis_cache.h"
#include "viewer/core/commands/command.h"
#include "viewer/core/commands/keys.h"
#include "viewer/core/look/fonts.h"
#include "viewer/core/look/theme.h"
#include "viewer/core/panel.h"
#include "viewer/core/search/search.h"
#include "viewer/core/state/settings.h"

namespace stepscope {

class PanelFixture {
 public:
  explicit PanelFixture(ImVec2 size = ImVec2(1280, 800)) : size_(size) {
    ImGui::CreateContext();
    ImPlot::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.DisplaySize = size;
    io.BackendFlags |= ImGuiBackendFlags_RendererHasTextures;
    theme = MakeTheme(ThemeKind::kDark);
    ApplyStyle(theme, 1);
    fonts = LoadFonts();
    profile.id = ProfileId(7);
  }
  ~PanelFixture() {
    ImPlot::DestroyContext();
    ImGui::DestroyContext();
  }
  PanelFixture(const PanelFixture&) = delete;
  PanelFixture& operator=(const PanelFixture&) = delete;

  PanelContext Context() {
    return {.session = session,
            .view = view,
            .analyses = analyses,
            .jobs = jobs,
            .later = jobs,
            .settings = settings,
            .theme = theme,
            .fonts = fonts,
            .keys = keys,
            .search = search,
            .pointed = pointed,
            .commands = commands,
            .services = services,
            .profiles = several.empty() ? std::span<const Profile>(&profile, 1) : several,
            .profile = &profile,
            .state = view.Find(profile.id)};
  }

  // One frame with `draw` in a window that fills the display; returns the number of vertices drawn.
  int Frame(const std::function<void(const PanelContext&)>& draw) {
    ImGuiIO& io = ImGui::GetIO();
    io.DeltaTime = 1 / 60.0f;
    ImGui::NewFrame();
    ImGui::SetNextWindowPos(ImVec2(0, 0));
    ImGui::SetNextWindowSize(size_);
    ImGui::Begin("window", nullptr, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove);
    draw(Context());
    ImGui::End();
    ImGui::Render();
    ImDrawData* data = ImGui::GetDrawData();
    // Says that the font atlas has its textures, as a renderer would.
    if (data->Textures != nullptr) {
      for (ImTextureData* texture : *data->Textures) {
        if (texture->Status == ImTextureStatus_WantCreate ||
            texture->Status == ImTextureStatus_WantUpdates) {
          texture->SetTexID(ImTextureID(1));
          texture->SetStatus(ImTextureStatus_OK);
        }
      }
    }
    return data->TotalVtxCount;
  }

  void MoveMouse(float x, float y) { ImGui::GetIO().AddMousePosEvent(x, y); }
  void Button(int button, bool down) { ImGui::GetIO().AddMouseButtonEvent(button, down); }
  void Click(float x, float y, const std::function<void(const PanelContext&)>& draw,
             int button = 0) {
    MoveMouse(x, y);
    Frame(draw);
    Button(button, true);
    Frame(draw);
    Button(button, false);
    Frame(draw);
    Frame(draw);
  }
  void Key(ImGuiKey key, const std::function<void(const PanelContext&)>& draw) {
    ImGui::GetIO().AddKeyEvent(key, true);
    Frame(draw);
    ImGui::GetIO().AddKeyEvent(key, false);
    Frame(draw);
  }
  // The commands pushed since the last call.
  std::vector<Command> TakeCommands() {
    std::vector<Command> out;
    while (std::optional<Command> command = commands.Pop()) out.push_back(std::move(*command));
    return out;
  }

 private:
  ImVec2 size_;

 public:
  RecordingServices services;
  SessionView session;
  ViewState view;
  AnalysisCache analyses{services.jobs};
  JobQueue jobs{services.jobs, Urgency::kSoon};
  Settings settings;
  Theme theme;
  Fonts fonts;
  KeyBindings keys;
  SearchHits search;
  PointedTime pointed;
  CommandQueue commands;
  Profile profile;
  std::vector<Profile> several;  // if not empty, all open profiles, `profile` among them
};

}  // namespace stepscope
