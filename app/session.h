// Session: the runs that are open and everything the viewer asks of the program. Loads and derived
// tracks are computed on threads of their own; Update() takes what is finished, once a frame.
// UI thread only; the `wake` callback is called from workers.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/desktop_dialog.h"
#include "app/settings_store.h"
#include "loaders/loader.h"
#include "model/base/latest_job.h"
#include "viewer/core/session_view.h"

namespace stepscope {

// What the session needs from the window, if there is one. Empty functions do nothing.
struct SessionHost {
  std::function<void()> wake;  // from any thread: run the loop once more, and draw
  std::function<void()> quit;
  std::function<void()> toggle_fullscreen;
  std::function<void(const std::string&)> set_clipboard;
};

// How long the parts of the last load took, from the stages that the loader named.
struct LoadTimes {
  std::chrono::steady_clock::time_point begin, end;
  std::vector<std::pair<const char*, std::chrono::steady_clock::time_point>> stages;
};

class Session : public AppServices {
 public:
  Session(const SettingsStore& store, SessionHost host);
  ~Session() override = default;  // asks all jobs to stop and joins them

  // Takes finished jobs and starts queued ones. Call once before each frame.
  const SessionView& Update();
  const SessionView& view() const { return view_; }

  bool loading() const { return load_.has_value() || !queue_.empty(); }
  bool deriving() const;
  bool cancelling() { return threads_.stopping() > 0; }  // stopped jobs that have not ended yet
  const Status& load_status() const { return load_status_; }  // of the last finished load
  const LoadTimes& load_times() const { return load_times_; }
  // While held, a run that is opened is shown without analyses and derived tracks: `bench` times
  // those by themselves. Letting go starts them.
  void HoldAnalyses(bool hold);
  // With a window: profiles that have nothing to do with each other are asked about, not merged.
  void set_asks(bool asks) { asks_ = asks; }
  // Dropped on the window: asks whether to compare if something is open.
  void Drop(const std::vector<std::string>& paths);
  void set_load_options(LoadOptions options) { default_options_ = std::move(options); }

  void Open(const std::vector<std::string>& paths, bool add_for_comparison) override;
  void OpenRun(TraceId run, const std::string& run_name) override;
  void CloseRun(TraceId run) override;
  void Answer(OpenAnswer answer) override;
  void CancelLoading() override;
  void SetDefinitions(Definitions definitions) override;  // open runs get new contexts
  void DismissError() override;
  std::string FormatOfFile(const std::string& name) const override;
  void NativeOpenDialog(bool folder) override;
  bool has_native_dialog() const override;
  void Quit() override;
  void ToggleFullscreen() override;
  void SetClipboard(const std::string& text) override;
  bool SaveFile(const std::string& path, const std::string& contents, bool replace,
                std::string* where) override;
  std::string ReadNotes(const std::string& content) override;
  bool WriteNotes(const std::string& content, const std::string& text) override;
  std::string SetNotesAside(const std::string& content) override;
  void RequestFrame() override;
  void ClearRecent() override;

 private:
  struct Derived {
    std::vector<std::shared_ptr<const TrackSet>> sets;
    std::shared_ptr<const FlowIndex> flows;
  };

  struct LoadRequest {
    std::vector<std::string> paths;
    LoadOptions options;
    bool add = false;  // beside the runs that are open
    TraceId replaces;  // or in the place of this one
  };
  struct Loaded {
    Result<std::shared_ptr<const Trace>> trace;
    std::vector<std::string> runs;
    std::string content;
  };
  struct CurrentLoad {
    LoadRequest request;
    std::chrono::steady_clock::time_point begin;
  };
  struct OpenRunState {  // beside view_.runs, by index
    LoadRequest request;
    bool derive_due = false;  // starts one frame after the run was first shown
    LatestJob<Derived> derive;
  };

  static Loaded Load(const LoadRequest& request, const std::stop_token& stop, Progress& progress);
  void OpenNow(const std::vector<std::string>& paths, bool add_for_comparison);
  void Ask(const std::vector<std::string>& paths, bool beside);
  void StartNext();
  void FinishLoad();
  void Place(const LoadRequest& request, Loaded loaded, double seconds);
  void UpdateLoading();
  void UpdateDerived();
  void Remember(const LoadRequest& request);
  void ResetAnalyses(size_t run_index);
  size_t IndexOf(TraceId run) const;  // npos if it is not open
  void EnqueueReload(size_t run_index, LoadOptions options);

  const SettingsStore& store_;
  SessionHost host_;
  JobThreads threads_;  // before all jobs: joined when they have been told to stop
  SessionView view_;
  LoadOptions default_options_;
  bool hold_analyses_ = false;
  bool asks_ = false;
  Definitions definitions_ = Definitions::kStepscope;
  Status load_status_;
  LoadTimes load_times_;
  uint32_t next_id_ = 0;
  DesktopDialog dialog_;
  std::vector<OpenRunState> states_;
  std::deque<LoadRequest> queue_;
  std::optional<CurrentLoad> load_;
  LatestJob<Loaded> load_job_;  // of load_
};

}  // namespace stepscope
