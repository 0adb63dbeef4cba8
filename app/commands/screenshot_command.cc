#include "app/command_line/command_line.h"
#include "app/commands/command_options.h"
#include "app/commands/stage.h"
#include "app/system/output.h"
#include "viewer/core/commands/command.h"

namespace stepscope {
namespace {

void AddScreenshotOptions(CLI::App& app, InputOptions* input, ScreenshotOptions* options) {
  AddPaths(app, input, true);
  AddOutput(app, &options->output, "file to write: .svg is the timeline as vectors, else PNG");
  Require(app, "--output");
  AddCompare(app, input, "open the paths side by side");
  AddPicture(app, options);
  AddRepeated(app, "--panel", "ID", "panel to show", [options](const std::string& panel) {
    options->panels.push_back(panel);
    return std::string();
  });
  AddRange(app, &options->range, "part of the trace to show");
  AddView(app, input);
  AddText(app, "--select", &options->select,
          "select the first event whose name contains this; =NAME: is this");
}

// Shows what the command line asks for. The profile is loaded.
Status Arrange(const InputOptions& input, const ScreenshotOptions& options, Viewer& viewer) {
  for (const std::string& panel : options.panels) {
    if (!viewer.ShowPanel(panel)) {
      return Status(ErrorCode::kUsage, "--panel " + panel + ": there is no such panel");
    }
  }
  if (!options.select.empty() && !viewer.SelectByName(options.select)) {
    return Status(ErrorCode::kUsage,
                  "--select " + options.select + ": no event has a name that contains it");
  }
  if (!input.view.empty()) viewer.commands().Push("view.open_token", {.text = input.view});
  if (!options.range.empty()) viewer.commands().Push("view.set_range", {.range = options.range});
  return Status::Ok();
}

int RunScreenshot(const InputOptions& input, const ScreenshotOptions& options, const Log& log) {
  Stage stage;
  stage.Open(input);
  if (Status status = stage.Show(options, false); !status.ok()) return FailStage(status);
  if (WritesVectors(options.output)) stage.DrawNoPixels();
  stage.UseFixedTime();
  if (Status status = stage.gui().DrawUntilIdle(); !status.ok()) {
    return FailStage(status);
  }
  if (const Status status = stage.load_status(); !status.ok()) {
    LogError(status.message());  // kUnsupported is about the file here, not about OpenGL
    return ExitCodeOf(status);
  }
  log.Verbose("loaded; arranging the window");
  Status status = Arrange(input, options, stage.gui().viewer());
  if (status.ok()) status = stage.gui().DrawUntilIdle();
  if (status.ok()) status = SaveFrame(stage, options.output);
  return status.ok() ? kExitOk : FailStage(status);
}

}  // namespace

extern const ProgramCommandDesc kScreenshotCommand = {
    "screenshot", "One frame of the window as a PNG, or the timeline as SVG; needs no display",
    NewCommand<ScreenshotOptions, AddScreenshotOptions, CheckInput, RunScreenshot>};

}  // namespace stepscope
