// Decodes BufferAssignmentProto. Pure.
#pragma once

#include "loaders/common/wire.h"
#include "model/xla/hlo_module_builder.h"

namespace stepscope::xla {

// Fills module().buffers. What names a buffer that there is not is left out and counted. O(bytes).
void DecodeBuffers(const proto::Field& assignment, HloModuleBuilder* builder);

}  // namespace stepscope::xla
