// Session: the profiles that are open, and everything that the viewer asks of the program. Paths
// go in through Open() and Drop(); view() has the loaded profiles, which the viewer draws. Loads
// and derived tracks are jobs of the window's scheduler; Update() takes what they have finished,
// once a frame. UI thread only, but jobs call SessionHost::wake. Start reading at Update().
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/agents/agent_socket.h"
#include "app/session/desktop.h"
#include "app/session/jobs.h"
#include "app/session/settings_store.h"
#include "loaders/loader.h"
#include "model/jobs/latest_job.h"
#include "model/jobs/scheduler.h"
#include "viewer/core/profiles/derived_parts.h"
#include "viewer/core/profiles/session_view.h"

namespace stepscope {

class CaptureJob;  // app/session/jobs.h

// The calls that the session makes to the window, if there is one. Empty functions do nothing.
struct SessionHost {
  std::function<void()> wake;  // called from any thread: draws another frame
  std::function<void()> quit;
  std::function<void()> toggle_fullscreen;
  std::function<void(const std::string&)> set_clipboard;
};

// When the stages of the last load began, under the names that the loader gives them, and when the
// thread that loads had done so.
struct LoadTimes {
  std::chrono::steady_clock::time_point begin, end;
  std::vector<std::pair<const char*, std::chrono::steady_clock::time_point>> stages;
};

class Session : public AppServices {
 public:
  // The scheduler's `wake` must draw another frame, as SessionHost::wake does. `agents`: where
  // programs of the user may ask this window to show something; AllowAgents opens it.
  Session(Scheduler& scheduler, const SettingsStore& store, SessionHost host,
          AgentSocketConfig agents = DefaultAgentSocket());
  ~Session() override;  // stops all jobs and waits for them

  // Takes the results of finished jobs and starts queued loads. Call it once before each frame.
  const SessionView& Update();
  const SessionView& view() const { return view_; }

  // A load, or copying this program to the host of one.
  bool loading() const { return load_.has_value() || !queue_.empty() || install_.active(); }
  bool saving() const { return save_.active(); }
  bool deriving() const;
  bool recording() const { return view_.capture.running; }
  bool cancelling();                                          // stopped jobs still run
  const Status& load_status() const { return load_status_; }  // of the last finished load
  const LoadTimes& load_times() const { return load_times_; }
  // While held, profiles are shown without analyses and derived tracks, because `bench` times
  // these separately. Ending the hold starts them.
  void HoldAnalyses(bool hold);
  // Whether the user is asked about profiles that do not belong together. Else they are merged,
  // as without a window.
  void set_asks(bool asks) { asks_ = asks; }
  // Opens what was dropped on the window. If a profile is open, it asks whether to compare first.
  void Drop(const std::vector<std::string>& paths);
  AgentSocket* agents() { return agents_.get(); }  // null while they may not
  void NoteAgent(const std::string& who) { view_.agents.who = who; }
  ProfileId OpenedAs(const std::string& path) const;  // invalid if it is not open
  void set_load_options(LoadOptions options) { default_options_ = std::move(options); }

  // Asks the desktop for its theme. Dark until it answers.
  void AskDesktopTheme() { desktop_theme_.Ask(waits_); }
  bool desktop_is_light() { return desktop_theme_.light(); }
  void Open(const std::vector<std::string>& paths, bool add_for_comparison) override;
  void OpenRun(ProfileId profile, const std::string& run_name) override;
  void LoadRest(ProfileId profile) override;
  void CloseProfile(ProfileId profile) override;
  void Answer(OpenAnswer answer) override;
  void CancelLoading() override;
  void Capture(const CaptureRequest& request) override;
  void CancelCapture() override;
  void DismissCaptureProblem() override;
  void SetDefinitions(Definitions definitions) override;  // open profiles get new contexts
  void DismissError() override;
  void InstallThere() override;
  std::string FormatOfFile(const std::string& name) const override;
  void NativeOpenDialog(bool folder) override;
  bool has_native_dialog() const override;
  void Quit() override;
  void ToggleFullscreen() override;
  void SetClipboard(const std::string& text) override;
  bool SaveFile(const std::string& path, const std::string& contents, bool replace,
                std::string* where) override;
  void SaveProfile(ProfileId profile, TimeRange range, const std::string& path,
                   bool replace) override;
  std::string ReadNotes(const std::string& fingerprint) override;
  bool WriteNotes(const std::string& fingerprint, const std::string& text) override;
  std::string SetNotesAside(const std::string& fingerprint) override;
  std::string AllowAgents(bool allow) override;
  void RequestFrame() override;
  Scheduler& scheduler() override { return scheduler_; }
  void ClearRecent() override;

