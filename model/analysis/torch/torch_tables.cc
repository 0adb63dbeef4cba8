// What pages show of PyTorch's ops: the table `torch_ops` of the roofline, and how much of its peak
// a step uses.
#include <algorithm>
#include <string>
#include <utility>

#include "model/analysis/steps/steps.h"
#include "model/analysis/tables/schema.h"
#include "model/analysis/torch/torch_ops.h"
#include "model/capabilities.h"
#include "model/trace.h"

namespace stepscope {
namespace {

constexpr double kTera = 1e12, kGiga = 1e9;

std::optional<double> Known(double value) {
  return value > 0 ? std::optional(value) : std::nullopt;
}

// A number of the cost of one call; none where the cost is not known.
auto OfCost(double TorchCost::*member) {
  return [member](const TorchOp& op) {
    return op.cost ? std::optional((*op.cost).*member) : std::nullopt;
  };
}

const Schema<TorchOp, TorchOps>& TorchSchema() {
  using O = TorchOp;
  using All = TorchOps;
  using Table = Schema<O, All>;
  const auto time = [](const char* how) {
    return Table::Field("total_device_time_us", "Time", Unit::kUs, &O::time, how, kKeyColumn);
  };
  static const Table schema(
      "torch_ops", "PyTorch's ops",
      {{"operation", "Op", Unit::kNone, &O::operation, "(no op): kernels that no op launched",
        kKeyColumn},
       {"input_dims", "Shapes", Unit::kNone, &O::dims, "as recorded", kKeyColumn},
       {"input_types", "Types", Unit::kNone, &O::types, "as recorded"},
       {"occurrences", "Calls", Unit::kCount, &O::calls},
       time("of the calls").When([](const All& all) { return all.on_cpu; }),
       time("of their kernels, copies and fills").When([](const All& all) { return !all.on_cpu; }),
       {"share", "Share", Unit::kFraction,
        [](const O& op, const All& all) {
          return all.total > 0
                     ? std::optional(static_cast<double>(op.time) / static_cast<double>(all.total))
                     : std::nullopt;
        },
        "of the time of all rows", kKeyColumn},
       {"flops", "Operations", Unit::kNone, OfCost(&TorchCost::flops),
        "of one call, by its shapes; empty: no formula or no shapes", kKeyColumn},
       {"flops_unmasked", "Without mask", Unit::kNone, OfCost(&TorchCost::flops_uncut),
        "operations of causal attention without the half that is left out"},
       {"bytes", "Bytes", Unit::kBytes,
        [](const O& op) { return Known(op.cost ? op.cost->bytes : 0); },
        "of one call at least: each input once, the output once"},
       {"tflops_per_s", "TFLOP/s", Unit::kNone,
        [](const O& op, const All& all) {
          return op.cost ? std::optional(all.RatesOf(op).tflops) : std::nullopt;
        },
        "operations / time", kKeyColumn},
       {"gb_per_s", "GB/s", Unit::kNone,
        [](const O& op, const All& all) { return Known(all.RatesOf(op).gbps); }, "bytes / time",
        kKeyColumn},
       {"intensity", "FLOP/byte", Unit::kNone,
        [](const O& op) { return op.bytes > 0 ? std::optional(op.intensity()) : std::nullopt; }},
       {"peak_tflops", "Peak TFLOP/s", Unit::kNone,
        [](const O& op) { return Known(op.peak_tflops); }, "of the device for this type"},
       {"peak_of", "Peak of", Unit::kNone, &O::peak_of},
       {"peak_gb_per_s", "Peak GB/s", Unit::kNone,
        [](const O& op, const All& all) { return Known(all.RatesOf(op).peak_gbps); },
        "of the main memory"},
       {"bound_by", "Bound by", Unit::kNone,
        [](const O& op, const All& all) { return all.RatesOf(op).bound_by; },
        "the limit that takes longer at its peak", kKeyColumn},
       {"of_limit", "Of the limit", Unit::kFraction,
        [](const O& op, const All& all) { return all.RatesOf(op).of_limit; },
        "time at the peak of the limit / time; over 1 where caches hold the data", kKeyColumn},
       {"estimate", "Estimate", Unit::kNone,
        [](const O& op) { return op.cost.has_value() && op.cost->estimate; },
        "operations of an element are a rough count, or the compiler's"}},
      [](const O& op, const All&) { return LinkTo(op.rows); });
  return schema;
}

void AddProperties(const TorchOps& ops, AnalysisResult* result) {
  const auto add = [&](const char* id, const char* label, Value value, Unit unit, std::string how) {
    result->properties.push_back({id, label, std::move(value), unit, std::move(how)});
  };
  add("torch_device", "Device", ops.shown_device(), Unit::kNone, "");
  if (ops.peaks) add("peaks_of", "Peaks of", ops.peaks->name, Unit::kNone, ops.peaks->source);
  add("unknown_cost_percent", "Time of unknown cost",
      ops.total > 0 ? Value(ops.unknown_percent()) : Value(), Unit::kPercent,
      "of the time of kernels: no op launched them, or the op has no formula or no "
      "shapes (record_shapes=True)");
}

}  // namespace

TorchRates TorchOps::RatesOf(const TorchOp& op) const {
  const double seconds = static_cast<double>(op.time) / static_cast<double>(kPsPerS);
  const bool network = op.cost && op.cost->engine == TorchEngine::kNetwork;
  const double peak_bytes = peaks && !network ? peaks->numbers.gbps * kGiga : 0;
  const double compute = op.peak_tflops > 0 ? op.flops / (op.peak_tflops * kTera) : 0;
  const double memory = peak_bytes > 0 ? op.bytes / peak_bytes : 0;
  const double limit = std::max(compute, memory);
  TorchRates rates{op.flops / kTera / seconds, op.bytes / kGiga / seconds, peak_bytes / kGiga};
  rates.bound_by = network             ? "Network"
                   : limit <= 0        ? "Unknown"
                   : compute >= memory ? "Compute"
                                       : "HBM";
  if (limit > 0) rates.of_limit = limit / seconds;
  return rates;
}

double TorchOps::unknown_percent() const {
  return total > 0 ? 100 * static_cast<double>(unknown) / static_cast<double>(total) : 0;
}

bool AddTorchRoofline(AnalysisContext& context, const AnalysisParams& params,
                      AnalysisResult* result) {
  const auto ops = context.Get<TorchOps>(params);
  if (ops->ops.empty()) return false;
  result->tables.push_back(TorchSchema().Make(ops->ops, *ops));
  AddProperties(*ops, result);
  result->SetSource(ops);
  return true;
}

bool HasModelFlops(const Trace& trace) {
  return CapabilitiesOf(trace).pytorch_events &&
         std::any_of(trace.planes.begin(), trace.planes.end(),
                     [](const Plane& plane) { return plane.kind == PlaneKind::kGpu; });
}

void AddModelFlops(AnalysisContext& context, const AnalysisParams& params, const StepDatabase& db,
                   AnalysisResult* result) {
  if (db.kind != DeviceKind::kGpu || db.device_steps.empty()) return;
  const std::shared_ptr<const TorchOps> ops = context.Get<TorchOps>(params);
  if (ops->work.empty()) return;
  const auto key = [](const TorchWork& w) { return std::pair(w.device.value, w.begin); };
  const size_t counted = CountedSteps(db.steps).size();
  const bool all =
      std::none_of(db.steps.begin(), db.steps.end(), [](const Step& s) { return s.counts(); });
  double flops = 0, at_peak = 0, seconds = 0;
  for (const DeviceStep& d : db.device_steps) {
    if (!all && !db.steps[d.step].counts()) continue;
    seconds += d.times.total / static_cast<double>(kPsPerS);
    auto work = std::partition_point(ops->work.begin(), ops->work.end(), [&](const TorchWork& w) {
      return key(w) < std::pair(d.device.value, d.span.begin);
    });
    for (; work != ops->work.end() && work->device == d.device && work->begin < d.span.end; ++work)
      flops += work->flops, at_peak += work->at_peak;
  }
  if (flops <= 0 || seconds <= 0 || counted == 0) return;
  const auto add = [&](const char* id, const char* label, Value value, Unit unit, const char* how) {
    result->properties.push_back({id, label, std::move(value), unit, how});
  };
  add("flops_per_step", "Operations a step", flops / static_cast<double>(counted), Unit::kNone,
      "of matrix products, convolutions and attention, by their recorded shapes, on all devices");
  add("step_tflops_per_s", "TFLOP/s of a device", flops / kTera / seconds, Unit::kNone,
      "these operations / step time, mean over devices");
  add("mfu_percent", "Model FLOPs utilisation",
      at_peak > 0 ? Value(100 * at_peak / seconds) : Value(), Unit::kPercent,
      "time that these operations take at the device's peak for their types / step time; empty "
      "where the device's peaks are not known");
}

}  // namespace stepscope
