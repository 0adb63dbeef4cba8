// MutedRules: which findings someone does not want to see any more, by their rules: in all
// profiles, or in those of one program (program_id.h). Kept as two settings. Pure.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "viewer/core/program_id.h"
#include "viewer/core/settings.h"

namespace stepscope {

class MutedRules {
 public:
  static constexpr const char* kEverywhere = "findings.muted";              // "copies sync"
  static constexpr const char* kInPrograms = "findings.muted_in_programs";  // "copies@ID sync@ID"
  static constexpr size_t kMost = 200;  // in programs; the oldest go first

  explicit MutedRules(const Settings& settings);

  bool Everywhere(std::string_view rule) const { return everywhere_.contains(rule); }
  bool In(std::string_view rule, const ProgramId& program) const;
  bool any_program() const { return !in_programs_.empty(); }

  void MuteEverywhere(std::string_view rule) { everywhere_.emplace(rule); }
  void MuteIn(std::string_view rule, const ProgramId& program);
  // Heard again in this program, and with it everywhere.
  void Unmute(std::string_view rule, const ProgramId& program);

  std::string EverywhereText() const;
  std::string InProgramsText() const;

 private:
  std::set<std::string, std::less<>> everywhere_;
  std::vector<std::pair<std::string, ProgramId>> in_programs_;
};

}  // namespace stepscope
