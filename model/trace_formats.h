// Formats of traces beside those of TensorFlow, JAX and PyTorch themselves.
#pragma once

#include "model/trace.h"

namespace stepscope {

inline constexpr TraceFormat kNsightSystems{3}, kRocpd{4}, kPerfetto{5};

}  // namespace stepscope
