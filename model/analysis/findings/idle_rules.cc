// The rules that measure one class of idle time: `between-steps`, `sync`, `compile`,
// `loss-scaling` and `host-op`.
#include "model/analysis/findings/idle_loss.h"
#include "model/analysis/grouping/host_activity.h"
#include "model/analysis/naming/op_name.h"
#include "model/analysis/ops/op_database.h"
#include "model/analysis/steps/cause_names.h"

namespace stepscope {
namespace {

enum class HostWork : uint8_t { kUnrecorded, kOp, kAwaits, kCompiled, kOther, kOnCpu };

// An op of PyTorch that launches no kernel runs on the host. An op of TensorFlow is judged by the
// time that its executor spends in it.
HostWork WorkOf(const FindingContext& input, const std::string& cause) {
  if (cause == CauseNames::kUnrecorded) return HostWork::kUnrecorded;
  const HostRole role = RoleOfHostEvent(cause, EventCategory::kUnknown);
  if (role == HostRole::kAwait) return HostWork::kAwaits;
  if (role == HostRole::kExecutor) return HostWork::kCompiled;
  if (input.db().kind == DeviceKind::kCpuOnly) return HostWork::kOnCpu;
  if (ParseOpName(cause).category == OpCategory::kTensorFlow) return HostWork::kOp;
  if (!cause.starts_with("aten::")) return HostWork::kOther;
  const auto ops =
      OpsOf(input.context().ops(input.params(), input.stop()), input.trace(), input.params());
  for (const OpRow& op : ops->host_side.ops) {
    if (op.name == cause) return op.device_time > 0 ? HostWork::kOther : HostWork::kOp;
  }
  return HostWork::kOther;
}

// Adds the finding of a class: "The GPU waits 4 ms of every 20 ms step WHAT, 90 % of it in
// CAUSE."
void FindClass(const FindingContext& input, StepTimeClass loss_class, double threshold,
               const std::string& what, const std::string& assumption,
               std::vector<RuleFinding>* out) {
  const IdleLoss loss = SumIdle(input, loss_class, threshold);
  if (loss.percent < threshold) return;
  const std::string title = input.Waits() + " " + MsText(loss.ms) + " of " + input.EveryStep() +
                            " " + what + InCause(loss) + ".";
  out->push_back(FindingOfLoss(input, loss, title, assumption));
}

}  // namespace

void FindBetweenSteps(const FindingContext& input, double threshold,
                      std::vector<RuleFinding>* out) {
  FindClass(input, StepTimeClass::kBetweenSteps, threshold, "for host work between steps",
            "That work is done on another thread, or so seldom that it does not count.", out);
}

// The call itself costs little if the device is soon done, but the next launches come late.
void FindSync(const FindingContext& input, double threshold, std::vector<RuleFinding>* out) {
  IdleLoss loss = SumIdle(input, StepTimeClass::kSync, threshold);
  if (loss.ms <= 0) return;
  const LateTimes late = input.Late();
  if (late.sync > 0) loss.ms *= 1 + late.after_sync / late.sync;
  loss.percent = input.PercentOfStep(loss.ms);
  if (loss.percent < threshold) return;
  const std::string title = input.Waits() + " " + MsText(loss.ms) + " of " + input.EveryStep() +
                            " because blocking calls of the host drained its queue" +
                            InCause(loss) + ".";
  out->push_back(
      FindingOfLoss(input, loss, title,
                    "The host no longer blocks and has launched the next kernels by then; "
                    "their launches right after such a call are counted." +
                        SharedWith("launch-bound")));
}

void FindHostOp(const FindingContext& input, double threshold, std::vector<RuleFinding>* out) {
  const IdleLoss loss = SumIdle(input, StepTimeClass::kHost, threshold);
  if (loss.percent < threshold) return;
  const bool cpu = input.db().kind == DeviceKind::kCpuOnly;
  HostWork work = WorkOf(input, loss.cause);
  if (work == HostWork::kUnrecorded && loss.cause_percent < 50)
    work = cpu ? HostWork::kOnCpu : HostWork::kOther;
  const bool dispatch = work == HostWork::kOnCpu || (cpu && work == HostWork::kUnrecorded);
  const std::string share = MsText(loss.ms) + " of " + input.EveryStep();
  std::string title = dispatch ? share + " go to " : input.Waits() + " " + share + " for ";
  if (work == HostWork::kOp) {
    title += "ops that run on the host";
  } else if (work == HostWork::kAwaits) {
    title += "the host to start work";
  } else if (work == HostWork::kCompiled) {
    title += "the runtime that executes a compiled program";
  } else {
    title += dispatch ? "Python and op dispatch" : "Python and op dispatch inside the step";
  }
  title += InCause(loss);
  RuleFinding found =
      FindingOfLoss(input, loss, title + ".",
                    "The host's work is compiled, moved to the device or hidden behind it.");
  if (work == HostWork::kAwaits) {
    found.remedy =
        "The program waits for its own results then: see in the timeline which thread is to launch "
        "the next work, and what holds it up.";
  } else if (work == HostWork::kCompiled) {
    found.remedy =
        "The step is compiled already: give each call more work (a larger batch, several steps in "
        "one call), and see in the timeline what the runtime waits for.";
  } else if (cpu) {
    found.remedy =
        "Compile the step, or use fewer and larger ops, so that Python does not dispatch each op.";
  } else if (work != HostWork::kOp) {
    found.remedy =
        "Compile the step (tf.function, jax.jit, torch.compile) or capture CUDA graphs, so that "
        "Python does not dispatch each op.";
  }
  if (work == HostWork::kUnrecorded) {
    found.remedy =
        "Record Python frames (python_tracer_level=1, with_stack=True) to see what the host "
        "does. " +
        found.remedy;
  }
  out->push_back(std::move(found));
}

// Steps that averages leave out count here, because the rule is about warming up.
void FindCompile(const FindingContext& input, double threshold, std::vector<RuleFinding>* out) {
  const auto compiles = [&](const IdleCause& cause) {
    return cause.loss == StepTimeClass::kCompile && input.ThemeOf(cause) == CauseTheme::kNone;
  };
  const IdleLoss warm = SumIdle(input, compiles, threshold);
  const IdleLoss all = SumIdle(input, compiles, threshold, true);
  if (all.percent < threshold) return;
  const std::string title = "Compilation, tuning or loading of modules takes " + MsText(all.ms) +
                            " of an average step of the profile" + InCause(all) + ".";
  RuleFinding found =
      FindingOfLoss(input, all, title,
                    "A program that has warmed up does none of it; saved are the steps after "
                    "the first.");
  found.saving_ms = warm.ms;
  out->push_back(std::move(found));
}

void FindLossScaling(const FindingContext& input, double threshold, std::vector<RuleFinding>* out) {
  const IdleLoss loss = SumIdle(
      input, [&](const IdleCause& c) { return input.ThemeOf(c) == CauseTheme::kLossScaling; },
      threshold);
  if (loss.percent < threshold) return;
  const std::string title = input.Waits() + " " + MsText(loss.ms) + " of " + input.EveryStep() +
                            " for dynamic loss scaling" + InCause(loss) + ".";
  out->push_back(
      FindingOfLoss(input, loss, title, "A static loss scale, or bfloat16, needs none."));
}

}  // namespace stepscope
