#include "model/xla/program_order.h"

#include <vector>

namespace stepscope::xla {

ProgramOrder::ProgramOrder(const HloModule& module) {
  if (module.entry == kNone) return;
  struct Place {
    uint32_t computation;
    size_t next;
    size_t entered;  // instruction before which its callees were entered; 0: none
  };
  std::vector<bool> seen(module.computations.size());
  std::vector<Place> stack = {{module.entry, 0, 0}};
  uint32_t position = 0;
  seen[module.entry] = true;
  while (!stack.empty()) {
    Place& at = stack.back();
    const std::vector<uint32_t>& sequence = module.computations[at.computation].sequence;
    if (at.next == sequence.size()) {
      stack.pop_back();
      continue;
    }
    const Instruction& i = module.instructions[sequence[at.next]];
    if (at.entered != at.next + 1) {
      at.entered = at.next + 1;
      const auto called = module.Called(i);
      for (size_t k = called.size(); k-- > 0;) {
        if (seen[called[k]]) continue;
        seen[called[k]] = true;
        stack.push_back({called[k], 0, 0});
      }
      continue;
    }
    positions_.try_emplace(i.name, ++position);
    ++at.next;
  }
}

}  // namespace stepscope::xla
