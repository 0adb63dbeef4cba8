#include "model/analysis/xla/hlo_ops.h"

#include "model/analysis/definitions.h"
#include "model/analysis/xla/hlo_op_builder.h"

namespace stepscope {

HloSums& HloSums::operator+=(const HloSums& o) {
  occurrences += o.occurrences;
  time += o.time, self += o.self, normalized += o.normalized, stall += o.stall;
  flops += o.flops, model_flops += o.model_flops, bytes += o.bytes;
  split = split || o.split;
  hbm += o.hbm, on_chip_read += o.on_chip_read, on_chip_written += o.on_chip_written;
  cmem_read += o.cmem_read, cmem_written += o.cmem_written;
  vmem_read += o.vmem_read, vmem_written += o.vmem_written;
  return *this;
}

HloOpTable HloOpTable::Compute(AnalysisContext& context, const AnalysisParams& params) {
  const DeviceKind kind = KindOf(context.trace());
  HloOpBuilder builder(context, kind, params.peaks);
  if (kind == DeviceKind::kGpu) CollectGpuOps(context, params, &builder);
  if (kind == DeviceKind::kTpu) CollectTpuOps(context, params, &builder);
  const bool host_ops = kind == DeviceKind::kCpuOnly && !context.xprof().hlo_ops_of_cpu_left_out;
  if (host_ops) CollectCpuOps(context, params, &builder);
  return builder.Finish();
}

AnalysisParams HloOpTable::KeyOf(AnalysisParams params) {
  params.hlo = {};
  return params;
}

}  // namespace stepscope
