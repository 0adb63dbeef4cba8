#include "app/commands/compare_input.h"

#include <fmt/format.h>

#include <chrono>

#include "app/commands/part_of_trace.h"
#include "app/system/output.h"

namespace stepscope {
namespace {

// Loads are not run side by side, because each uses all cores.
std::unique_ptr<AnalysisContext> Load(const InputOptions& paths, size_t path,
                                      const AnalysisParams& params, const Log& log, int* status) {
  LoadedInput loaded = LoadInput(paths, {}, log, path);
  if (!loaded.trace) {
    *status = loaded.exit_code;
    return nullptr;
  }
  auto context = std::make_unique<AnalysisContext>(loaded.trace, Definitions::kStepscope);
  if (!CheckPart(*context, params)) *status = kExitUsage;
  return context;
}

}  // namespace

ComparedInput LoadAndCompare(const InputOptions& paths, const PartOptions& part, const Log& log) {
  ComparedInput input;
  const AnalysisParams params = PartOf(part);
  input.params = {params, params};
  input.a = Load(paths, 0, params, log, &input.exit_code);
  if (input.exit_code != kExitOk) return input;
  input.b = Load(paths, 1, params, log, &input.exit_code);
  if (input.exit_code != kExitOk) return input;
  const auto begin = std::chrono::steady_clock::now();
  input.result = Comparison().compare(*input.a, *input.b, input.params);
  const std::chrono::duration<double, std::milli> ms = std::chrono::steady_clock::now() - begin;
  log.Verbose(fmt::format("compared in {:.1f} ms", ms.count()));
  if (!input.result.empty_reason.empty()) {
    LogError(input.result.empty_reason);
    input.exit_code = kExitNothing;
  }
  return input;
}

}  // namespace stepscope
