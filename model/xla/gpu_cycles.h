// Clock cycles of elementwise operations on GPUs, as XLA has measured them on compute capability
// 8.6 (xla/service/gpu/model/hlo_op_profiles_data.h), which XProf uses for every GPU. Pure.
#pragma once

#include "model/xla/element_type.h"
#include "model/xla/opcode.h"

namespace stepscope::xla {

// Cycles of one element; 3 for what the table does not have.
int GpuCycles(Opcode opcode, ElementType type);

}  // namespace stepscope::xla
