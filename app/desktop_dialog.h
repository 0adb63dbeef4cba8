// DesktopDialog: the desktop's own open dialog through zenity or kdialog, run as a child process so
// that the window never waits for it. One at a time. UI thread only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/base/latest_job.h"

namespace stepscope {

class DesktopDialog {
 public:
  // Going away closes a dialog that is still open.
  explicit DesktopDialog(JobThreads& threads);

  bool available() const { return !program_.empty(); }
  // Shows the dialog; does nothing when one is open or none is available.
  void Show(bool folder);
  // The chosen paths, once, when the user has closed the dialog; empty if cancelled.
  std::optional<std::vector<std::string>> Take();

 private:
  std::string program_;
  bool kdialog_ = false;
  JobThreads& threads_;
  LatestJob<std::vector<std::string>> job_;
};

}  // namespace stepscope
