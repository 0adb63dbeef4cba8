// PeaksEditor: a link that opens a small form, in which the user states what the shown profile's
// device can do at most. It is kept in the setting "peaks" (model/analysis/own_peaks.h). UI thread
// only.
#pragma once

#include <string>
#include <vector>

#include "viewer/core/panel.h"

namespace stepscope {

class PeaksEditor {
 public:
  static constexpr const char* kLabel = "Peaks\u2026";
  // Draws the link at the cursor, and the form while it is open.
  void Draw(const PanelContext& context);

 private:
  void Open(const PanelContext& context, const std::string& device);
  void DrawForm(const PanelContext& context);
  void Save(const PanelContext& context);

  std::string device_;                // words of its name
  std::vector<std::string> numbers_;  // by field of PeakFields()
  std::string replaced_;              // the device of the user's own that this one replaces
  std::string wrong_;                 // what keeps the form from being saved
};

}  // namespace stepscope