 private:
  struct LoadRequest {
    std::vector<std::string> paths;
    LoadOptions options;
    bool add = false;    // beside the profiles that are open
    ProfileId replaces;  // if valid, the new profile takes its place
  };
  struct Loaded {
    Result<std::shared_ptr<const Trace>> trace;
    std::vector<std::string> runs;
    std::string fingerprint;
    std::chrono::steady_clock::time_point end;  // of the work; the window may take it much later
  };
  struct Preview;  // what a load hands over before it ends
  struct CurrentLoad {
    LoadRequest request;
    std::chrono::steady_clock::time_point begin;
    std::shared_ptr<Preview> preview;
    ProfileId shown;  // the profile with the first picture; invalid: none
  };
  struct ProfileLoad {  // how an open profile was loaded, and what derives its tracks
    LoadRequest request;
    bool derive_due = false;  // starts one frame after the profile was first shown
    LatestJob<DerivedParts> derive;
  };

  static Loaded Load(const LoadRequest& request, Progress& progress);
  void OpenNow(const std::vector<std::string>& paths, bool add_for_comparison);
  void OpenRecorded(const std::string& run_directory);
  void Ask(const std::vector<std::string>& paths, bool beside);
  void StartNext();
  std::shared_ptr<StreamPart> PartFor(const LoadRequest& request) const;
  void KeepPart(const LoadRequest& request);
  const Profile* FindCut(const std::vector<std::string>& paths) const;  // null: none
  void TakePreview();
  void DropPreview();
  void DropLoads();
  void OnLoaded();
  void Publish(const LoadRequest& request, Loaded loaded, ProfileId picture);
  Profile MakeProfile(Loaded loaded, ProfileId follows, bool cut);
  void Insert(const LoadRequest& request, Profile profile, ProfileLoad load);
  void UpdateLoading();
  void UpdateInstalling();
  void FailLoad(LoadRequest request);
  void UpdateDerived();
  void Note(std::string text);
  void Remember(const LoadRequest& request);
  void ResetAnalyses();
  std::vector<std::string> AgentFolders() const;
  Profile* Find(ProfileId profile);  // null: it is not open
  const Profile* Find(ProfileId profile) const;
  void EnqueueReload(ProfileId profile, LoadOptions options);

  const SettingsStore& store_;
  SessionHost host_;
  Scheduler& scheduler_;
  // Destroyed after all that starts jobs on them. `waits_`: dialogs, networks, recordings and
  // saves.
  JobQueue loading_, deriving_, waits_;
  SessionView view_;
  LoadOptions default_options_;
  bool hold_analyses_ = false;
  bool asks_ = false;
  Definitions definitions_ = Definitions::kStepscope;
  Status load_status_;
  LoadTimes load_times_;
  uint32_t next_id_ = 0;
  DesktopDialog dialog_;
  std::unique_ptr<CaptureJob> capture_;
  std::vector<std::string> recorded_;  // run directories of this session's recordings
  DesktopTheme desktop_theme_;
  std::map<ProfileId, ProfileLoad> loads_;  // of view_.profiles
  std::deque<LoadRequest> queue_;
  std::optional<CurrentLoad> load_;
  LatestJob<Loaded> load_job_;  // computes load_
  LoadRequest unfinished_;      // the last load that was stopped or failed, with what it has got
  const AgentSocketConfig agent_config_;
  std::unique_ptr<AgentSocket> agents_;
  SaveJob save_{waits_};
  LoadRequest not_there_;  // of the host that has no Stepscope: loaded once it is copied there
  InstallJob install_{waits_};
};

}  // namespace stepscope
