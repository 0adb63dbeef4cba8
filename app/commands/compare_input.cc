#include "app/commands/compare_input.h"

#include <fmt/format.h>

#include <chrono>

#include "app/commands/part_of_trace.h"
#include "app/exit_code.h"

namespace stepscope {
namespace {

// One after the other: each load uses all cores.
std::unique_ptr<AnalysisContext> Load(const Options& options, size_t path,
                                      const AnalysisParams& params, const Log& log, int* status) {
  LoadedInput loaded = LoadInput(options, {}, log, path);
  if (!loaded.trace) {
    *status = loaded.exit_code;
    return nullptr;
  }
  auto context = std::make_unique<AnalysisContext>(loaded.trace, Definitions::kStepscope);
  if (!CheckPart(*context, params)) *status = kExitUsage;
  return context;
}

}  // namespace

ComparedInput LoadAndCompare(const Options& options, const Log& log) {
  ComparedInput input;
  AnalysisParams params = ForHost(options.host);
  params.steps = options.steps;
  params.range = options.range;
  input.params = {params, params};
  input.a = Load(options, 0, params, log, &input.exit_code);
  if (input.exit_code != kExitOk) return input;
  input.b = Load(options, 1, params, log, &input.exit_code);
  if (input.exit_code != kExitOk) return input;
  const auto begin = std::chrono::steady_clock::now();
  input.compared = Compare(*input.a, *input.b, input.params, {});
  const std::chrono::duration<double, std::milli> ms = std::chrono::steady_clock::now() - begin;
  log.Verbose(fmt::format("compared in {:.1f} ms", ms.count()));
  if (!input.compared.result.empty_reason.empty()) {
    LogError(input.compared.result.empty_reason);
    input.exit_code = kExitNothing;
  }
  return input;
}

}  // namespace stepscope
