// Trace: everything loaded from one run, immutable. Written only by TraceBuilder. Shared between
// threads without locks.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/diagnostics.h"
#include "model/hlo_table.h"
#include "model/stats.h"
#include "model/track.h"

namespace stepscope {

enum class TraceFormat : uint8_t { kXSpace, kChromeJson };

struct TraceCounts {
  uint64_t slices = 0, instants = 0, counter_samples = 0, flows = 0;
  uint64_t events() const { return slices + instants; }  // as `info` counts them
};

class Trace {
 public:
  TraceFormat format = TraceFormat::kXSpace;
  // A Chrome trace with PyTorch's categories. One without them is like an XSpace: what an event is
  // follows from its name and place.
  bool kineto = false;
  std::string path;            // what the user opened
  std::string run;             // run name, or the file name
  int64_t origin_unix_ns = 0;  // Unix time of t = 0, or 0 if unknown
  uint64_t file_bytes = 0, inflated_bytes = 0;
  std::vector<Host> hosts;
  std::vector<Plane> planes;  // in display order
  TrackSet set;               // the file's own events
  std::vector<Flow> flows;
  HloTable hlo;
  Diagnostics diagnostics;
  std::vector<std::string> errors, warnings;  // XSpace.errors / warnings
  std::vector<std::string> skipped_files;     // in the run directory and not read, with the reason
  TimeRange span;                             // first begin to last end of all events
  TimeRange first_view;                       // what the timeline shows first: first_view.h
  TraceCounts counts;
  std::shared_ptr<const StatSource> source;  // may be null (built in a test)

  // The input ends before its writer was done: what was written last is missing.
  bool truncated() const { return diagnostics.Find(kTruncated) != nullptr; }
  const NameTable& names() const { return *set.names; }
  std::string_view HostName(HostId h) const;
  size_t store_bytes() const { return set.bytes(); }
};

}  // namespace stepscope
