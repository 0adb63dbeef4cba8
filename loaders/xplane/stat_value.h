// The value of one generated XStat message.
#pragma once

#include <optional>

#include "loaders/xplane/file_scan.h"
#include "model/stats.h"

namespace stepscope::xplane {

namespace pb {
class XStat;
}

// Numbers and texts, references resolved by the plane's stat names (unknown ones are empty).
// nullopt for bytes, compressed text and no value, which callers treat as they need.
std::optional<decltype(Stat::value)> PlainValue(const pb::XStat& stat, const PlaneTables& tables);

}  // namespace stepscope::xplane
