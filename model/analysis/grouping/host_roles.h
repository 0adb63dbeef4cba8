// The role of a host event by its name (docs/rules.md#losses). Pure; any thread.
#pragma once

#include <string_view>

#include "model/analysis/grouping/host_role.h"
#include "model/track.h"

namespace stepscope {

// O(name).
HostRole RoleOfHostEvent(std::string_view name, EventCategory category);

// Whether an event blocks its thread until the device, an event of it or another rank is there.
bool IsBlocking(HostRole role);

// Whether work of the host is that of the framework's runtime between ops, not of Python. O(name).
bool IsRuntimeWork(std::string_view name, EventCategory category);

}  // namespace stepscope
