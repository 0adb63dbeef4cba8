// The analysis `op_stats`: the tables of the op database (docs/rules.md#ops).
#include <algorithm>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/analysis/definitions.h"
#include "model/analysis/kernels/kernel_stats.h"
#include "model/analysis/kernels/op_kernels.h"
#include "model/analysis/ops/category_tables.h"
#include "model/analysis/ops/op_database.h"
#include "model/analysis/steps/training.h"
#include "model/analysis/tables/in_unit.h"
#include "model/capabilities.h"
#include "model/lookup.h"

namespace stepscope {
namespace {

constexpr size_t kXprofRowsPerSide = 500;

std::vector<ColumnDesc> OpStatsColumns(bool devices) {
  using V = ValueType;
  std::vector<ColumnDesc> c = {
      {"rank", "Rank", Unit::kNone, V::kInt, ""},
      {"host_or_device", "Side", Unit::kNone, V::kString, ""},
      {"type", "Type", Unit::kNone, V::kString, "from the op's name, which is name:Type"},
      {"operation", "Operation", Unit::kNone, V::kString, "", true},
      {"occurrences", "Count", Unit::kCount, V::kInt,
       "on devices that of the instruction, among those that the op became, which runs most often",
       true},
      {"total_time", "Total time", Unit::kUs, V::kReal, "sum of durations", true},
      {"avg_time", "Average", Unit::kUs, V::kReal, "total time / count"},
      {"total_self_time", "Self time", Unit::kUs, V::kReal,
       "time in which no op inside it on the same thread runs", true},
      {"avg_self_time", "Average self", Unit::kUs, V::kReal, "self time / count"},
      {"device_total_self_time_percent", "Device self", Unit::kFraction, V::kReal,
       "share of the devices' time"},
      {"device_cumulative_total_self_time_percent", "Device cumulative", Unit::kFraction, V::kReal,
       ""},
      {"host_total_self_time_percent", "Host self", Unit::kFraction, V::kReal,
       "share of the host threads' time"},
      {"Host_cumulative_total_self_time_percent", "Host cumulative", Unit::kFraction, V::kReal, ""},
      {"measured_flop_rate", "GFLOP/s", Unit::kGflops, V::kReal, "needs XLA's cost model: 0 here"},
      {"model_flop_rate", "Model GFLOP/s", Unit::kGflops, V::kReal,
       "needs XLA's cost model: 0 here"},
      {"measured_memory_bw", "GiB/s", Unit::kNone, V::kReal, "needs XLA's cost model: 0 here"},
      {"operational_intensity", "FLOP/byte", Unit::kNone, V::kReal,
       "needs XLA's cost model: 0 here"},
  };
  if (devices) {
    c.push_back({"gpu_tensorcore_utilization", "Tensor Core use", Unit::kFraction, V::kReal,
                 "time in kernels that use Tensor Cores / time in kernels of the op"});
  }
  c.push_back({"bound_by", "Bound by", Unit::kNone, V::kString, ""});
  c.push_back({"eager", "Execution", Unit::kNone, V::kString, "Eager if any of its runs was"});
  return c;
}

// Holds the texts of ops once each; both tables share them.
class OpTexts {
 public:
  explicit OpTexts(const OpSide& side) {
    names_.reserve(side.ops.size());
    for (const OpRow& op : side.ops) names_.emplace_back(op.name);
  }
  const SharedText& Name(size_t op) const { return names_[op]; }
  const SharedText& Type(const std::string& type) {
    return types_.try_emplace(type, type).first->second;
  }

 private:
  std::vector<SharedText> names_;  // by index of the side's ops
  std::unordered_map<std::string, SharedText> types_;
};

class TableWriter {
 public:
  TableWriter(ResultTable* table, const MatrixUses& use, bool devices, size_t max_rows)
      : table_(*table), use_(use), devices_(devices), max_rows_(max_rows) {}

  void AddSide(const OpSide& side, OpTexts* texts, bool device, bool with_idle) {
    whole_ = with_idle ? side.total : side.busy;
    cumulative_ = 0;
    size_t first = table_.size();
    const SharedText idle_text("IDLE");
    OpRow idle;
    idle.name = "IDLE";
    idle.time = idle.self = side.idle();
    bool idle_pending = with_idle && (side.total > 0 || !device);
    for (size_t i = 0; i < side.ops.size(); ++i) {
      const OpRow& op = side.ops[i];
      if (idle_pending && (idle.self > op.self || (idle.self == op.self && idle.name < op.name))) {
        AddRow(idle, idle_text, idle_text, device);
        idle_pending = false;
      }
      if (table_.size() - first >= max_rows_) return;
      AddRow(op, texts->Name(i), texts->Type(op.type), device);
    }
    if (idle_pending && table_.size() - first < max_rows_)
      AddRow(idle, idle_text, idle_text, device);
  }

