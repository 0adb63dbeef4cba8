// Words and remedies for work of the host that has its own, in place of those of its class of loss.
// Sentences of the verdict and of findings say the same. Pure; O(1).
#pragma once

#include "model/analysis/grouping/host_role.h"

namespace stepscope {

struct RoleWords {
  HostRole role;
  const char* what;    // what the device waits for; null: as the class has it
  const char* remedy;  // naming/remedies.h
};
// Null for a role without words of its own.
const RoleWords* WordsOfRole(HostRole role);

}  // namespace stepscope
