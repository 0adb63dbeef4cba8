// The stats of an event in the form that nearly all have, read without generated code. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "loaders/xplane/scan/plane_tables.h"
#include "loaders/xplane/scan/window_reader.h"
#include "model/stat_reader.h"

namespace stepscope::xplane {

// Appends the stats of the event whose message lies at `at`. Texts are borrowed of the reader's
// window and of the tables. False, and anything appended, where the event has another form, is
// larger than a few kilobytes or has more than `most` stats: generated code must read it.
bool ReadPlainEvent(WindowReader* reader, uint64_t at, const PlaneTables& tables, size_t most,
                    std::vector<StatView>* out);

}  // namespace stepscope::xplane
