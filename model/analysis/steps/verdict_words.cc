// The first sentence: the only place that puts a Verdict into words (docs/rules.md#verdict).
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "model/analysis/grouping/host_collectives.h"
#include "model/analysis/grouping/host_roles.h"
#include "model/analysis/naming/remedies.h"
#include "model/analysis/steps/cause_name.h"
#include "model/analysis/steps/verdict.h"
#include "model/base/ascii.h"
#include "model/base/digits.h"

namespace stepscope {
namespace {

constexpr double kNamed = 10;     // percent that makes a loss or a cause worth naming
constexpr double kBadShare = 30;  // percent of the step that makes a loss bad
// Percent of a loss from which the sentence says its largest cause in place of the loss.
constexpr double kNearlyAll = 80;

struct LossWords {
  StepPart part;
  const char* leads;  // "Input-bound"
  const char* what;   // after "the GPU waits 34 % of each step for"
  // The sentence has "waits ... of each step for"; else "goes to".
  bool waits;
  const char* remedy;  // naming/remedies.h
  const char* panel;
};

constexpr std::array kLossWords = {
    LossWords{StepPart::kInput, "Input-bound", "input", true, "input-bound", "input_pipeline"},
    LossWords{StepPart::kHost, "Host-bound", "Python and op dispatch", true, "host-op", "timeline"},
    LossWords{StepPart::kLaunch, "Launch-bound", "kernels to be launched", true, "launch-bound",
              "kernel_stats"},
    LossWords{StepPart::kSync, "Synchronisation-bound", "the host to return from blocking calls",
              true, "sync", "timeline"},
    LossWords{StepPart::kCompile, "Compiling", "compilation, tuning and loading of modules", true,
              "compile", "timeline"},
    LossWords{StepPart::kCopies, "Copy-bound", "copies that no kernel hides", false, "copies",
              "kernel_stats"},
    LossWords{StepPart::kCollectives, "Collective-bound", "exposed collectives", false, "allreduce",
              "kernel_stats"},
    LossWords{StepPart::kCollectiveWait, "Waiting for participants",
              "the last participant of collectives", true, "imbalance", "timeline"},
    LossWords{StepPart::kBetweenSteps, "Bound by work between steps", "host work outside the steps",
              true, "between-steps", "timeline"},
    LossWords{StepPart::kQueued, "Queue-bound", "work that is in the queue already", true, "queued",
              "timeline"},
    LossWords{StepPart::kUnknown, "Idle", "something that was not recorded", true, "unknown",
              "timeline"},
};

// Makes the sentence of one verdict.
class VerdictWriter {
 public:
  explicit VerdictWriter(const Verdict& verdict) : v_(verdict) {}

  Finding Write() const {
    if (v_.recorded == Verdict::Recorded::kForeign) return Foreign();
    if (v_.recorded == Verdict::Recorded::kNoDevice) return NoDevice();
    if (!v_.leads) return v_.recorded == Verdict::Recorded::kAll ? Finding() : TooLittle();
    Finding f = v_.First() != nullptr ? OfLoss(*v_.First()) : OfDevice();
    if (v_.recorded == Verdict::Recorded::kPart) SayInPart(&f);
    if (!v_.kernel_work) return f;
    f.text += KernelWorkText(*v_.kernel_work);
    return f;
  }

 private:
  bool OnCpu() const { return v_.kind == DeviceKind::kCpuOnly; }
  Finding TooLittle() const;
  Finding NoDevice() const;
  static Finding Foreign();
  Finding OfDevice() const;
  Finding OfLoss(const Loss& loss) const;
  void SayLateRank(const LateRank& late, Finding* f) const;
  void SayInPart(Finding* f) const;
  LossWords WordsOf(const Loss& loss) const;
  std::string Sentence(const Loss& loss, const LossWords& words) const;
  std::string CauseText(const Loss& loss, const LossWords& words) const;
  std::string InSentence(const Loss& loss) const;
  std::string Others() const;
  const char* UnexplainedRemedy(bool known) const;
  // What computes on the CPU: "framework ops take ".
  std::string WorkTakes(bool capital) const {
    std::string text = v_.programs_as_ops ? "compiled programs, whose ops were not recorded, take "
                                          : "framework ops take ";
    if (capital) text[0] = static_cast<char>(text[0] - 'a' + 'A');
    return text;
  }
  static std::string KernelWorkText(const KernelWork& work);
  std::string Where() const {
    if (v_.whole == Verdict::Whole::kRecording) return "of the recording";
    return v_.whole == Verdict::Whole::kOneStep ? "of the step" : "of each step";
  }

