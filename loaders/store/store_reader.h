// Reads a store (docs/store.md). Everything in it is untrusted: checksums, counts, numbers, what it
// unpacks to. A damaged section is left out and counted, a cut file keeps what is there, and only a
// store without its first sections is an error.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "loaders/files/byte_source.h"
#include "model/base/status.h"
#include "model/jobs/job.h"
#include "model/trace.h"
#include "model/trace_builder.h"

namespace stepscope::store {

struct ReadOptions {
  // Most bytes that all sections may become in memory together: kLimit beyond.
  uint64_t most_bytes = uint64_t{16} << 30;
  bool nested = false;  // a capture within a store
  // The source ends with the overview, whose nodes stand for events.
  bool preview = false;
};

// Fills the builder, which must be new. Uses all cores. kFormat, kUnsupported where a newer program
// wrote it, kLimit, kIo, kCancelled.
Status ReadStoreInto(std::shared_ptr<const ByteSource> source, const ReadOptions& options,
                     const std::stop_token& stop, Progress* progress, TraceBuilder* builder);
Result<std::shared_ptr<const Trace>> ReadStore(std::shared_ptr<const ByteSource> source,
                                               const ReadOptions& options,
                                               const std::stop_token& stop, Progress* progress);

// The bytes of a stream up to the end of its overview, which have all that a first picture needs; 0
// where not all of them have come. `at` is 0 at first; the next call, with more of the stream, goes
// on from there.
size_t PreviewBytes(std::string_view begin, size_t* at);

// What can be drawn before the rest of a stream has come: all tracks, each lane with some hundred
// slices that stand for its events (loaders/store/event_columns.h). `begin` has PreviewBytes. The
// slices do not nest and have no arguments. Errors as of ReadStore.
Result<std::shared_ptr<const Trace>> ReadPreview(const std::string& path, std::string_view begin,
                                                 uint64_t most_bytes, const std::stop_token& stop);

}  // namespace stepscope::store
