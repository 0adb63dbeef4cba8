// The value of one XStat, parsed by generated code. Pure.
#pragma once

#include <optional>

#include "loaders/xplane/scan/plane_tables.h"
#include "model/stats.h"

namespace stepscope::xplane {

namespace pb {
class XStat;
}

// A number or text; a reference is resolved by the plane's stat names (empty where unknown).
// nullopt for bytes, compressed text and no value, which callers treat as they need.
std::optional<decltype(Stat::value)> PlainValue(const pb::XStat& stat, const PlaneTables& tables);

}  // namespace stepscope::xplane
