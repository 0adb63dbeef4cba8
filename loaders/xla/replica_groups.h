// The replica groups of collectives, in each form that XLA has written them. Pure.
#pragma once

#include <string>
#include <vector>

#include "loaders/common/wire.h"
#include "model/xla/instruction_details.h"

namespace stepscope::xla {

// Reads field 49 (lists of replicas), 87 (either form), 92 (a range, reshaped and transposed) or 93
// (axes of a mesh) of an HloInstructionProto.
void AddReplicaGroups(const proto::Field& f, InstructionDetails* details);

}  // namespace stepscope::xla
