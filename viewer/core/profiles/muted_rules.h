// MutedRules: the rules whose findings the user has hidden, in all profiles or in the profiles of
// one program (program_id.h). Two settings keep them; the class reads and writes their texts. Pure.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "viewer/core/profiles/program_id.h"
#include "viewer/core/state/settings.h"

namespace stepscope {

class MutedRules {
 public:
  static constexpr const char* kEverywhere = "findings.muted";              // "copies sync"
  static constexpr const char* kInPrograms = "findings.muted_in_programs";  // "copies@ID sync@ID"
  static constexpr size_t kMost = 200;  // rules muted in programs; the oldest go first

  explicit MutedRules(const Settings& settings);

  bool Everywhere(std::string_view rule) const { return everywhere_.contains(rule); }
  bool In(std::string_view rule, const ProgramId& program) const;
  bool any_program() const { return !in_programs_.empty(); }

  void MuteEverywhere(std::string_view rule) { everywhere_.emplace(rule); }
  void MuteIn(std::string_view rule, const ProgramId& program);
  // Shows the rule's findings in this program again. A rule that was muted everywhere is shown
  // everywhere again.
  void Unmute(std::string_view rule, const ProgramId& program);

  std::string EverywhereText() const;
  std::string InProgramsText() const;

 private:
  std::set<std::string, std::less<>> everywhere_;
  std::vector<std::pair<std::string, ProgramId>> in_programs_;
};

}  // namespace stepscope
