// model/ is the store of profiles and everything that is computed from them; it knows neither files
// nor windows. Loaders fill a TraceBuilder (trace_builder.h), which makes a Trace. Analyses
// (model/analysis), queries (model/query) and comparisons (model/compare) read Traces and return
// tables. Start reading here, then track.h (events in columns), stats.h (arguments of events) and
// model/analysis/analysis.h. model/base has what knows nothing of profiles.
//
// Trace: everything that was loaded of one profile. Only TraceBuilder writes it; then it is
// immutable, and threads share it without locks. Owns its columns, names and diagnostics.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/capabilities.h"
#include "model/diagnostics.h"
#include "model/recorder.h"
#include "model/stats.h"
#include "model/track.h"

namespace stepscope {

// HloTable: for each HLO program and instruction the framework's op that it comes from. The loader
// of XSpaces fills it from the plane /host:metadata. Owns its strings. Immutable once in a Trace.
struct HloInstruction {
  std::string op_name;   // OpMetadata.op_name
  std::string op_type;   // OpMetadata.op_type
  std::string opcode;    // "fusion"
  std::string category;  // fusion kind or opcode
  std::string source_file;
  int32_t source_line = 0;
};

struct HloProgram {
  std::string module_name;
  std::unordered_map<std::string, HloInstruction> instructions;  // by instruction name
};

struct HloTable {
  std::unordered_map<uint64_t, HloProgram> programs;  // by program id
  // Null if the program or the instruction is unknown. O(1).
  const HloInstruction* Find(uint64_t program_id, std::string_view instruction) const;
};

struct TraceCounts {
  uint64_t slices = 0, instants = 0, counter_samples = 0, flows = 0;
  uint64_t events() const { return slices + instants; }  // as `info` counts them
};

// A recording of a process that made several, one after the other. The trace has them on one axis
// without the time between them.
struct Cycle {
  std::string name;           // as --run takes it: "node1_77.1700000001000000000"
  TimeRange span;             // on the axis of the trace
  int64_t start_unix_ns = 0;  // when it began
  bool operator==(const Cycle&) const = default;
};

class Trace {
 public:
  const TraceFormat* format = &kBuiltInMemory;  // a constant of the loader; never null
  // Events have PyTorch's categories. Without them, what an event is follows from its name and
  // place.
  bool kineto = false;
  std::string path;            // what the user opened
  std::string run;             // run name, or the file name
  RecordingHeader recording;   // what the file says of its recording beside the events
  int64_t origin_unix_ns = 0;  // Unix time of t = 0, or 0 if unknown
  uint64_t file_bytes = 0, inflated_bytes = 0;
  std::vector<Host> hosts;
  std::vector<Plane> planes;  // in display order
  TrackSet set;               // the file's own events
  std::vector<Flow> flows;
  HloTable hlo;
  Diagnostics diagnostics;
  std::vector<std::string> errors, warnings;  // XSpace.errors / warnings
  std::vector<std::string> skipped_files;  // files of the run directory, and why they were not read
  // What can be opened of the same folder instead, by --run: recordings of other times, and the
  // cycles of this one. `run` is among them, and the newest comes first. Empty: there is no choice.
  std::vector<std::string> runs;
  std::vector<Cycle> cycles;  // in order of time; empty where each process recorded once
  TimeRange span;             // first begin to last end of all events
  TimeRange dense_view;       // the span without a few stray events (first_view.h)
  TimeRange first_view;       // what the timeline shows first (first_view.h)
  TraceCounts counts;
  std::shared_ptr<const StatSource> source;  // null: events have no stats

  // Whether an input file ends before it is complete, so that what was written last is missing.
  bool truncated() const { return diagnostics.Find(kTruncated) != nullptr; }
  const NameTable& names() const { return *set.names; }
  std::string_view HostName(HostId h) const;
  size_t store_bytes() const { return set.bytes(); }
};

// The facts that the trace can tell: its format's capabilities, less those that its events lack.
// Thread-safe, O(1).
Capabilities CapabilitiesOf(const Trace& trace);

}  // namespace stepscope
