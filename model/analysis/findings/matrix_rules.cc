// The rules about kernels that could use Tensor Cores, or 16 bits: `matrix-units` and
// `precision`.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "model/analysis/devices/precision.h"
#include "model/analysis/findings/finding_context.h"
#include "model/analysis/naming/device_type.h"
#include "model/lookup.h"

namespace stepscope {
namespace {

// Assumption: kernels take a third of the time on matrix units. They compute faster than that,
// but memory stays as slow.
constexpr double kFaster = 3;

// NVIDIA has Tensor Cores since Volta, AMD matrix cores since CDNA.
bool HasMatrixUnits(const Plane& plane) {
  for (const PlaneStat& stat : plane.stats) {
    if (stat.name != "compute_cap_major" && stat.name != "computeMajor") continue;
    if (const auto* i = std::get_if<int64_t>(&stat.value)) return *i >= 7;
    if (const auto* u = std::get_if<uint64_t>(&stat.value)) return *u >= 7;
  }
  const DeviceFacts facts = DeviceFactsOf(plane);
  if (facts.vendor == GpuVendor::kAmd || facts.name.find("AMD") != std::string::npos) return true;
  static constexpr std::array<std::string_view, 11> kNames = {
      "V100", "T4", "A100", "A10", "L4", "H100", "H200", "B200", "RTX", "GH200", "A6000"};
  return std::any_of(kNames.begin(), kNames.end(), [&](std::string_view name) {
    return facts.name.find(name) != std::string::npos;
  });
}

std::vector<PlaneId> DevicesWithUnits(const FindingContext& input) {
  std::vector<PlaneId> devices = input.Devices();
  std::erase_if(devices, [&](PlaneId d) { return !HasMatrixUnits(input.trace().planes[d.value]); });
  return devices;
}

class KernelRows {
 public:
  explicit KernelRows(const ResultTable& table)
      : table_(table),
        name_(Index("kernel_name")),
        op_(Index("op_name")),
        total_(Index("total_duration_us")),
        eligible_(Index("is_op_tensor_core_eligible")),
        uses_(Index("uses_matrix_unit")) {}
  bool known() const { return uses_ < table_.columns.size() && total_ < table_.columns.size(); }
  double us(size_t row) const {
    const auto* d = std::get_if<double>(&table_.rows[row][total_]);
    return d != nullptr ? *d : 0;
  }
  bool eligible(size_t row) const { return Is(row, eligible_); }
  bool uses(size_t row) const { return Is(row, uses_); }
  std::string op(size_t row) const {
    const auto* op = std::get_if<SharedText>(&table_.rows[row][op_]);
    return op != nullptr ? op->str() : std::string();
  }
  std::string kernel(size_t row) const {
    return std::string(table_.ShownText(row, static_cast<int>(name_)));
  }

