// What the viewer sees of the session, each frame, read-only. The app owns and fills it; nothing
// here is "the" trace: a session holds 0..n runs.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/trace.h"
#include "viewer/core/run.h"

namespace stepscope {

struct LoadingView {  // a load in progress
  std::string path, stage;
  double seconds = 0;
  uint64_t bytes_done = 0, bytes_total = 0, events = 0;
};

struct RecentProfile {
  std::string path;
  int64_t opened_unix_s = 0;
  bool exists = true;
};

// Asked before anything is loaded.
struct OpenQuestion {
  std::vector<std::string> paths;
  bool beside = false;  // something is open already; else: two profiles at once
};
enum class OpenAnswer { kCancel, kCompare, kMerge, kInstead };

struct SessionView {
  std::vector<Run> runs;  // steps are found by the viewer
  std::optional<LoadingView> loading;
  std::optional<OpenQuestion> question;
  std::string error;  // of the last load: one line, what, where, what to do; empty when dismissed
  std::vector<RecentProfile> recent;
  std::string sample_path;  // bundled sample, empty if not installed
  uint64_t generation = 0;  // changes whenever runs change
};

// A part of the window to save as a picture: pixels from the top left corner.
struct PictureRequest {
  std::string name;  // "memory.png"
  float x = 0, y = 0, width = 0, height = 0;
  int wait = 2;          // frames: menus close first
  bool replace = false;  // `name` is a path that the user chose; a file there is written over
};

// What the viewer asks of the app. The app implements it; all calls are cheap and return at once.
class AppServices {
 public:
  virtual ~AppServices() = default;
  virtual void Open(const std::vector<std::string>& paths, bool add_for_comparison) = 0;
  virtual void OpenRun(TraceId run,
                       const std::string& run_name) = 0;  // another run of the same directory
  virtual void CloseRun(TraceId run) = 0;
  virtual void Answer(OpenAnswer answer) = 0;  // to SessionView::question
  virtual void CancelLoading() = 0;
  virtual void SetDefinitions(Definitions definitions) = 0;  // of all analyses, until called again
  virtual void DismissError() = 0;
  // What a file is by its name, "XSpace of TensorFlow or JAX"; empty: no profile, or none that is
  // read.
  virtual std::string FormatOfFile(const std::string& name) const = 0;
  virtual void NativeOpenDialog(
      bool folder) = 0;  // zenity or kdialog where found; see has_native_dialog
  virtual bool has_native_dialog() const = 0;
  virtual void Quit() = 0;
  virtual void ToggleFullscreen() = 0;
  virtual void SetClipboard(const std::string& text) = 0;
  // Writes an export. Without `replace` a file that exists is kept and the new one gets another
  // name; *where is the path that was written.
  virtual bool SaveFile(const std::string& path, const std::string& contents, bool replace,
                        std::string* where) = 0;
  // What a user noted of a profile, by Run::content; empty: nothing. Small files.
  virtual std::string ReadNotes(const std::string& content) = 0;
  virtual bool WriteNotes(const std::string& content, const std::string& text) = 0;
  // Gives a file that cannot be read another name, which it returns; empty: it stays.
  virtual std::string SetNotesAside(const std::string& content) = 0;
  virtual void RequestFrame() = 0;  // from any thread: draw again soon
  virtual void ClearRecent() = 0;
};

}  // namespace stepscope
