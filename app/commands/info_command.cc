#include "app/commands/info_command.h"
#include "app/command_line/option_values.h"
#include "app/command_line/program_command.h"
#include "app/command_line/shared_options.h"
#include "app/commands/load_input.h"
#include "app/report/info.h"
#include "app/system/output.h"
#include "model/analysis/steps/steps.h"

namespace stepscope {
namespace {

void AddOptions(CLI::App& app, InputOptions* input, InfoOptions* options) {
  AddPaths(app, input, true);
  AddFlag(app, "--json", &options->json, "as one JSON object");
  AddRun(app, input);
  AddText(app, "--host", &options->host, "only this host");
}

std::string Check(const InputOptions& input, const InfoOptions&) { return NeedOnePath(input); }

int Run(const InputOptions& input, const InfoOptions& options, const Log& log) {
  const LoadedInput loaded = LoadInput(input, options.host, log);
  if (!loaded.trace) return loaded.exit_code;
  AnalysisContext context(loaded.trace, Definitions::kStepscope);
  const InfoInput info{input.paths[0], loaded.runs, loaded.trace.get(),
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
    NewCommand<InfoOptions, AddOptions, Check, Run>};

}  // namespace stepscope
