// The analysis `roofline`: how near each HLO op is to the limits of its device
// (docs/rules.md#hlo-roofline). Where no program of XLA ran it has PyTorch's ops
// (torch/torch_ops.h).
#include <algorithm>
#include <utility>

#include "model/analysis/definitions.h"
#include "model/analysis/pages/hlo_op_pages.h"
#include "model/analysis/steps/scope.h"
#include "model/analysis/tables/schema.h"
#include "model/analysis/torch/torch_ops.h"
#include "model/jobs/job.h"

namespace stepscope {
namespace {

constexpr size_t kXprofRows = 1000;

// Whether the op holds others, whose costs would count twice.
bool HoldsOthers(const HloOp& op, bool megacore) {
  return op.category == "while" || op.category == "conditional" || op.category == "call" ||
         (megacore && op.category == "megacore fusion");
}

bool IsFeed(const HloOp& op) { return op.category == "infeed" || op.category == "outfeed"; }

// --- Steps
struct HloStepSums {
  std::string label;  // the step's number
  HloSums sums;       // time: the length of the step on all devices
};

// The costs of `events` of the op's events.
HloSums PartOf(const HloOp& op, uint64_t events) {
  const double part = static_cast<double>(events) / static_cast<double>(op.events);
  HloSums sums = op;
  sums.occurrences = 0;
  sums.time = sums.self = sums.normalized = sums.stall = 0;
  for (double HloSums::*cost :
       {&HloSums::flops, &HloSums::model_flops, &HloSums::bytes, &HloSums::hbm,
        &HloSums::on_chip_read, &HloSums::on_chip_written, &HloSums::cmem_read,
        &HloSums::cmem_written, &HloSums::vmem_read, &HloSums::vmem_written})
    sums.*cost *= part;
  return sums;
}

// The steps in order of their begin.
std::vector<const Step*> StepsOf(const StepDatabase& steps, const Scope& scope) {
  std::vector<const Step*> chosen;
  for (const Step& step : steps.steps) {
    if (scope.Has(step) && !step.span.empty()) chosen.push_back(&step);
  }
  std::stable_sort(chosen.begin(), chosen.end(),
                   [](const Step* a, const Step* b) { return a->span.begin < b->span.begin; });
  return chosen;
}

// One entry for each step of params; an op's costs go to the steps of its events, alike to each
// event. Ops that hold others (loops, calls) are left out. O(events of ops * log steps).
std::vector<HloStepSums> SumByStep(AnalysisContext& context, const HloOpTable& ops,
                                   const AnalysisParams& params) {
  const Scope scope = ScopeOf(context, params);
  const std::vector<const Step*> steps = StepsOf(context.Get<StepDatabase>(), scope);
  std::vector<HloStepSums> sums;
  for (const Step* step : steps) {
    HloStepSums& s = sums.emplace_back();
    s.label = std::to_string(step->number);
    s.sums.time = SaturatingMul(step->span.length(), std::max<uint32_t>(1, ops.devices));
  }
  for (const HloOp& op : ops.ops) {
    CheckStop();
    if (HoldsOthers(op, false)) continue;
    std::vector<uint64_t> events(steps.size());
    for (const EventRow row : op.rows) {
      const Ps begin = context.trace().set.Start(row);
      const auto after = std::upper_bound(steps.begin(), steps.end(), begin,
                                          [](Ps t, const Step* s) { return t < s->span.begin; });
      if (after != steps.begin() && (*(after - 1))->span.Contains(begin))
        ++events[static_cast<size_t>(after - steps.begin() - 1)];
    }
    for (size_t k = 0; k < events.size(); ++k) {
      if (events[k] > 0) sums[k].sums += PartOf(op, events[k]);
    }
  }
  return sums;
}

bool HasStepsLine(const Trace& trace) {
  return std::any_of(trace.set.tracks.begin(), trace.set.tracks.end(),
                     [](const Track& t) { return t.kind == TrackKind::kSteps; });
}

// XProf keeps ops by step only on TPUs, and knows only steps of a Steps line. Their average comes
// first, and is 0 without such a line.
std::vector<HloStepSums> XprofSteps(AnalysisContext& context, const HloOpTable& ops,
                                    const AnalysisParams& params) {
  std::vector<HloStepSums> steps;
  if (ops.kind != DeviceKind::kTpu) return steps;
  if (HasStepsLine(context.trace())) steps = SumByStep(context, ops, params);
  HloStepSums average;
  average.label = "Average";
  for (const HloStepSums& step : steps) average.sums += step.sums;
  if (!steps.empty()) average.sums.time /= static_cast<Ps>(steps.size());
  steps.insert(steps.begin(), std::move(average));
  return steps;
}

// --- Rows
class RowBuilder {
 public:
  RowBuilder(const std::shared_ptr<const HloOpTable>& ops, bool feeds) : ops_(ops), feeds_(feeds) {
    total_ = ops->total;
    for (const HloOp& op : ops->ops) {
      if (!Shown(op)) total_ -= op.self;
    }
  }

