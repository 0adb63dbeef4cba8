// Capture files: traces of the recording of CUDA graphs, which lie beside the trace of their replay
// and are loaded with it (docs/graphs.md). A server writes them to a folder `capture_traces` beside
// the trace. `execution_details.json` in that folder lists them with mode and batch size.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "loaders/loader.h"
#include "model/trace_builder.h"

namespace stepscope {

inline constexpr size_t kMostCaptures = 64;
inline constexpr uint64_t kMostCaptureBytes = uint64_t{1} << 30;  // of all captures, on the disk

// A trace of a capture, and what the list says about it; empty and -1 where it says nothing.
struct CaptureFile {
  std::string path, name, mode;
  int64_t batch_size = -1;
  uint64_t bytes = 0;
};

// The captures beside the files, by name: those that the list names, or all traces of the folder
// where there is no list. Names that lead out of the folder are ignored.
std::vector<CaptureFile> FindCaptures(std::span<const InputFile> files);

// Loads the captures if the trace launches graphs, and puts them behind Trace::source
// (SourceWithCaptures). Captures of ranks that were not read are left out. One that cannot be read
// is named in Trace::skipped_files; the only error is kCancelled. Call before TraceBuilder::Finish.
Status AddCaptures(std::vector<CaptureFile> captures, const LoadOptions& options,
                   const std::stop_token& stop, Progress* progress, TraceBuilder* builder);

}  // namespace stepscope
