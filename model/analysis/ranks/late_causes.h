// Why ranks are late (docs/rules.md#ranks): what they do longer than the others between their
// last collective and the one that they are late to.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/analysis/ranks/lateness.h"
#include "model/analysis/steps/losses.h"

namespace stepscope {

struct LateCause {
  StepTimeClass loss = StepTimeClass::kUnknown;  // kHostToDevice: copies of all directions
  bool known = false;
  std::string event;  // the host's event in most of that time; may be empty
};
// "input", "compute", "copies"; empty if not known.
std::string TextOf(const LateCause& cause);

struct LateCauses {
  std::vector<LateCause> collectives;  // as `listed`, without events
  std::vector<LateCause> ranks;
};

// The causes of ranks are of all collectives that they were late to. `listed`: indices in
// CollectiveCalls::paired of those whose own causes are wanted. `facts`: by rank. Pure.
// O(calls log waits + causes).
LateCauses FindLateCauses(std::span<const RankFacts> facts, const CollectiveCalls& calls,
                          const Lateness& lateness, const std::vector<uint32_t>& listed);

}  // namespace stepscope
