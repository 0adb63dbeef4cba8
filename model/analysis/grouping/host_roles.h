// The role of a host event by its name (docs/rules.md#losses). Pure; any thread.
#pragma once

#include <string_view>

#include "model/analysis/grouping/host_role.h"
#include "model/track.h"

namespace stepscope {

// O(name).
HostRole RoleOfHostEvent(std::string_view name, EventCategory category);

}  // namespace stepscope
