#include "model/analysis/torch/torch_tables.h"

#include <algorithm>
#include <string>
#include <utility>

#include "model/analysis/tables/in_unit.h"
#include "model/analysis/torch/torch_ops.h"
#include "model/capabilities.h"
#include "model/trace.h"

namespace stepscope {
namespace {

using V = ValueType;

constexpr double kTera = 1e12, kGiga = 1e9;

ResultTable EmptyTable(bool on_cpu) {
  ResultTable t;
  t.id = "torch_ops";
  t.title = "PyTorch's ops";
  t.SetColumns(
      {{"operation", "Op", Unit::kNone, V::kString, "(no op): kernels that no op launched", true},
       {"input_dims", "Shapes", Unit::kNone, V::kString, "as recorded", true},
       {"input_types", "Types", Unit::kNone, V::kString, "as recorded"},
       {"occurrences", "Calls", Unit::kCount, V::kInt, ""},
       {"total_device_time_us", "Time", Unit::kUs, V::kReal,
        on_cpu ? "of the calls" : "of their kernels, copies and fills", true},
       {"share", "Share", Unit::kFraction, V::kReal, "of the time of all rows", true},
       {"flops", "Operations", Unit::kNone, V::kReal,
        "of one call, by its shapes; empty: no formula or no shapes", true},
       {"flops_unmasked", "Without mask", Unit::kNone, V::kReal,
        "operations of causal attention without the half that is left out"},
       {"bytes", "Bytes", Unit::kBytes, V::kReal,
        "of one call at least: each input once, the output once"},
       {"tflops_per_s", "TFLOP/s", Unit::kNone, V::kReal, "operations / time", true},
       {"gb_per_s", "GB/s", Unit::kNone, V::kReal, "bytes / time", true},
       {"intensity", "FLOP/byte", Unit::kNone, V::kReal, ""},
       {"peak_tflops", "Peak TFLOP/s", Unit::kNone, V::kReal, "of the device for this type"},
       {"peak_of", "Peak of", Unit::kNone, V::kString, ""},
       {"peak_gb_per_s", "Peak GB/s", Unit::kNone, V::kReal, "of the main memory"},
       {"bound_by", "Bound by", Unit::kNone, V::kString, "the limit that takes longer at its peak",
        true},
       {"of_limit", "Of the limit", Unit::kFraction, V::kReal,
        "time at the peak of the limit / time; over 1 where caches hold the data", true},
       {"estimate", "Estimate", Unit::kNone, V::kBool,
        "operations of an element are a rough count, or the compiler's"}});
  return t;
}

Value Known(double value) { return value > 0 ? Value(value) : Value(); }

void AddRow(const TorchOps& ops, const TorchOp& op, ResultTable* t) {
  const double seconds = static_cast<double>(op.time) / static_cast<double>(kPsPerS);
  const bool network = op.cost && op.cost->engine == TorchEngine::kNetwork;
  const double peak_bytes = ops.peaks && !network ? ops.peaks->numbers.gbps * kGiga : 0;
  const double compute = op.peak_tflops > 0 ? op.flops / (op.peak_tflops * kTera) : 0;
  const double memory = peak_bytes > 0 ? op.bytes / peak_bytes : 0;
  const double limit = std::max(compute, memory);
  const char* bound = network             ? "Network"
                      : limit <= 0        ? "Unknown"
                      : compute >= memory ? "Compute"
                                          : "HBM";
  t->AddRow(
      {op.operation, op.dims, op.types, static_cast<int64_t>(op.calls), InUs(op.time),
       ops.total > 0 ? Value(static_cast<double>(op.time) / static_cast<double>(ops.total))
                     : Value(),
       op.cost ? Value(op.cost->flops) : Value(), op.cost ? Value(op.cost->flops_uncut) : Value(),
       op.cost ? Known(op.cost->bytes) : Value(),
       op.cost ? Value(op.flops / kTera / seconds) : Value(), Known(op.bytes / kGiga / seconds),
       op.bytes > 0 ? Value(op.flops / op.bytes) : Value(), Known(op.peak_tflops),
       std::string(op.peak_of), Known(peak_bytes / kGiga), std::string(bound),
       limit > 0 ? Value(limit / seconds) : Value(), op.cost.has_value() && op.cost->estimate});
  t->links.push_back(LinkTo(op.rows));
}

void AddProperties(const TorchOps& ops, AnalysisResult* result) {
  const auto add = [&](const char* id, const char* label, Value value, Unit unit, std::string how) {
    result->properties.push_back({id, label, std::move(value), unit, std::move(how)});
  };
  add("torch_device", "Device",
      ops.device.empty() ? std::string(ops.on_cpu ? "CPU" : "unknown") : ops.device, Unit::kNone,
      "");
  if (ops.peaks) add("peaks_of", "Peaks of", ops.peaks->name, Unit::kNone, ops.peaks->source);
  add("unknown_cost_percent", "Time of unknown cost",
      ops.total > 0 ? Value(100 * static_cast<double>(ops.unknown) / static_cast<double>(ops.total))
                    : Value(),
      Unit::kPercent,
      "of the time of kernels: no op launched them, or the op has no formula or no "
      "shapes (record_shapes=True)");
}

}  // namespace

bool AddTorchRoofline(AnalysisContext& context, const AnalysisParams& params,
                      AnalysisResult* result) {
  const std::shared_ptr<const TorchOps> kept = context.Get<TorchOps>(params);
  const TorchOps& ops = *kept;
  if (ops.ops.empty()) return false;
  ResultTable table = EmptyTable(ops.on_cpu);
  for (const TorchOp& op : ops.ops) AddRow(ops, op, &table);
  AddProperties(ops, result);
  result->tables.push_back(std::move(table));
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
