#include <utility>

#include "app/commands/commands.h"
#include "app/commands/load_input.h"
#include "app/exit_code.h"
#include "app/gui.h"
#include "app/paths.h"
#include "app/session.h"
#include "app/waker.h"
#include "app/window.h"
#include "viewer/core/command.h"

namespace stepscope {
namespace {

std::string TitleOf(const SessionView& view) {
  if (view.runs.empty()) return "Stepscope";
  std::string title;
  for (const Run& run : view.runs) title += (title.empty() ? "" : " | ") + run.label;
  return title + " - Stepscope";
}

}  // namespace

int RunOpen(const Options& options, const Log& log) {
  if (const Status status = CheckPaths(options.paths); !status.ok()) {
    LogError(status.message());
    return ExitCodeOf(status);
  }
  Waker waker;
  const SettingsStore store(ConfigDirectory());
  Window* window = nullptr;  // there once the session calls any of these but wake
  Session session(store, {[&waker] { waker.Wake(); },
                          [&window] {
                            if (window) window->Close();
                          },
                          [&window] {
                            if (window) window->ToggleFullscreen();
                          },
                          [&window](const std::string& text) {
                            if (window) window->SetClipboard(text);
                          }});
  if (options.sample && session.view().sample_path.empty()) {
    LogError("--sample: the sample is not installed; it belongs in " +
             std::string("<prefix>/share/stepscope/samples"));
    return kExitNothing;
  }
  session.set_asks(true);
  OpenCommandLine(options, session);  // loads while the window and GL start
  Result<std::unique_ptr<Window>> opened = Window::Create(store.ReadPlacement(), waker);
  if (!opened.ok()) {
    LogError(opened.status().message());
    return kExitNoResource;
  }
  window = opened.value().get();
  window->set_on_drop([&session](const std::vector<std::string>& paths) { session.Drop(paths); });
  {
    GuiConfig config;
    config.settings_text = store.ReadSettings();
    config.layout = store.ReadLayout();
    Gui gui(*window, session, store, std::move(config));
    log.Verbose("window open");
    std::string view = options.view;  // shown once there is a profile to show it of
    while (!window->closing()) {
      gui.Step();
      if (!view.empty() && gui.drew_timeline()) gui.viewer().OpenView(std::exchange(view, {}));
      window->SetTitle(TitleOf(session.view()));
    }
    store.WritePlacement(window->placement());
  }
  window = nullptr;
  return kExitOk;
}

}  // namespace stepscope
