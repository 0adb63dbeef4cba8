// The analysis `op_stats`: the tables of the op database (docs/rules.md#ops).
#include "model/analysis/pages/op_stats.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "model/analysis/definitions.h"
#include "model/analysis/kernels/kernel_stats.h"
#include "model/analysis/kernels/op_kernels.h"
#include "model/analysis/steps/training.h"
#include "model/analysis/tables/schema.h"
#include "model/capabilities.h"
#include "model/lookup.h"

namespace stepscope {
namespace {

constexpr size_t kXprofRowsPerSide = 500;

// Makes the rows of one side. Rows with and without idle time share the texts.
class SideRows {
 public:
  SideRows(const std::shared_ptr<const HostOps>& ops, bool device, const MatrixUses& use,
           size_t most)
      : ops_(ops), side_(device ? ops->device_side : ops->host_side), device_(device), most_(most) {
    std::unordered_map<std::string_view, SharedText> types;
    for (const OpRow& op : side_.ops) {
      OpStatsRow& row = rows_.emplace_back();
      row.op = {ops_, &op}, row.on_device = device;
      row.name = op.name;
      row.type = types.try_emplace(op.type, op.type).first->second;
      const MatrixUse used = device ? use.Of(op.name) : MatrixUse();
      row.matrix_use = used.all_us > 0 ? used.matrix_us / used.all_us : 0;
    }
  }

  void Add(bool with_idle, std::vector<OpStatsRow>* rows) const {
    const Ps whole = with_idle ? side_.total : side_.busy;
    const OpStatsRow idle = Idle();
    bool idle_pending = with_idle && (side_.total > 0 || !device_);
    double cumulative = 0;
    const size_t end = most_ < SIZE_MAX - rows->size() ? rows->size() + most_ : SIZE_MAX;
    const auto add = [&](OpStatsRow row) {
      row.share = whole > 0 ? static_cast<double>(row.op->self) / static_cast<double>(whole) : 0;
      row.cumulative = cumulative += row.share;
      rows->push_back(std::move(row));
    };
    for (const OpStatsRow& row : rows_) {
      const OpRow &op = *row.op, &none = *idle.op;
      if (idle_pending && (none.self > op.self || (none.self == op.self && none.name < op.name))) {
        add(idle);
        idle_pending = false;
      }
      if (rows->size() >= end) return;
      add(row);
    }
    if (idle_pending && rows->size() < end) add(idle);
  }

 private:
  OpStatsRow Idle() const {
    auto idle = std::make_shared<OpRow>();
    idle->name = "IDLE";
    idle->time = idle->self = side_.idle();
    const SharedText text(idle->name);
    return {.op = std::move(idle), .name = text, .type = text, .on_device = device_};
  }

