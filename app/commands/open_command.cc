#include "app/commands/open_command.h"

#include <filesystem>
#include <utility>

#include "app/command_line/command_line.h"
#include "app/commands/profile_input.h"
#include "app/commands/registry.h"
#include "app/session/session.h"
#include "app/system/output.h"
#include "app/system/paths.h"
#include "app/window/gui.h"
#include "app/window/surface.h"
#include "app/window/window.h"
#include "loaders/remote/remote_path.h"
#include "model/jobs/scheduler.h"
#include "viewer/core/commands/command.h"

namespace stepscope {
namespace {

struct OpenOptions {};  // the command has only InputOptions

void AddOpenOptions(CLI::App& app, InputOptions* input, OpenOptions*) {
  AddPaths(app, input, false);
  AddCompare(app, input, "open two paths side by side");
  AddFlag(app, "--sample", &input->sample, "open the bundled sample");
  AddView(app, input);
}

std::string CheckOpen(const InputOptions& input, const OpenOptions&) {
  return input.sample && !input.paths.empty() ? "--sample takes no PATH" : CheckInput(input);
}

// Joins the names of all commands as in "info, report and bench".
std::string CommandNames() {
  std::string names;
  const ProgramCommandDescs commands = ProgramCommands().subspan(1);
  for (const ProgramCommandDesc* command : commands) {
    if (!names.empty()) names += command == commands.back() ? " and " : ", ";
    names += command->name;
  }
  return names;
}

std::string TitleOf(const SessionView& view) {
  if (view.profiles.empty()) return "Stepscope";
  std::string title;
  for (const Profile& profile : view.profiles)
    title += (title.empty() ? "" : " | ") + profile.label;
  return title + " - Stepscope";
}

int RunOpen(const InputOptions& input, const OpenOptions&, const Log& log) {
  return OpenWindow(input, log);
}

}  // namespace

extern const ProgramCommandDesc kOpenCommand = {
    "",
    "Stepscope shows the profiles that TensorFlow, JAX and PyTorch write, and says what to fix.",
    NewCommand<OpenOptions, AddOpenOptions, CheckOpen, RunOpen>};

int OpenWindow(const InputOptions& input, const Log& log) {
  if (const Status status = CheckPaths(input.paths); !status.ok()) {
    LogError(status.message());
    return ExitCodeOf(status);
  }
  Waker waker;
  Scheduler scheduler(WorkerCount(), [&waker] { waker.Wake(); });
  const SettingsStore store(ConfigDirectory());
  Window* window = nullptr;  // null only before the window opens
  Session session(scheduler, store,
                  {[&waker] { waker.Wake(); },
                   [&window] {
                     if (window) window->Close();
                   },
                   [&window] {
                     if (window) window->ToggleFullscreen();
                   },
                   [&window](const std::string& text) {
                     if (window) window->SetClipboard(text);
                   }});
  if (input.sample && session.view().sample_path.empty()) {
    LogError("--sample: the sample is not installed; it belongs in " +
             std::string("<prefix>/share/stepscope/samples"));
    return kExitNothing;
  }
  session.set_asks(true);
  session.AskDesktopTheme();
  OpenCommandLine(input, session);  // loads while the window and GL start
  Result<std::unique_ptr<Window>> opened = Window::Create(store.ReadPlacement(), waker);
  if (!opened.ok()) {
    LogError(opened.status().message());
    return kExitNoResource;
  }
  window = opened.value().get();
  window->set_on_drop([&session](const std::vector<std::string>& paths) { session.Drop(paths); });
  {
    Gui gui(
        *window, session, store,
        {.other_windows = true, .settings = store.ReadSettings(), .layout = store.ReadLayout()});
    log.Verbose("window open");
    std::string view = input.view;  // is shown after the first complete timeline
    while (!window->closing()) {
      gui.Step();
      const bool shown = gui.drew_timeline() && !session.loading();
      if (!view.empty() && shown)
        gui.viewer().commands().Push("view.open_token", {.text = std::exchange(view, {})});
      window->SetTitle(TitleOf(session.view()));
    }
    store.WritePlacement(window->placement());
  }
  window = nullptr;
  return kExitOk;
}

Status CheckPaths(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    std::error_code error;
    if (IsRemotePath(path) || std::filesystem::exists(path, error)) continue;
    if (path.find_first_of("./") == std::string::npos) {
      return Status(ErrorCode::kUsage, path + ": neither a file nor a command; commands are " +
                                           CommandNames() + " (see stepscope --help)");
    }
    return Status(ErrorCode::kIo, path + ": there is no such file or directory");
  }
  return Status::Ok();
}

}  // namespace stepscope
