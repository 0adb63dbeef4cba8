// Ops that run on the host of a program with devices (docs/rules.md#verdict). Pure; any thread.
#pragma once

#include <cstdint>
#include <vector>

#include "model/analysis/ops/op_database.h"

namespace stepscope {

// By MetaId, whether an event is such an op: one of TensorFlow, or one of PyTorch that launches no
// kernel. PyTorch's are unknown where none of them launches any. O(names + ops).
std::vector<uint8_t> HostSideOps(const Trace& trace, const HostOps& ops);

}  // namespace stepscope
