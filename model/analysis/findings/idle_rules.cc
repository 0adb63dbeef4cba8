// The rules that measure one class of idle time: `input-bound`, `between-steps`, `sync`,
// `compile`, `loss-scaling` and `host-op`.
#include <algorithm>
#include <array>
#include <cctype>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/analysis/findings/idle_loss.h"
#include "model/analysis/ops/op_database.h"
#include "model/analysis/steps/cause_name.h"
#include "model/analysis/tables/in_unit.h"
#include "model/base/digits.h"

namespace stepscope {
namespace {

// Percent of a loss from which a title says its largest cause in place of the loss.
constexpr double kNearlyAllOfLoss = 80;

enum class HostWork : uint8_t {
  kUnrecorded,
  kOnHost,
  kAwaits,
  kCompiled,
  kGarbage,
  kSave,
  kPause,
  kPeer,
  kOwnRange,
  kOther
};

// Work that has words and a remedy of its own (steps/cause_name.h).
constexpr std::array<std::pair<HostWork, HostRole>, 4> kOwnWork = {
    {{HostWork::kGarbage, HostRole::kGarbage},
     {HostWork::kSave, HostRole::kSave},
     {HostWork::kPause, HostRole::kPause},
     {HostWork::kPeer, HostRole::kPeer}}};

// Null for other work.
const RoleWords* OwnWords(HostWork work) {
  for (const auto& [own, role] : kOwnWork) {
    if (own == work) return WordsOfRole(role);
  }
  return nullptr;
}

// By MetaId, whether an event marks a step.
std::vector<bool> MarkersOf(const FindingContext& input) {
  std::vector<bool> markers(input.trace().names().metas.size());
  for (const Step& step : input.db().steps) {
    if (!step.rows.empty()) markers[input.trace().set.Meta(step.rows.front()).value] = true;
  }
  return markers;
}

std::vector<uint8_t> OpsOnHost(const FindingContext& input) {
  const auto database = input.context().Get<OpDatabase>(input.params());
  return HostSideOps(input.trace(), *OpsOf(database, input.trace(), input.params()));
}

// The kinds of work of the host in the causes of the class `host`.
class HostWorks {
 public:
  explicit HostWorks(const FindingContext& input)
      : input_(input), markers_(MarkersOf(input)), on_host_(OpsOnHost(input)) {}

  HostWork Of(const IdleCause& cause) const {
    if (!cause.event.valid()) return HostWork::kOther;
    if (markers_[cause.event.value] || IsStep(cause.event)) return HostWork::kUnrecorded;
    const HostRole role = RoleOfCause(input_.trace(), cause.event);
    if (role == HostRole::kAwait) return HostWork::kAwaits;
    if (role == HostRole::kExecutor) return HostWork::kCompiled;
    for (const auto& [own, of] : kOwnWork) {
      if (role == of) return own;
    }
    if (input_.db().kind == DeviceKind::kCpuOnly) return HostWork::kOther;
    if (on_host_[cause.event.value] != 0) return HostWork::kOnHost;
    return IsOwnRange(input_.trace(), cause.event) ? HostWork::kOwnRange : HostWork::kOther;
  }

