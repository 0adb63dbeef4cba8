// Completes an AllocatorHistory from the root of a memory snapshot: which events belong to which
// device, segments with their blocks, annotations, settings, and the order of times.
#pragma once

#include "loaders/memory_snapshot/pickle.h"
#include "loaders/memory_snapshot/snapshot_records.h"
#include "model/allocator_history.h"
#include "model/base/status.h"
#include "model/diagnostics.h"

namespace stepscope::snapshot {

// kFormat where the pickle is not a memory snapshot. Lists are freed in `reader` as they are used.
// O(records).
Status Assemble(pickle::PickleReader& reader, const SnapshotRecords& records, pickle::Value root,
                AllocatorHistory* history, Diagnostics* diagnostics);

}  // namespace stepscope::snapshot
