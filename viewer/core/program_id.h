// ProgramId: what the profiles of one program have in common and those of others do not: the names
// of its events without their numbers, most of which are the same from run to run. A sketch of that
// set (the least of each of some hashes), so that a setting can hold it. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/track.h"

namespace stepscope {

using ProgramId = std::array<uint32_t, 32>;

// Of the first 50,000 names. O(their length)
ProgramId ProgramOf(const NameTable& names);
// At least about 60 % of all names of both are names of each. A guess where it is close: of those
// with 80 % one in 300 is taken for another program, of those with 45 % one in 30 for the same.
bool SameProgram(const ProgramId& a, const ProgramId& b);

std::string ToText(const ProgramId& id);  // 256 hexadecimal digits
std::optional<ProgramId> ParseProgramId(std::string_view text);

}  // namespace stepscope
