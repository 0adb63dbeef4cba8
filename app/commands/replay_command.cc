#include <fmt/format.h>

#include "app/commands/commands.h"
#include "app/commands/picture.h"
#include "app/exit_code.h"
#include "app/paths.h"
#include "app/replay_script.h"
#include "viewer/core/command.h"

namespace stepscope {
namespace {

Status SavePicture(Stage& stage, const std::string& path) {
  Image picture;
  stage.gui().DrawFrame(&picture);
  return WritePng(picture, path);
}

Status Play(Stage& stage, const ReplayStep& step) {
  switch (step.kind) {
    case ReplayStep::Kind::kWaitIdle:
      return stage.gui().DrawUntilIdle(step.seconds);
    case ReplayStep::Kind::kScreenshot:
      return SavePicture(stage, step.path);
    case ReplayStep::Kind::kCommand:
      break;
  }
  stage.gui().viewer().commands().Push(step.command.id, step.command.args);
  stage.gui().DrawFrame();  // commands take effect at the end of a frame
  return Status::Ok();
}

int Fail(const Status& status) {
  LogError(status.message());
  return status.code() == ErrorCode::kUnsupported ? kExitNoResource : ExitCodeOf(status);
}

}  // namespace

int RunReplay(const Options& options, const Log& log) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(options.commands_file, error)) {
    LogError(options.commands_file + ": there is no such file of commands");
    return kExitUsage;
  }
  const Result<std::vector<ReplayStep>> steps = ParseReplay(ReadSmallFile(options.commands_file));
  if (!steps.ok()) {
    LogError(options.commands_file + ": " + steps.status().message());
    return kExitUsage;
  }
  Stage stage;
  stage.Open(options);
  if (Status status = stage.Show(options, options.show_window); !status.ok()) return Fail(status);
  stage.UseFixedTime();
  Status status = stage.gui().DrawUntilIdle(kIdleLimitSeconds);
  if (status.ok() && !options.paths.empty()) status = stage.load_status();
  for (const ReplayStep& step : *steps) {
    if (!status.ok()) break;
    log.Verbose(fmt::format("{}:{}", options.commands_file, step.line));
    status = Play(stage, step);
  }
  if (status.ok() && !options.output.empty()) {
    status = stage.gui().DrawUntilIdle(kIdleLimitSeconds);
    if (status.ok()) status = SavePicture(stage, options.output);
  }
  return status.ok() ? kExitOk : Fail(status);
}

}  // namespace stepscope
