// The analysis `overview` (docs/rules.md#overview): steps, where their time went, the verdict and
// the environment.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <set>
#include <string_view>

#include "model/analysis/definitions.h"
#include "model/analysis/devices/device_tables.h"
#include "model/analysis/devices/precision.h"
#include "model/analysis/findings/kernels/kernels_in_steps.h"
#include "model/analysis/findings/late_rank.h"
#include "model/analysis/kernels/op_kernels.h"
#include "model/analysis/naming/device_type.h"
#include "model/analysis/naming/op_name.h"
#include "model/analysis/naming/remedies.h"
#include "model/analysis/ops/op_database.h"
#include "model/analysis/pages/kernel_work.h"
#include "model/analysis/pages/xprof_bottlenecks.h"
#include "model/analysis/steps/builders/infer_steps.h"
#include "model/analysis/steps/builders/tpu_steps.h"
#include "model/analysis/steps/device_steps.h"
#include "model/analysis/steps/loss_tables.h"
#include "model/analysis/steps/scope.h"
#include "model/analysis/steps/step_table.h"
#include "model/analysis/steps/training.h"
#include "model/analysis/steps/verdict.h"
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
      : context_(context),
        params_(params),
        trace_(context.trace()),
        steps_(context.Get<JudgedSteps>(params)) {}

  AnalysisResult Build();
  // Makes the first sentence and its numbers, without a pass over all kernels. The result is empty
  // by XProf's definitions, which have no such sentence.
  AnalysisResult BuildVerdict();

 private:
  void Add(const char* id, const char* label, Value value, Unit unit = Unit::kNone,
           const char* how = "") {
    result_.properties.push_back({id, label, std::move(value), unit, how});
  }
  void ReadDevices();
  void AddStepTimes();
  void AddStepParts();
  void Judge();
  void AddVerdict();
  double CoreTime() const;
  std::string WorkText();
  void AddPercents(const HostOps& ops);
  void AddTopOpTypes(const OpSide& side);
  std::map<std::string, double> TpuFlopRates();
  void AddTopOps(const OpSide& side);
  void AddHosts();
  void AddEnvironment();
  void AddOverlap();
  void AddDeviceFacts(ResultTable* environment) const;
  Value BusyPercent() const;
  Value ComputePercent() const;
  // In percent. A share of nothing is unknown; XProf says 0.
  Value ShareOf(double part, double whole) const {
    if (whole > 0) return 100 * part / whole;
    return xprof_ ? Value(0.0) : Value();
  }

  AnalysisContext& context_;
  const AnalysisParams& params_;
  const Trace& trace_;
  const std::shared_ptr<const JudgedSteps> steps_;
  const StepDatabase& db_ = *steps_->selected;  // steps of the part asked for
  const bool xprof_ = context_.xprof().step_columns_of_xprof;
  const bool whole_ = steps_->without_steps;
  const StepDatabase& judged_ = *steps_->judged;  // the steps that the verdict speaks of
  Verdict verdict_;
  std::vector<AsyncWait> waits_;
  ResultTable overlap_, idle_by_step_, idle_by_cause_;
  PrecisionTimes precision_;
  bool is_training_ = false;
  std::set<std::string> hosts_;
  int64_t cores_ = 0;
  AnalysisResult result_;
};

// Reads in parallel what needs a pass over all events, or over all idle intervals. What one thread
// does alone comes first.
void OverviewBuilder::ReadDevices() {
  const XprofDefinitions& xprof = context_.xprof();
  ParallelFor(5, [&](size_t i) {
    if (i == 0 && !xprof_) {
      idle_by_step_ = IdleCauseTable(trace_, judged_);
    } else if (i == 1 && !xprof_) {
      idle_by_cause_ = IdleByCauseTable(trace_, judged_);
    } else if (i == 2 && !xprof_) {
      // A step that begins in the part asked for counts whole, also beyond the part's end.
      AnalysisParams whole = params_;
      if (!whole_) whole.range = {}, whole.steps.reset();
      overlap_ = OverlapTable(DeviceEvents(context_, whole), StepSpans(db_));
    } else if (i == 3 && db_.kind == DeviceKind::kGpu && !xprof.device_classes_of_xprof) {
      precision_ = *context_.Get<PrecisionTimes>(params_);
    } else if (i == 4 && !xprof.training_by_gradients) {
      is_training_ = IsTraining(context_);
    }
  });
}

