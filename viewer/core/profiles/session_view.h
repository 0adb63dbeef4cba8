// SessionView and AppServices: the two sides of the border between the viewer and the app. The app
// owns and fills SessionView, which the viewer reads in each frame; the viewer calls AppServices
// for all that it cannot do itself. A session holds any number of profiles, also none. Start
// reading here and in profile.h. UI thread, unless a call says otherwise.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/trace.h"
#include "viewer/core/profiles/profile.h"

namespace stepscope {

class Scheduler;  // model/jobs/scheduler.h

// What viewer and app tell each other about recording a running program. The viewer knows no
// network: the app does what a CaptureRequest asks for (app/session/jobs.h). Plain values.
struct CaptureRequest {
  std::string addresses;  // as typed: "node1:6009, node2:6009"
  int64_t duration_ms = 2000, delay_ms = 0;
  int host_level = 2, device_level = 1, python_level = 0;
  std::string folder;  // log directory; empty: CaptureStatus::default_folder
};

struct CaptureStatus {
  bool running = false;
  std::string addresses;       // of the recording in progress, or of the last one
  std::string stage;           // "Recording"
  double done = -1;            // of the stage, 0 to 1; negative: nobody knows
  std::string amount;          // how far the stage is: "1.2 of 2.0 s"; may be empty
  std::string problem;         // why nothing, or not all, was recorded, and what to do; empty: none
  bool some_recorded = false;  // `problem` is about some of the programs
  std::string default_folder;  // empty: there is none
};

struct LoadingView {  // a load in progress
  std::string path, stage;
  double seconds = 0;
  uint64_t bytes_done = 0, bytes_total = 0, events = 0;  // bytes_total: 0 where it is not known
  double stage_seconds = 0;                              // since the stage began
  uint64_t bytes_before = 0;  // those of bytes_done that an earlier load had got
  // A load: what has come of it is among the profiles. Writing a profile is shown in the same way.
  bool previewed = false;
};

struct RecentProfile {
  std::string path;
  int64_t opened_unix_s = 0;
  bool exists = true;
};

// Asked before anything is loaded.
struct OpenQuestion {
  std::vector<std::string> paths;
  bool beside = false;  // a profile is open already; false: several are opened at once
};
enum class OpenAnswer { kCancel, kCompare, kMerge, kInstead };

// Whether programs of the user may move this window, and which one did last.
struct AgentsView {
  bool allowed = false;
  std::string who;  // "Claude (python3, process 4711)"; empty: none has asked yet
};

// The facts that the app tells of the session beside its profiles.
struct SessionStatus {
  std::optional<LoadingView> loading;  // a load, or a profile that is being written
  std::optional<OpenQuestion> question;
  CaptureStatus capture;
  std::string error;  // why the last load failed, where and what to do, in one line; empty: none
  bool can_install = false;  // the host of the last load has no Stepscope; InstallThere() copies it
  // The profile that was loaded in part when the error came; LoadRest() loads the rest.
  ProfileId rest_of;
  // For the status bar: what a job of the app has done. `notes` counts the texts.
  std::string note;
  uint64_t notes = 0;
  std::vector<RecentProfile> recent;
  // The files to open, a line for each loader: "Perfetto trace: .pftrace, .perfetto-trace".
  std::vector<std::string> formats;
  std::string sample_path;  // the bundled sample; empty: it is not installed
  AgentsView agents;
  uint64_t generation = 0;  // changes whenever profiles change
};

// The view of a session that the app hands to the viewer. Its profiles have no steps yet: the
// viewer finds them and keeps the list that panels, timeline and commands see
// (PanelContext::profiles).
struct SessionView : SessionStatus {
  std::vector<Profile> profiles;
};

// A part of the window to save as a picture: pixels from the top left corner.
struct PictureRequest {
  std::string name;  // "memory.png"
  float x = 0, y = 0, width = 0, height = 0;
  int wait = 2;          // frames: menus close first
  bool replace = false;  // `name` is a path that the user chose; a file there is written over
};

// The services that the viewer asks of the app, which implements it. Every call returns at once.
class AppServices {
 public:
  virtual ~AppServices() = default;
  virtual void Open(const std::vector<std::string>& paths, bool add_for_comparison) = 0;
  // Opens another run of the same log directory in place of the profile.
  virtual void OpenRun(ProfileId profile, const std::string& run_name) = 0;
  // Loads what is missing of a profile whose connection broke (Profile::cut), in its place.
  virtual void LoadRest(ProfileId profile) = 0;
  virtual void CloseProfile(ProfileId profile) = 0;
  virtual void Answer(OpenAnswer answer) = 0;  // to SessionView::question
  virtual void CancelLoading() = 0;            // and what is being written
  // Records running programs; SessionStatus::capture says how far it is, and what went wrong. The
  // run opens beside the last one. A recording in progress is not disturbed.
  virtual void Capture(const CaptureRequest& request) = 0;
  virtual void CancelCapture() = 0;
  virtual void DismissCaptureProblem() = 0;
  virtual void SetDefinitions(Definitions definitions) = 0;  // for all analyses from now on
  virtual void DismissError() = 0;
  // Copies this program to the host of the last load, and loads the profile then. Only where
  // SessionStatus::can_install is true.
  virtual void InstallThere() = 0;
  // The format that a file's name tells, "XSpace of TensorFlow or JAX"; empty: no profile that can
  // be read.
  virtual std::string FormatOfFile(const std::string& name) const = 0;
  // Opens the dialog of zenity or kdialog; only where has_native_dialog() is true.
  virtual void NativeOpenDialog(bool folder) = 0;
  virtual bool has_native_dialog() const = 0;
  virtual void Quit() = 0;
  virtual void ToggleFullscreen() = 0;
  virtual void SetClipboard(const std::string& text) = 0;
  // Writes an export; false if it could not. Without `replace` a file that exists stays, and the
  // new one gets another name. *where is the path that was written, or what went wrong.
  virtual bool SaveFile(const std::string& path, const std::string& contents, bool replace,
                        std::string* where) = 0;
  // Writes the profile, or its part in a range that is not empty, as a store. SessionView::note
  // says how it ended.
  virtual void SaveProfile(ProfileId profile, TimeRange range, const std::string& path,
                           bool replace) = 0;
  // The user's notes about a profile, by Profile::fingerprint; empty: none. The files are small.
  virtual std::string ReadNotes(const std::string& fingerprint) = 0;
  virtual bool WriteNotes(const std::string& fingerprint, const std::string& text) = 0;
  // Renames a file of notes that cannot be read and returns its new name; empty: it keeps its name.
  virtual std::string SetNotesAside(const std::string& fingerprint) = 0;
  // Lets programs of the user move the window, or ends that. Returns why it cannot; empty: done.
  virtual std::string AllowAgents(bool allow) = 0;
  virtual void RequestFrame() = 0;  // from any thread: draw again soon
  // Runs the jobs of the window, and requests a frame whenever one has ended. It outlives the
  // viewer.
  virtual Scheduler& scheduler() = 0;
  virtual void ClearRecent() = 0;
};

}  // namespace stepscope
