// The facts of a trace that do not depend on its events.
#pragma once

#include "model/trace.h"

namespace stepscope {

// Copies to a trace that is derived from `from`: format, path, run, origin, sizes, hosts, planes,
// programs, diagnostics, messages, and the title and names of the set. O(hosts + planes)
void CopyTraceFacts(const Trace& from, Trace* to);

}  // namespace stepscope
