// DesktopTheme: whether the desktop asks for light or dark windows. It asks the desktop portal by
// `gdbus`, which GNOME, KDE and others answer, or else reads GTK_THEME. A job asks, so that the
// window never waits for it. UI thread only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/base/latest_job.h"

namespace stepscope {

// Reads the portal's answer to "color-scheme": "(<<uint32 2>>,)" is light. nullopt: no choice.
std::optional<bool> LightByPortal(const std::vector<std::string>& answer);
// Reads GTK_THEME: "Adwaita:dark" is dark. nullopt for an empty text.
std::optional<bool> LightByGtkTheme(const std::string& name);

class DesktopTheme {
 public:
  void Ask(JobQueue& queue);  // starts the job
  bool light();               // false until the answer is known, and where there is none

 private:
  LatestJob<bool> job_;
  bool light_ = false;
};

}  // namespace stepscope
