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
    FindProfilerOverhead, FindCompiledLaunches, FindWarmUp;

namespace {

constexpr FindingRule kRules[] = {
    {"input-bound", "Devices wait for input", 5, Unit::kPercent,
     "idle time of class input / step time, mean over devices and the steps that count",
     "Debug Input Pipeline",
     "Parallelise, cache and prefetch the input pipeline; see the input panel for its stages.",
     FindInputBound},
    {"host-threads", "Threads of the host compete with launches", 5, Unit::kPercent,
     "(idle time for want of launches while tf.data threads or host callbacks work - the rest of "
     "that time * the ratio of both while they do not) / step time; only where the share of the "
     "time is 1.5 times the usual one",
     "Analyze Gaps Between Steps",
     "Set TF_GPU_THREAD_MODE=gpu_private, or give the input pipeline fewer threads "
     "(tf.data.Options.threading.private_threadpool_size).",
     FindHostThreads},
    {"between-steps", "The host works between steps", 5, Unit::kPercent,
     "idle time of class between_steps / step time, mean over devices and the steps that count",
     "Analyze Gaps Between Steps",
     "Do metrics, callbacks, summaries and logging every N steps or on another thread; Keras: "
     "steps_per_execution.",
     FindBetweenSteps},
    {"short-kernels", "Kernels are shorter than their launch", 50, Unit::kPercent,
     "kernels whose group averages under 20 us / all kernels; only where they and the launches "
     "waited for right after them, which are what is saved, take 5 % of the step",
     "Small GPU Kernels and Host Kernel Launch Delays",
     "Fuse them: XLA (jit_compile=True), torch.compile, CUDA graphs, or a larger batch.",
     FindShortKernels},
    {"unfused-ops", "Norms, rotary embeddings and optimizers of several kernels", 5, Unit::kPercent,
     "time of kernels that follow one another as a square, mean, rsqrt and multiplication (an RMS "
     "norm), or as a negation, concatenation, multiplication and addition (a rotary embedding) / "
     "step time, where saved is all but the longest kernel of each; time of elementwise kernels in "
     "PyTorch's Optimizer.step / device steps / step time",
     "Enabling XLA", "Fuse them: a fused op of the framework, or XLA (jit_compile=True, jax.jit).",
     FindUnfusedOps},
    {"attention", "Attention that is not fused", 5, Unit::kPercent,
     "time of two batched matrix multiplications with a softmax between them, and of the "
     "elementwise kernels and copies there / step time; saved is that less their operations at "
     "half the rate of the fastest multiplication, or, without shapes, less the multiplications",
     "Enabling XLA", "Call a fused attention kernel.", FindAttention},
    {"launch-bound", "Devices wait for launches", 5, Unit::kPercent,
     "idle time of class launch / step time, mean over devices and the steps that count",
     "Small GPU Kernels and Host Kernel Launch Delays",
     "Launch less: fuse kernels (XLA, torch.compile), capture CUDA graphs, or give each kernel "
     "more work with a larger batch.",
     FindLaunchBound},
    {"compiled-launches", "Compiled code waits for launches", 5, Unit::kPercent,
     "idle time of class launch whose launch is inside compiled code / step time",
     "Small GPU Kernels and Host Kernel Launch Delays",
     "Capture the compiled code as a CUDA graph.", FindCompiledLaunches},
    {"profiler-overhead", "The profiler slows the host", 50, Unit::kNone,
     "Python frames of the busiest launching thread / ms of the steps, where the verdict is host "
     "or launch; saved is 0.5 us for each, as far as the device waits for the host",
     "Analyze Gaps Between Steps", "Record once more without Python frames, and compare the steps.",
     FindProfilerOverhead},
    {"host-op", "Ops and Python on the host hold devices up", 5, Unit::kPercent,
     "idle time of class host / step time, mean over devices and the steps that count",
     "Tensorflow Op Placement",
     "Place the op on the device, replace it by one that runs there, or move it out of the step; "
     "tf.debugging.set_log_device_placement(True) says where ops are.",
     FindHostOp},
    {"copies", "Copies that no kernel hides", 5, Unit::kPercent,
     "time in which copies of one direction run and no kernel does / step time, mean over devices "
     "and the steps that count; saved with it are the launches after copies that block the host",
     "Tensorflow Op Placement",
     "Keep data on the device, copy from pinned memory on a stream of its own (non_blocking=True), "
     "and copy less often.",
     FindCopies},
    {"sync", "The host blocks and drains the queue", 5, Unit::kPercent,
     "idle time of class sync, and of launches right after it until the next kernel begins / step "
     "time, mean over devices and the steps that count",
     "Tensorflow Op Placement",
     "Avoid .item(), print, float(tensor) and copies of pageable memory inside the step; read "
     "results a step later.",
     FindSync},
    {"blocked-host", "The host stands in blocking calls", 5, Unit::kPercent,
     "time in which a thread that launches a device's work is in a call that blocks, or for 100 us "
     "and more in a copy, while the device is idle / step time; saved is the part in which neither "
     "queued work nor an unknown cause holds the device up",
     "Tensorflow Op Placement",
     "Copy from pinned memory without waiting (non_blocking=True), read results a step later, and "
     "keep what the host asks for on the host.",
     FindBlockedHost},
    {"matrix-units", "Eligible ops without matrix units", 10, Unit::kPercent,
     "time of kernels of eligible ops that do not use matrix units / device steps / step time",
     "Utilizing Tensor Cores",
     "Use mixed precision or TF32, and dimensions that are multiples of 8.", FindMatrixUnits},
    {"alignment", "Matrix multiplications of unaligned rows", 5, Unit::kPercent,
     "time of kernels on matrix units whose names say that they read one or two elements at once "
     "(align1, align2) / device steps / step time",
     "Utilizing Tensor Cores",
     "Make the inner dimensions multiples of 8 (16 bits) or 4 (TF32): pad vocabularies, classes "
     "and feature counts.",
     FindAlignment},
    {"layout", "Conversions of layout around convolutions", 5, Unit::kPercent,
     "time of kernels that convert between NCHW and NHWC / device steps / step time, where there "
     "are convolutions",
     "Utilizing Tensor Cores", "Keep tensors in NHWC.", FindLayout},
    {"precision", "Hardly any 16-bit compute", 10, Unit::kPercent,
     "time of kernels with 16 bits or fewer / time of all kernels but collectives; found below the "
     "threshold",
     "Enabling Mixed Precision",
     "Enable mixed precision: tf.keras.mixed_precision, jax with bfloat16, torch.autocast.",
     FindPrecision},
    {"loss-scaling", "Dynamic loss scaling holds devices up", 2, Unit::kPercent,
     "idle time whose cause is named after loss scaling / step time",
     "Dynamic vs Static Loss Scaling", "Use a static loss scale, or bfloat16, which needs none.",
     FindLossScaling},
    {"compile", "Compilation in the profile", 5, Unit::kPercent,
     "idle time of class compile / step time, both over all steps, those that are left out of "
     "averages too",
     "Enabling XLA",
     "Profile after a few steps of warm-up; look for shapes that change from step to step.",
     FindCompile},
    {"warm-up", "Gaps of the first steps that do not come again", 5, Unit::kPercent,
     "gaps of 100 us and more in the first third of the steps, at most three, whose cause has no "
     "gap of a fifth of that length in later steps / all steps, both with those that averages "
     "leave "
     "out; the wait for a device's first work is no gap",
     "Analyze Gaps Between Steps",
     "Run a few steps before the recording, and before what is timed. Where the first steps "
     "matter, "
     "load modules at the start (CUDA_MODULE_LOADING=EAGER), keep tuned choices, and reserve "
     "memory ahead.",
     FindWarmUp},
    {"memory", "Memory that is fragmented, grows or is free", 30, Unit::kPercent,
     "largest fragmentation while 90 % of the pool is in use; growth: bytes in use at the ends of "
     "steps; room: 100 % - peak / capacity",
     "Optimize Performance on Multi-GPU Single Host",
     "Free large tensors earlier, allocate large ones first, or set "
     "TF_GPU_ALLOCATOR=cuda_malloc_async.",
     FindMemory},
    {"allreduce", "Collectives that nothing hides", 5, Unit::kPercent,
     "time in collectives after the last participant started and while nothing else runs / step "
     "time; a ring of n moves 2 (n - 1) / n of the bytes",
     "Optimize Gradient AllReduce",
     "Overlap them with the backward pass, make buckets larger, send fewer bytes, or make the "
     "batch larger.",
     FindAllReduce},
    {"small-collectives", "Collectives that take their latency only", 3, Unit::kPercent,
     "(number of collectives of at most 100 us in a step - 1) * the shortest one, at most 20 us * "
     "the share of collectives that no kernel hides / step time; broadcasts of buffers whole",
     "Optimize Gradient AllReduce", "Put them together.", FindSmallCollectives},
    {"imbalance", "Devices wait for a late one", 5, Unit::kPercent,
     "time in collectives before their last participant starts / step time, of the device that "
     "waits longest in each step, mean over the steps that count",
     "GPU Host Thread Contention",
     "See what the late device and its host thread do then; give all devices the same work; "
     "TF_GPU_THREAD_MODE=gpu_private.",
     FindImbalance},
    {"sequential-gpus", "GPUs take turns", 80, Unit::kPercent,
     "time in which exactly one device of a host computes / time in which any does; only where it "
     "costs 5 % of the step",
     "Optimize Performance on Multi-GPU Single Host",
     "Look for control dependencies and shared host threads that make one device wait for another.",
     FindSequentialGpus},
    {"outlier-steps", "Steps longer than the median", 20, Unit::kPercent,
     "step time / median - 1 of steps that are also five median deviations above it",
     "Analyze Gaps Between Steps",
     "Compare the step with a usual one: what differs is garbage collection, checkpoints, "
     "evaluation, input or another process.",
     FindOutlierSteps},
};

constexpr FindingParameter kParameters[] = {
    {"gaps", "Shortest idle interval in the table `gaps`", 10, Unit::kUs},
    {"allreduce-bandwidth", "What collectives could move, 10^9 bytes a second", 100, Unit::kNone},
    {"memory-growth", "Growth after each step, of the capacity", 0.5, Unit::kPercent},
    {"memory-headroom", "Capacity that is free at the peak", 50, Unit::kPercent},
    {"memory-outside", "Idle time for allocations outside of the pool, of the step", 2,
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
