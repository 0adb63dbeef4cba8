// App services that write down what the viewer asked for and do nothing else.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/jobs/scheduler.h"
#include "viewer/core/profiles/session_view.h"

namespace stepscope {

class RecordingServices final : public AppServices {
 public:
  void Open(const std::vector<std::string>& paths, bool add) override {
    opened = paths;
    added = add;
  }
  void OpenRun(ProfileId, const std::string& run_name) override { opened_run = run_name; }
  void LoadRest(ProfileId profile) override { rest_of = profile; }
  void CloseProfile(ProfileId) override { ++closed; }
  void Answer(OpenAnswer answer) override { answered = answer; }
  void CancelLoading() override { ++cancelled; }
  void Capture(const CaptureRequest& request) override { captured.push_back(request); }
  void CancelCapture() override { ++captures_cancelled; }
  void DismissCaptureProblem() override { ++problems_dismissed; }
  void SetDefinitions(Definitions to) override { definitions = to; }
  void DismissError() override { ++dismissed; }
  void InstallThere() override { ++installs; }
  std::string FormatOfFile(const std::string& name) const override {
    return name.ends_with(".xplane.pb") ? "XSpace" : "";
  }
  void NativeOpenDialog(bool) override {}
  bool has_native_dialog() const override { return false; }
  void Quit() override { ++quits; }
  void ToggleFullscreen() override {}
  void SetClipboard(const std::string& text) override { clipboard = text; }
  bool SaveFile(const std::string& path, const std::string& contents, bool replace,
                std::string* where) override {
    saved_path = *where = path;
    saved = contents;
    replaced = replace;
    return true;
  }
  void SaveProfile(ProfileId profile, TimeRange range, const std::string& path,
                   bool replace) override {
    saved_profile = profile;
    saved_range = range;
    saved_path = path;
    replaced = replace;
  }
  std::string ReadNotes(const std::string&) override { return notes; }
  bool WriteNotes(const std::string&, const std::string& text) override {
    notes = text;
    return true;
  }
  std::string SetNotesAside(const std::string&) override { return std::exchange(aside, ""); }
  std::string AllowAgents(bool allow) override {
    agents_allowed = allow;
    return agents_error;
  }
  void RequestFrame() override {}
  Scheduler& scheduler() override { return jobs; }
  void ClearRecent() override {}

  Scheduler jobs{2};
  std::vector<std::string> opened;
  bool added = false;
  std::optional<OpenAnswer> answered;
  std::optional<Definitions> definitions;
  bool replaced = false;
  std::optional<bool> agents_allowed;
  std::string agents_error;
  std::string notes, aside = "aside";
  ProfileId saved_profile, rest_of;
  TimeRange saved_range;
  std::string opened_run, clipboard, saved_path, saved;
  std::vector<CaptureRequest> captured;
  int captures_cancelled = 0, problems_dismissed = 0;
  int closed = 0, cancelled = 0, dismissed = 0, installs = 0, quits = 0;
};

}  // namespace stepscope
