// The program: parses the command line and runs one command.
#include <csignal>
#include <cstdio>
#include <exception>

#include "app/commands/commands.h"
#include "app/crash_report.h"
#include "app/exit_code.h"
#include "app/heap.h"
#include "app/log.h"
#include "app/options.h"
#include "app/paths.h"
#include "app/version.h"

int main(int argc, char** argv) {
  stepscope::ShareHeaps();
  // A closed pipe (`stepscope report | head`) shows as a failed write, not as a killed program.
  std::signal(SIGPIPE, SIG_IGN);
  stepscope::InstallCrashReports(stepscope::StateDirectory(),
                                 stepscope::VersionText() + "\nbuild " + stepscope::BuildId());
  try {
    const stepscope::ParsedOptions parsed = stepscope::ParseOptions(argc, argv);
    if (parsed.run) {
      return stepscope::RunCommand(parsed.options, stepscope::Log(parsed.options.verbose));
    }
    if (parsed.exit_code == stepscope::kExitOk) {
      std::fputs(parsed.text.c_str(), stdout);
    } else {
      stepscope::LogError(parsed.text);
    }
    return parsed.exit_code;
  } catch (const std::exception& error) {  // out of memory, in all likelihood
    stepscope::LogError(error.what());
    return stepscope::kExitNoResource;
  }
}
