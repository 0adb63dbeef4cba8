// The loader for Chrome trace events (TensorFlow, JAX, PyTorch and any other writer). See
// docs/chrome.md.
#pragma once

#include "loaders/loader.h"

namespace stepscope {

namespace chrome {
struct ReadMode {
  bool force_tolerant = false;  // every batch by the tolerant reader
  // A plain file of at least so many bytes is not kept in memory: arguments are read from it again.
  // Smaller ones are, so that they may be overwritten while they are shown.
  uint64_t reread_from = uint64_t{64} << 20;
};
// The same with a choice of how, for tests.
Status LoadChrome(TraceBuilder& builder, std::span<const InputFile> files,
                  const LoadOptions& options, const ReadMode& mode, const std::stop_token& stop,
                  Progress& progress);
}  // namespace chrome

}  // namespace stepscope
