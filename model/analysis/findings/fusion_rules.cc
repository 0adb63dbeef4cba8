// The rules about kernels that one fused kernel replaces: `attention` and `unfused-ops`.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "model/analysis/findings/finding_context.h"
#include "model/analysis/findings/kernels/op_shapes.h"
#include "model/analysis/grouping/host_activity.h"
#include "model/analysis/intervals/ranges.h"
#include "model/analysis/naming/device_type.h"
#include "model/analysis/naming/kernel_category.h"
#include "model/analysis/tables/in_unit.h"
#include "model/base/digits.h"

namespace stepscope {
namespace {

// --- what sequences cost, and what one kernel would ---

struct FusionSum {
  double ms = 0, saved_ms = 0, count = 0;  // of an average step, mean over devices
  uint64_t sequences = 0;                  // in all steps
  double products_ms = 0;                  // the part of ms in the products of attention
  std::vector<double> ms_of_step;          // mean over devices
  std::vector<PlaneId> devices;
  RowLink link;
};

void AddSequence(const FindingContext& input, const KernelSequence& sequence, Ps fused,
                 FusionSum* sum) {
  const double weight = input.WeightOf(sequence.step);
  sum->ms_of_step[sequence.step] += InMs(sequence.time) / input.DevicesOf(sequence.step);
  sum->ms += weight * InMs(sequence.time);
  sum->products_ms += weight * InMs(sequence.products);
  sum->saved_ms += weight * InMs(std::max<Ps>(0, sequence.time - fused));
  sum->count += weight;
  ++sum->sequences;
  if (sum->devices.empty() || sum->devices.back() != sequence.device)
    sum->devices.push_back(sequence.device);
  sum->link.total += sequence.kernels.size();
  if (sum->link.rows.size() + sequence.kernels.size() <= FindingContext::kMostEvents)
    sum->link.rows.Append(EventRows(sequence.kernels));
}

void ListSteps(const FindingContext& input, const FusionSum& sum, double threshold,
               std::vector<uint32_t>* steps) {
  for (const uint32_t s : input.AllSteps()) {
    const double total = InMs(input.db().steps[s].times.total);
    if (total > 0 && 100 * sum.ms_of_step[s] / total >= threshold) steps->push_back(s);
  }
}

RuleFinding FindingOf(const FindingContext& input, const FusionSum& sum, double threshold) {
  RuleFinding found;
  found.measured = input.PercentOfStep(sum.ms);
  found.saving_ms = sum.saved_ms;
  found.devices = sum.devices;
  ListSteps(input, sum, threshold, &found.steps);
  found.link = sum.link;
  return found;
}

// --- the rate of a fused attention kernel ---

// A fused kernel that fills the device computes at half the rate of the recording's fastest matrix
// multiplication: FlashAttention-2 has 309 to 370 TFLOP/s of an H100 for sequences of 512 to 16,384
// rows, FlashAttention-3 467 to 648 (arXiv 2407.08608, figure 5, head size 128), where a large
// multiplication has 650 to 700. Fewer blocks than processors leave some without work. A recorded
// one of 80 blocks on 132 processors has 26 % (docs/measurements/findings.md), this says 30 %. The
// shortest that were recorded take 9 us.
constexpr double kFusedRate = 0.5;
constexpr Ps kLeastFused = 9 * kPsPerUs;
constexpr Ps kLeastProduct = 20 * kPsPerUs;  // a shorter multiplication does not fill the device
constexpr size_t kMostOfRow = 4;             // kernels of a row of the table whose rates are read

// Reads from recorded shapes whether and how fast attention can be fused.
class Attentions {
 public:
  explicit Attentions(const FindingContext& input)
      : input_(input),
        shapes_(input.trace(), input.context().Get<Grouping>(), input.context().stats()) {}

  // Whether the second product may take the softmax of the first.
  bool Has(const KernelSequence& s) {
    if (s.pattern != FusedPattern::kAttention) return false;
    return !input_.trace().kineto ||
           TakesProduct(shapes_.Of(s.first_product), shapes_.Of(s.last_product));
  }

  // The highest rate of the matrix multiplications, in operations a second; 0: none is known.
  double BestRate() {
    if (best_) return *best_;
    best_ = 0;
    if (!input_.trace().kineto || !shapes_.any()) return 0;
    KernelCategories categories;
    for (const KernelGroup& kernel : input_.AllKernels()) {
      if (categories.Of(kernel.name, kernel.op_name) == KernelCategory::kGemm)
        best_ = std::max(*best_, RateOf(kernel.rows));
    }
    return *best_;
  }

