// Loads any bytes as a memory snapshot and analyses it.
#include "model/allocator_history.h"
#include "model/analysis/analysis.h"
#include "tests/fuzz/loader_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace stepscope;
  const auto trace = test::LoadFuzzed("fuzz.pickle", {reinterpret_cast<const char*>(data), size});
  if (trace == nullptr || HistoryOf(*trace) == nullptr) return 0;
  test::ReadArguments(*trace);
  AnalysisContext context(trace, Definitions::kStepscope);
  RunAnalysis(*FindAnalysis("memory_snapshot"), context, {});
  return 0;
}
