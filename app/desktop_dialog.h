// DesktopDialog: the desktop's own open dialog through zenity or kdialog, run as a child process so
// that the window never waits for it. One at a time. UI thread only.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/base/task.h"

namespace stepscope {

class DesktopDialog {
 public:
  explicit DesktopDialog(std::function<void()> wake);
  ~DesktopDialog();  // closes a dialog that is still open

  bool available() const { return !program_.empty(); }
  // Shows the dialog; does nothing when one is open or none is available.
  void Show(bool folder);
  // The chosen paths, once, when the user has closed the dialog; empty if cancelled.
  std::optional<std::vector<std::string>> Take();

 private:
  std::string program_;
  bool kdialog_ = false;
  std::function<void()> wake_;
  std::unique_ptr<Job<std::vector<std::string>>> job_;
};

}  // namespace stepscope