  // The time of one fused kernel, ps; nothing if shapes are not recorded. It is at least as long as
  // the smallest attention kernels are.
  std::optional<Ps> FusedTime(const KernelSequence& s) {
    const OpShapes& scores = shapes_.Of(s.first_product);
    const double first = ProductFlops(scores), last = ProductFlops(shapes_.Of(s.last_product));
    const double rate = kFusedRate * BestRate() * FilledShare(scores, s.device);
    if (rate <= 0 || first <= 0 || last <= 0) return {};
    const auto ps = static_cast<Ps>((first + last) / rate * static_cast<double>(kPsPerS));
    return std::clamp(ps, std::min(s.time, kLeastFused), s.time);
  }

 private:
  // The mean rate of some kernels that fill the device.
  double RateOf(const EventRows& events) {
    double flops = 0, seconds = 0;
    size_t read = 0;
    for (const EventRow event : events) {
      if (read++ == kMostOfRow) break;
      const Ps time = input_.trace().set.Duration(event);
      const double of_event = time >= kLeastProduct ? ProductFlops(shapes_.Of(event)) : 0;
      if (of_event <= 0) continue;
      flops += of_event, seconds += static_cast<double>(time) / static_cast<double>(kPsPerS);
    }
    return seconds > 0 ? flops / seconds : 0;
  }

  // The part of the device's processors that have a block of the attention's rows.
  double FilledShare(const OpShapes& scores, PlaneId device) const {
    const auto processors =
        static_cast<double>(DeviceFactsOf(input_.trace().planes[device.value]).processors);
    return processors > 0 ? std::min(1.0, RowBlocks(scores) / processors) : 1;
  }

