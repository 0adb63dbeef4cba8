// DesktopDialog: the desktop's own open dialog. It runs zenity or kdialog as a child process, so
// that the window never waits for it. One dialog at a time. UI thread only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/jobs/latest_job.h"

namespace stepscope {

enum class DialogProgram { kZenity, kKdialog };
// The program's arguments to ask for files, or for a folder. The filters of files are those of
// the loaders, and one for all files.
std::vector<std::string> DialogArguments(DialogProgram program, bool folder);

// Runs a program to its end, or until the job of the thread is told to stop. Returns the lines that
// it writes; none if it fails.
std::vector<std::string> RunProgram(const std::vector<std::string>& arguments);

class DesktopDialog {
 public:
  // The destructor closes a dialog that is still open. `queue` must outlive the dialog.
  explicit DesktopDialog(JobQueue& queue);

  bool available() const { return !program_.empty(); }
  // Shows the dialog; does nothing when one is open or none is available.
  void Show(bool folder);
  // The chosen paths, once, when the user has closed the dialog; empty if cancelled.
  std::optional<std::vector<std::string>> TakeChosen();

 private:
  std::string program_;
  DialogProgram kind_ = DialogProgram::kZenity;
  JobQueue& queue_;
  LatestJob<std::vector<std::string>> job_;
};

// Reads the portal's answer to "color-scheme": "(<<uint32 2>>,)" is light. nullopt: no choice.
std::optional<bool> LightByPortal(const std::vector<std::string>& answer);
// Reads GTK_THEME: "Adwaita:dark" is dark. nullopt for an empty text.
std::optional<bool> LightByGtkTheme(const std::string& name);

// DesktopTheme: whether the desktop asks for light or dark windows. A job asks the desktop portal
// by `gdbus`, which GNOME, KDE and others answer, or else reads GTK_THEME. UI thread only.
class DesktopTheme {
 public:
  void Ask(JobQueue& queue);  // starts the job
  bool light();               // false until the answer is known, and where there is none

 private:
  LatestJob<bool> job_;
  bool light_ = false;
};

}  // namespace stepscope