// The part of the steps that the verdict speaks of in which devices work: in neither of the idle
// classes, nor in a collective that waits. A program without devices has ops for work.
Value OverviewBuilder::BusyPercent() const {
  double busy = 0, whole = 0;
  for (const Step* step : CountedSteps(judged_.steps)) {
    const std::array<double, kStepTimeClasses> times = ClassTimesOf(*step);
    for (size_t c = 0; c < kStepTimeClasses; ++c) {
      const auto kind = static_cast<StepTimeClass>(c);
      const bool works = judged_.kind == DeviceKind::kCpuOnly
                             ? kind == StepTimeClass::kCompute
                             : !IsIdle(kind) && kind != StepTimeClass::kCollectiveWait;
      if (works) busy += times[c];
    }
    whole += step->times.total;
  }
  return whole > 0 ? Value(100 * busy / whole) : Value();
}

Value OverviewBuilder::ComputePercent() const {
  const double whole = Summarize(judged_.steps, &StepBreakdown::total).mean;
  const double compute = Summarize(judged_.steps, &StepBreakdown::compute).mean;
  return whole > 0 ? Value(100 * compute / whole) : Value();
}

void OverviewBuilder::AddStepTimes() {
  StepSummary s = SummarizeStepTimes(db_.steps);
  const char* how = context_.xprof().step_columns_of_xprof
                        ? "over the steps shown"
                        : "over the steps shown; partial ones and a slow first one are left out";
  const bool none = !xprof_ && db_.steps.empty();  // then step times are unknown
  const auto ms = [&](double value) { return none ? Value() : Value(value); };
  if (!xprof_) {
    Add("step_ms_median", "Median step time", ms(s.median), Unit::kMs, how);
    const bool tpu = judged_.kind == DeviceKind::kTpu;
    Add("device_busy_percent", tpu ? "Busy or copying" : "Device busy", BusyPercent(),
        Unit::kPercent,
        "of the steps that the verdict speaks of: time in which a device works and does not wait "
        "in a collective, mean over devices; on a CPU the time in ops; on a TPU the time in which "
        "a core waits for copies is in it");
    if (tpu) {
      Add("device_compute_percent", "Computing", ComputePercent(), Unit::kPercent,
          "of the same steps: time in ops that do not wait for asynchronous work");
    }
  }
  Add("steptime_ms_average", xprof_ ? "Step time" : "Mean step time", ms(s.mean), Unit::kMs, how);
  // A single step has no deviation; XProf says 0.
  Add("steptime_ms_standard_deviation", "Standard deviation",
      xprof_ || s.count > 1 ? ms(s.deviation) : Value(), Unit::kMs, "of the sample: n - 1");
  Add("steptime_ms_minimum", "Shortest step", ms(s.min), Unit::kMs, how);
  Add("steptime_ms_maximum", "Longest step", ms(s.max), Unit::kMs, how);
  Add("step_count", "Steps", static_cast<int64_t>(db_.steps.size()), Unit::kCount,
      "the rows of the table: each host has its own");
  if (!xprof_) {
    Add("steps_counted", "Steps counted", static_cast<int64_t>(s.count), Unit::kCount,
        "those that averages, losses and the verdict are of");
  }
  Add("steps_inferred", "Steps inferred", db_.inferred, Unit::kNone,
      "nothing in the profile marks them");
  if (db_.inferred) {
    Add("steps_confidence", "Confidence", 100 * db_.confidence, Unit::kPercent,
        "share of the sequence that repeats");
  }
  if (!db_.how.empty()) Add("steps_how", "How steps were found", db_.how);
}

void OverviewBuilder::AddStepParts() {
  if (xprof_ || db_.kind != DeviceKind::kGpu || db_.steps.size() != 1) return;
  const EqualParts parts = FindEqualParts(trace_, db_.steps.front());
  if (parts.count == 0) return;
  Add("step_parts", "Parts of the step",
      std::to_string(parts.count) + " equal parts of " + FormatDuration(parts.each, 3), Unit::kNone,
      "the period of the kernel sequence on the busiest stream: layers, mostly");
}

void OverviewBuilder::Judge() {
  if (db_.kind == DeviceKind::kTpu) waits_ = AsyncWaitsOf(trace_, context_.stats(), judged_);
  // Only PyTorch's recordings say which ops launch nothing.
  const auto ops = CapabilitiesOf(trace_).pytorch_events
                       ? OpsOf(context_.Get<OpDatabase>(params_), trace_, params_)
                       : std::make_shared<const HostOps>();
  const std::vector<uint8_t> on_host = HostSideOps(trace_, *ops);
  const auto kinds = [&] { return context_.Get<ExposedKinds>(params_); };
  verdict_ = stepscope::Judge(trace_, judged_, whole_, kinds, waits_, on_host);
  NameLateRank(context_, params_, &verdict_);
}

