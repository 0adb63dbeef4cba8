// MutedRules: the rules whose findings the user has hidden, in all profiles or in the profiles of
// one program. Plain data, one of the settings. Pure; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/track.h"

namespace stepscope {

// Tells whether two profiles come from the same program, by the names of their events without
// digits, most of which stay the same from profile to profile. It is a MinHash sketch of the set of
// names: the least value of each of 32 hash functions, so that a setting can hold it.
using ProgramId = std::array<uint32_t, 32>;

// The sketch of the first 50,000 names. O(length of the names)
ProgramId ProgramOf(const NameTable& names);
// True if about 60 % or more of all their names are common to both. An estimate: one pair in 300
// with 80 % in common is taken for two programs, and one pair in 30 with 45 % for the same one.
bool SameProgram(const ProgramId& a, const ProgramId& b);

std::string ToText(const ProgramId& id);  // 256 hexadecimal digits
std::optional<ProgramId> ParseProgramId(std::string_view text);

struct MutedRules {
  static constexpr size_t kMost = 200;  // of in_programs; MuteIn removes the oldest
  struct InProgram {
    std::string rule;
    ProgramId program{};
    bool operator==(const InProgram&) const = default;
  };

  std::set<std::string, std::less<>> everywhere;
  std::vector<InProgram> in_programs;  // the oldest first
  bool operator==(const MutedRules&) const = default;

  bool IsMutedIn(std::string_view rule, const ProgramId& program) const;
  void MuteIn(std::string_view rule, const ProgramId& program);
  // Shows the rule's findings in this program again. A rule that was muted everywhere is shown
  // everywhere again.
  void Unmute(std::string_view rule, const ProgramId& program);
};

}  // namespace stepscope
