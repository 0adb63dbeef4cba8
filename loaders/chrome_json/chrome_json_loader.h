// The loader of Chrome trace events, which TensorFlow, JAX, PyTorch and others write
// (docs/chrome.md). The text is cut into batches of events (splitter.h) that all cores parse
// (file_parser.h), their events are collected by thread (file_events.h), and tracks are built of
// them (chrome_track_builder.h).
#pragma once

#include "loaders/loader.h"

namespace stepscope {

namespace chrome {
struct ReadMode {
  bool force_tolerant = false;  // every batch is read by TolerantReader
  // A plain file of at least so many bytes is not kept in memory: arguments are read from it again.
  // Smaller files are kept, so that they may be overwritten while they are shown.
  uint64_t reread_from = uint64_t{64} << 20;
};
// As LoaderDesc::load, with a choice of how to read, for tests.
Status LoadChrome(TraceBuilder& builder, std::span<const InputFile> files,
                  const LoadOptions& options, const ReadMode& mode, const std::stop_token& stop,
                  Progress& progress);
}  // namespace chrome

}  // namespace stepscope
