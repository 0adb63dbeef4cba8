#include "model/analysis/pages/overview.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>
#include <string_view>

#include "model/analysis/definitions.h"
#include "model/analysis/devices/precision.h"
#include "model/analysis/findings/kernels/kernels_in_steps.h"
#include "model/analysis/findings/step_verdict.h"
#include "model/analysis/kernels/op_kernels.h"
#include "model/analysis/naming/device_type.h"
#include "model/analysis/naming/op_name.h"
#include "model/analysis/ops/op_database.h"
#include "model/analysis/ranks/ranks.h"
#include "model/analysis/steps/builders/tpu_steps.h"
#include "model/analysis/steps/training.h"
#include "model/analysis/torch/torch_ops.h"
#include "model/analysis/tpu/async_waits.h"
#include "model/analysis/xla/hlo_ops.h"
#include "model/capabilities.h"
#include "model/jobs/job.h"

namespace stepscope {
namespace {

constexpr size_t kTopOps = 10;

bool HasGradients(const Trace& trace) {
  for (const auto& [id, program] : trace.hlo.programs) {
    for (const auto& [name, op] : program.instructions) {
      if (op.op_name.starts_with("gradients") ||
          op.op_name.find("/gradients") != std::string::npos ||
          op.op_name.find("gradient_tape") != std::string::npos ||
          op.op_name.find("transpose(") != std::string::npos) {
        return true;
      }
    }
  }
  return false;
}

class OverviewBuilder {
 public:
  OverviewBuilder(AnalysisContext& context, const AnalysisParams& params)
      : context_(context), params_(params), trace_(context.trace()) {
    o_.as_xprof = context.xprof().step_columns_of_xprof;
    o_.steps = context.Get<JudgedSteps>(params);
    o_.recording = context.Share<Recording>();
  }

  Overview First() {
    if (o_.as_xprof) return std::move(o_);
    SetVerdict();
    SetStepTimes();
    SetHosts();
    return std::move(o_);
  }
  Overview All();

 private:
  void SetVerdict();
  void SetStepTimes();
  void SetHosts();
  void SetParts();
  void SetPrecision(const PrecisionTimes& precision);
  void SetOps();
  void SetTopOpTypes(const OpSide& side);
  void SetTopOps(const OpSide& side);
  void SetEnvironment();
  std::optional<double> BusyPercent() const;
  std::map<std::string, double> TpuFlopRates();
  std::vector<std::pair<std::string, std::string>> DeviceFactRows() const;
  std::optional<double> Percent(double part, double whole) const {
    if (whole > 0) return 100 * part / whole;
    return o_.as_xprof ? std::optional(0.0) : std::nullopt;
  }

