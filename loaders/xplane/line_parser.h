// The hot path: the events of an XLine, read in blocks straight into columns. Nothing is allocated
// per event, and the stats of an event are stepped over, not decoded. Each call is one thread's;
// different lines or pieces are independent. Complexity: O(bytes); a block (512 KiB, kept in the
// second-level cache) is read once.
#pragma once

#include <atomic>
#include <cstdint>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <vector>

#include "loaders/xplane/file_scan.h"
#include "loaders/xplane/issues.h"
#include "model/base/status.h"
#include "model/base/task.h"
#include "model/trace_builder.h"

namespace stepscope::xplane {

inline constexpr size_t kBlockBytes = size_t{512} << 10;
inline constexpr size_t kBlockPadding =
    64;  // zeros after a block: a varint may be read past its end

// What a worker needs besides the line itself; one per thread, used again for the next line.
struct ParseBuffer {
  std::vector<uint8_t> bytes = std::vector<uint8_t>(kBlockBytes + kBlockPadding);
  // Short lines lie side by side: what was read ahead of `ahead_source` from `ahead_begin` on.
  const ByteSource* ahead_source = nullptr;
  uint64_t ahead_begin = 0;
  std::vector<uint8_t> ahead;
};

// A line, or a piece of a line that begins and ends between two events.
struct LineJob {
  const ByteSource* source = nullptr;
  uint64_t line_begin = 0;  // references count from here
  uint64_t begin = 0, end = 0;
  bool first_piece = true;
  Ps base_ps = 0;                   // added to the offsets
  const uint32_t* metas = nullptr;  // index of an event metadata in its plane -> MetaId
  const IdMap* ids = nullptr;
  double progress_per_byte = 1;  // of the file as it lies on the disk
};

struct ParsedLine {
  RawEvents slices, instants;
  Issues issues;
  uint64_t events = 0;
  uint64_t aggregated = 0;  // events with num_occurrences instead of an offset
  Ps busy = 0;              // about the time that slices cover; exact when they are in order
  // Metadata ids that have no entry, in order of appearance; events refer to them as kMissingMeta +
  // index.
  std::vector<int64_t> missing;
  bool timestamp_after_events = false;
  int64_t timestamp_ns = 0;
  int64_t display_id = 0;
  std::string display_name;
  std::string late_name;  // a name or an id that came after the events
  bool has_late_id = false;
  int64_t late_id = 0;
};
inline constexpr uint32_t kMissingMeta = 0x80000000u;

// Appends to `out`. kIo when the source fails, kCancelled.
Status ParseLine(const LineJob& job, ParseBuffer* buffer, const std::stop_token& stop,
                 Progress* progress, ParsedLine* out);

// Where a line of at least `target` bytes can be split: offsets of field starts about `target`
// bytes apart, the line's begin and end included. Garbage ends the search early: the last piece
// meets it again.
Result<std::vector<uint64_t>> SplitLine(const ByteSource& source, uint64_t begin, uint64_t end,
                                        uint64_t target, ParseBuffer* buffer,
                                        const std::stop_token& stop);

}  // namespace stepscope::xplane
