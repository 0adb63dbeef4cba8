// UiApp: the whole viewer on a profile from a file, without a window. imgui_test_engine does what
// a person does with mouse and keys, and finds items by the labels that the person reads. Only
// one may exist at a time, because it owns the ImGui context.
#pragma once

#include <imgui.h>
#include <imgui_te_context.h>
#include <imgui_te_engine.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/viewer/recording_services.h"
#include "viewer/core/commands/command.h"
#include "viewer/core/profiles/session_view.h"
#include "viewer/viewer.h"

struct ImGuiTable;
struct ImGuiWindow;

namespace stepscope::ui {

class UiApp {
 public:
  // Loads the profile and computes what is derived from it; throws std::runtime_error if it cannot.
  explicit UiApp(const std::string& path);
  ~UiApp();
  UiApp(const UiApp&) = delete;
  UiApp& operator=(const UiApp&) = delete;

  using Body = void (*)(UiApp& app, ImGuiTestContext* ctx);
  void Add(const char* name, Body body);
  int RunAll();  // returns the number of tests that failed

  // Test bodies call it to wait until nothing is computed or moves any more.
  void WaitIdle(ImGuiTestContext* ctx);
  void Push(ImGuiTestContext* ctx, CommandId command, const std::string& text);
  const Trace& trace() const { return *session.profiles.front().trace; }
  std::string NameOf(const EventRef& event) const;

  RecordingServices services;
  SessionView session;
  std::unique_ptr<Viewer> viewer;

 private:
  void Frame();
  ImGuiContext* imgui_ = nullptr;
  ImGuiTestEngine* engine_ = nullptr;
};

void AddCaptureTests(UiApp* app);   // capture_tests.cc
void AddTableTests(UiApp* app);     // table_tests.cc
void AddTimelineTests(UiApp* app);  // timeline_tests.cc

}  // namespace stepscope::ui