  const std::shared_ptr<const HostOps>& ops_;
  const OpSide& side_;
  const bool device_;
  const size_t most_;
  std::vector<OpStatsRow> rows_;  // without shares
};

struct OpFacts {
  bool gpus = false, pytorch = false;
};

auto OfTotals(auto member) {
  return [member](const OpStatsRow& row) { return (*row.op).*member; };
}

auto AverageOf(Ps OpTotals::*time) {
  return [time](const OpStatsRow& row) {  // idle time has no average
    const uint64_t n = row.op->occurrences;
    return n > 0 ? InUs((*row.op).*time) / static_cast<double>(n) : 0.0;
  };
}

auto OfSide(bool device, double OpStatsRow::*member) {
  return [=](const OpStatsRow& row) { return row.on_device == device ? row.*member : 0.0; };
}

Schema<OpStatsRow, OpFacts> OpStatsSchema(const char* id, const char* title) {
  using R = OpStatsRow;
  using Table = Schema<R, OpFacts>;
  // One of two texts; rows share them.
  const auto either = [](const char* yes, const char* no, auto holds) {
    return [yes = SharedText(yes), no = SharedText(no), holds](const R& r) -> const SharedText& {
      return holds(r) ? yes : no;
    };
  };
  const auto cost = [](const char* column, const char* label, Unit unit) {
    return Table::Field(
        column, label, unit, [](const R&) { return 0.0; }, "needs XLA's cost model: 0 here");
  };
  const auto never = [](const R&) { return false; };
  return {
      id,
      title,
      {{"rank", "Rank", Unit::kNone, [](const R&, const OpFacts&, size_t i) { return i + 1; }},
       {"host_or_device", "Side", Unit::kNone,
        either("Device", "Host", [](const R& r) { return r.on_device; })},
       {"type", "Type", Unit::kNone, &R::type, "from the op's name, which is name:Type"},
       {"operation", "Operation", Unit::kNone, &R::name, "", kKeyColumn},
       {"occurrences", "Count", Unit::kCount, OfTotals(&OpTotals::occurrences),
        "on devices that of the instruction, among those that the op became, which runs most "
        "often",
        kKeyColumn},
       {"total_time", "Total time", Unit::kUs, OfTotals(&OpTotals::time), "sum of durations",
        kKeyColumn},
       {"avg_time", "Average", Unit::kUs, AverageOf(&OpTotals::time), "total time / count"},
       {"total_self_time", "Self time", Unit::kUs, OfTotals(&OpTotals::self),
        "time in which no op inside it on the same thread runs", kKeyColumn},
       {"avg_self_time", "Average self", Unit::kUs, AverageOf(&OpTotals::self),
        "self time / count"},
       {"device_total_self_time_percent", "Device self", Unit::kFraction, OfSide(true, &R::share),
        "share of the devices' time"},
       {"device_cumulative_total_self_time_percent", "Device cumulative", Unit::kFraction,
        OfSide(true, &R::cumulative)},
       {"host_total_self_time_percent", "Host self", Unit::kFraction, OfSide(false, &R::share),
        "share of the host threads' time"},
       {"Host_cumulative_total_self_time_percent", "Host cumulative", Unit::kFraction,
        OfSide(false, &R::cumulative)},
       cost("measured_flop_rate", "GFLOP/s", Unit::kGflops),
       cost("model_flop_rate", "Model GFLOP/s", Unit::kGflops),
       cost("measured_memory_bw", "GiB/s", Unit::kNone),
       cost("operational_intensity", "FLOP/byte", Unit::kNone),
       Table::Field("gpu_tensorcore_utilization", "Tensor Core use", Unit::kFraction,
                    &R::matrix_use,
                    "time in kernels that use Tensor Cores / time in kernels of the op")
           .When([](const OpFacts& f) { return f.gpus; }),
       {"bound_by", "Bound by", Unit::kNone, either("", "Unknown", never)},
       {"eager", "Execution", Unit::kNone,
        either("Eager", "Function", [](const R& r) { return r.op->eager; }),
        "Eager if any of its runs was"},
       Table::Field("device_time_launched", "Device time", Unit::kUs, OfTotals(&OpRow::device_time),
                    "of the kernels and copies that the op, and no op inside it, launched")
           .When([](const OpFacts& f) { return f.pytorch; })},
      [](const R& r, const OpFacts&) { return LinkTo(*r.op); }};
}

bool LooksLikeTraining(const HostOps& ops) {
  auto any = [](const OpSide& side) {
    return std::any_of(side.ops.begin(), side.ops.end(), [](const OpRow& op) {
      return op.name.find("gradient_tape") != std::string::npos ||
             op.name.find("gradients") != std::string::npos ||
             op.name.find("transpose(") != std::string::npos ||
             op.name.find("Backward") != std::string::npos;
    });
  };
  return any(ops.host_side) || any(ops.device_side);
}

const char* NoOps(const Trace& trace) {
  if (CapabilitiesOf(trace).torch_profiler)
    return "The trace has no cpu_op events. Record with torch.profiler and activities CPU.";
  if (CapabilitiesOf(trace).pytorch_events)
    return "The recording has no ranges of PyTorch's ops. Record with "
           "torch.autograd.profiler.emit_nvtx().";
  return "No event of this profile carries a framework op's name. Record with host_tracer_level 1 "
         "or higher.";
}

// The kernels of GPUs; empty if there is no GPU.
std::shared_ptr<const KernelStats> KernelsOf(AnalysisContext& context,
                                             const AnalysisParams& params) {
  return HasGpuPlane(context.trace()) ? context.Get<KernelStats>(params)
                                      : std::make_shared<const KernelStats>();
}

}  // namespace

std::string OpsHiddenByBuffers(AnalysisContext& context) {
  const bool buffers = context.definitions() != Definitions::kXprof &&
                       !CapabilitiesOf(context.trace()).pytorch_events &&
                       !context.stats().Int(IntStat::kCudaGraphExecId).empty();
  if (!buffers) return {};
  return "XLA launches the kernels as command buffers (CUDA graphs), which hide their ops. Record "
         "with XLA_FLAGS=--xla_gpu_enable_command_buffer= (an empty list), so that kernels name "
         "their ops.";
}

OpStats OpStats::Compute(AnalysisContext& context, const AnalysisParams& params) {
  OpStats stats;
  stats.ops = OpsOf(context.Get<OpDatabase>(params), context.trace(), params);
  const auto kernels = KernelsOf(context, params);
  const MatrixUses use(kernels->kernels, context.xprof());
  const size_t most = context.xprof().op_rows_limited ? kXprofRowsPerSide : SIZE_MAX;
  for (const bool device : {true, false}) {
    const SideRows side(stats.ops, device, use, most);
    side.Add(false, &stats.rows);
    side.Add(true, &stats.with_idle);
  }
  stats.training =
      context.xprof().training_by_gradients ? LooksLikeTraining(*stats.ops) : IsTraining(context);
  return stats;
}

AnalysisResult RunOpStats(AnalysisContext& context, const AnalysisParams& params) {
  const Trace& trace = context.trace();
  const auto stats = context.Make<OpStats>(params);
  const HostOps& ops = *stats->ops;
  AnalysisResult result;
  result.panel = "op_stats";
  const OpFacts facts{HasGpuPlane(trace), CapabilitiesOf(trace).pytorch_events};
  result.tables = {
      OpStatsSchema("ops", "Operations").Make(stats->rows, facts),
      OpStatsSchema("ops_with_idle", "Operations and idle time").Make(stats->with_idle, facts)};
  if (!context.xprof().kernel_columns_of_xprof && !ops.device_side.ops.empty()) {
    const auto kernels = KernelsOf(context, params);
    result.tables.push_back(OpCategoryTable(ops.device_side, kernels->kernels));
  }
  result.properties.push_back({"task_type", "Task",
                               std::string(stats->training ? "Training" : "Inference"), Unit::kNone,
                               context.xprof().training_by_gradients
                                   ? "Training if the name of any op shows a gradient"
                                   : "Training if a name shows an optimizer or a backward pass"});
  const std::string hidden = ops.device_side.ops.empty() ? OpsHiddenByBuffers(context) : "";
  if (ops.host_side.ops.empty() && ops.device_side.ops.empty()) {
    result.empty_reason = hidden.empty() ? NoOps(trace) : hidden;
  } else if (!hidden.empty()) {
    result.findings.push_back({Finding::Grade::kInfo, hidden, "", "op_stats"});
  }
  result.SetSource(stats);
  return result;
}

}  // namespace stepscope