// Adds the first sentence and the losses that explain it.
void OverviewBuilder::AddVerdict() {
  Verdict& verdict = verdict_;
  Add("verdict", "Verdict", verdict.id, Unit::kNone,
      "the largest loss of 10 % of the step and more, else device");
  Add("verdict_percent", "Share of the step", verdict.percent, Unit::kPercent,
      "of the steps that count, mean over devices");
  const bool any = !verdict.losses.empty() && verdict.leads == verdict.losses.front().id;
  Add("verdict_causes", "Causes", any ? verdict.losses.front().causes : std::string());
  if (verdict.leads == "device") verdict.finding.text += WorkText();
  result_.findings.push_back(verdict.finding);
  result_.tables.push_back(LossTable(verdict, whole_));
  result_.tables.push_back(StepLossTable(db_));
  result_.tables.push_back(std::move(idle_by_cause_));
  result_.tables.push_back(std::move(idle_by_step_));
  if (!waits_.empty()) result_.tables.push_back(AsyncWaitTable(waits_, CoreTime()));
}

// The time of the steps that count on all cores, in ps.
double OverviewBuilder::CoreTime() const {
  const bool all = std::none_of(judged_.steps.begin(), judged_.steps.end(),
                                [](const Step& step) { return step.counts(); });
  double time = 0;
  for (const DeviceStep& d : judged_.device_steps) {
    if (all || judged_.steps[d.step].counts()) time += d.times.total;
  }
  return time;
}

// Says what a busy device does: " 61 % of the kernels' time is GEMM, 98 % of that on Tensor
// Cores."
std::string OverviewBuilder::WorkText() {
  if (db_.kind != DeviceKind::kGpu) return {};
  CategoryTimes times;
  KernelCategories categories;
  for (const KernelGroup& kernel : context_.Get<KernelsInSteps>(params_)->kernels)
    times.Add(categories.Of(kernel.name, kernel.op_name), static_cast<double>(kernel.total),
              kernel.uses_matrix_unit);
  const CategoryTime* work = times.LargestCompute();
  if (work == nullptr) return {};
  std::string text = fmt::format(" {:.0f} % of the kernels' time is {}", times.Percent(*work),
                                 CategoryName(work->category));
  const double matrix = 100 * work->matrix / work->time;
  if (matrix >= 1) text += fmt::format(", {:.0f} % of that on Tensor Cores", matrix);
  return text + ".";
}

void OverviewBuilder::AddPercents(const HostOps& ops) {
  if (db_.kind == DeviceKind::kGpu) {
    const bool by_class = context_.xprof().device_classes_of_xprof;
    const double of_class = db_.compute16 + db_.compute32;
    const PrecisionTimes precision =
        by_class ? PrecisionTimes{.narrow = db_.compute16, .known = of_class, .all = of_class}
                 : precision_;
    const double both = precision.known > 0 ? precision.all : 0, share = precision.percent();
    const char* how =
        by_class
            ? "of the kernels' time, by name and shape, copies and collectives left out"
            : "16 bits and fewer, of the kernels' time in steps (without steps of all), by the "
              "types of the op's inputs where recorded, else by the kernel's name; copies and "
              "collectives left out";
    Add("device_compute_16bit_percent", "16-bit compute", ShareOf(precision.narrow, both),
        Unit::kPercent, how);
    Add("device_compute_32bit_percent", "32-bit compute", ShareOf(both - precision.narrow, both),
        Unit::kPercent, how);
    // Where devices hardly compute, or in 64 bits, faster kernels are no advice.
    double working = 100;
    for (const Loss& loss : verdict_.losses) working -= loss.percent;
    const bool computes = xprof_ || (!verdict_.leads.empty() && working >= 10);
    if (both > 0 && share < 10 && computes && !precision.mostly_wide()) {
      result_.findings.push_back(
          {Finding::Grade::kInfo,
           by_class ? "Less than 10 % of the compute time is in 16 bits."
                    : "Less than 10 % of the compute time is in 16 bits or fewer.",
           "Try mixed precision.", "kernel_stats"});
    }
  }
  double host = static_cast<double>(ops.host_side.occurrences),
         device = static_cast<double>(ops.device_side.occurrences);
  double n = host + device;
  Add("host_tf_op_percent", "Ops on the host", ShareOf(host, n), Unit::kPercent,
      "by number of runs");
  Add("device_tf_op_percent", "Ops on devices", ShareOf(device, n), Unit::kPercent,
      "by number of runs");
  const auto eager = [&](const OpSide& s) {
    return ShareOf(static_cast<double>(s.eager), static_cast<double>(s.busy));
  };
  Add("host_op_time_eager_percent", "Eager on the host", eager(ops.host_side), Unit::kPercent,
      "self time of ops that ran eagerly / of all");
  Add("device_op_time_eager_percent", "Eager on devices", eager(ops.device_side), Unit::kPercent,
      "self time of ops that ran eagerly / of all");
}

