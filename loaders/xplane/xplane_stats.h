// The StatSource of XSpaces: decodes stats from the source bytes when someone asks. Keeps the open
// files (or inflated bytes) and, per plane, the names of stats and where each event metadata lies.
// Immutable; thread-safe.
#pragma once

#include <memory>
#include <vector>

#include "loaders/byte_source.h"
#include "loaders/xplane/file_scan.h"
#include "model/stats.h"

namespace stepscope::xplane {

// `planes` by PlaneId; Track::source and PlaneTables::file index `files`.
std::shared_ptr<const StatSource> MakeStatSource(
    std::vector<std::shared_ptr<const ByteSource>> files, std::vector<PlaneParts> planes);

}  // namespace stepscope::xplane