 private:
  void AddRow(const OpRow& op, const SharedText& name, const SharedText& type, bool device) {
    double share = whole_ > 0 ? static_cast<double>(op.self) / static_cast<double>(whole_) : 0;
    cumulative_ += share;
    double n = static_cast<double>(op.occurrences);
    // Idle time has no average.
    auto average = [&](Ps t) { return op.occurrences ? InUs(t) / n : 0.0; };
    std::vector<Value> row;
    row.reserve(table_.columns.size());
    row = {static_cast<int64_t>(table_.size() + 1),
           device ? device_text_ : host_text_,
           type,
           name,
           static_cast<int64_t>(op.occurrences),
           InUs(op.time),
           average(op.time),
           InUs(op.self),
           average(op.self),
           device ? share : 0.0,
           device ? cumulative_ : 0.0,
           device ? 0.0 : share,
           device ? 0.0 : cumulative_,
           0.0,
           0.0,
           0.0,
           0.0};
    if (devices_) {
      const MatrixUse use = device ? use_.Of(name.view()) : MatrixUse();
      row.emplace_back(use.all_us > 0 ? use.matrix_us / use.all_us : 0.0);
    }
    row.emplace_back(unknown_text_);
    row.emplace_back(op.eager ? eager_text_ : function_text_);
    if (show_device_time) row.emplace_back(InUs(op.device_time));
    table_.AddRow(std::move(row));
    table_.links.push_back(LinkTo(op));
  }

 public:
  bool show_device_time = false;

 private:
  ResultTable& table_;
  const MatrixUses& use_;
  const bool devices_;
  const size_t max_rows_;  // of a side
  // Texts that many rows share.
  const SharedText host_text_{"Host"}, device_text_{"Device"}, unknown_text_{"Unknown"},
      eager_text_{"Eager"}, function_text_{"Function"};
  Ps whole_ = 0;
  double cumulative_ = 0;
};

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

}  // namespace

AnalysisResult RunOpStats(AnalysisContext& context, const AnalysisParams& params) {
  const Trace& trace = context.trace();
  const std::shared_ptr<const HostOps> shared_ops =
      OpsOf(context.Get<OpDatabase>(params), trace, params);
  const HostOps& ops = *shared_ops;
  OpTexts device_texts(ops.device_side), host_texts(ops.host_side);
  AnalysisResult result;
  result.panel = "op_stats";
  const bool gpus = HasGpuPlane(trace);
  const auto kernels = gpus ? context.Get<KernelStats>(params) : std::make_shared<KernelStats>();
  const MatrixUses use(kernels->kernels, context.xprof());
  const bool pytorch = CapabilitiesOf(trace).pytorch_events;
  for (bool with_idle : {false, true}) {
    ResultTable table;
    table.id = with_idle ? "ops_with_idle" : "ops";
    table.title = with_idle ? "Operations and idle time" : "Operations";
    table.SetColumns(OpStatsColumns(gpus));
    if (pytorch) {
      table.AddColumn({"device_time_launched", "Device time", Unit::kUs, ValueType::kReal,
                       "of the kernels and copies that the op, and no op inside it, launched"});
    }
    const size_t rows = ops.device_side.ops.size() + ops.host_side.ops.size() + 2;
    const size_t most = context.xprof().op_rows_limited ? 2 * kXprofRowsPerSide : SIZE_MAX;
    table.links.reserve(std::min(rows, most));
    TableWriter writer(&table, use, gpus,
                       context.xprof().op_rows_limited ? kXprofRowsPerSide : SIZE_MAX);
    writer.show_device_time = pytorch;
    writer.AddSide(ops.device_side, &device_texts, true, with_idle);
    writer.AddSide(ops.host_side, &host_texts, false, with_idle);
    result.tables.push_back(std::move(table));
  }
  if (!context.xprof().kernel_columns_of_xprof && !ops.device_side.ops.empty()) {
    result.tables.push_back(OpCategoryTable(ops.device_side, kernels->kernels));
  }
  const bool by_gradients = context.xprof().training_by_gradients;
  const bool training = by_gradients ? LooksLikeTraining(ops) : IsTraining(context);
  result.properties.push_back({"task_type", "Task",
                               std::string(training ? "Training" : "Inference"), Unit::kNone,
                               by_gradients ? "Training if the name of any op shows a gradient"
                                            : "Training if a name shows an optimizer or a "
                                              "backward pass"});
  if (ops.host_side.ops.empty() && ops.device_side.ops.empty()) {
    result.empty_reason = NoOps(trace);
  }
  return result;
}

}  // namespace stepscope
