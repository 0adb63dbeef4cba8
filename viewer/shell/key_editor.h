// KeyEditor: the keys in the list of commands, which a click changes: the next chord that is
// pressed becomes the command's. One that belongs to another command is asked about first. What is
// chosen is a setting (viewer/core/key_bindings.h). UI thread only.
#pragma once

#include <string>

#include "viewer/core/panel.h"

namespace stepscope {

class KeyEditor {
 public:
  // A chord is waited for: keys are not commands meanwhile.
  bool capturing() const { return !id_.empty() && wanted_.empty(); }
  // Once a frame, before the rows. `open`: the list is; else what was begun is given up.
  void NewFrame(const PanelContext& context, bool open);
  // The keys of a command, or of "panel.ID", as a button; a right click offers more.
  void DrawKeys(const PanelContext& context, const char* id);
  // Below the row's text, while its keys are being changed. False: nothing.
  bool DrawQuestion(const PanelContext& context, const char* id);
  // A button that takes all choices back; nothing where there are none.
  void DrawResetAll(const PanelContext& context) const;

 private:
  void Choose(const PanelContext& context, const std::string& id, const char* keys) const;
  void GiveUp() { id_.clear(), wanted_.clear(); }

  std::string id_;      // whose keys are being changed; empty: nobody's
  std::string wanted_;  // a chord that was pressed and belongs to `owner_`
  std::string owner_;
  int ended_ = 0;  // frame in which the last chord came: its key is no click
};

}  // namespace stepscope