  void AddProgram(std::string step, const HloSums& sums) {
    auto program = std::make_shared<HloOp>();
    static_cast<HloSums&>(*program) = sums;
    program->category = program->name = "Program";
    program->peak_flops = ops_->peaks.flops;
    program->self = program->stall = 0;
    program->occurrences = 1;
    Add(std::move(step), 0, std::move(program), 0);
  }

  void AddTotal() {
    HloSums sums;
    for (const HloOp& op : ops_->ops) {
      if (Shown(op) && !HoldsOthers(op, true)) sums += op;
    }
    sums.time = total_;
    AddProgram("Total", sums);
  }

  void AddOps(size_t most) {
    int64_t rank = 0;
    double cumulative = 0;
    for (const HloOp& op : ops_->ops) {
      if (!Shown(op)) continue;
      if (static_cast<size_t>(rank) >= most) return;
      cumulative += Share(op.self);
      Add("Total", ++rank, {ops_, &op}, cumulative);
    }
  }

  std::vector<RooflineRow> Take() { return std::move(rows_); }

 private:
  bool Shown(const HloOp& op) const { return feeds_ || !IsFeed(op); }
  double Share(Ps time) const {
    return Quotient(static_cast<double>(time), static_cast<double>(total_));
  }
  void Add(std::string step, int64_t rank, std::shared_ptr<const HloOp> op, double cumulative) {
    const HloRates rates = RatesOf(*op, ops_->peaks, op->peak_flops, ops_->kind);
    const double share = Share(op->self), of_time = Share(op->time);
    rows_.push_back({{std::move(op), rates, share, cumulative}, std::move(step), rank, of_time});
  }

