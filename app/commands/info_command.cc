#include "app/commands/commands.h"
#include "app/commands/load_input.h"
#include "app/exit_code.h"
#include "app/output.h"
#include "app/report/info.h"
#include "model/analysis/steps.h"

namespace stepscope {

int RunInfo(const Options& options, const Log& log) {
  const LoadedInput input = LoadInput(options, options.host, log);
  if (!input.trace) return input.exit_code;
  AnalysisContext context(input.trace, Definitions::kStepscope);
  const InfoInput info{options.paths[0], input.runs, input.trace.get(),
                       context.steps().steps.size()};
  Output output({});
  if (options.json) {
    WriteInfoJson(info, output.sink());
  } else {
    WriteInfoText(info, output.sink());
  }
  LogPeakMemory(log);
  return output.Finish() ? kExitOk : kExitNoResource;
}

}  // namespace stepscope
