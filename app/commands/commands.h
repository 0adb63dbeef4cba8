// The subcommands. Each returns the exit status of the program and prints its own error, one line.
#pragma once

#include "app/log.h"
#include "app/options.h"

namespace stepscope {

int RunOpen(const Options& options, const Log& log);
int RunInfo(const Options& options, const Log& log);
int RunReport(const Options& options, const Log& log);
int RunEvents(const Options& options, const Log& log);
int RunExport(const Options& options, const Log& log);
int RunCompare(const Options& options, const Log& log);
int RunCheck(const Options& options, const Log& log);
int RunScreenshot(const Options& options, const Log& log);
int RunReplay(const Options& options, const Log& log);
int RunBench(const Options& options, const Log& log);

inline int RunCommand(const Options& options, const Log& log) {
  switch (options.command) {
    case ProgramCommand::kInfo:
      return RunInfo(options, log);
    case ProgramCommand::kReport:
      return RunReport(options, log);
    case ProgramCommand::kEvents:
      return RunEvents(options, log);
    case ProgramCommand::kExport:
      return RunExport(options, log);
    case ProgramCommand::kCompare:
      return RunCompare(options, log);
    case ProgramCommand::kCheck:
      return RunCheck(options, log);
    case ProgramCommand::kScreenshot:
      return RunScreenshot(options, log);
    case ProgramCommand::kReplay:
      return RunReplay(options, log);
    case ProgramCommand::kBench:
      return RunBench(options, log);
    case ProgramCommand::kOpen:
      break;
  }
  return RunOpen(options, log);
}

}  // namespace stepscope