// Many ops of one type may take most of the time though each takes little.
void OverviewBuilder::AddTopOpTypes(const OpSide& side) {
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
  ResultTable t;
  t.id = "top_op_types";
  t.title = "Types of operations that take most device time";
  t.SetColumns({
      {"type", "Type", Unit::kNone, ValueType::kString, ""},
      {"selfTimePercent", "Self time", Unit::kFraction, ValueType::kReal, "of all device op time"},
      {"cumulativeTimePercent", "Cumulative", Unit::kFraction, ValueType::kReal, ""},
      {"ops", "Ops", Unit::kCount, ValueType::kInt, "operations of the type, by name"},
      {"largest", "Largest op", Unit::kNone, ValueType::kString, "the op with most self time"},
      {"largestPercent", "Its share", Unit::kFraction, ValueType::kReal, "of all device op time"},
  });
  const double whole = side.busy > 0 ? static_cast<double>(side.busy) : 1;
  double cumulative = 0;
  for (size_t i = 0; i < types.size() && i < kTopOps; ++i) {
    Type& type = *types[i];
    const double share = static_cast<double>(type.self) / whole;
    cumulative += share;
    t.AddRow({type.largest->type, share, cumulative, type.ops, type.largest->name,
              static_cast<double>(type.largest->self) / whole});
    t.links.push_back(std::move(type.link));
  }
  result_.tables.push_back(std::move(t));
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

void OverviewBuilder::AddTopOps(const OpSide& side) {
  const bool tpu = db_.kind == DeviceKind::kTpu;
  ResultTable t;
  t.id = "top_ops";
  t.title = "Operations that take most device time";
  t.SetColumns({
      {"selfTimePercent", "Self time", Unit::kFraction, ValueType::kReal, "of all device op time"},
      {"cumulativeTimePercent", "Cumulative", Unit::kFraction, ValueType::kReal, ""},
      {"category", "Category", Unit::kNone, ValueType::kString, ""},
      {"operation", "Operation", Unit::kNone, ValueType::kString, ""},
      {"flopRate", "GFLOP/s", Unit::kGflops, ValueType::kReal,
       tpu ? "of one core" : "needs XLA's cost model: 0 here"},
  });
  if (!tpu) {
    t.AddColumn({"tcEligibility", "TC eligible", Unit::kNone, ValueType::kBool,
                 "the op could use Tensor Cores"});
    t.AddColumn({"tcUtilization", "TC used", Unit::kNone, ValueType::kBool,
                 "a kernel of it does use Tensor Cores"});
  }
  const bool kernels_needed = !tpu && !side.ops.empty();
  const auto kernels =
      kernels_needed ? context_.Get<KernelStats>(params_) : std::make_shared<KernelStats>();
  const MatrixUses uses(kernels->kernels, context_.xprof());
  std::map<std::string, double> rates;
  if (tpu) rates = TpuFlopRates();
  double cumulative = 0;
  for (size_t i = 0; i < side.ops.size() && i < kTopOps; ++i) {
    const OpRow& op = side.ops[i];
    double share =
        side.busy > 0 ? static_cast<double>(op.self) / static_cast<double>(side.busy) : 0;
    cumulative += share;
    std::vector<Value> row = {share, cumulative, op.type, op.name, tpu ? rates[op.name] : 0.0};
    if (!tpu) {
      const MatrixUse use = uses.Of(op.name);
      row.insert(row.end(), {Value(use.eligible), Value(use.uses)});
    }
    t.AddRow(std::move(row));
    t.links.push_back(LinkTo(op));
  }
  result_.tables.push_back(std::move(t));
}

void OverviewBuilder::AddHosts() {
  for (const Plane& p : trace_.planes) {
    std::string host(trace_.HostName(p.host));
    if (!params_.WantsHost(host)) continue;
    hosts_.insert(host);
    if (db_.kind == DeviceKind::kTpu ? p.kind == PlaneKind::kTpu : p.kind == PlaneKind::kGpu)
      ++cores_;
  }
  Add("device_type", "Device", DeviceTypeOf(trace_));
  Add("device_core_count", "Devices", cores_, Unit::kCount,
      "planes of devices, those without events too");
  Add("host_count", "Hosts", static_cast<int64_t>(hosts_.size()), Unit::kCount, "");
}

void OverviewBuilder::AddEnvironment() {
  AddHosts();
  const bool by_gradients = context_.xprof().training_by_gradients;
  Add("is_training", "Training", by_gradients ? HasGradients(trace_) : is_training_, Unit::kNone,
      by_gradients ? "the name of an HLO instruction shows a gradient"
                   : "a name shows an optimizer or a backward pass");
  ResultTable t;
  t.id = "environment";
  t.title = "Environment";
  t.SetColumns({{"what", "What", Unit::kNone, ValueType::kString, ""},
                {"value", "Value", Unit::kNone, ValueType::kString, ""}});
  t.AddRow({std::string("Device"), DeviceTypeOf(trace_)});
  t.AddRow({std::string("Devices"), std::to_string(cores_)});
  if (!xprof_) AddDeviceFacts(&t);
  for (const std::string& host : hosts_) t.AddRow({std::string("Host"), host});
  result_.tables.push_back(std::move(t));
}

void OverviewBuilder::AddOverlap() {
  if (!overlap_.empty()) result_.tables.push_back(std::move(overlap_));
}

// Adds each kind of GPU once.
void OverviewBuilder::AddDeviceFacts(ResultTable* environment) const {
  std::set<std::string> seen;
  for (const Plane& plane : trace_.planes) {
    if (plane.kind != PlaneKind::kGpu || !params_.WantsHost(trace_.HostName(plane.host))) continue;
    const DeviceFacts facts = DeviceFactsOf(plane);
    if (facts.name.empty() && facts.memory_bytes == 0 && facts.processors == 0) continue;
    if (!seen.insert(facts.name).second) continue;
    const auto add = [&](const char* what, std::string value) {
      environment->AddRow({std::string(what), std::move(value)});
    };
    if (!facts.name.empty() && facts.name != DeviceTypeOf(trace_)) add("Device name", facts.name);
    if (facts.memory_bytes > 0)
      add("Device memory", FormatValue(Value(facts.memory_bytes), Unit::kBytes));
    if (facts.processors > 0) {
      const bool amd = facts.vendor == GpuVendor::kAmd;
      add(amd ? "Compute units" : "Multiprocessors", std::to_string(facts.processors));
    }
  }
}

AnalysisResult OverviewBuilder::Build() {
  result_.panel = "overview";
  if (!xprof_) Judge();
  ReadDevices();
  AddStepTimes();
  AddStepParts();
  result_.tables.push_back(StepTable(trace_, db_.steps, xprof_));
  if (!xprof_ && !db_.device_steps.empty()) result_.tables.push_back(DeviceStepTable(trace_, db_));
  if (!xprof_) AddVerdict();
  if (!xprof_) AddOverlap();
  if (!xprof_) AddModelFlops(context_, params_, judged_, &result_);
  AddXprofBottlenecks(db_.steps, xprof_ ? db_.steps : judged_.steps, ProgramOf(trace_), xprof_,
                      &result_);
  const std::shared_ptr<const HostOps> ops =
      OpsOf(context_.Get<OpDatabase>(params_), trace_, params_);
  AddPercents(*ops);
  if (!xprof_) AddTopOpTypes(ops->device_side);
  AddTopOps(ops->device_side);
  AddEnvironment();
  return std::move(result_);
}

AnalysisResult OverviewBuilder::BuildVerdict() {
  result_.panel = "overview";
  if (xprof_) return std::move(result_);
  Judge();
  AddStepTimes();
  result_.findings.push_back(verdict_.finding);
  result_.tables.push_back(StepTable(trace_, db_.steps, xprof_));
  result_.tables.push_back(LossTable(verdict_, whole_));
  result_.tables.push_back(StepLossTable(db_));
  AddHosts();
  return std::move(result_);
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

// Computes what the page shares with others. Each has a thread of its own, which may wait for what
// two of them need; where params name steps, the others wait for the steps.
void ReadShared(AnalysisContext& context, const AnalysisParams& params) {
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

}  // namespace

AnalysisResult RunVerdict(AnalysisContext& context, const AnalysisParams& params) {
  ReadEvents(context);
  return OverviewBuilder(context, params).BuildVerdict();
}

AnalysisResult RunOverview(AnalysisContext& context, const AnalysisParams& params) {
  ReadEvents(context);
  ReadShared(context, params);
  return OverviewBuilder(context, params).Build();
}

}  // namespace stepscope
