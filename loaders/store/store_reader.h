// Reads a store (docs/store.md). Everything in it is untrusted: checksums, counts, numbers, what it
// unpacks to. A damaged section is left out and counted, a cut file keeps what is there, and only a
// store without its first sections is an error.
#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "loaders/files/byte_source.h"
#include "model/base/status.h"
#include "model/base/task.h"
#include "model/trace.h"
#include "model/trace_builder.h"

namespace stepscope::store {

struct ReadOptions {
  // Most bytes that all sections may become in memory together: kLimit beyond.
  uint64_t most_bytes = uint64_t{16} << 30;
  bool nested = false;  // a capture within a store
};

// Fills the builder, which must be new. Uses all cores. kFormat, kUnsupported where a newer program
// wrote it, kLimit, kIo, kCancelled.
Status ReadStoreInto(std::shared_ptr<const ByteSource> source, const ReadOptions& options,
                     const std::stop_token& stop, Progress* progress, TraceBuilder* builder);
Result<std::shared_ptr<const Trace>> ReadStore(std::shared_ptr<const ByteSource> source,
                                               const ReadOptions& options,
                                               const std::stop_token& stop, Progress* progress);

}  // namespace stepscope::store
