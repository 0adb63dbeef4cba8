// The rule `input-bound`: devices wait for input, and the slow stage of the input pipeline.
#include <algorithm>

#include "model/analysis/findings/idle_loss.h"
#include "model/analysis/ops/op_database.h"

namespace stepscope {
namespace {

struct Stage {
  std::string name;
  Ps self = 0;
};

// The stage of a tf.data pipeline with the most self time.
Stage SlowestStage(const FindingContext& input) {
  const auto ops =
      OpsOf(input.context().Get<OpDatabase>(input.params()), input.trace(), input.params());
  Stage slowest;
  for (const OpRow& op : ops->host_side.ops) {  // sorted by self time
    if (!op.name.starts_with("Iterator::")) continue;
    slowest = {op.name, op.self};
    break;
  }
  return slowest;
}

// The remedy (naming/remedies.h) for a stage by the last part of its name, or for a data loader.
const char* RemedyFor(const std::string& stage, const IdleLoss& loss) {
  const auto has = [&](std::string_view part) { return stage.find(part) != std::string::npos; };
  const auto cause = [&](std::string_view part) {
    return loss.causes.find(part) != std::string::npos;
  };
  if (cause("DataLoader"))
    return cause("SingleProcess") ? "input-bound.in-process" : "input-bound.workers";
  if (stage.empty()) return "input-bound";
  if (has("TFRecord") || has("TextLine") || has("FixedLengthRecord")) return "input-bound.reader";
  if (stage.ends_with("::Map") || stage.ends_with("::Batch") || stage.ends_with("::BatchV2"))
    return "input-bound.one-thread";
  return has("Prefetch") ? "input-bound" : "input-bound.no-prefetch";
}

}  // namespace

void FindInputBound(const FindingContext& input, double threshold, std::vector<RuleFinding>* out) {
  const IdleLoss loss = SumIdle(input, StepTimeClass::kInput, threshold);
  if (loss.percent < threshold) return;
  const Stage stage = SlowestStage(input);
  std::string title = input.Waits() + " " + MsText(loss.ms) + " of " + input.EveryStep() +
                      " for input" + InCause(loss);
  if (!stage.name.empty()) title += "; the stage with the most time of its own is " + stage.name;
  RuleFinding found =
      FindingOfLoss(input, loss, title + ".",
                    "Input is ready whenever a step begins, and nothing else slows down.");
  found.remedy = input.Remedy(RemedyFor(stage.name, loss));
  out->push_back(std::move(found));
}

}  // namespace stepscope
