#include <fmt/format.h>

#include "app/commands/commands.h"
#include "app/commands/load_input.h"
#include "app/commands/part_of_trace.h"
#include "app/exit_code.h"
#include "app/output.h"
#include "app/report/chrome_export.h"
#include "loaders/gzip_writer.h"

namespace stepscope {

int RunExport(const Options& options, const Log& log) {
  const LoadedInput loaded = LoadInput(options, options.host, log);
  if (!loaded.trace) return loaded.exit_code;
  AnalysisContext context(loaded.trace, Definitions::kStepscope);
  if (!CheckPart(context, PartOf(options))) return kExitUsage;
  Output output(options.output);
  Status written;
  if (options.output.ends_with(".gz")) {
    GzipWriter gzip(output.sink());
    written = WriteChromeTrace(*loaded.trace, options.range,
                               [&gzip](std::string_view text) { gzip.Write(text); });
    gzip.Finish();
  } else {
    written = WriteChromeTrace(*loaded.trace, options.range, output.sink());
  }
  if (!written.ok()) {
    LogError(fmt::format("{}: {}", options.paths[0], written.message()));
    return kExitNothing;
  }
  LogPeakMemory(log);
  return output.Finish() ? kExitOk : kExitNoResource;
}

}  // namespace stepscope
