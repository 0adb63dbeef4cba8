// The windows of the panels: of each that is open one for the active run, and one for each run that
// it is pinned to. It owns the panels, which live as long as their windows do. UI thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "viewer/core/context.h"
#include "viewer/core/panel.h"

namespace stepscope {

class PanelWindows {
 public:
  // Closing one, and what its menu offers, are commands.
  void Draw(const PanelContext& active, WindowState* windows);
  void Keep(const std::function<bool(TraceId)>& alive);  // those of other runs go
  bool animating() const { return animating_; }          // one of those in sight
  std::vector<std::string> Busy() const;                 // ids of those that are

 private:
  void DrawOne(const PanelContext& active, const WindowState& windows, const PanelDesc& desc,
               TraceId pinned);

  std::map<PanelKey, std::unique_ptr<Panel>> panels_;
  bool animating_ = false;
};

}  // namespace stepscope
