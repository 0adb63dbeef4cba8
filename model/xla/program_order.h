// ProgramOrder: when each instruction of a program runs: the entry's schedule, with the bodies of
// loops, calls and branches before the instruction that calls them. Views the module. Immutable.
// O(instructions) to build, without recursion.
#pragma once

#include <string_view>
#include <unordered_map>

#include "model/xla/hlo_module.h"

namespace stepscope::xla {

class ProgramOrder {
 public:
  explicit ProgramOrder(const HloModule& module);
  // The position of the first instruction of that name; 0 for a name that there is not. O(1).
  uint32_t Of(std::string_view instruction) const {
    const auto it = positions_.find(instruction);
    return it == positions_.end() ? 0 : it->second;
  }

 private:
  std::unordered_map<std::string_view, uint32_t> positions_;
};

}  // namespace stepscope::xla
