// A Riegeli/records file as one source: its records inflated one after the other in memory.
//
// A chunk's header says how much it inflates to. So the limit is checked before anything is
// inflated, and each chunk has its place: all cores inflate. Takes memory for the inflated records,
// and for the compressed bytes of one chunk a thread.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <utility>
#include <vector>

#include "loaders/files/byte_source.h"
#include "loaders/riegeli/chunk_list.h"
#include "model/base/status.h"
#include "model/jobs/job.h"

namespace stepscope::riegeli {

inline constexpr uint64_t kMaxRecords = 1'000'000;  // in a file

struct RecordFile {
  std::shared_ptr<const ByteSource> source;            // truncated() where the file is cut
  std::vector<std::pair<uint64_t, uint64_t>> records;  // begin and end in `source`, in order
  Damage damage;  // chunks that were skipped, by their place in the file
};

// Reads all records. `threads`: 0 for all cores. `progress` gets InflateShare of a plain file.
// kFormat when there is not one record, kUnsupported for transposed chunks, kLimit, kIo,
// kCancelled.
Result<RecordFile> ReadRecordFile(const ByteSource& file, uint64_t max_inflated_bytes,
                                  unsigned threads, const std::stop_token& stop,
                                  Progress* progress);

}  // namespace stepscope::riegeli
