// Why ranks are late (docs/rules.md#ranks): what they do between their last collective and the one
// that they are late to, beside what the others do. O(device events + host events in idle time).
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "model/analysis/losses.h"
#include "model/analysis/ranks/lateness.h"

namespace stepscope {

struct LateCause {
  LossClass loss = LossClass::kUnknown;  // copies of all directions are kHostToDevice
  bool known = false;
  std::string event;  // what the host was in for most of that; may be empty
};
// "input", "compute", "copies"; empty if not known.
std::string TextOf(const LateCause& cause);

struct LateCauses {
  std::vector<LateCause> collectives;  // as `asked`; without events
  std::vector<LateCause> ranks;
};

// `asked`: places in CollectiveCalls::paired, of collectives that someone is late to. Takes about
// 100 bytes for each of their calls. Not complete when stopped.
LateCauses FindLateCauses(AnalysisContext& context, const std::vector<Rank>& ranks,
                          const std::vector<std::vector<RankStep>>& steps,
                          const CollectiveCalls& calls, const Lateness& lateness,
                          const std::vector<uint32_t>& asked, std::stop_token stop);

}  // namespace stepscope
