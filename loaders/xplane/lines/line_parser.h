// ParseLine is the hot path of the XSpace loader: it reads the events of an XLine in blocks
// straight into columns. Nothing is allocated per event, and the stats of an event are skipped, not
// decoded, but for the times that TPU cores tell. Different lines, or pieces of a line, may be
// parsed by different threads. O(bytes); a block of 512 KiB, which stays in the second-level cache,
// is read once.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "loaders/xplane/scan/file_scan.h"
#include "model/base/status.h"
#include "model/jobs/job.h"
#include "model/trace_builder.h"

namespace stepscope::xplane {

// Times are clipped to +-106 days around the origin.
inline constexpr int64_t kMaxTimePs = int64_t{106} * 86'400 * 1'000'000'000'000;
inline constexpr size_t kBlockBytes = size_t{512} << 10;
inline constexpr size_t kBlockPadding =
    64;  // zeros after a block: a varint may be read past its end

// Memory that is used again for the next line; one object per thread.
struct ParseBuffer {
  std::vector<uint8_t> bytes = std::vector<uint8_t>(kBlockBytes + kBlockPadding);
  // Bytes of `ahead_source` from `ahead_begin` on that were read ahead: short lines lie side by
  // side.
  const ByteSource* ahead_source = nullptr;
  uint64_t ahead_begin = 0;
  std::vector<uint8_t> ahead;
};

// The stats by which the events of a TPU core tell their times by its own clock; metadata ids.
struct CoreTimeStats {
  int64_t offset = 0, duration = 0;
};

// An event's time by the clock of its core.
struct CoreTime {
  Ps begin = 0, duration = -1;
  bool known() const { return duration >= 0; }
};

// Rows [begin, end) of columns in which a job's events find room, so that they need not be copied
// when the pieces of a line are put together. `columns` has at least `end` rows.
struct EventRoom {
  RawEvents* columns = nullptr;  // null: there is none
  uint32_t begin = 0, end = 0;
};

// A line, or a piece of a line, which should begin and end between two events.
struct LineJob {
  const ByteSource* source = nullptr;
  uint64_t line_begin = 0;  // references of events count from here
  uint64_t begin = 0, end = 0;
  bool first_piece = true;
  Ps base_ps = 0;                   // added to the offsets
  const uint32_t* metas = nullptr;  // index of an event metadata in its plane -> MetaId
  const IdMap* ids = nullptr;
  const CoreTimeStats* core_times = nullptr;  // null: its events have no such stats
  double progress_per_byte = 1;               // bytes on the disk for a parsed byte
  EventRoom slice_room, instant_room;         // for lines of less than 4 GB without CoreTimeStats
};

struct ParsedLine {
  RawEvents slices, instants;
  // The numbers of events that lie in the job's rooms; then `slices` or `instants` has none. Where
  // they do not all fit, all lie in `slices` or `instants`.
  uint32_t slices_in_room = 0, instants_in_room = 0;
  // Jobs with CoreTimeStats fill in one for each event; events at the end may lack theirs.
  std::vector<CoreTime> slice_times, instant_times;
  XspaceDiagnostics diagnostics;
  uint64_t events = 0;
  uint64_t aggregated = 0;  // events with num_occurrences instead of an offset
  Ps busy = 0;              // about the time that slices cover; exact when they are in order
  bool cut = false;         // a field goes on beyond the job's end, or is none
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

// Appends the job's events to `out`. kIo when the source fails, kCancelled.
Status ParseLine(const LineJob& job, ParseBuffer* buffer, const std::stop_token& stop,
                 Progress* progress, ParsedLine* out);

// One line to parse. Everything it points to must outlive the call, and no two tasks share
// `parsed`.
struct LineTask {
  LineJob job;  // the whole line
  ParsedLine* parsed = nullptr;
};

}  // namespace stepscope::xplane
