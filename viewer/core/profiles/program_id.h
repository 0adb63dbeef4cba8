// ProgramId: tells whether two profiles come from the same program, by the names of their events
// without digits, most of which stay the same from profile to profile. It is a MinHash sketch of
// the set of names (the least value of each of 32 hash functions), so that a setting can hold it.
// Pure; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/track.h"

namespace stepscope {

using ProgramId = std::array<uint32_t, 32>;

// The sketch of the first 50,000 names. O(length of the names)
ProgramId ProgramOf(const NameTable& names);
// True if about 60 % or more of all their names are common to both. An estimate: one pair in 300
// with 80 % in common is taken for two programs, and one pair in 30 with 45 % for the same one.
bool SameProgram(const ProgramId& a, const ProgramId& b);

std::string ToText(const ProgramId& id);  // 256 hexadecimal digits
std::optional<ProgramId> ParseProgramId(std::string_view text);

}  // namespace stepscope
