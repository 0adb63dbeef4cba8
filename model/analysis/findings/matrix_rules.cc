// The rules about kernels that could use Tensor Cores, or 16 bits: `matrix-units` and
// `precision`.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "model/analysis/devices/precision.h"
#include "model/analysis/findings/finding_context.h"
#include "model/analysis/findings/kernels/op_shapes.h"
#include "model/analysis/naming/device_type.h"
#include "model/analysis/naming/matrix_unit.h"
#include "model/analysis/naming/precision_names.h"
#include "model/analysis/naming/short_label.h"
#include "model/base/ascii.h"
#include "model/base/digits.h"

namespace stepscope {
namespace {

// Assumption: kernels take a third of the time on matrix units. They compute faster than that,
// but memory stays as slow.
constexpr double kFaster = 3;

constexpr int64_t kAmpere = 8;  // compute capability

std::vector<PlaneId> DevicesWithUnits(const FindingContext& input) {
  std::vector<PlaneId> devices = input.Devices();
  std::erase_if(devices, [&](PlaneId d) { return !HasMatrixUnits(input.trace().planes[d.value]); });
  return devices;
}

struct Unused {
  struct OfOp {
    double us = 0;
    EventRow first;  // one of its kernels
  };
  double us = 0, unknown_us = 0;  // unknown: names that do not tell
  std::map<std::string, OfOp> by_op;
  std::vector<EventRow> rows;
  uint64_t count = 0;
};

Unused EligibleWithout(std::span<const KernelGroup> kernels) {
  Unused unused;
  for (const KernelGroup& kernel : kernels) {
    const double us = InUs(kernel.total);
    if (kernel.unit == MatrixUnit::kUnknown) unused.unknown_us += us;
    if (kernel.unit != MatrixUnit::kWithout) continue;
    unused.us += us;
    const std::string op =
        kernel.op_name.empty() ? InSentence(kernel.shown()) : OpKind(kernel.op_name);
    Unused::OfOp& of_op = unused.by_op[op];
    of_op.us += us;
    std::vector<EventRow> rows;
    AppendEvents(kernel.rows, &rows);
    if (!of_op.first.valid() && !rows.empty()) of_op.first = rows.front();
    unused.count += kernel.rows.size();
    AppendEvents(kernel.rows, &unused.rows);
  }
  return unused;
}

// A text about the op's recorded shapes: "; its dimensions [128, 63] are not all multiples of 8".
std::string ShapeText(const FindingContext& input, EventRow kernel) {
  const OpShapes shapes = ShapesOf(input.trace(), input.context().Get<Grouping>(), kernel);
  if (!shapes.op.valid()) return {};
  const std::string_view op = input.trace().set.Name(shapes.op);
  const std::vector<int64_t> dims = MultipliedDims(op, shapes);
  if (std::none_of(dims.begin(), dims.end(), [](int64_t n) { return n % 8 != 0; })) return {};
  if (op.find("conv") != op.npos)
    return fmt::format("; its channels, {} and {}, are not all multiples of 8", dims[0], dims[1]);
  return "; its dimensions " + shapes.text.substr(0, 60) + " are not all multiples of 8";
}

constexpr int kSingle = 32;  // bits

// --- remedies, by what the devices have ---

// Whether Tensor Cores of all devices take TF32 and bfloat16: NVIDIA's from Ampere on.
bool HaveTf32(const FindingContext& input, const std::vector<PlaneId>& devices) {
  return std::all_of(devices.begin(), devices.end(), [&](PlaneId device) {
    const Plane& plane = input.trace().planes[device.value];
    const int64_t major = ComputeMajorOf(plane);
    return !IsAmdGpu(plane) && (major == 0 || major >= kAmpere);
  });
}

}  // namespace

void FindMatrixUnits(const FindingContext& input, double threshold, std::vector<RuleFinding>* out) {
  const std::vector<PlaneId> devices = DevicesWithUnits(input);
  const Unused unused = EligibleWithout(input.Kernels());
  if (unused.count == 0) return;
  const double steps = input.DeviceSteps();
  const double ms = unused.us / 1000 / steps, unknown_ms = unused.unknown_us / 1000 / steps;
  if (devices.empty() || input.PercentOfStep(ms) < threshold) return;
  if (input.context().Get<PrecisionTimes>(input.params())->mostly_graphs()) return;
  const auto first =
      std::max_element(unused.by_op.begin(), unused.by_op.end(),
                       [](const auto& a, const auto& b) { return a.second.us < b.second.us; });
  RuleFinding found;
  found.title = fmt::format(
      "Matrix multiplications and convolutions that could use Tensor Cores spend {} of {} in "
      "kernels that do not, {} of it in {}{}.",
      MsText(ms), input.EveryStep(), PercentText(100 * first->second.us / unused.us), first->first,
      first->second.first.valid() ? ShapeText(input, first->second.first) : "");
  found.measured = input.PercentOfStep(ms);
  found.saving_ms = ms * (1 - 1 / kFaster);
  found.assumption = fmt::format(
      "On matrix units these kernels take a third of the time; what they gain depends on their "
      "shapes and on memory.{} {}",
      input.PercentOfStep(unknown_ms) < 1
          ? ""
          : " Kernels whose names do not say whether they use matrix units take another " +
                MsText(unknown_ms) + "; they are not counted.",
      input.Uncertainty());
  if (HaveTf32(input, devices)) found.remedy = input.Remedy("matrix-units.tf32");
  found.devices = devices;
  found.steps = input.AllSteps();
  found.link.rows = EventRows(unused.rows);
  found.link.total = unused.count;
  out->push_back(std::move(found));
}

// The finding is a share below the threshold.
void FindPrecision(const FindingContext& input, double threshold, std::vector<RuleFinding>* out) {
  const std::vector<PlaneId> devices = DevicesWithUnits(input);
  const std::span<const KernelGroup> kernels = input.Kernels();
  const double compute = input.PercentOfStep(input.LossMs(StepTimeClass::kCompute));
  if (devices.empty() || kernels.empty() || compute < 20) return;
  const PrecisionTimes times = *input.context().Get<PrecisionTimes>(input.params());
  if (times.known <= 0 || times.percent() >= threshold || times.mostly_wide() ||
      times.mostly_graphs())
    return;
  double matrix_us = 0;
  uint64_t count = 0;
  std::vector<EventRow> rows;  // kernels with the most time
  for (const KernelGroup& kernel : kernels) {
    const int bits = BitsOfKernel(kernel.name);
    const bool wide = bits == 0 || bits == kSingle;
    matrix_us += kernel.uses_matrix_unit && wide ? InUs(kernel.total) : 0;
    count += kernel.occurrences;
    AppendEvents(kernel.rows, &rows);
  }
  const double ms = matrix_us / 1000 / input.DeviceSteps();
  RuleFinding found;
  const std::string word = DeviceWord(input.program());
  const char* verb = input.program().devices > 1 ? "are" : "is";
  found.title =
      times.narrow > 0
          ? fmt::format(
                "Kernels compute with 16 bits or fewer for only {} of their time; the {} {} "
                "faster with them.",
                PercentText(times.percent()), word, verb)
          : fmt::format("No kernel computes with 16 bits or fewer; the {} {} faster with them.",
                        word, verb);
  found.measured = times.percent();
  found.saving_ms = std::min(ms, input.LossMs(StepTimeClass::kCompute)) / 2;
  found.assumption =
      "Kernels that use matrix units with 32 bits take half the time with 16. What other kernels "
      "gain is what matrix-units says, and less to read and write. " +
      input.Uncertainty();
  found.least = compute >= 50 ? FindingSeverity::kWarning : FindingSeverity::kNote;
  found.devices = devices;
  found.steps = input.AllSteps();
  found.link = LinkTo(EventRows(std::move(rows)));
  found.link.total = count;
  out->push_back(std::move(found));
}

}  // namespace stepscope