  AnalysisContext& context_;
  const AnalysisParams& params_;
  const Trace& trace_;
  Overview o_;
};

// The part of the steps that the verdict speaks of in which devices work: in neither of the idle
// classes, nor in a collective that waits. A program without devices has ops for work.
std::optional<double> OverviewBuilder::BusyPercent() const {
  double busy = 0, whole = 0;
  for (const Step* step : CountedSteps(o_.judged().steps)) {
    const std::array<double, kStepTimeClasses> times = ClassTimesOf(*step);
    for (size_t c = 0; c < kStepTimeClasses; ++c) {
      const auto kind = static_cast<StepTimeClass>(c);
      const bool works = o_.judged().kind == DeviceKind::kCpuOnly
                             ? kind == StepTimeClass::kCompute
                             : !IsIdle(kind) && kind != StepTimeClass::kCollectiveWait;
      if (works) busy += times[c];
    }
    whole += step->times.total;
  }
  return whole > 0 ? std::optional(100 * busy / whole) : std::nullopt;
}

void OverviewBuilder::SetStepTimes() {
  o_.step_times = SummarizeStepTimes(o_.db().steps);
  if (o_.as_xprof || !o_.verdict.judges_steps()) return;
  o_.busy_percent = BusyPercent();
  const double whole = Summarize(o_.judged().steps, &StepBreakdown::total).mean;
  const double compute = Summarize(o_.judged().steps, &StepBreakdown::compute).mean;
  if (whole > 0) o_.compute_percent = 100 * compute / whole;
}

void OverviewBuilder::SetVerdict() {
  const std::shared_ptr<const StepVerdict> judged = context_.Get<StepVerdict>(params_);
  o_.verdict = judged->verdict;
  o_.waits = judged->waits;
  o_.first = o_.verdict.InWords();
}

void OverviewBuilder::SetHosts() {
  std::set<std::string> hosts;
  for (const Plane& p : trace_.planes) {
    std::string host(trace_.HostName(p.host));
    if (!params_.WantsHost(host)) continue;
    hosts.insert(std::move(host));
    if (p.kind == (o_.on_tpu() ? PlaneKind::kTpu : PlaneKind::kGpu)) ++o_.devices;
  }
  o_.hosts.assign(hosts.begin(), hosts.end());
  o_.device_type = DeviceTypeOf(trace_);
  if (o_.recording->foreign()) o_.device_type = "unknown";
  const RecordedDevices& recorded = o_.recording->devices;
  if (o_.as_xprof || recorded.used > 0 || o_.devices > 0) return;
  // Devices that the file names in other places than planes, and that may have worked.
  if (!recorded.part_missing && !recorded.unknown()) return;
  if (recorded.part_missing || o_.verdict.recorded == Verdict::Recorded::kNoDevice) {
    o_.device_type = o_.recording->DevicesText();
    o_.devices = std::max<int64_t>(recorded.named, 1);
  }
}

void OverviewBuilder::SetParts() {
  if (!o_.as_xprof && o_.on_gpu() && o_.db().steps.size() == 1)
    o_.parts = FindEqualParts(trace_, o_.db().steps.front());
}

void OverviewBuilder::SetPrecision(const PrecisionTimes& precision) {
  o_.whole_graphs_percent = precision.mostly_graphs() ? 100 * precision.graphs / precision.all : 0;
  const double both = precision.known > 0 && !precision.mostly_graphs() ? precision.all : 0;
  o_.bits16_percent = Percent(precision.narrow, both);
  o_.bits32_percent = Percent(both - precision.narrow, both);
  // Where devices hardly compute, or in 64 bits, faster kernels are no advice.
  double working = 100;
  for (const Loss& loss : o_.verdict.losses) working -= loss.percent;
  const bool computes = o_.as_xprof || (o_.verdict.leads && working >= 10);
  o_.advises_16_bits = both > 0 && precision.percent() < 10 && computes && !precision.mostly_wide();
}

void OverviewBuilder::SetOps() {
  const std::shared_ptr<const HostOps> ops =
      OpsOf(context_.Get<OpDatabase>(params_), trace_, params_);
  const OpSide &host = ops->host_side, &device = ops->device_side;
  const auto of_host = static_cast<double>(host.occurrences),
             of_device = static_cast<double>(device.occurrences);
  o_.host_op_percent = Percent(of_host, of_host + of_device);
  o_.device_op_percent = Percent(of_device, of_host + of_device);
  const auto eager = [&](const OpSide& s) {
    return Percent(static_cast<double>(s.eager), static_cast<double>(s.busy));
  };
  o_.host_eager_percent = eager(host), o_.device_eager_percent = eager(device);
  if (!o_.as_xprof) SetTopOpTypes(device);
  SetTopOps(device);
}

void OverviewBuilder::SetTopOpTypes(const OpSide& side) {
  struct Type {
    const OpRow* largest = nullptr;  // the first one, as ops are sorted by self time
    Ps self = 0;
    int64_t ops = 0;
    RowLink link;
  };
  std::map<std::string_view, Type> by_type;
  for (const OpRow& op : side.ops) {
    Type& type = by_type[op.type];
    if (type.largest == nullptr) type.largest = &op;
    type.self += op.self;
    type.link.rows.Append(op.rows);
    type.link.total += op.occurrences;
    ++type.ops;
  }
  std::vector<Type*> types;
  types.reserve(by_type.size());
  for (auto& [name, type] : by_type) types.push_back(&type);
  std::stable_sort(types.begin(), types.end(),
                   [](const Type* a, const Type* b) { return a->self > b->self; });
  const double whole = side.busy > 0 ? static_cast<double>(side.busy) : 1;
  double cumulative = 0;
  for (size_t i = 0; i < types.size() && i < kTopOps; ++i) {
    const Type& type = *types[i];
    const double share = static_cast<double>(type.self) / whole;
    cumulative += share;
    o_.top_op_types.push_back({type.largest->type, type.largest->name, share, cumulative,
                               static_cast<double>(type.largest->self) / whole, type.ops,
                               type.link});
  }
}

// GFLOP/s of a TPU's framework ops, whose instructions name their costs; of an instruction of no op
// by its own name.
std::map<std::string, double> OverviewBuilder::TpuFlopRates() {
  std::map<std::string, std::pair<double, Ps>> sums;
  for (const HloOp& op : context_.Get<HloOpTable>(params_)->ops) {
    const std::string_view name = ParseOpName(op.provenance).name;
    auto& [flops, time] = sums[op.provenance.empty() ? op.name : std::string(name)];
    flops += op.flops;
    time += op.time;
  }
  std::map<std::string, double> rates;
  for (const auto& [name, sum] : sums)
    rates[name] = Quotient(sum.first, static_cast<double>(sum.second) / 1e3);
  return rates;
}

void OverviewBuilder::SetTopOps(const OpSide& side) {
  const bool tpu = o_.on_tpu();
  const auto kernels = !tpu && !side.ops.empty() ? context_.Get<KernelStats>(params_)
                                                 : std::make_shared<KernelStats>();
  const MatrixUses uses(kernels->kernels, context_.xprof());
  std::map<std::string, double> rates;
  if (tpu) rates = TpuFlopRates();
  double cumulative = 0;
  for (size_t i = 0; i < side.ops.size() && i < kTopOps; ++i) {
    const OpRow& op = side.ops[i];
    const double share =
        side.busy > 0 ? static_cast<double>(op.self) / static_cast<double>(side.busy) : 0;
    cumulative += share;
    const MatrixUse use = tpu ? MatrixUse() : uses.Of(op.name);
    o_.top_ops.push_back({op.type, op.name, share, cumulative, tpu ? rates[op.name] : 0.0,
                          use.eligible, use.uses, LinkTo(op)});
  }
}

// Each kind of GPU once.
std::vector<std::pair<std::string, std::string>> OverviewBuilder::DeviceFactRows() const {
  std::vector<std::pair<std::string, std::string>> rows;
  std::set<std::string> seen;
  for (const Plane& plane : trace_.planes) {
    if (plane.kind != PlaneKind::kGpu || !params_.WantsHost(trace_.HostName(plane.host))) continue;
    const DeviceFacts facts = DeviceFactsOf(plane);
    if (facts.name.empty() && facts.memory_bytes == 0 && facts.processors == 0) continue;
    if (!seen.insert(facts.name).second) continue;
    if (!facts.name.empty() && facts.name != o_.device_type)
      rows.emplace_back("Device name", facts.name);
    if (facts.memory_bytes > 0)
      rows.emplace_back("Device memory", FormatValue(Value(facts.memory_bytes), Unit::kBytes));
    if (facts.processors > 0) {
      const bool amd = facts.vendor == GpuVendor::kAmd;
      rows.emplace_back(amd ? "Compute units" : "Multiprocessors",
                        std::to_string(facts.processors));
    }
  }
  return rows;
}

void OverviewBuilder::SetEnvironment() {
  SetHosts();
  o_.environment = {{"Device", o_.device_type}, {"Devices", std::to_string(o_.devices)}};
  if (!o_.as_xprof)
    for (auto& row : DeviceFactRows()) o_.environment.push_back(std::move(row));
  for (const std::string& host : o_.hosts) o_.environment.emplace_back("Host", host);
}

Overview OverviewBuilder::All() {
  const XprofDefinitions& xprof = context_.xprof();
  if (!o_.as_xprof) SetVerdict();
  PrecisionTimes precision;
  ParallelFor(2, [&](size_t i) {
    if (i == 0 && o_.on_gpu() && !xprof.device_classes_of_xprof) {
      precision = *context_.Get<PrecisionTimes>(params_);
    } else if (i == 1) {
      o_.is_training = xprof.training_by_gradients ? HasGradients(trace_) : IsTraining(context_);
    }
  });
  SetStepTimes();
  SetParts();
  if (o_.verdict.leads == StepPart::kCompute) {
    o_.verdict.kernel_work = LargestKernelWork(context_, params_);
    o_.first = o_.verdict.InWords();
  }
  if (xprof.device_classes_of_xprof) {
    const double known = o_.db().compute16 + o_.db().compute32;
    precision = {.narrow = o_.db().compute16, .known = known, .all = known};
  }
  if (o_.on_gpu()) SetPrecision(precision);
  SetOps();
  SetEnvironment();
  return std::move(o_);
}

// Computes the order of events and their stats in parallel: they do not need each other.
void ReadEvents(AnalysisContext& context) {
  ParallelFor(2, [&](size_t i) {
    if (i == 0) {
      context.stats();
    } else {
      context.Get<EventOrder>();
    }
  });
}

}  // namespace

void ReadForOverview(AnalysisContext& context, const AnalysisParams& params) {
  ReadEvents(context);
  const std::array<std::function<void()>, 4> all = {
      [&] { context.Get<OpDatabase>(params); },
      [&] { context.Get<KernelStats>(params); },
      [&] { context.Get<StepDatabase>(); },
      [&] { context.Get<TorchOps>(params); },
  };
  const bool flops = !context.xprof().step_columns_of_xprof && HasModelFlops(context.trace());
  const unsigned parts = flops ? 4 : 3;
  ParallelFor(
      parts, [&](size_t i) { all[i](); }, parts);
}

Overview Overview::Compute(AnalysisContext& context, const AnalysisParams& params) {
  return OverviewBuilder(context, params).All();
}

Overview ComputeFirstSentence(AnalysisContext& context, const AnalysisParams& params) {
  ReadEvents(context);
  return OverviewBuilder(context, params).First();
}

}  // namespace stepscope
