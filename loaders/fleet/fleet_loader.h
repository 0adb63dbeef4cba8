// Parts of a fleet as bytes (docs/fleet.md#parts): what one profile has for a fleet.
// `stepscope-fleet` writes one file for each profile, DIR/facts/ID.stepfacts. Pure; any thread.
// O(bytes).
#pragma once

#include <string>
#include <string_view>

#include "model/analysis/fleet/fleet.h"
#include "model/base/status.h"

namespace stepscope::fleet {

inline constexpr std::string_view kPartMagic = "\x89STPFL\r\n";  // 8 bytes
inline constexpr uint16_t kPartVersion = 1;  // rises when older programs would misread a part

std::string WritePart(const FleetPart& part);
// Trusts nothing: every count, index and length is checked. kFormat where the bytes are no part or
// damaged, kUnsupported where a newer program wrote them.
Result<FleetPart> ReadPart(std::string_view bytes);

}  // namespace stepscope::fleet
