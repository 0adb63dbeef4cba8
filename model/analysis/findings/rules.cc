// The list of rules, in the order of TensorFlow's guide: input, one GPU, 16 bits and XLA, several
// GPUs. A new rule is a source with its function, a declaration and a row here, and its rows in
// tests/support/planted_losses.cc. The tables of reports and of the window are made from the rows.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "model/analysis/findings/finding.h"

namespace stepscope {

// A rule's function has its own source, or shares one with rules that read the same numbers. Only
// the rows call it.
FindFn FindInputBound, FindHostThreads, FindBetweenSteps, FindShortKernels, FindLaunchBound,
    FindHostOp, FindCopies, FindSync, FindMatrixUnits, FindPrecision, FindLossScaling, FindCompile,
    FindAllReduce, FindImbalance, FindSequentialGpus, FindMemory, FindOutlierSteps, FindAttention,
    FindUnfusedOps, FindLayout, FindAlignment, FindSmallCollectives, FindBlockedHost,
    FindProfilerOverhead, FindCompiledLaunches, FindWarmUp, FindImpossibleDurations;

namespace {

constexpr FindingRule kRules[] = {
    {"input-bound", "Devices wait for input", 5, Unit::kPercent,
     "idle time of class input / step time, mean over devices and the steps that count",
     "Debug Input Pipeline", FindInputBound},
    {"host-threads", "Threads of the host compete with launches", 5, Unit::kPercent,
     "(idle time for want of launches while tf.data threads or host callbacks work - the rest of "
     "that time * the ratio of both while they do not) / step time; only where the share of the "
     "time is 1.5 times the usual one",
     "Analyze Gaps Between Steps", FindHostThreads},
    {"between-steps", "The host works between steps", 5, Unit::kPercent,
     "idle time of class between_steps / step time, mean over devices and the steps that count",
     "Analyze Gaps Between Steps", FindBetweenSteps},
    {"short-kernels", "Kernels are shorter than their launch", 50, Unit::kPercent,
     "kernels whose group averages under 20 \u00b5s / all kernels; only where they and the "
     "launches waited for right after them, which are what is saved, take 5 % of the step",
     "Small GPU Kernels and Host Kernel Launch Delays", FindShortKernels},
    {"unfused-ops", "Unfused norms, rotary embeddings and optimizers", 5, Unit::kPercent,
     "time of kernels that follow one another as a square, mean, rsqrt and multiplication (an RMS "
     "norm), or as a negation, concatenation, multiplication and addition (a rotary embedding) / "
     "step time, where saved is all but the longest kernel of each; time of elementwise kernels in "
     "PyTorch's Optimizer.step / device steps / step time",
     "Enabling XLA", FindUnfusedOps},
    {"attention", "Unfused attention", 5, Unit::kPercent,
     "time of two batched matrix multiplications with a softmax between them, and of the "
     "elementwise kernels and copies there / step time; saved is that less their operations at "
     "half of the rate of the fastest multiplication, or, without shapes, less the "
     "multiplications",
     "Enabling XLA", FindAttention},
    {"launch-bound", "Devices wait for launches", 5, Unit::kPercent,
     "idle time of class launch / step time, mean over devices and the steps that count",
     "Small GPU Kernels and Host Kernel Launch Delays", FindLaunchBound},
    {"compiled-launches", "Compiled code waits for launches", 5, Unit::kPercent,
     "idle time of class launch whose launch is inside compiled code / step time",
     "Small GPU Kernels and Host Kernel Launch Delays", FindCompiledLaunches},
    {"profiler-overhead", "The profiler slows the host", 50, Unit::kNone,
     "Python frames of the busiest launching thread / ms of the steps, where the verdict is host "
     "or launch; saved is 0.5 \u00b5s for each, as far as the device waits for the host",
     "Analyze Gaps Between Steps", FindProfilerOverhead},
    {"host-op", "Ops and Python on the host hold devices up", 5, Unit::kPercent,
     "idle time of class host / step time, mean over devices and the steps that count",
     "Tensorflow Op Placement", FindHostOp},
    {"copies", "Copies that no kernel hides", 5, Unit::kPercent,
     "time in which copies of one direction run and no kernel does / step time, mean over devices "
     "and the steps that count; saved with it are the launches after copies that block the host",
     "Tensorflow Op Placement", FindCopies},
    {"sync", "The host blocks and drains the queue", 5, Unit::kPercent,
     "idle time of class sync, and of launches right after it until the next kernel begins / step "
     "time, mean over devices and the steps that count",
     "Tensorflow Op Placement", FindSync},
    {"blocked-host", "The host is blocked in calls", 5, Unit::kPercent,
     "time in which a thread that launches a device's work is in a call that blocks, or for "
     "100 \u00b5s and more in a copy, while the device is idle / step time; saved is the part in "
     "which neither queued work nor an unknown cause holds the device up",
     "Tensorflow Op Placement", FindBlockedHost},
    {"matrix-units", "Multiplications without matrix units", 10, Unit::kPercent,
     "time of kernels that could use matrix units and whose names say that they do not / device "
     "steps / step time",
     "Utilizing Tensor Cores", FindMatrixUnits},
    {"alignment", "Matrix multiplications of unaligned rows", 5, Unit::kPercent,
     "time of kernels on matrix units whose names say that they read one or two elements at once "
     "(align1, align2), or whose recorded shapes are not aligned to 16 bytes / device steps / step "
     "time",
     "Utilizing Tensor Cores", FindAlignment},
    {"layout", "Conversions of layout around convolutions", 5, Unit::kPercent,
     "time of kernels that convert between NCHW and NHWC / device steps / step time, where there "
     "are convolutions",
     "Utilizing Tensor Cores", FindLayout},
    {"precision", "Hardly any 16-bit compute", 10, Unit::kPercent,
     "time of kernels with 16 bits or fewer / time of all kernels but collectives; found below the "
     "threshold",
     "Enabling Mixed Precision", FindPrecision},
    {"loss-scaling", "Dynamic loss scaling holds devices up", 2, Unit::kPercent,
     "idle time whose cause is named after loss scaling / step time",
     "Dynamic vs Static Loss Scaling", FindLossScaling},
    {"compile", "Compilation in the profile", 5, Unit::kPercent,
     "idle time of class compile / step time, both over all steps, those that are left out of "
     "averages too",
     "Enabling XLA", FindCompile},
    {"warm-up", "Gaps of the first steps that do not come again", 5, Unit::kPercent,
     "gaps of 100 \u00b5s and more in the first third of the steps, at most three, whose cause has "
     "no gap of a fifth of that length in later steps / all steps, both with those that averages "
     "leave out; the wait for a device's first work is no gap",
     "Analyze Gaps Between Steps", FindWarmUp},
    {"memory", "Memory that is fragmented, grows or is free", 30, Unit::kPercent,
     "largest fragmentation while 90 % of the pool is in use; growth: bytes in use at the ends of "
     "steps; room: 100 % - peak / capacity",
     "Optimize Performance on Multi-GPU Single Host", FindMemory},
    {"allreduce", "Exposed collectives", 5, Unit::kPercent,
     "time in collectives after the last participant started and while nothing else runs / step "
     "time; a ring of n moves 2 (n - 1) / n of the bytes",
     "Optimize Gradient AllReduce", FindAllReduce},
    {"small-collectives", "Collectives that take their latency only", 3, Unit::kPercent,
     "(number of collectives of at most 100 \u00b5s in a step - 1) * the shortest one, at most "
     "20 \u00b5s * the share of collectives that no kernel hides / step time; broadcasts of "
     "buffers whole",
     "Optimize Gradient AllReduce", FindSmallCollectives},
    {"imbalance", "Devices wait for a late one", 5, Unit::kPercent,
     "time in collectives before their last participant starts / step time, of the device that "
     "waits longest in each step, mean over the steps that count",
     "GPU Host Thread Contention", FindImbalance},
    {"sequential-gpus", "Devices take turns", 80, Unit::kPercent,
     "time in which exactly one device of a host computes / time in which any does; only where it "
     "costs 5 % of the step",
     "Optimize Performance on Multi-GPU Single Host", FindSequentialGpus},
    {"outlier-steps", "Steps longer than the median", 20, Unit::kPercent,
     "step time / median - 1 of steps that are also five median deviations above it",
     "Analyze Gaps Between Steps", FindOutlierSteps,
     "Compare such a step with a usual one in the timeline: often it collects garbage, saves a "
     "checkpoint, evaluates, waits for input, or shares the machine."},
    {"impossible-durations", "Times that the profiler lost", 1, Unit::kCount,
     "events that last beyond the begin of the next one of their queue by an impossible time "
     "(docs/chrome.md)",
     "Analyze Gaps Between Steps", FindImpossibleDurations},
};

constexpr FindingParameter kParameters[] = {
    {"gaps", "Shortest idle interval in the table `gaps`", 10, Unit::kUs},
    {"allreduce-bandwidth", "Bandwidth that collectives could reach, 10^9 bytes a second", 100,
     Unit::kNone},
    {"memory-growth", "Memory growth after each step, share of the capacity", 0.5, Unit::kPercent},
    {"memory-headroom", "Share of the capacity that is free at the peak", 50, Unit::kPercent},
    {"memory-outside", "Idle time for allocations outside of the pool, share of the step", 2,
     Unit::kPercent},
};

const FindingParameter* FindParameter(std::string_view id) {
  for (const FindingParameter& parameter : kParameters) {
    if (id == parameter.id) return &parameter;
  }
  return nullptr;
}

}  // namespace

const char* IdOf(FindingSeverity severity) {
  switch (severity) {
    case FindingSeverity::kProblem:
      return "problem";
    case FindingSeverity::kWarning:
      return "warning";
    case FindingSeverity::kNote:
      break;
  }
  return "note";
}

std::span<const FindingRule> FindingRules() { return kRules; }
std::span<const FindingParameter> FindingParameters() { return kParameters; }

const FindingRule* FindRule(std::string_view id) {
  for (const FindingRule& rule : kRules) {
    if (id == rule.id) return &rule;
  }
  return nullptr;
}

bool FindingThresholds::Set(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos) return false;
  const std::string id = text.substr(0, equals);
  if (FindRule(id) == nullptr && FindParameter(id) == nullptr) return false;
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data() + equals + 1, end, value);
  if (error != std::errc() || at != end || !std::isfinite(value) || value < 0) return false;
  changed_[id] = value;
  return true;
}

double FindingThresholds::Of(const FindingRule& rule) const {
  const auto changed = changed_.find(std::string_view(rule.id));
  return changed != changed_.end() ? changed->second : rule.threshold;
}

double FindingThresholds::Of(std::string_view id) const {
  const auto changed = changed_.find(id);
  if (changed != changed_.end()) return changed->second;
  const FindingParameter* parameter = FindParameter(id);
  return parameter != nullptr ? parameter->value : 0;
}

}  // namespace stepscope
