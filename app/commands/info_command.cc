#include "app/command_line/command_line.h"
#include "app/commands/command_options.h"
#include "app/commands/profile_input.h"
#include "app/report/info.h"
#include "app/system/output.h"
#include "model/analysis/steps/steps.h"

namespace stepscope {
namespace {

void AddInfoOptions(CLI::App& app, InputOptions* input, InfoOptions* options) {
  AddPaths(app, input, true);
  AddFlag(app, "--json", &options->json, "as one JSON object");
  AddRun(app, input);
  AddText(app, "--host", &options->host, "only this host");
}

int RunInfo(const InputOptions& input, const InfoOptions& options, const Log& log) {
  const LoadedInput loaded = LoadInput(input, options.host, log);
  if (!loaded.trace) return loaded.exit_code;
  AnalysisContext context(loaded.trace, Definitions::kStepscope);
  const InfoInput info{input.paths[0], loaded.runs, loaded.trace.get(), &context.Get<Recording>(),
                       context.Get<StepDatabase>().steps.size()};
  Output output({});
  if (options.json) {
    WriteInfoJson(info, output.sink());
  } else {
    WriteInfoText(info, output.sink());
  }
  LogPeakMemory(log);
  return output.Finish() ? kExitOk : kExitNoResource;
}

}  // namespace

extern const ProgramCommandDesc kInfoCommand = {
    "info", "What a profile holds: runs, hosts, planes, tracks, what was repaired or skipped",
    NewCommand<InfoOptions, AddInfoOptions, NeedOnePath, RunInfo>};

}  // namespace stepscope
