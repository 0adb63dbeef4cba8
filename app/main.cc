// The program `stepscope`: parses the command line and runs one command. Start reading at
// app/commands/registry.cc. Each folder of app/ uses only those before it in this list: system
// (paths, logs, crash reports), command_line (parsing), session (open profiles), window (surfaces
// and the frame loop), replay (scripts), report (text, JSON, CSV and HTML), bench (measurements),
// commands.
#include <csignal>
#include <cstdio>
#include <exception>

#include "app/command_line/command_line.h"
#include "app/commands/registry.h"
#include "app/system/crash_report.h"
#include "app/system/output.h"
#include "app/system/paths.h"
#include "app/system/process.h"
#include "app/system/version.h"
#include "model/jobs/job.h"
#include "model/jobs/scheduler.h"

int main(int argc, char** argv) {
  stepscope::LimitMallocArenas();
  stepscope::LimitThreadStacks();
  // A closed pipe (`stepscope report | head`) then fails a write instead of killing the program.
  std::signal(SIGPIPE, SIG_IGN);
  stepscope::InstallCrashReports(stepscope::StateDirectory(),
                                 stepscope::VersionText() + "\nbuild " + stepscope::BuildId());
  try {
    const stepscope::ParsedCommandLine parsed =
        stepscope::ParseCommandLine(stepscope::ProgramCommands(), argc, argv);
    if (parsed.command) {
      stepscope::Scheduler scheduler;  // of what commands compute without a window
      const stepscope::JobScope job(&scheduler);
      return parsed.command->Run(parsed.input, stepscope::Log(parsed.verbose));
    }
    if (parsed.exit_code == stepscope::kExitOk) {
      std::fputs(parsed.text.c_str(), stdout);
    } else {
      stepscope::LogError(parsed.text);
    }
    return parsed.exit_code;
  } catch (const stepscope::Stopped&) {  // Ctrl+C in a command that ends in good order
    stepscope::Interrupt::End();
  } catch (const std::exception& error) {  // out of memory, in all likelihood
    stepscope::LogError(error.what());
    return stepscope::kExitNoResource;
  }
}
