// The rules about data that lies badly: `layout`, conversions around convolutions, and
// `alignment`, matrix multiplications of unaligned rows. Names of kernels say it, and shapes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "model/analysis/findings/finding_context.h"
#include "model/analysis/findings/kernels/op_shapes.h"
#include "model/analysis/naming/device_type.h"
#include "model/analysis/naming/kernel_category.h"
#include "model/analysis/naming/matrix_unit.h"
#include "model/analysis/naming/short_label.h"
#include "model/analysis/tables/in_unit.h"
#include "model/base/ascii.h"

namespace stepscope {
namespace {

// Assumption: a kernel that reads whole 16 bytes takes 0.6 of the time; of two recorded programs
// one has a rate of half and one of 0.72 (docs/measurements/findings.md).
constexpr double kAligned = 0.6;

// Kernels that share what their names say.
struct NamedKernels {
  double us = 0, count = 0;               // in all steps, all devices together
  std::map<std::string, double> by_name;  // us
  std::vector<EventRow> rows;
  std::string largest() const {
    const auto less = [](const auto& a, const auto& b) { return a.second < b.second; };
    return std::max_element(by_name.begin(), by_name.end(), less)->first;
  }
};

std::string NameInSentence(const KernelGroup& kernel) {
  return InSentence(MakeShortForms(kernel.shown()).middle);
}

void AddKernel(const KernelGroup& kernel, NamedKernels* sum) {
  sum->us += InUs(kernel.total);
  sum->count += static_cast<double>(kernel.occurrences);
  sum->by_name[NameInSentence(kernel)] += InUs(kernel.total);
  AppendEvents(kernel.rows, &sum->rows);
}

RuleFinding FindingOf(const FindingContext& input, const NamedKernels& sum, double ms) {
  RuleFinding found;
  found.measured = input.PercentOfStep(ms);
  found.devices = input.Devices();
  found.steps = input.AllSteps();
  found.link.rows = EventRows(sum.rows);
  found.link.total = static_cast<uint64_t>(sum.count);
  return found;
}

double MsOfStep(const FindingContext& input, double us) { return us / 1000 / input.DeviceSteps(); }

// --- layout ---

// cuDNN's, MIOpen's, CUTLASS' and TensorFlow's conversions, in lower case.
constexpr std::array<std::string_view, 9> kConversions = {
    "nchwtonhwc",      "nhwctonchw",   "nchw2nhwc",         "nhwc2nchw",
    "nchw_to_nhwc",    "nhwc_to_nchw", "batched_transpose", "swapdimension1and2intensor3",
    "shuffleintensor3"};

bool Converts(const KernelGroup& kernel) {
  if (ContainsAny(Lower(kernel.name), kConversions)) return true;
  return kernel.op_name.view().find("LayoutOptimizer") != std::string_view::npos;
}

// --- alignment ---

// The names of CUTLASS' kernels say how many elements they read at once: 16 bytes are 8 elements
// of 16 bits, 4 of 32 bits.
bool SaysAlignment(std::string_view kernel) { return kernel.find("align") != kernel.npos; }
bool SaysUnaligned(std::string_view kernel) {
  static constexpr std::array<std::string_view, 2> kWords = {"align1", "align2"};
  for (const std::string_view word : kWords) {
    const size_t at = kernel.find(word);
    if (at == kernel.npos) continue;
    const std::string_view rest = kernel.substr(at + word.size());
    if (rest.empty() || rest.front() < '0' || rest.front() > '9') return true;
  }
  return false;
}

// Whether the kernel multiplies on matrix units, or may do so.
bool MayUseUnit(const FindingContext& input, const KernelGroup& kernel) {
  if (kernel.unit == MatrixUnit::kUsed) return true;
  const std::vector<PlaneId> devices = input.Devices();
  return kernel.unit == MatrixUnit::kUnknown && kernel.eligible &&
         std::any_of(devices.begin(), devices.end(), [&](PlaneId device) {
           return HasMatrixUnits(input.trace().planes[device.value]);
         });
}

// Adds the kernels of a group whose recorded shapes are not aligned.
void AddUnaligned(const FindingContext& input, const KernelGroup& kernel, LaunchShapes* shapes,
                  NamedKernels* sum) {
  double us = 0;
  for (const EventRow event : kernel.rows) {
    if (!shapes->IsUnaligned(event)) continue;
    us += InUs(input.trace().set.Duration(event));
    sum->count += 1;
    if (sum->rows.size() < FindingContext::kMostEvents) sum->rows.push_back(event);
  }
  if (us <= 0) return;
  sum->us += us;
  sum->by_name[NameInSentence(kernel)] += us;
}

std::string ShapeOf(const FindingContext& input, const NamedKernels& sum) {
  const std::string dims =
      sum.rows.empty()
          ? ""
          : ShapesOf(input.trace(), input.context().Get<Grouping>(), sum.rows.front()).text;
  return dims.empty() ? "" : ", as for the dimensions " + dims.substr(0, 60);
}

}  // namespace

void FindLayout(const FindingContext& input, double threshold, std::vector<RuleFinding>* out) {
  KernelCategories categories;
  NamedKernels sum;
  bool convolves = false;
  for (const KernelGroup& kernel : input.Kernels()) {
    if (Converts(kernel)) {
      AddKernel(kernel, &sum);
    } else {
      convolves =
          convolves || categories.Of(kernel.name, kernel.op_name) == KernelCategory::kConvolution;
    }
  }
  if (!convolves) return;
  const double ms = MsOfStep(input, sum.us);
  if (sum.count <= 0 || input.PercentOfStep(ms) < threshold) return;
  RuleFinding found = FindingOf(input, sum, ms);
  found.title =
      fmt::format("Conversions of layout around convolutions take {} of {}, most of it in {}.",
                  MsText(ms), input.EveryStep(), sum.largest());
  found.saving_ms = ms;
  found.assumption =
      "All tensors keep the layout that the convolutions work in. " + input.Uncertainty();
  out->push_back(std::move(found));
}

void FindAlignment(const FindingContext& input, double threshold, std::vector<RuleFinding>* out) {
  NamedKernels sum;
  LaunchShapes shapes(input.trace(), input.context().Get<Grouping>(), input.context().stats());
  for (const KernelGroup& kernel : input.Kernels()) {
    if (SaysAlignment(kernel.name)) {
      if (kernel.uses_matrix_unit && SaysUnaligned(kernel.name)) AddKernel(kernel, &sum);
    } else if (input.trace().kineto && shapes.any() && MayUseUnit(input, kernel)) {
      AddUnaligned(input, kernel, &shapes, &sum);
    }
  }
  const double ms = MsOfStep(input, sum.us);
  if (sum.count <= 0 || input.PercentOfStep(ms) < threshold) return;
  RuleFinding found = FindingOf(input, sum, ms);
  found.title = fmt::format(
      "Matrix multiplications whose rows are not aligned to 16 bytes, as Tensor Cores need it, "
      "take {} of {}, most of it in {}{}.",
      MsText(ms), input.EveryStep(), sum.largest(), ShapeOf(input, sum));
  found.saving_ms = ms * (1 - kAligned);
  found.assumption = "Kernels that read 16 bytes at once take 60 % of the time." +
                     SharedWith("precision and attention") + " " + input.Uncertainty();
  out->push_back(std::move(found));
}

}  // namespace stepscope
