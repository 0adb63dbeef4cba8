// Capture files: where the traces of recorded graphs lie beside those of their replay, and how
// they are read along (docs/graphs.md). A server writes them to a folder `capture_traces` beside
// the trace, with a list `execution_details.json` of what each is of.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/loader.h"
#include "model/trace_builder.h"

namespace stepscope {

inline constexpr std::string_view kCaptureFolder = "capture_traces";
inline constexpr size_t kMostCaptures = 64;
inline constexpr uint64_t kMostCaptureBytes = uint64_t{1} << 30;  // as they lie on the disk

struct CaptureFile {
  std::string path, name, mode;
  int64_t batch_size = -1;
  uint64_t bytes = 0;
};

// What is listed beside the files, else all traces there, by name. Only files of the folder itself:
// a name with a slash in it is none.
std::vector<CaptureFile> FindCaptures(std::span<const InputFile> files);

// Reads those that may be of the trace's ranks, if it launches graphs, and puts them behind its
// source. What cannot be read is counted among the skipped files. Before TraceBuilder::Finish.
Status AddCaptures(std::vector<CaptureFile> captures, const LoadOptions& options,
                   const std::stop_token& stop, Progress* progress, TraceBuilder* builder);

}  // namespace stepscope
