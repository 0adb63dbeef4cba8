// Any bytes as a memory snapshot.
#include <cstddef>
#include <cstdint>
#include <string>

#include "loaders/loader.h"
#include "model/allocator_history.h"
#include "model/analysis/analysis.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace stepscope;
  LoadOptions options;
  options.threads = 1;
  options.max_inflated_bytes = 1 << 24;
  const auto trace =
      LoadBytes("fuzz.pickle", std::string(reinterpret_cast<const char*>(data), size), options);
  if (!trace.ok()) {
    if (trace.status().message().empty()) __builtin_trap();  // every error says what is wrong
    return 0;
  }
  const Trace& t = **trace;
  if (HistoryOf(t) == nullptr) return 0;
  for (uint32_t row = 0; row < t.set.rows && row < 64; ++row) {
    if (!t.source->Decode(t, EventRow(row)).ok()) __builtin_trap();
  }
  AnalysisContext context(*trace, Definitions::kStepscope);
  RunAnalysis(*FindAnalysis("memory_snapshot"), context, {}, {});
  return 0;
}
