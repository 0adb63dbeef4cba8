#include <fmt/format.h>

#include <variant>

#include "app/command_line/command_line.h"
#include "app/commands/command_options.h"
#include "app/commands/stage.h"
#include "app/replay/replay_script.h"
#include "app/system/output.h"
#include "app/system/paths.h"
#include "app/system/process.h"
#include "viewer/core/commands/command.h"

namespace stepscope {
namespace {

void AddReplayOptions(CLI::App& app, InputOptions* input, ReplayOptions* options) {
  AddText(app, "COMMANDS", &options->commands_file, "file with one command a line");
  Require(app, "COMMANDS");
  AddPaths(app, input, false);
  AddOutput(app, &options->output, "file for a picture of the last frame");
  AddFlag(app, "--no-pixels", &options->no_pixels,
          "draw no pixels, for long lists on a machine without a GPU; pictures stay black");
  Exclude(app, "--no-pixels", "--output");
  AddCompare(app, input, "open the paths side by side");
  AddFlag(app, "--window", &options->show_window, "in a real window, which needs a display");
  AddPicture(app, options);
}

// Runs the frame loop without input and fails if the window does not rest. The end of a note may
// draw a few frames; more frames, or processor time without frames, are an error.
Status Play(Stage& stage, const Rest& rest) {
  constexpr int kMostFrames = FramePacer::kFramesAfterInput + 1;
  constexpr double kMostShare = 0.1;
  for (int i = 0; i < 100 && stage.gui().Step(0.05); ++i)
    continue;  // finishes what earlier lines began
  const double cpu = CpuMs();
  const int frames = stage.gui().StepFor(rest.seconds);
  const double used = CpuMs() - cpu;
  if (frames > 0 ? frames <= kMostFrames : used <= kMostShare * rest.seconds * 1000)
    return Status::Ok();
  return Status(ErrorCode::kLimit,
                fmt::format("the window did not rest: {} frames and {:.0f} ms of processor time in "
                            "{:g} s",
                            frames, used, rest.seconds));
}

Status Play(Stage& stage, const WaitIdle& wait) { return stage.gui().DrawUntilIdle(wait.seconds); }

Status Play(Stage& stage, const Resize& resize) {
  if (Status status = stage.surface().Resize(resize.size); !status.ok()) return status;
  stage.gui().DrawFrame();
  return Status::Ok();
}

Status Play(Stage& stage, const Screenshot& picture) { return SaveFrame(stage, picture.path); }

Status Play(Stage& stage, const ReplayInput& input) {
  Play(input, &stage.gui());
  return Status::Ok();
}

Status Play(Stage& stage, const Command& command) {
  stage.gui().viewer().commands().Push(command.id, command.args);
  stage.gui().DrawFrame();  // commands take effect at the end of a frame
  return Status::Ok();
}

int RunReplay(const InputOptions& input, const ReplayOptions& options, const Log& log) {
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
  stage.Open(input);
  if (Status status = stage.Show(options, options.show_window); !status.ok())
    return FailStage(status);
  if (options.no_pixels) stage.DrawNoPixels();
  stage.UseFixedTime();
  Status status = stage.gui().DrawUntilIdle();
  if (status.ok() && !input.paths.empty()) status = stage.load_status();
  for (const ReplayStep& step : *steps) {
    if (!status.ok()) break;
    log.Verbose(fmt::format("{}:{}", options.commands_file, step.line));
    status = std::visit([&](const auto& action) { return Play(stage, action); }, step.action);
  }
  if (status.ok() && !options.output.empty()) {
    status = stage.gui().DrawUntilIdle();
    if (status.ok()) status = SaveFrame(stage, options.output);
  }
  return status.ok() ? kExitOk : FailStage(status);
}

}  // namespace

extern const ProgramCommandDesc kReplayCommand = {
    "replay", "Carries out a list of commands on the window",
    NewCommand<ReplayOptions, AddReplayOptions, CheckInput, RunReplay>};

}  // namespace stepscope
