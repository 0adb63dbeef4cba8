// Arguments of events for people: sizes and times, which are known by their names, with units.
#pragma once

#include <string>

#include "model/stats.h"

namespace stepscope {

// "1.149 MiB" of `bytes`, "434 \u00b5s" of `device_duration_ps`; any other as it is recorded.
std::string StatText(const Stat& stat);

}  // namespace stepscope
