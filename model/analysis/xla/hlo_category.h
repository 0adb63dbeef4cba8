// Names that XProf gives an instruction: its category and where it comes from. Pure.
#pragma once

#include <string>

#include "model/xla/hlo_module.h"

namespace stepscope {

// The op's category as XProf names it: "loop fusion", "data formatting", "convolution".
std::string HloCategoryOf(const xla::HloModule& module, const xla::Instruction& instruction);
// "OP_NAME:OP_TYPE", or "" where neither is known.
std::string ProvenanceOf(const xla::OpMetadata& metadata);

}  // namespace stepscope
