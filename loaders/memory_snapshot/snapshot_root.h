// From what was read of a memory snapshot to an AllocatorHistory: which events are whose, the
// segments with their blocks, annotations and settings, the order of times.
#pragma once

#include <string>

#include "loaders/memory_snapshot/pickle.h"
#include "loaders/memory_snapshot/snapshot_records.h"
#include "model/allocator_history.h"
#include "model/base/status.h"
#include "model/diagnostics.h"

namespace stepscope::snapshot {

// kFormat: it is a pickle of something else. Lists are taken out of `reader`. O(records).
Status Assemble(pickle::PickleReader& reader, const SnapshotRecords& records, pickle::Value root,
                AllocatorHistory* history, Diagnostics* diagnostics);

}  // namespace stepscope::snapshot
