// The sizes of the inputs that both profiles give to their heaviest op: they tell a change of the
// batch. PyTorch records them with `record_shapes`. Pure.
#pragma once

#include <optional>
#include <string>

#include "model/compare/compared_profile.h"

namespace stepscope::compare {

struct InputSizes {
  std::string op;    // "aten::addmm"
  std::string a, b;  // "[[8, 512], [512, 512]]"
};

// The sizes at the first call in a step of one op: among those that both profiles have with sizes,
// the one that takes most time of A. nullopt if there is no such op. O(events).
std::optional<InputSizes> SizesOfHeaviestOp(const ComparedProfile& a, const ComparedProfile& b);

}  // namespace stepscope::compare
