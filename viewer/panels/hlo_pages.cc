#include "viewer/panels/hlo_pages.h"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "model/analysis/analysis.h"
#include "model/analysis/xla/hlo_programs.h"

namespace stepscope {
namespace {

const Stat* FindStat(const std::vector<Stat>& stats, std::string_view name) {
  for (const Stat& stat : stats) {
    if (stat.name == name) return &stat;
  }
  return nullptr;
}

// Returns a number, whatever its sign; 0 for a text.
uint64_t NumberIn(const Stat* stat) {
  if (stat == nullptr) return 0;
  if (const auto* n = std::get_if<uint64_t>(&stat->value)) return *n;
  const auto* n = std::get_if<int64_t>(&stat->value);
  return n != nullptr ? static_cast<uint64_t>(*n) : 0;
}

// A term of a table's filter; a text with a quote is cut there.
std::string Term(std::string_view column, std::string_view text) {
  const size_t quote = text.find('"');
  return quote == text.npos ? fmt::format("{}=\"{}\"", column, text)
                            : fmt::format("{}:\"{}\"", column, text.substr(0, quote));
}

}  // namespace

HloRef HloRefOf(const std::vector<Stat>& stats, std::string_view name) {
  const Stat* op = FindStat(stats, "hlo_op");
  const auto* text = op != nullptr ? std::get_if<std::string>(&op->value) : nullptr;
  const uint64_t program = NumberIn(FindStat(stats, "program_id"));
  if (text != nullptr) {
    const size_t scope = text->rfind("::");
    return {program, scope == text->npos ? *text : text->substr(scope + 2)};
  }
  if (NumberIn(FindStat(stats, "symbol_id")) == 0) return {};
  return {program, std::string(name)};
}

std::string HloGraphPage(const HloRef& op) {
  return fmt::format("hlo_graph/{}/{}", op.program, op.instruction);
}

std::string HloTextPage(const HloRef& op) {
  return fmt::format("hlo_graph/text/{}/{}", op.program, op.instruction);
}

std::string HloMemoryPage(const HloRef& op) {
  return fmt::format("hlo_memory/{}//{}", op.program, op.instruction);
}

std::string HloOpPage(const HloRef& op) {
  return fmt::format("hlo_stats/{} {}", Term("hlo_op_name", op.instruction),
                     Term("program_id", std::to_string(op.program)));
}

std::string HloSourcePage(std::string_view source) {
  return "hlo_stats/" + Term("source_info", source);
}

bool HasHloProgram(const Profile& profile, uint64_t program) {
  return profile.analysis &&
         profile.analysis->Get<HloPrograms>().Find(program) != HloPrograms::kNone;
}

void ShowHloPage(const PanelContext& context, std::string page) {
  context.commands.Push("panel.show", {.text = std::move(page), .profile = context.pinned});
}

}  // namespace stepscope
