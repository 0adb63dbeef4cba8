// A Riegeli/records file as one text: its records inflated one behind the other in memory.
//
// Memory: the inflated records, and the compressed bytes of one chunk for each thread. A chunk says
// in its header how much it inflates to, so that the limit is known to hold before anything is
// inflated, and each chunk has its place: all are inflated side by side.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <utility>
#include <vector>

#include "loaders/byte_source.h"
#include "loaders/riegeli/chunk_list.h"
#include "model/base/status.h"
#include "model/base/task.h"

namespace stepscope::riegeli {

inline constexpr uint64_t kMaxRecords = 1'000'000;  // of a file

struct RecordFile {
  std::shared_ptr<const ByteSource> source;            // truncated() if the file is
  std::vector<std::pair<uint64_t, uint64_t>> records;  // begin and end in `source`, in order
  Damage damage;  // chunks that were skipped, by their place in the file
};

// `threads`: 0 for all cores. `progress` gets InflateShare of a plain file. kFormat when there is
// not one record, kUnsupported for transposed chunks, kLimit, kIo, kCancelled.
Result<RecordFile> ReadRecordFile(const ByteSource& file, uint64_t max_inflated_bytes,
                                  unsigned threads, const std::stop_token& stop,
                                  Progress* progress);

}  // namespace stepscope::riegeli
