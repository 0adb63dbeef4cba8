// What the devices of a trace are called.
#pragma once

#include <string>

#include "model/trace.h"

namespace stepscope {

// "Nvidia GPU (Ampere)", "AMD GPU - gfx942", "CPU": XProf's names. O(planes).
std::string DeviceTypeOf(const Trace& trace);

}  // namespace stepscope
