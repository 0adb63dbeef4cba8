// Times in the units of tables and texts. Pure.
#pragma once

#include "model/time.h"

namespace stepscope {

constexpr double InMs(double ps) { return ps / static_cast<double>(kPsPerMs); }
constexpr double InMs(Ps ps) { return InMs(static_cast<double>(ps)); }
constexpr double InUs(double ps) { return ps / static_cast<double>(kPsPerUs); }
constexpr double InUs(Ps ps) { return InUs(static_cast<double>(ps)); }

}  // namespace stepscope
