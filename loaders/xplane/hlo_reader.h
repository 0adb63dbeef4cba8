// Fills the HLO table from the modules in a /host:metadata plane. Modules and computations are
// walked in the source and only instructions are parsed, one at a time: it takes little memory
// besides the table. One thread.
#pragma once

#include <stop_token>

#include "loaders/xplane/scan/file_scan.h"
#include "model/hlo_table.h"

namespace stepscope::xplane {

// Adds every module of the plane: the id of an event metadata is the program id, and its stat "Hlo
// Proto" holds the HloProto. kIo, kCancelled. O(bytes of the modules).
Status ReadHlo(const FileScan& file, const PlaneScan& plane, HloTable* table,
               XspaceDiagnostics* diagnostics, const std::stop_token& stop);

}  // namespace stepscope::xplane
