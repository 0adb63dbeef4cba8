#include <epoxy/gl.h>
#include <fmt/format.h>

#include <chrono>

#include "app/commands/commands.h"
#include "app/commands/picture.h"
#include "app/exit_code.h"
#include "app/paths.h"
#include "app/process_stats.h"
#include "app/replay_script.h"
#include "viewer/core/command.h"

namespace stepscope {
namespace {

// The loop of a window in which nothing happens. The end of a note draws a few frames; what draws
// more, or works without drawing, does not rest.
Status Rest(Stage& stage, double seconds) {
  constexpr int kMostFrames = FramePacer::kFramesAfterInput + 1;
  constexpr double kMostShare = 0.1;
  for (int i = 0; i < 100 && stage.gui().Step(0.05); ++i) continue;  // of what came before
  const double cpu = CpuMs();
  const auto begin = std::chrono::steady_clock::now();
  std::chrono::duration<double> passed{0};
  int frames = 0;
  while (passed.count() < seconds) {
    frames += stage.gui().Step(seconds - passed.count()) ? 1 : 0;
    passed = std::chrono::steady_clock::now() - begin;
  }
  const double used = CpuMs() - cpu;
  if (frames > 0 ? frames <= kMostFrames : used <= kMostShare * seconds * 1000) return Status::Ok();
  return Status(ErrorCode::kLimit,
                fmt::format("the window did not rest: {} frames and {:.0f} ms of processor time in "
                            "{:g} s",
                            frames, used, seconds));
}

Status Play(Stage& stage, const ReplayStep& step) {
  switch (step.kind) {
    case ReplayStep::Kind::kWaitIdle:
      return stage.gui().DrawUntilIdle(step.seconds);
    case ReplayStep::Kind::kRest:
      return Rest(stage, step.seconds);
    case ReplayStep::Kind::kResize:
      if (Status status = stage.surface().Resize(step.size); !status.ok()) return status;
      stage.gui().DrawFrame();
      return Status::Ok();
    case ReplayStep::Kind::kInput:
      Play(step.input, &stage.gui());
      return Status::Ok();
    case ReplayStep::Kind::kScreenshot:
      return SaveFrame(stage, step.path);
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
  if (options.no_pixels) glEnable(GL_RASTERIZER_DISCARD);
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
    if (status.ok()) status = SaveFrame(stage, options.output);
  }
  return status.ok() ? kExitOk : Fail(status);
}

}  // namespace stepscope
