// The StatSource of XSpaces: decodes stats from the source when someone asks. Owns the open files
// (or inflated bytes) and, per plane, the names of stats and where each event metadata lies.
// Thread-safe.
#pragma once

#include <memory>
#include <vector>

#include "loaders/files/byte_source.h"
#include "loaders/xplane/scan/file_scan.h"
#include "model/stats.h"

namespace stepscope::xplane {

// `planes` are by PlaneId; Track::source and PlaneTables::file are indices of `files`.
std::shared_ptr<const StatSource> MakeStatSource(
    std::vector<std::shared_ptr<const ByteSource>> files, std::vector<PlaneParts> planes);

}  // namespace stepscope::xplane
