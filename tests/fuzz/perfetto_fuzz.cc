// Any bytes as a Perfetto trace.
#include <cstddef>
#include <cstdint>
#include <string>

#include "loaders/loader.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace stepscope;
  LoadOptions options;
  options.threads = 1;
  options.max_inflated_bytes = 1 << 24;
  const auto trace =
      LoadBytes("fuzz.pftrace", std::string(reinterpret_cast<const char*>(data), size), options);
  if (!trace.ok()) {
    if (trace.status().message().empty()) __builtin_trap();  // every error says what is wrong
    return 0;
  }
  const Trace& t = **trace;
  if (t.source == nullptr) return 0;
  for (uint32_t row = 0; row < t.set.rows && row < 64; ++row) {
    if (!t.source->Decode(t, EventRow(row)).ok())
      __builtin_trap();  // the bytes are in memory and do not change
  }
  if (!t.source->LoadTyped(t, {}).ok()) __builtin_trap();
  return 0;
}