  const FindingContext& input_;
  LaunchShapes shapes_;
  std::optional<double> best_;
};

// --- norms and rotary embeddings ---

struct Fusible {
  FusedPattern pattern;
  const char* what;
  const char* noun;
  const char* remedy;  // naming/remedies.h
};
constexpr Fusible kFusible[] = {
    {FusedPattern::kNorm, "RMS norms", "norms", "unfused-ops.norm"},
    {FusedPattern::kRotary, "rotary embeddings", "embeddings", "unfused-ops.rotary"},
};

FusionSum FusionSumOf(const FindingContext& input, FusedPattern pattern) {
  FusionSum sum;
  sum.ms_of_step.resize(input.db().steps.size());
  for (const KernelSequence& s : input.Sequences()) {
    if (s.pattern == pattern) AddSequence(input, s, s.longest, &sum);
  }
  return sum;
}

// --- PyTorch's optimizers ---

// The share of the time of many kernels that one fused kernel takes, by the tensors that they read
// and write. Adam: 7 (reads parameter, gradient and two moments, writes all but the gradient) of
// the 18 of lerp, mul, addcmul, sqrt, div, add and addcdiv. Others, as SGD with momentum: 5 of the
// 8 of mul, add and add.
constexpr double kFusedAdam = 7.0 / 18, kFusedOther = 5.0 / 8;

struct OptimizerSteps {
  Ranges spans;  // on the host
  bool adam = false;
};

OptimizerSteps FindOptimizerSteps(const FindingContext& input) {
  constexpr std::string_view kStep = "Optimizer.step#";
  const Trace& trace = input.trace();
  const NameTable& names = trace.names();
  OptimizerSteps steps;
  std::vector<bool> wanted(names.metas.size());
  bool any = false;
  for (size_t m = 0; m < wanted.size(); ++m) {
    const std::string_view name = names.strings.View(names.metas[m].name);
    wanted[m] = name.starts_with(kStep);
    any = any || wanted[m];
    steps.adam = steps.adam || (wanted[m] && name.find("Adam") != name.npos);
  }
  if (!any || !trace.kineto) return steps;
  for (uint32_t h = 0; h < trace.hosts.size(); ++h) {
    for (const Track* thread : HostThreadsOf(trace, HostId(h))) {
      for (const Lane& lane : trace.set.LanesOf(*thread)) {
        for (uint32_t i = 0; i < lane.size(); ++i) {
          if (wanted[lane.meta[i]]) steps.spans.push_back({lane.start[i], lane.end(i)});
        }
      }
    }
  }
  steps.spans = UnionOf(std::move(steps.spans));
  return steps;
}

bool IsIn(const Ranges& ranges, Ps time) {
  const auto after = std::upper_bound(ranges.begin(), ranges.end(), time,
                                      [](Ps t, const TimeRange& r) { return t < r.begin; });
  return after != ranges.begin() && std::prev(after)->end > time;
}

// Whether a kernel of the optimizer is one of many that a fused one replaces.
bool IsUnfused(const KernelGroup& kernel) {
  const std::string_view op = kernel.op_name;
  if (!op.starts_with("aten::") || op.find("fused") != op.npos) return false;
  return CategoryOfKernel(kernel.name, op) == KernelCategory::kElementwise;
}

struct OptimizerKernels {
  Ps time = 0;
  uint64_t count = 0;
  std::vector<EventRow> rows;
};

OptimizerKernels KernelsOf(const FindingContext& input, const Ranges& spans) {
  const TrackSet& set = input.trace().set;
  const Grouping& grouping = input.context().Get<Grouping>();
  OptimizerKernels found;
  for (const KernelGroup& kernel : input.Kernels()) {
    if (!IsUnfused(kernel)) continue;
    for (const EventRow event : kernel.rows) {
      const EventRow launch = grouping.LaunchOf(event.value);
      if (!launch.valid() || !IsIn(spans, set.Start(launch))) continue;
      found.time += set.Duration(event), ++found.count;
      if (found.rows.size() < FindingContext::kMostEvents) found.rows.push_back(event);
    }
  }
  return found;
}

void FindOptimizer(const FindingContext& input, double threshold, std::vector<RuleFinding>* out) {
  const OptimizerSteps steps = FindOptimizerSteps(input);
  if (steps.spans.empty()) return;
  OptimizerKernels kernels = KernelsOf(input, steps.spans);
  const double device_steps = input.DeviceSteps();
  const double ms = device_steps > 0 ? InMs(kernels.time) / device_steps : 0;
  if (kernels.count == 0 || input.PercentOfStep(ms) < threshold) return;
  const double fused = steps.adam ? kFusedAdam : kFusedOther;
  RuleFinding found;
  found.title =
      fmt::format("The optimizer takes {} of {} in {:.0f} elementwise kernels.", MsText(ms),
                  input.EveryStep(), static_cast<double>(kernels.count) / device_steps);
  found.measured = input.PercentOfStep(ms);
  found.saving_ms = ms * (1 - fused);
  found.assumption = fmt::format(
      "A fused optimizer reads and writes each tensor once, which is {} of what these kernels "
      "read and write.{} {}",
      PercentText(100 * fused), SharedWith("short-kernels"), input.Uncertainty());
  found.remedy = input.Remedy("unfused-ops.optimizer");
  found.devices = input.Devices();
  found.steps = input.AllSteps();
  found.link.rows = EventRows(std::move(kernels.rows));
  found.link.total = kernels.count;
  out->push_back(std::move(found));
}

}  // namespace

void FindAttention(const FindingContext& input, double threshold, std::vector<RuleFinding>* out) {
  FusionSum sum;
  sum.ms_of_step.resize(input.db().steps.size());
  Attentions attentions(input);
  bool shapes = true;
  for (const KernelSequence& s : input.Sequences()) {
    if (!attentions.Has(s)) continue;
    const std::optional<Ps> fused = attentions.FusedTime(s);
    shapes = shapes && fused.has_value();
    AddSequence(input, s, fused.value_or(s.products), &sum);
  }
  if (sum.sequences == 0 || input.PercentOfStep(sum.ms) < threshold) return;
  RuleFinding found = FindingOf(input, sum, threshold);
  found.title = fmt::format(
      "Unfused attention takes {} of {}: {:.{}f} softmaxes, each between two batched matrix "
      "multiplications; {} of the time is outside of the multiplications.",
      MsText(sum.ms), input.EveryStep(), sum.count, sum.count < 10 ? 1 : 0,
      PercentText(100 * (1 - sum.products_ms / sum.ms)));
  found.assumption =
      shapes
          ? fmt::format(
                "A fused kernel computes the recorded shapes at {:.3g} TFLOP/s where it fills the "
                "device, half the rate of the fastest matrix multiplication here, and no mask "
                "leaves work out.",
                kFusedRate * attentions.BestRate() / 1e12)
          : std::string(
                "A fused kernel takes what the two multiplications take; it never writes the "
                "scores, so that it may take less.");
  found.assumption +=
      SharedWith("matrix-units, precision and short-kernels") + " " + input.Uncertainty();
  out->push_back(std::move(found));
}

void FindUnfusedOps(const FindingContext& input, double threshold, std::vector<RuleFinding>* out) {
  for (const Fusible& fusible : kFusible) {
    const FusionSum sum = FusionSumOf(input, fusible.pattern);
    if (sum.count <= 0 || input.PercentOfStep(sum.ms) < threshold) continue;
    RuleFinding found = FindingOf(input, sum, threshold);
    found.title = fmt::format(
        "Unfused {} take {} of {}: {:.{}f} {} of {:.1f} kernels each.", fusible.what,
        MsText(sum.ms), input.EveryStep(), sum.count, sum.count < 10 ? 1 : 0, fusible.noun,
        static_cast<double>(sum.link.total) / static_cast<double>(sum.sequences));
    found.assumption =
        "One kernel reads and writes each tensor once, as the longest of them does." +
        SharedWith("short-kernels") + " " + input.Uncertainty();
    found.remedy = input.Remedy(fusible.remedy);
    out->push_back(std::move(found));
  }
  FindOptimizer(input, threshold, out);
}

}  // namespace stepscope