  const std::shared_ptr<const HloOpTable>& ops_;
  const bool feeds_;
  Ps total_ = 0;  // of the devices, without feeds that are not shown
  std::vector<RooflineRow> rows_;
};

auto AverageOf(Ps HloSums::*time) {
  return [time](const RooflineRow& r) {
    return Quotient(InUs((*r.op).*time), static_cast<double>(r.op->occurrences));
  };
}

Schema<RooflineRow, HloOpTable> RooflineSchema(const char* id, const char* title) {
  using R = RooflineRow;
  using T = HloOpTable;
  return {
      id,
      title,
      {{"step", "Step", Unit::kNone, &R::step, "Total: the whole recording"},
       {"rank", "Rank", Unit::kNone, &R::rank, "0: the program"},
       {"category", "Category", Unit::kNone, OfOp(&HloOp::category)},
       {"operation", "HLO op", Unit::kNone, OfOp(&HloOp::name), "", kKeyColumn},
       {"occurrences", "Count", Unit::kCount, OfOp(&HloOp::occurrences)},
       {"total_time", "Total time", Unit::kUs, OfOp(&HloOp::time)},
       {"avg_time", "Average", Unit::kUs, AverageOf(&HloOp::time)},
       {"total_self_time", "Self time", Unit::kUs, OfOp(&HloOp::self)},
       {"avg_self_time", "Average self", Unit::kUs, AverageOf(&HloOp::self)},
       {"total_self_time_percent", "Self", Unit::kFraction, &R::share,
        "share of the devices' time"},
       {"cumulative_total_self_time_percent", "Cumulative", Unit::kFraction, &R::cumulative},
       {"measured_flop_rate", "Compute rate", Unit::kGflops, OfRates(&HloRates::flops),
        "operations / time", kKeyColumn},
       {"model_flop_rate", "Model rate", Unit::kGflops, OfRates(&HloRates::model_flops)},
       {"measured_memory_bw", "GiB/s", Unit::kNone, OfRates(&HloRates::bytes), "bytes / time"},
       {"hbm_bw", "Main memory GiB/s", Unit::kNone, OfRates(&HloRates::hbm)},
       {"cmem_read_bw", "CMEM read GiB/s", Unit::kNone, OfRates(&HloRates::cmem_read)},
       {"cmem_write_bw", "CMEM write GiB/s", Unit::kNone, OfRates(&HloRates::cmem_written)},
       {"vmem_read_bw", "VMEM read GiB/s", Unit::kNone, OfRates(&HloRates::vmem_read)},
       {"vmem_write_bw", "VMEM write GiB/s", Unit::kNone, OfRates(&HloRates::vmem_written)},
       {"operational_intensity", "FLOP/byte", Unit::kNone, OfRates(&HloRates::intensity)},
       {"hbm_operational_intensity", "FLOP/byte of main memory", Unit::kNone,
        OfRates(&HloRates::hbm_intensity)},
       {"cmem_read_operational_intensity", "FLOP/byte of CMEM reads", Unit::kNone,
        OfRates(&HloRates::cmem_read_intensity)},
       {"cmem_write_operational_intensity", "FLOP/byte of CMEM writes", Unit::kNone,
        OfRates(&HloRates::cmem_written_intensity)},
       {"vmem_read_operational_intensity", "FLOP/byte of VMEM reads", Unit::kNone,
        OfRates(&HloRates::vmem_read_intensity)},
       {"vmem_write_operational_intensity", "FLOP/byte of VMEM writes", Unit::kNone,
        OfRates(&HloRates::vmem_written_intensity)},
       {"bottleneck_operational_intensity", "FLOP/byte of the limit", Unit::kNone,
        OfRates(&HloRates::bound_intensity), "of the memory that it is bound by", kKeyColumn},
       {"bound_by", "Bound by", Unit::kNone, OfRates(&HloRates::bound_by)},
       {"total_time_per_core", "Time a device", Unit::kUs,
        [](const R& r, const T& t) { return Quotient(InUs(r.op->time), t.devices); }},
       {"total_time_in_percentage", "Time", Unit::kFraction, &R::time_share},
       {"optimal_flop_rate", "Rate at the limit", Unit::kGflops, OfRates(&HloRates::optimal_flops)},
       {"roofline_efficiency", "Of the limit", Unit::kFraction, OfRates(&HloRates::efficiency)},
       {"compute_efficiency", "Of peak compute", Unit::kFraction,
        OfRates(&HloRates::compute_share)},
       {"max_mem_bw_utilization", "Of peak memory", Unit::kFraction,
        OfRates(&HloRates::memory_share)},
       {"dma_stall_percent", "DMA stall", Unit::kFraction, OfRates(&HloRates::stall)},
       {"hlo_module_id", "Program", Unit::kNone,
        [](const R& r) { return std::to_string(r.op->program_id); }},
       {"source_info", "Source", Unit::kNone, OfOp(&HloOp::source)},
       {"source_stack", "Stack", Unit::kNone, OfOp(&HloOp::stack)},
       {"peak_flop_rate", "Peak for its type", Unit::kGflops, OfOp(&HloOp::peak_flops)}},
      [](const R& r, const T&) { return r.is_program() ? RowLink() : LinkTo(*r.op); }};
}

// --- Limits
// TPUs without CMEM have one VMEM whose peaks are known.
bool HasVmem(const DevicePeaks& peaks) { return peaks.merged_vmem && peaks.cmem_read <= 0; }

void AddPeak(const char* id, const char* label, double value, const HloOpTable& ops,
             AnalysisResult* result) {
  result->properties.push_back({id, label, value, Unit::kNone, ops.peaks.source});
}

void AddRidge(const char* id, const char* label, double gib, const HloOpTable& ops,
              AnalysisResult* result) {
  result->properties.push_back(
      {id, label, RidgePoint(ops.peaks.flops, gib), Unit::kNone, kRidgeHow});
}

void AddPeaks(const Roofline& roofline, AnalysisResult* result) {
  const HloOpTable& ops = *roofline.ops;
  AddRidge("hbm_ridge_point", "Ridge point", ops.peaks.hbm, ops, result);
  AddPeak("peak_vmem_write_bw", "Peak of on-chip memory, GiB/s", roofline.peak_on_chip, ops,
          result);
  AddRidge("vmem_write_ridge_point", "Ridge point of on-chip memory", roofline.peak_on_chip, ops,
           result);
  if (ops.kind != DeviceKind::kTpu) return;
  const double reads = HasVmem(ops.peaks) ? ops.peaks.vmem_read : 0;
  AddPeak("peak_vmem_read_bw", "Peak of on-chip reads, GiB/s", reads, ops, result);
  AddRidge("vmem_read_ridge_point", "Ridge point of on-chip reads", reads, ops, result);
  AddPeak("peak_cmem_read_bw", "Peak of CMEM reads, GiB/s", ops.peaks.cmem_read, ops, result);
  AddPeak("peak_cmem_write_bw", "Peak of CMEM writes, GiB/s", ops.peaks.cmem_write, ops, result);
}

}  // namespace

double RidgePoint(double peak_gflops, double peak_gib_per_s) {
  return Quotient(peak_gflops, peak_gib_per_s * kGBPerGiB);
}

Roofline Roofline::Compute(AnalysisContext& context, const AnalysisParams& params) {
  Roofline roofline;
  roofline.ops = context.Get<HloOpTable>(params);
  const HloOpTable& ops = *roofline.ops;
  const DevicePeaks& peaks = ops.peaks;
  const bool tpu = ops.kind == DeviceKind::kTpu, limited = context.xprof().hlo_rows_limited;
  roofline.peak_on_chip = !tpu ? peaks.sram_write : HasVmem(peaks) ? peaks.vmem_write : 0;
  if (ops.ops.empty()) return roofline;
  RowBuilder rows(roofline.ops, true);
  rows.AddTotal();
  rows.AddOps(limited ? kXprofRows : SIZE_MAX);
  for (HloStepSums& step :
       limited ? XprofSteps(context, ops, params) : SumByStep(context, ops, params))
    rows.AddProgram(std::move(step.label), step.sums);
  roofline.rows = rows.Take();
  if (std::none_of(ops.ops.begin(), ops.ops.end(), IsFeed)) return roofline;
  RowBuilder without(roofline.ops, false);
  without.AddTotal();
  without.AddOps(limited ? kXprofRows : SIZE_MAX);
  roofline.without_feeds = without.Take();
  return roofline;
}

AnalysisResult RunRoofline(AnalysisContext& context, const AnalysisParams& params) {
  AnalysisResult result;
  result.panel = "roofline";
  const auto roofline = context.Make<Roofline>(params);
  const HloOpTable& ops = *roofline->ops;
  if (ops.ops.empty() && AddTorchRoofline(context, params, &result)) return result;
  result.tables.push_back(RooflineSchema("roofline", "Roofline").Make(roofline->rows, ops));
  if (!roofline->without_feeds.empty()) {
    result.tables.push_back(
        RooflineSchema("roofline_without_infeed", "Roofline without infeed and outfeed")
            .Make(roofline->without_feeds, ops));
  }
  AddHloFacts(ops, &result);
  AddPeaks(*roofline, &result);
  result.empty_reason = NoHloOps(context, ops);
  result.SetSource(roofline);
  return result;
}

}  // namespace stepscope
