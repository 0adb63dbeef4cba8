// What the causes of idle time are called (docs/rules.md#losses). Pure; any thread; O(name).
#pragma once

#include <string>
#include <string_view>

#include "model/analysis/grouping/host_role.h"
#include "model/analysis/steps/losses.h"
#include "model/trace.h"

namespace stepscope {

// An event as causes name it: a Python function is NAME (FILE:LINE), FILE without its folders.
std::string CauseName(std::string_view event);
// A cause: its event, and the op around that. Garbage collection, the saving of checkpoints and
// Event.synchronize have names of their own.
std::string CauseName(const Trace& trace, const IdleCause& cause);

// The role of a cause's event; kWork for none.
HostRole RoleOfCause(const Trace& trace, MetaId event);

}  // namespace stepscope