 private:
  bool IsStep(MetaId event) const {
    return input_.trace().names().metas[event.value].category == EventCategory::kStep;
  }
  const FindingContext& input_;
  const std::vector<bool> markers_;
  const std::vector<uint8_t> on_host_;  // by MetaId
};

// The work with most of the loss, and its share in percent. Only work with half of the loss and
// more is named; awaiting and executing are named where they are the largest.
std::pair<HostWork, double> MostWork(const FindingContext& input) {
  const HostWorks works(input);
  std::array<double, static_cast<size_t>(HostWork::kOther) + 1> ms{};
  for (const IdleCause& cause : input.db().causes) {
    const bool counts = cause.loss == StepTimeClass::kHost && input.Counts(cause.step) &&
                        input.ThemeOf(cause) == CauseTheme::kNone;
    if (counts)
      ms[static_cast<size_t>(works.Of(cause))] += InMs(cause.time) / input.DevicesOf(cause.step);
  }
  const double all = std::accumulate(ms.begin(), ms.end(), 0.0);
  const auto most = std::max_element(ms.begin(), ms.end());
  const auto work = static_cast<HostWork>(most - ms.begin());
  const double percent = all > 0 ? 100 * *most / all : 0;
  const bool leads = work == HostWork::kAwaits || work == HostWork::kCompiled;
  return {leads || percent >= 50 ? work : HostWork::kOther, percent};
}

// Says what the device waits for.
const char* WordsOf(HostWork work) {
  if (const RoleWords* own = OwnWords(work)) return own->what;
  switch (work) {
    case HostWork::kUnrecorded:
      return "the host inside the step";
    case HostWork::kOnHost:
      return "ops that run on the host";
    case HostWork::kAwaits:
      return "the host to start work";
    case HostWork::kCompiled:
      return "the runtime that executes a compiled program";
    default:
      return "Python and op dispatch inside the step";
  }
}

// Garbage collection, the saving of checkpoints and calls that wait are said in place of the class
// only where they are nearly all of it.
HostWork SaidOf(HostWork work, double percent) {
  return OwnWords(work) != nullptr && percent < kNearlyAllOfLoss ? HostWork::kOther : work;
}

const char* RemedyOf(HostWork work) {
  if (const RoleWords* own = OwnWords(work)) return own->remedy;
  switch (work) {
    case HostWork::kOnHost:
      return "host-op.on-host";
    case HostWork::kAwaits:
      return "host-op.awaits";
    case HostWork::kCompiled:
      return "host-op.runtime";
    case HostWork::kOwnRange:
      return "host-op.own-range";
    default:
      return "host-op";
  }
}

// "The GPU waits 4 ms of the 20 ms step for ops that run on the host, 62 % of it", or, where the
// CPU runs the program's ops, "Python takes 4 ms of the 20 ms step".
std::string HostTitle(const FindingContext& input, const IdleLoss& loss, HostWork work,
                      double percent) {
  const std::string share = MsText(loss.ms) + " of " + input.EveryStep();
  std::string title;
  if (input.db().kind == DeviceKind::kCpuOnly) {
    title = HostWorkWords(input.trace(), input.db().causes);
    const char* takes = Takes(title);
    title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
    title += std::string(" ") + takes + " " + share;
  } else {
    std::string_view words = WordsOf(SaidOf(work, percent));
    constexpr std::string_view kInside = " inside the step";
    if (input.whole() && words.ends_with(kInside)) words.remove_suffix(kInside.size());
    title = input.Waits() + " " + share + " for " + std::string(words);
  }
  if (work == HostWork::kUnrecorded)
    return title + ", " + PercentText(percent) + " of it in " +
           std::string(CauseNames::kUnrecorded);
  if (work == HostWork::kGarbage && percent >= kNearlyAllOfLoss)
    return title + ", " + PercentText(loss.cause_percent) + " of that time";
  const bool part = work == HostWork::kOnHost && percent < 99.5;
  return title + (part ? ": they are " + PercentText(percent) + " of that time" : "") +
         InCause(loss);
}

// The remedy of a class, or that of its largest cause where that has one of its own and most of
// the loss.
std::string RemedyOf(const FindingContext& input, const IdleLoss& loss, const char* remedy) {
  const RoleWords* own = loss.cause_percent >= 50 ? WordsOfRole(loss.role) : nullptr;
  return input.Remedy(own != nullptr ? own->remedy : remedy);
}

// Compilation counts in steps that averages leave out too.
std::string EveryStepOfAll(const FindingContext& input) {
  if (input.whole()) return "the recording";
  return input.db().steps.size() == 1 ? "the step" : "an average step of the profile";
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
  RuleFinding found = FindingOfLoss(input, loss, title, assumption);
  found.remedy = RemedyOf(input, loss, "between-steps");
  out->push_back(std::move(found));
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
                            " because blocking calls of the host drained " +
                            (input.Devices().size() > 1 ? "their queues" : "its queue") +
                            InCause(loss) + ".";
  RuleFinding found =
      FindingOfLoss(input, loss, title,
                    "The host no longer blocks and has launched the next kernels by then; "
                    "their launches right after such a call are counted." +
                        SharedWith("launch-bound"));
  found.remedy = RemedyOf(input, loss, "sync");
  out->push_back(std::move(found));
}

void FindHostOp(const FindingContext& input, double threshold, std::vector<RuleFinding>* out) {
  const IdleLoss loss = SumIdle(input, StepTimeClass::kHost, threshold);
  if (loss.percent < threshold) return;
  const auto [work, percent] = MostWork(input);
  RuleFinding found =
      FindingOfLoss(input, loss, HostTitle(input, loss, work, percent) + ".",
                    "The host's work is compiled, moved to the device or hidden behind it.");
  found.remedy = input.Remedy(RemedyOf(work));
  if (work == HostWork::kUnrecorded && !input.program().python)
    found.remedy = input.Remedy("record.python") + " " + found.remedy;
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
                            " of " + EveryStepOfAll(input) + InCause(all) + ".";
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
      FindingOfLoss(input, loss, title, "Neither a static loss scale nor bfloat16 needs it."));
}

// The rule `input-bound`: devices wait for input, and the slow stage of the input pipeline.

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