 private:
  size_t Index(const char* id) const { return static_cast<size_t>(table_.Column(id)); }
  bool Is(size_t row, size_t column) const {
    const auto* b = std::get_if<bool>(&table_.rows[row][column]);
    return b != nullptr && *b;
  }
  const ResultTable& table_;
  const size_t name_, op_, total_, eligible_, uses_;
};

struct Unused {
  double us = 0;
  std::map<std::string, double> by_op;  // us
  std::vector<EventRow> rows;
  uint64_t count = 0;
};

Unused EligibleWithout(const ResultTable& table) {
  Unused unused;
  const KernelRows kernels(table);
  if (!kernels.known()) return unused;
  for (size_t r = 0; r < table.rows.size(); ++r) {
    if (!kernels.eligible(r) || kernels.uses(r)) continue;
    unused.us += kernels.us(r);
    const std::string op = kernels.op(r);
    unused.by_op[OpKind(op.empty() ? kernels.kernel(r) : op)] += kernels.us(r);
    if (r >= table.links.size()) continue;
    unused.count += table.links[r].rows.size();
    AppendEvents(table, r, &unused.rows);
  }
  return unused;
}

// A text about the op's recorded shapes: "; its dimensions [128, 63] are no multiples of 8".
std::string ShapeText(const FindingContext& input, EventRow kernel) {
  const Trace& trace = input.trace();
  if (!trace.source) return {};
  const EventRow launch = input.context().grouping(input.stop()).LaunchOf(kernel.value);
  EventRow op = launch;
  for (int depth = 0; op.valid() && depth < 8; ++depth, op = Parent(trace.set, op)) {
    const Result<std::vector<Stat>> stats = trace.source->Decode(trace, op);
    if (!stats.ok()) return {};
    for (const Stat& stat : stats.value()) {
      if (stat.name != "Input Dims" && stat.name != "Input dims") continue;
      const std::string dims = ToText(stat);
      int64_t number = 0;
      bool odd = false, digits = false;
      for (const char c : dims + ",") {
        if (c >= '0' && c <= '9') {
          number = std::min<int64_t>(number * 10 + (c - '0'), 1'000'000'000), digits = true;
          continue;
        }
        odd = odd || (digits && number % 8 != 0);
        number = 0, digits = false;
      }
      return odd ? "; its dimensions " + dims.substr(0, 60) + " are not all multiples of 8" : "";
    }
  }
  return {};
}

}  // namespace

void FindMatrixUnits(const FindingContext& input, double threshold, std::vector<RuleFinding>* out) {
  const AnalysisResult* result = input.Kernels();
  const ResultTable* table = result != nullptr ? result->Table("kernels") : nullptr;
  if (table == nullptr || input.db().device_steps.empty()) return;
  const std::vector<PlaneId> devices = DevicesWithUnits(input);
  const Unused unused = EligibleWithout(*table);
  const double ms = unused.us / 1000 / static_cast<double>(input.db().device_steps.size());
  if (devices.empty() || input.PercentOfStep(ms) < threshold) return;
  const auto first =
      std::max_element(unused.by_op.begin(), unused.by_op.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  RuleFinding found;
  found.title = fmt::format(
      "Ops that could use Tensor Cores spend {} of {} in kernels that do not, {} of it in {}{}.",
      MsText(ms), input.EveryStep(), PercentText(100 * first->second / unused.us), first->first,
      unused.rows.empty() ? "" : ShapeText(input, unused.rows.front()));
  found.measured = input.PercentOfStep(ms);
  found.saving_ms = ms * (1 - 1 / kFaster);
  found.assumption = fmt::format(
      "On matrix units these kernels take a third of the time; what they gain depends on their "
      "shapes and on memory. {}",
      input.Uncertainty());
  found.devices = devices;
  found.steps = input.AllSteps();
  found.link.rows = EventRows(unused.rows);
  found.link.total = unused.count;
  out->push_back(std::move(found));
}

// The finding is a share below the threshold.
void FindPrecision(const FindingContext& input, double threshold, std::vector<RuleFinding>* out) {
  const std::vector<PlaneId> devices = DevicesWithUnits(input);
  const AnalysisResult* result = input.Kernels();
  const ResultTable* table = result != nullptr ? result->Table("kernels") : nullptr;
  const double compute = input.PercentOfStep(input.LossMs(StepTimeClass::kCompute));
  if (devices.empty() || table == nullptr || compute < 20) return;
  const PrecisionTimes times =
      ComputePrecision(input.context(), input.params(), input.db(), input.stop());
  if (times.all <= 0 || times.percent() >= threshold) return;
  const KernelRows kernels(*table);
  double matrix_us = 0;
  std::vector<EventRow> rows;  // kernels with the most time
  for (size_t r = 0; kernels.known() && r < table->rows.size(); ++r) {
    matrix_us += kernels.uses(r) ? kernels.us(r) : 0;
    AppendEvents(*table, r, &rows);
  }
  const double ms = matrix_us / 1000 / static_cast<double>(input.db().device_steps.size());
  RuleFinding found;
  found.title = fmt::format(
      "{} of the kernels' time computes with 16 bits or fewer, on devices that are faster with "
      "them.",
      times.narrow > 0 ? "Only " + PercentText(times.percent()) : "None");
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
  if (const Property* count = result->Find("kernel_count")) {
    if (const auto* n = std::get_if<int64_t>(&count->value))
      found.link.total = static_cast<uint64_t>(*n);
  }
  out->push_back(std::move(found));
}

}  // namespace stepscope
