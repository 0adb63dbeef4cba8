// PanelWindows: the windows of the panels. Each open panel has one for the active profile and one
// for each profile that it is pinned to. It owns the panels, which live as long as their windows.
// UI thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
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
  // The next frame brings the panel to the front with the keyboard. Raise: in front of the other
  // tabs of its place, and the keyboard stays where it is.
  void Focus(PanelKey panel) { focused_ = std::move(panel); }
  void Raise(std::string panel) { raised_ = std::move(panel); }
  bool focuses() const { return !focused_.panel.empty(); }
  void Keep(const std::function<bool(ProfileId)>& alive);  // drops windows of closed profiles
  bool animating() const { return animating_; }            // a panel in sight is animating
  std::vector<std::string> Busy() const;                   // ids of those panels

 private:
  void DrawOne(const PanelContext& active, const PanelDesc& desc, ProfileId pinned);

  std::map<PanelKey, std::unique_ptr<Panel>> panels_;
  PanelKey focused_;    // empty id: none
  std::string raised_;  // empty: none
  bool animating_ = false;
};

}  // namespace stepscope
