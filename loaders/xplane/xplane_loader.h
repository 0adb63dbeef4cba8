// Loads XSpace files of TensorFlow, JAX and XLA: <host>.xplane.pb and <host>.xplane.riegeli.
#pragma once

#include <span>
#include <stop_token>

#include "loaders/loader.h"

namespace stepscope::xplane {

// LoaderDesc::load. Salvages: what is damaged is counted, and only when no file can be read is
// there an error.
Status LoadXSpace(TraceBuilder& builder, std::span<const InputFile> files,
                  const LoadOptions& options, const std::stop_token& stop, Progress& progress);

}  // namespace stepscope::xplane
