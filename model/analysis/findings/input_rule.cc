// `input-bound`: devices wait for input, and which stage of the input pipeline is slow.
#include <algorithm>

#include "model/analysis/findings/idle_loss.h"
#include "model/analysis/findings/rule_functions.h"
#include "model/analysis/op_database.h"

namespace stepscope {
namespace {

struct Stage {
  std::string name;
  Ps self = 0;
};

// The stage of a tf.data pipeline with the most time of its own.
Stage SlowestStage(const FindingInput& input) {
  const auto ops =
      OpsOf(input.context().ops(input.params(), input.stop()), input.trace(), input.params());
  Stage slowest;
  for (const OpRow& op : ops->host_side.ops) {  // by self time
    if (!op.name.starts_with("Iterator::")) continue;
    slowest = {op.name, op.self};
    break;
  }
  return slowest;
}

// What the last part of a stage's name, or the loader's, says about what to do.
std::string RemedyFor(const std::string& stage, const IdleLoss& loss) {
  const auto has = [&](std::string_view part) { return stage.find(part) != std::string::npos; };
  const auto cause = [&](std::string_view part) {
    return loss.causes.find(part) != std::string::npos;
  };
  if (cause("DataLoader")) {
    return cause("SingleProcess")
               ? "The loader works in the training process: give it num_workers > 0, pin_memory "
                 "and prefetch_factor, and copy with non_blocking=True."
               : "Give the loader more workers, persistent_workers, pin_memory and a larger "
                 "prefetch_factor; do costly transforms before training.";
  }
  if (stage.empty()) return {};
  if (has("TFRecord") || has("TextLine") || has("FixedLengthRecord"))
    return "Reading is slow: interleave several files with num_parallel_calls=tf.data.AUTOTUNE, "
           "cache() what fits, and prefetch.";
  if (stage.ends_with("::Map") || stage.ends_with("::Batch") || stage.ends_with("::BatchV2"))
    return "This stage runs on one thread: give it num_parallel_calls=tf.data.AUTOTUNE, cache() "
           "before it what does not change, and prefetch() last.";
  if (!has("Prefetch")) return "End the pipeline with prefetch(tf.data.AUTOTUNE).";
  return {};
}

}  // namespace

void FindInputBound(const FindingInput& input, double threshold, std::vector<Found>* out) {
  const IdleLoss loss = SumIdle(input, LossClass::kInput, threshold);
  if (loss.percent < threshold) return;
  const Stage stage = SlowestStage(input);
  std::string title = input.Waits() + " " + MsText(loss.ms) + " of " + input.EveryStep() +
                      " for input" + InCause(loss);
  if (!stage.name.empty()) title += "; the stage with the most time of its own is " + stage.name;
  Found found = FoundLoss(input, loss, title + ".",
                          "Input is ready whenever a step begins, and nothing else slows down.");
  found.remedy = RemedyFor(stage.name, loss);
  out->push_back(std::move(found));
}

}  // namespace stepscope
