// Fills the HLO table from the modules in a /host:metadata plane. The module and its computations
// are walked in the source; only instructions are parsed, one at a time, so memory is what the
// table keeps. One thread.
#pragma once

#include <stop_token>

#include "loaders/xplane/file_scan.h"
#include "model/hlo_table.h"

namespace stepscope::xplane {

// Adds every module of the plane: event-metadata id = program id, stat "Hlo Proto" = HloProto.
Status ReadHlo(const FileScan& file, const PlaneScan& plane, HloTable* table, Issues* issues,
               const std::stop_token& stop);

}  // namespace stepscope::xplane
