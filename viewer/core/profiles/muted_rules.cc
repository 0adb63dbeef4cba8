#include "viewer/core/profiles/muted_rules.h"

#include <algorithm>
#include <optional>

namespace stepscope {
namespace {

// Calls fn(word) for each word of a text.
template <typename Fn>
void ForWords(std::string_view text, const Fn& fn) {
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    if (end > 0) fn(text.substr(0, end));
    text.remove_prefix(std::min(text.size(), end + 1));
  }
}

void AddWord(std::string_view word, std::string* text) {
  if (!text->empty()) *text += ' ';
  *text += word;
}

}  // namespace

MutedRules::MutedRules(const Settings& settings) {
  ForWords(settings.Get(kEverywhere), [&](std::string_view rule) { everywhere_.emplace(rule); });
  ForWords(settings.Get(kInPrograms), [&](std::string_view word) {
    const size_t at = word.find('@');
    if (at == std::string_view::npos) return;
    const std::optional<ProgramId> program = ParseProgramId(word.substr(at + 1));
    if (program) in_programs_.emplace_back(word.substr(0, at), *program);
  });
}

bool MutedRules::In(std::string_view rule, const ProgramId& program) const {
  return std::any_of(in_programs_.begin(), in_programs_.end(), [&](const auto& muted) {
    return muted.first == rule && SameProgram(muted.second, program);
  });
}

void MutedRules::MuteIn(std::string_view rule, const ProgramId& program) {
  if (In(rule, program)) return;
  in_programs_.emplace_back(rule, program);
  if (in_programs_.size() > kMost) in_programs_.erase(in_programs_.begin());
}

void MutedRules::Unmute(std::string_view rule, const ProgramId& program) {
  if (const auto at = everywhere_.find(rule); at != everywhere_.end()) everywhere_.erase(at);
  std::erase_if(in_programs_, [&](const auto& muted) {
    return muted.first == rule && SameProgram(muted.second, program);
  });
}

std::string MutedRules::EverywhereText() const {
  std::string text;
  for (const std::string& rule : everywhere_) AddWord(rule, &text);
  return text;
}

std::string MutedRules::InProgramsText() const {
  std::string text;
  for (const auto& [rule, program] : in_programs_) AddWord(rule + '@' + ToText(program), &text);
  return text;
}

}  // namespace stepscope
