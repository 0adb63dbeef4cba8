// Texts of event arguments for people. Sizes and times get units; their names tell which they are.
#pragma once

#include <string>

#include "model/stats.h"

namespace stepscope {

// "1.149 MiB" for `bytes`, "434 \u00b5s" for `device_duration_ps`, the recorded text for others.
std::string StatText(const Stat& stat);

}  // namespace stepscope
