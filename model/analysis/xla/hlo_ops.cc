#include "model/analysis/xla/hlo_ops.h"

#include <algorithm>
#include <cmath>

namespace stepscope {
namespace {

struct Limit {
  std::string_view name;
  double share, intensity;
};

// The first limit of those of which the largest share is used.
void FindBound(std::initializer_list<Limit> limits, HloRates* rates) {
  double largest = 0;
  for (const Limit& limit : limits) {
    if (limit.share <= largest) continue;
    largest = limit.share;
    rates->bound_by = limit.name;
    rates->bound_intensity = limit.intensity;
  }
}

void FindTpuBound(const DevicePeaks& p, HloRates* r) {
  FindBound({{"Compute", r->compute_share, r->intensity},
             {"HBM", r->hbm_share, r->hbm_intensity},
             {"CMEM Read", Quotient(r->cmem_read, p.cmem_read), r->cmem_read_intensity},
             {"CMEM Write", Quotient(r->cmem_written, p.cmem_write), r->cmem_written_intensity},
             {"VMEM Read", Quotient(r->vmem_read, p.vmem_read), r->vmem_read_intensity},
             {"VMEM Write", Quotient(r->vmem_written, p.vmem_write), r->vmem_written_intensity}},
            r);
}

// XProf compares the rate of the main memory with the peak of the on-chip memory, too.
void FindGpuBound(const DevicePeaks& p, HloRates* r) {
  FindBound({{"Compute", r->compute_share, r->intensity},
             {"HBM", r->hbm_share, r->hbm_intensity},
             {"Shm/L1", Quotient(r->hbm, p.sram_write), r->hbm_intensity}},
            r);
}

double MemoryShare(const DevicePeaks& p, const HloRates& r) {
  double share = r.hbm_share;
  if (p.cmem_read + p.cmem_write > 0) {
    share = std::max(
        {share, Quotient(r.cmem_read, p.cmem_read), Quotient(r.cmem_written, p.cmem_write)});
  } else if (p.merged_vmem) {
    share = std::max(
        {share, Quotient(r.vmem_read, p.vmem_read), Quotient(r.vmem_written, p.vmem_write)});
  }
  return share;
}

}  // namespace

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

AnalysisParams HloOpTable::KeyOf(AnalysisParams params) {
  params.hlo = {};
  return params;
}

double Quotient(double a, double b) { return std::abs(b) < 1e-10 ? 0 : a / b; }

HloRates RatesOf(const HloSums& s, const DevicePeaks& peaks, double peak_flops, DeviceKind kind) {
  HloRates r;
  const double ns = static_cast<double>(s.time) / 1e3;
  const double hbm = s.split ? s.hbm : s.bytes;
  const auto rate = [&](double bytes) { return Quotient(bytes, ns) / kGBPerGiB; };
  r.flops = Quotient(s.flops, ns), r.model_flops = Quotient(s.model_flops, ns);
  r.bytes = rate(s.bytes), r.hbm = rate(hbm);
  r.cmem_read = rate(s.cmem_read), r.cmem_written = rate(s.cmem_written);
  r.vmem_read = rate(s.vmem_read), r.vmem_written = rate(s.vmem_written);
  r.intensity = Quotient(s.flops, s.bytes), r.hbm_intensity = Quotient(s.flops, hbm);
  r.cmem_read_intensity = Quotient(s.flops, s.cmem_read);
  r.cmem_written_intensity = Quotient(s.flops, s.cmem_written);
  r.vmem_read_intensity = Quotient(s.flops, s.vmem_read);
  r.vmem_written_intensity = Quotient(s.flops, s.vmem_written);
  r.stall = Quotient(static_cast<double>(s.stall), static_cast<double>(s.time));
  r.compute_share = Quotient(r.flops, peak_flops);
  r.hbm_share = Quotient(r.hbm, peaks.hbm);
  kind == DeviceKind::kTpu ? FindTpuBound(peaks, &r) : FindGpuBound(peaks, &r);
  r.memory_share = MemoryShare(peaks, r);
  r.efficiency = std::max(r.compute_share, r.memory_share);
  r.optimal_flops = Quotient(r.flops, r.efficiency);
  return r;
}

}  // namespace stepscope
