#include <fmt/format.h>

#include <utility>

#include "app/command_line/command_line.h"
#include "app/commands/command_options.h"
#include "app/commands/profile_input.h"
#include "app/report/chrome_export.h"
#include "app/session/profile_facts.h"
#include "app/system/output.h"
#include "loaders/files/compression.h"
#include "loaders/store/store_writer.h"
#include "loaders/store/trace_part.h"

namespace stepscope {
namespace {

void AddExportOptions(CLI::App& app, InputOptions* input, ExportOptions* options) {
  AddPaths(app, input, true);
  AddRun(app, input);
  AddHost(app, options);
  AddRange(app, &options->range,
           "only events that touch this part of the trace (default: all), as in 12ms..15ms");
  AddClocks(app, options);
  AddOutput(app, &options->output,
            "file to write; .stepscope: the whole profile as one file, .gz: compressed JSON "
            "(default: JSON to standard output)");
}

std::string CheckExport(const InputOptions& input, const ExportOptions& options) {
  std::string wrong = NeedOnePath(input);
  if (!wrong.empty() || !options.aligned_clocks || options.host.empty()) return wrong;
  return "--clocks aligned cannot be combined with --host: one host has nothing to be aligned with";
}

// A store is binary, so it is written to files only.
bool IsStore(const ExportOptions& options) { return options.output.ends_with(".stepscope"); }

Status WriteStoreOf(std::shared_ptr<const Trace> trace, TimeRange range, const TextSink& sink) {
  if (!range.empty()) trace = PartOfTrace(std::move(trace), range, HostId());
  return store::WriteStore(*trace, StoreFactsOf(*trace), sink);
}

int RunExport(const InputOptions& input, const ExportOptions& options, const Log& log) {
  const LoadedPart part = LoadPart(input, options, log, Definitions::kStepscope, options.host);
  if (part.exit_code != kExitOk) return part.exit_code;
  Output output(options.output);
  Status written;
  if (IsStore(options)) {
    written = WriteStoreOf(part.trace, options.range, output.sink());
  } else if (options.output.ends_with(".gz")) {
    GzipWriter gzip(output.sink());
    written = WriteChromeTrace(*part.trace, options.range,
                               [&gzip](std::string_view text) { gzip.Write(text); });
    gzip.Finish();
  } else {
    written = WriteChromeTrace(*part.trace, options.range, output.sink());
  }
  if (!written.ok()) {
    LogError(fmt::format("{}: {}", input.paths[0], written.message()));
    return kExitNothing;
  }
  LogPeakMemory(log);
  return output.Finish() ? kExitOk : kExitNoResource;
}

}  // namespace

extern const ProgramCommandDesc kExportCommand = {
    "export", "The trace, or a part of it, as a store (.stepscope) or as Chrome JSON",
    NewCommand<ExportOptions, AddExportOptions, CheckExport, RunExport>};

}  // namespace stepscope
