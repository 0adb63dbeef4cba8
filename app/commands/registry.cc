// The list of commands. Adding one is a row here, its source and its test.
#include "app/commands/registry.h"

namespace stepscope {

extern const ProgramCommandDesc kOpenCommand, kInfoCommand, kReportCommand, kEventsCommand,
    kSqlCommand, kExportCommand, kMcpCommand;
extern const ProgramCommandDesc kCompareCommand, kCheckCommand;
extern const ProgramCommandDesc kScreenshotCommand, kReplayCommand, kBenchCommand, kServeCommand,
    kCaptureCommand;

ProgramCommandDescs ProgramCommands() {
  static constexpr const ProgramCommandDesc* kCommands[] = {
      &kOpenCommand,   &kInfoCommand,    &kReportCommand, &kEventsCommand,  &kSqlCommand,
      &kExportCommand, &kCompareCommand, &kCheckCommand,  &kCaptureCommand, &kScreenshotCommand,
      &kReplayCommand, &kBenchCommand,   &kServeCommand,  &kMcpCommand};
  return kCommands;
}

}  // namespace stepscope
