// The replica groups of collectives, in each form that XLA has written them. Pure.
#pragma once

#include <string>
#include <vector>

#include "loaders/common/wire.h"
#include "model/xla/instruction_details.h"

namespace stepscope::xla {

// Whether the field of an HloInstructionProto is 49 (lists of replicas), 87 (either form), 92 (a
// range, reshaped and transposed) or 93 (axes of a mesh).
bool HasReplicaGroups(const proto::Field& f);
// Reads such a field.
void AddReplicaGroups(const proto::Field& f, Communication* details);

}  // namespace stepscope::xla
