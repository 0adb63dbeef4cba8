#include "model/analysis/xla/hlo_choice.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "model/analysis/xla/hlo_ops.h"
#include "model/analysis/xla/hlo_programs.h"

namespace stepscope {
namespace {

// The program whose ops take the most time; the largest where none has ops.
uint32_t MainProgram(const HloPrograms& programs, const HloOpTable& ops) {
  std::map<uint32_t, Ps> times;
  for (const HloOp& op : ops.ops) {
    if (op.program != HloPrograms::kNone) times[op.program] += op.self;
  }
  uint32_t best = 0;
  for (uint32_t p = 1; p < programs.list().size(); ++p) {
    const auto rank = [&](uint32_t i) { return std::pair(times[i], programs.list()[i].bytes); };
    if (rank(p) > rank(best)) best = p;
  }
  return best;
}

}  // namespace

HloChoiceFound FindHloProgram(AnalysisContext& context, const AnalysisParams& params) {
  const HloPrograms& programs = context.Get<HloPrograms>();
  HloChoiceFound found;
  if (programs.list().empty()) {
    found.why_not = kNoHloPrograms;
  } else if (params.hlo.program.empty()) {
    found.program = MainProgram(programs, *context.Get<HloOpTable>(params));
  } else {
    found.program = programs.FindByName(params.hlo.program);
    if (found.program == HloPrograms::kNone)
      found.why_not = "The profile has no HLO program '" + params.hlo.program + "'.";
  }
  if (found.why_not.empty() && !programs.Module(found.program))
    found.why_not = fmt::format("The HLO program {} cannot be read: {}.",
                                programs.NameOf(found.program), programs.Error(found.program));
  return found;
}

}  // namespace stepscope
