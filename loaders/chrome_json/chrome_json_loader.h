// The loader for Chrome trace events (TensorFlow, JAX, PyTorch and any other writer). See
// docs/chrome.md.
#pragma once

#include "loaders/loader.h"

namespace stepscope {

extern const LoaderDesc kChromeJsonLoader;

namespace chrome {
// The same with a choice of parser, for tests: `force_tolerant` reads every batch with the tolerant
// reader.
Status LoadChrome(TraceBuilder& builder, std::span<const InputFile> files,
                  const LoadOptions& options, bool force_tolerant, const std::stop_token& stop,
                  Progress& progress);
}  // namespace chrome

}  // namespace stepscope