  const Verdict& v_;
};

double FirstPercent(const Loss& loss) {
  return loss.causes.empty() ? 0 : loss.causes.front().percent;
}

// The words of the cause with most of the loss, where its class may have such a cause; or null.
const RoleWords* OwnWords(const Loss& loss) {
  const bool blocks = loss.part == StepPart::kSync;
  if (!blocks && loss.part != StepPart::kHost && loss.part != StepPart::kBetweenSteps)
    return nullptr;
  if (IsBlocking(loss.role) != blocks || FirstPercent(loss) < 50) return nullptr;
  return WordsOfRole(loss.role);
}

const char* VerdictWriter::UnexplainedRemedy(bool known) const {
  if (known) return "unknown.called";
  if (!v_.program.host_events) return "record.host";
  return v_.program.python ? "unknown" : "record.python";
}

// The words for a loss, as far as its causes are known.
LossWords VerdictWriter::WordsOf(const Loss& loss) const {
  LossWords words = *std::find_if(kLossWords.begin(), kLossWords.end(),
                                  [&](const LossWords& w) { return w.part == loss.part; });
  const bool host = loss.part == StepPart::kHost;
  if (const RoleWords* own = OwnWords(loss)) {
    if (own->what != nullptr && FirstPercent(loss) >= kNearlyAll) words.what = own->what;
    words.remedy = own->remedy;
  } else if (host && loss.role == HostRole::kExecutor) {
    words.what = "the runtime that executes a compiled program";
    words.remedy = "host-op.runtime";
  } else if (host && loss.role == HostRole::kAwait) {
    // Waiting for the device's own results: the work that they need starts late.
    words.what = "the host to start work";
    words.remedy = "host-op.awaits";
  } else if (host && FirstPercent(loss) >= 50 && loss.own_range && !OnCpu()) {
    words.remedy = "host-op.own-range";
  } else if (host && !v_.program.python && v_.program.framework == Framework::kUnknown) {
    words.what = "the host's own work";
  } else if (host && v_.ops_on_host) {
    words.what = "ops that run on the host";
    words.remedy = "host-op.on-host";
  } else if (loss.part == StepPart::kCopies && v_.kind == DeviceKind::kTpu) {
    // A core of a TPU waits in an op for its asynchronous copies.
    words.what = "copies that no op hides";
    words.waits = true;
    words.remedy = "copies.async";
    words.panel = "hlo_memory";
  } else if (loss.part == StepPart::kCollectives && !loss.causes.empty() &&
             IsHostCollective(loss.causes.front().name)) {
    words.remedy = "allreduce.ranks";
    words.panel = "ranks";
  } else if (loss.part == StepPart::kUnknown) {
    const bool known = FirstPercent(loss) >= kNamed;
    words.remedy = UnexplainedRemedy(known);
    if (known) words.what = "something that the recording does not show";
  }
  return words;
}

std::string VerdictWriter::Sentence(const Loss& loss, const LossWords& words) const {
  std::string text = std::string(words.leads) + ": ";
  if (OnCpu() && loss.part == StepPart::kHost) {
    text += v_.host_work + " " + Takes(v_.host_work) + " " + PercentText(loss.of_waiting) + " " +
            Where();
  } else if (words.waits) {
    // The share of a wait for participants is without the late device, which does not wait.
    const bool others = v_.several_devices && loss.of_waiting > loss.percent;
    text += (others ? "the other" + v_.devices.substr(v_.devices.find(' ')) : v_.devices) +
            (v_.several_devices ? " wait " : " waits ") + PercentText(loss.of_waiting) + " " +
            Where() + " for " + words.what;
  } else {
    text += PercentText(loss.of_waiting) + " " + Where() + " goes to " + words.what;
  }
  return text + CauseText(loss, words);
}

std::string VerdictWriter::CauseText(const Loss& loss, const LossWords& words) const {
  if (FirstPercent(loss) < kNamed) return {};
  const LossCause& cause = loss.causes.front();
  // The sentence does not name again what it has named.
  const bool named = cause.name == CauseNames::kGarbage && cause.percent >= kNearlyAll &&
                     words.remedy == std::string_view("garbage");
  std::string text =
      "; " + PercentText(cause.percent) + (named ? " of that time" : " of that in " + cause.name);
  if (v_.wait) return text + ": " + TextOf(*v_.wait);
  if (v_.cause_outlasts) text += ", which was still open when the work began";
  return text;
}

// A loss inside a sentence: "kernel launch".
std::string VerdictWriter::InSentence(const Loss& loss) const {
  if (OnCpu() && loss.part == StepPart::kHost) return v_.host_work;
  std::string label = LabelOf(loss.part);
  label[0] = Lower(label[0]);
  return label;
}

// The losses behind the first that are worth saying: ". Next largest: kernel launch, 13 %, and
// copies, 11 %.". What ops take of a program without devices is said first.
std::string VerdictWriter::Others() const {
  std::vector<std::string> others;
  for (size_t i = 1; i < v_.losses.size() && others.size() < 2; ++i) {
    const Loss& loss = v_.losses[i];
    if (loss.of_waiting >= kNamed)
      others.push_back(InSentence(loss) + ", " + PercentText(loss.of_waiting));
  }
  std::string text = ".";
  if (OnCpu()) text += " " + WorkTakes(true) + PercentText(v_.work_percent) + ".";
  if (others.empty()) return text;
  text += " Next largest: " + others.front();
  return text + (others.size() > 1 ? ", and " + others[1] : "") + ".";
}

Finding VerdictWriter::OfDevice() const {
  const double copying = v_.on_device_percent;
  const std::string share = PercentText(v_.work_percent - copying) + " " + Where();
  Finding f{Finding::Grade::kGood,
            OnCpu() ? "CPU-bound: " + WorkTakes(false) + share
                    : "Device-bound: " + v_.devices +
                          (v_.several_devices ? " compute " : " computes ") + share,
            RemedyFor(v_.programs_as_ops ? "device.programs" : "device", v_.program),
            OnCpu() ? "op_stats" : "kernel_stats"};
  if (copying >= 1) {
    f.text += (v_.several_devices ? " and copy and fill their" : " and copies and fills its") +
              (" own memory " + PercentText(copying));
  }
  if (!v_.losses.empty() && v_.losses.front().of_waiting >= 1) {
    const Loss& most = v_.losses.front();
    // The device's copies may cost more than the time in which it has no work.
    const bool less = copying > most.of_waiting;
    // The rest of the step is no bound of what can be saved: work may be made faster too.
    f.text += (less ? ". Next largest: " : "; of the rest, most is ") + InSentence(most) + ", " +
              PercentText(most.of_waiting);
  }
  f.text += "." + v_.idle_devices;
  return f;
}

Finding VerdictWriter::OfLoss(const Loss& loss) const {
  const LossWords words = WordsOf(loss);
  Finding f{loss.of_waiting >= kBadShare ? Finding::Grade::kBad : Finding::Grade::kWarning, "",
            RemedyFor(words.remedy, v_.program), words.panel};
  if (v_.late_rank && v_.late_rank->leads) {
    SayLateRank(*v_.late_rank, &f);
    return f;
  }
  f.text = Sentence(loss, words);
  if (v_.late_rank) {
    f.text += fmt::format("; {:.0f} % of that waiting for rank {}", v_.late_rank->of_loss * 100,
                          v_.late_rank->rank);
  }
  f.text += Others() + v_.idle_devices;
  return f;
}

// Names the rank as the verdict itself, with its cause.
void VerdictWriter::SayLateRank(const LateRank& late, Finding* f) const {
  f->text = fmt::format(
      "Waiting for rank {}: the other ranks wait {:.1f} % of each step for it in collectives; all "
      "ranks together spend {} of their steps in them",
      late.rank, late.percent, PercentText(v_.percent));
  if (!late.cause.empty()) f->text += "; the cause is " + late.cause;
  f->text += Others();
  if (!late.remedy.empty()) f->next_step = late.remedy;
  f->panel = "ranks";
}

// Says before the verdict that it holds for a part only.
void VerdictWriter::SayInPart(Finding* f) const {
  f->grade = std::max(f->grade, Finding::Grade::kWarning);
  f->text[0] = Lower(f->text[0]);
  f->text = "Recorded in part: " + v_.lacks + ". The rest is " + f->text;
}

Finding VerdictWriter::Foreign() {
  return {Finding::Grade::kInfo,
          "No trace of TensorFlow, JAX or PyTorch: the timeline, search, statistics, flame graphs "
          "and SQL work, and nothing is judged.",
          "", "timeline"};
}

Finding VerdictWriter::NoDevice() const {
  return {Finding::Grade::kWarning,
          v_.lacks + " So nothing is said of how busy the device was, or why a step is slow.",
          RemedyFor("record.device", v_.program), "timeline"};
}

Finding VerdictWriter::TooLittle() const {
  const bool of_device = v_.recorded == Verdict::Recorded::kTooLittle;
  return {Finding::Grade::kInfo,
          "Too little was recorded to judge: " +
              (of_device ? v_.lacks : "no step, and hardly any work on a device") + ".",
          RemedyFor(!of_device ? "too-little"
                    : OnCpu()  ? "record.ops"
                               : "too-little.device",
                    v_.program),
          of_device ? "diagnostics" : "overview"};
}

// " 61 % of the kernels' time is GEMM, 98 % of that on Tensor Cores."
std::string VerdictWriter::KernelWorkText(const KernelWork& work) {
  std::string text = fmt::format(" {:.0f} % of the kernels' time is {}", work.percent,
                                 CategoryName(work.category));
  if (work.matrix_percent >= 1)
    text += fmt::format(", {:.0f} % of that on Tensor Cores", work.matrix_percent);
  return text + ".";
}

}  // namespace

std::string Loss::CausesText() const {
  std::string text;
  for (const LossCause& cause : causes)
    text += (text.empty() ? "" : ", ") + cause.name + " " + PercentText(cause.percent);
  return text;
}

Finding Verdict::InWords() const { return VerdictWriter(*this).Write(); }

}  // namespace stepscope
