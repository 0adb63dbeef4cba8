// Loads the XSpace files of a run: <host>.xplane.pb and <host>.xplane.riegeli of TensorFlow, JAX
// and XLA (docs/xspace.md). Every file is scanned for its planes and lines, lines are parsed on all
// cores, and what several messages of one plane hold is joined.
#pragma once

#include <span>
#include <stop_token>

#include "loaders/loader.h"

namespace stepscope::xplane {

// As LoaderDesc::load. What is damaged is counted as diagnostics; it is an error only when no file
// can be read.
Status LoadXSpace(TraceBuilder& builder, std::span<const InputFile> files,
                  const LoadOptions& options, const std::stop_token& stop, Progress& progress);

}  // namespace stepscope::xplane
