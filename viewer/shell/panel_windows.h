// PanelWindows: the windows of the panels. Each open panel has one for the active profile and one
// for each profile that it is pinned to. It owns the panels, which live as long as their windows.
// UI thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "viewer/core/commands/context.h"
#include "viewer/core/panel.h"

namespace stepscope {

// Whether the panel has anything to say of a profile of this kind: a fleet has no events. Windows
// of other panels wait until another profile is active.
bool Means(const PanelDesc& panel, const Profile& profile);

class PanelWindows {
 public:
  // Draws all open windows. Closing one pushes a command, as the menu of its tab does.
  void Draw(const PanelContext& active, WindowState* windows);
  void Keep(const std::function<bool(ProfileId)>& alive);  // drops windows of closed profiles
  bool animating() const { return animating_; }            // a panel in sight is animating
  std::vector<std::string> Busy() const;                   // ids of those panels

 private:
  void DrawOne(const PanelContext& active, const WindowState& windows, const PanelDesc& desc,
               ProfileId pinned);

  std::map<PanelKey, std::unique_ptr<Panel>> panels_;
  bool animating_ = false;
};

}  // namespace stepscope
