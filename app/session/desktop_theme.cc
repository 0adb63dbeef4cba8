#include "app/session/desktop_theme.h"

#include <cstdlib>

#include "app/session/desktop_dialog.h"
#include "app/system/paths.h"

namespace stepscope {
namespace {

std::vector<std::string> PortalCall() {
  return {FindProgram("gdbus"),
          "call",
          "--session",
          "--timeout=2",
          "--dest=org.freedesktop.portal.Desktop",
          "--object-path=/org/freedesktop/portal/desktop",
          "--method=org.freedesktop.portal.Settings.Read",
          "org.freedesktop.appearance",
          "color-scheme"};
}

}  // namespace

std::optional<bool> LightByPortal(const std::vector<std::string>& answer) {
  for (const std::string& line : answer) {
    if (line.find("uint32 1") != std::string::npos) return false;
    if (line.find("uint32 2") != std::string::npos) return true;
  }
  return std::nullopt;
}

std::optional<bool> LightByGtkTheme(const std::string& name) {
  if (name.empty()) return std::nullopt;
  return !name.ends_with("dark") && !name.ends_with("Dark");
}

void DesktopTheme::Ask(JobQueue& queue) {
  const char* gtk = std::getenv("GTK_THEME");
  job_.Start(queue, [named = LightByGtkTheme(gtk != nullptr ? gtk : "")](Progress&) {
    const std::vector<std::string> call = PortalCall();
    const std::optional<bool> light =
        call[0].empty() ? std::nullopt : LightByPortal(RunProgram(call));
    return light.value_or(named.value_or(false));
  });
}

bool DesktopTheme::light() {
  if (const std::optional<bool> answer = job_.Take()) light_ = *answer;
  return light_;
}

}  // namespace stepscope
