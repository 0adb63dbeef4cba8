// Describes how two traces differ that should be the same but for their paths.
#pragma once

#include <string>

#include "model/trace.h"

namespace stepscope::test {

// The first difference, in words; empty if there is none. Looks at everything that a trace holds:
// events, names, arguments of every event, typed stats, programs, a memory snapshot's history.
std::string FirstDifference(const Trace& a, const Trace& b);

}  // namespace stepscope::test
