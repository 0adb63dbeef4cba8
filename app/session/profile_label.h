// The name of a profile in the window. Pure.
#pragma once

#include <string>

#include "model/trace.h"

namespace stepscope {

// As in "logs · 2026_11_21_11_45_06 · vm" or "resnet · 8 hosts".
std::string LabelOf(const Trace& trace);

}  // namespace stepscope
