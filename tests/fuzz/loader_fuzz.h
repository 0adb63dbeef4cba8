// The fuzz targets of all loaders share this: they load any bytes as a file of some name and read
// the trace. A loader that breaks a promise ends the process, which the fuzzer reports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "loaders/loader.h"

namespace stepscope::test {

inline constexpr uint64_t kMaxInflated = 1 << 24;

// Returns null where the bytes are no profile.
inline std::shared_ptr<const Trace> LoadFuzzed(const char* name, std::string bytes) {
  LoadOptions options;
  options.threads = 1;
  options.max_inflated_bytes = kMaxInflated;
  const auto trace = LoadBytes(name, std::move(bytes), options);
  if (trace.ok()) return *trace;
  if (trace.status().message().empty()) __builtin_trap();  // every error says what is wrong
  return nullptr;
}

// Reads the arguments of some events.
inline void ReadArguments(const Trace& trace) {
  if (trace.source == nullptr) return;
  for (uint32_t row = 0; row < trace.set.rows && row < 64; ++row) {
    if (!trace.source->Decode(trace, EventRow(row)).ok())
      __builtin_trap();  // the bytes are in memory and do not change
  }
}

// Reads the typed arguments of all events, too.
inline void ReadAllArguments(const Trace& trace) {
  ReadArguments(trace);
  if (trace.source != nullptr && !trace.source->LoadTyped(trace, {}).ok()) __builtin_trap();
}

// A whole fuzz target, for formats without checks of their own.
inline int FuzzLoader(const char* name, std::string bytes) {
  const auto trace = LoadFuzzed(name, std::move(bytes));
  if (trace != nullptr) ReadAllArguments(*trace);
  return 0;
}

}  // namespace stepscope::test
