#include "app/commands/commands.h"
#include "app/commands/picture.h"
#include "app/exit_code.h"
#include "viewer/core/command.h"

namespace stepscope {
namespace {

int Fail(const Status& status) {
  LogError(status.message());
  // The stage says kUnsupported only of GL; a file's kUnsupported comes from the session.
  return status.code() == ErrorCode::kUnsupported ? kExitNoResource : ExitCodeOf(status);
}

// What the command line asks to see, once the profile is there.
Status Arrange(const Options& options, Viewer& viewer) {
  for (const std::string& panel : options.panels) {
    if (!viewer.ShowPanel(panel)) {
      return Status(ErrorCode::kUsage, "--panel " + panel + ": there is no such panel");
    }
  }
  if (!options.select.empty() && !viewer.SelectByName(options.select)) {
    return Status(ErrorCode::kUsage,
                  "--select " + options.select + ": no event has a name that contains it");
  }
  if (!options.view.empty()) viewer.OpenView(options.view);
  if (!options.range.empty()) viewer.SetVisibleRange(options.range);
  return Status::Ok();
}

}  // namespace

int RunScreenshot(const Options& options, const Log& log) {
  Stage stage;
  stage.Open(options);
  if (Status status = stage.Show(options, false); !status.ok()) return Fail(status);
  stage.UseFixedTime();
  if (Status status = stage.gui().DrawUntilIdle(kIdleLimitSeconds); !status.ok()) {
    return Fail(status);
  }
  if (const Status status = stage.load_status(); !status.ok()) {
    LogError(status.message());
    return ExitCodeOf(status);
  }
  log.Verbose("loaded; arranging the window");
  Status status = Arrange(options, stage.gui().viewer());
  if (status.ok()) status = stage.gui().DrawUntilIdle(kIdleLimitSeconds);
  if (status.ok()) status = SaveFrame(stage, options.output);
  return status.ok() ? kExitOk : Fail(status);
}

}  // namespace stepscope
