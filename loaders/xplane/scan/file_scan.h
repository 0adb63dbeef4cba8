// FileScan: the skeleton of one XSpace file: its planes, where their lines lie, and their metadata.
// Only the head of a line is read; its events are skipped by their length. Plain data, filled by
// ScanFile on one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "loaders/files/byte_source.h"
#include "loaders/riegeli/chunk_list.h"
#include "loaders/xplane/scan/limits.h"
#include "loaders/xplane/scan/plane_tables.h"
#include "loaders/xplane/scan/window_reader.h"
#include "loaders/xplane/scan/xspace_diagnostics.h"
#include "model/string_pool.h"
#include "model/track.h"

namespace stepscope::xplane {

struct LineScan {
  uint64_t begin = 0, end = 0;  // payload of the XLine in the file
  int64_t id = 0;
  // Known only if it stands before the first event, as it does in practice.
  int64_t timestamp_ns = 0;
  std::string name;
  bool has_events = false;
  uint32_t file_order = 0;
};

struct PlaneScan {
  uint64_t begin = 0, end = 0;
  int64_t id = 0;
  std::string name;
  uint32_t file_order = 0;
  std::vector<LineScan> lines;
  std::vector<PlaneStat> stats;
  std::shared_ptr<PlaneTables> tables = std::make_shared<PlaneTables>();
  XspaceDiagnostics diagnostics;
};

struct FileScan {
  std::shared_ptr<const ByteSource> source;
  // Begin and end of each XSpace in `source`: the whole of it, or the records of a Riegeli file.
  std::vector<std::pair<uint64_t, uint64_t>> spaces;
  bool several = false;  // several XSpaces: planes of one name, and their lines of one id, are one
  std::string file_name, host;
  std::vector<PlaneScan> planes;
  std::vector<std::string> hostnames, errors, warnings;
  int64_t start_unix_ns = 0;      // Task Environment's profile_start_time
  bool tail_cut = false;          // the file ends inside a field
  riegeli::Damage damage;         // chunks of a Riegeli file that were skipped
  XspaceDiagnostics diagnostics;  // of the fields outside of planes
};

// How much of limits.h is left for the files of a run that are still to be scanned.
struct ScanBudget {
  size_t planes = kMaxPlanes, lines = kMaxLines, event_metadata = kMaxMetadata,
         stat_metadata = kMaxMetadata;
};

// Fills the scan from scan->source and scan->spaces. What is damaged is skipped and counted;
// kFormat when not one plane could be read. kIo, kCancelled. O(metadata bytes + lines).
Status ScanFile(FileScan* scan, StringPool* names, ScanBudget* budget, std::stop_token stop);

}  // namespace stepscope::xplane
