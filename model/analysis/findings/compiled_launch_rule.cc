// The rule `compiled-launches`: compiled code whose kernels wait for their launches. A graph of
// them is launched at once.
#include <fmt/format.h>

#include "model/analysis/findings/idle_loss.h"
#include "model/analysis/grouping/host_roles.h"
#include "model/analysis/naming/program.h"
#include "model/lookup.h"

namespace stepscope {
namespace {

bool IsCompiled(const Trace& trace, MetaId meta) {
  const std::string_view name = trace.names().Name(meta);
  if (IsCompiledRegion(name) || name.starts_with("XlaLaunch") || name.starts_with("_XlaRun"))
    return true;
  return RoleOfHostEvent(name, trace.names().metas[meta.value].category) == HostRole::kExecutor &&
         !name.starts_with("ExecutorState");
}

bool IsGraphLaunch(const Trace& trace, MetaId meta) {
  const NameTable& names = trace.names();
  return RoleOfHostEvent(names.Name(meta), names.metas[meta.value].category) == HostRole::kGraph;
}

// Whether the first event of the cause is inside compiled code. The launch of a graph is what the
// rule advises.
bool InCompiledCode(const Trace& trace, const IdleCause& cause) {
  EventRow at = cause.rows.front();
  if (at.valid() && IsGraphLaunch(trace, trace.set.Meta(at))) return false;
  for (int depth = 0; at.valid() && depth < 64; ++depth, at = Parent(trace.set, at)) {
    if (IsCompiled(trace, trace.set.Meta(at))) return true;
  }
  return false;
}

}  // namespace

void FindCompiledLaunches(const FindingContext& input, double threshold,
                          std::vector<RuleFinding>* out) {
  if (input.PercentOfStep(input.LossMs(StepTimeClass::kLaunch)) < threshold) return;
  const IdleLoss loss = SumIdle(
      input,
      [&](const IdleCause& cause) {
        return cause.loss == StepTimeClass::kLaunch && InCompiledCode(input.trace(), cause);
      },
      threshold);
  if (loss.percent < threshold) return;
  out->push_back(FindingOfLoss(
      input, loss,
      input.Waits() + " " + MsText(loss.ms) + " of " + input.EveryStep() +
          " for launches inside compiled code" + InCause(loss) + ".",
      "One launch starts all kernels of the compiled code." + SharedWith("launch-bound")));
}

}  // namespace stepscope
