// CaptureDialog: asks which running program to record, for how long and what. Its choices are
// settings, so that the next recording begins with them. UI thread only.
#pragma once

#include <string>

#include "viewer/shell/shell.h"
#include "viewer/widgets/input_text.h"

namespace stepscope {

class CaptureDialog {
 public:
  // Draws a modal window while *open. Enter and the button "Record" push "app.set" for what was
  // changed, then "file.record"; Escape and "Cancel" change nothing.
  void Draw(const ShellInput& input, bool* open);

 private:
  void Begin(const ShellInput& input);
  void DrawAddress(const ShellInput& input);
  void DrawTimes(const ShellInput& input);
  void DrawLevels(const ShellInput& input);
  void DrawFolder(const ShellInput& input);
  bool DrawButtons(const ShellInput& input);  // true: the dialog closes
  bool Ready() const;
  void Record(const ShellInput& input) const;

  TextBox address_;
  std::string duration_, delay_;  // seconds, as typed
  int host_level_ = 0;
  bool device_ = false, python_ = false;
  std::string folder_;
};

// While a program is recorded: how far it is, and Cancel. After that, why nothing was recorded and
// what to do, if that is so. It leaves the rest of the window usable.
void DrawCapture(const ShellInput& input);

}  // namespace stepscope
