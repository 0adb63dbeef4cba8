#include "model/analysis/xla/device_peaks.h"

#include <algorithm>
#include <string_view>
#include <variant>

#include "model/analysis/devices/published_peaks.h"
#include "model/analysis/naming/device_type.h"

namespace stepscope {
namespace {

double StatOf(const Plane& plane, std::string_view name) {
  for (const PlaneStat& s : plane.stats) {
    if (s.name != name) continue;
    if (const auto* i = std::get_if<int64_t>(&s.value)) return static_cast<double>(*i);
    if (const auto* u = std::get_if<uint64_t>(&s.value)) return static_cast<double>(*u);
    if (const auto* d = std::get_if<double>(&s.value)) return *d;
  }
  return 0;
}

const Plane* FirstPlane(const Trace& trace, PlaneKind kind) {
  for (const Plane& plane : trace.planes) {
    if (plane.kind == kind) return &plane;
  }
  return nullptr;
}

// Operations of a core and cycle by XProf: the largest of vector and matrix units.
struct CoreRate {
  int capability;  // major * 10 + minor
  double flops;
};
constexpr CoreRate kNvidiaRates[] = {{20, 64},   {30, 384},  {50, 256},  {60, 256},
                                     {61, 256},  {70, 1024}, {75, 1024}, {80, 2048},
                                     {86, 1024}, {89, 1024}, {90, 4096}, {100, 8192}};

int Capability(const Plane& plane) {
  return static_cast<int>(StatOf(plane, "compute_cap_major") * 10 +
                          StatOf(plane, "compute_cap_minor"));
}

struct CoreRates {
  double flops = 0, sram_bytes = 0;
};

CoreRates NvidiaRates(int capability) {
  CoreRates rates;
  for (const CoreRate& row : kNvidiaRates) {
    if (capability >= row.capability) rates.flops = row.flops;
  }
  rates.sram_bytes = capability >= 30 ? 256 : 64;
  return rates;
}

CoreRates AmdRates(const std::string& name, int capability) {
  const auto is = [&](std::string_view gfx) { return name.starts_with(gfx); };
  if (is("gfx942") || (!is("gfx") && capability == 94)) return {2048, 128};
  if (is("gfx950") || (!is("gfx") && capability == 95)) return {4096, 256};
  if (is("gfx908") || is("gfx90a")) return {1024, 128};
  return {};
}

DevicePeaks GpuPeaks(const Plane& plane) {
  const DeviceFacts facts = DeviceFactsOf(plane);
  const int capability = Capability(plane);
  const CoreRates rates =
      facts.vendor == GpuVendor::kAmd ? AmdRates(facts.name, capability) : NvidiaRates(capability);
  const double cycles =
      StatOf(plane, "core_count") * StatOf(plane, "clock_rate") * 1e3;  // a second
  DevicePeaks peaks;
  peaks.source = "cores, clock and memory bandwidth that the recording names, by XProf's rules";
  peaks.flops = StatOf(plane, "peak_teraflops_per_second") * 1e3;
  if (peaks.flops <= 0) peaks.flops = cycles * rates.flops / 1e9;
  peaks.hbm = StatOf(plane, "memory_bandwidth") / kBytesPerGiB;
  peaks.sram_read = StatOf(plane, "peak_sram_rd_bw_gigabytes_per_second") / kGBPerGiB;
  peaks.sram_write = StatOf(plane, "peak_sram_wr_bw_gigabytes_per_second") / kGBPerGiB;
  if (peaks.sram_read <= 0) peaks.sram_read = cycles * rates.sram_bytes / kBytesPerGiB;
  if (peaks.sram_write <= 0) peaks.sram_write = cycles * rates.sram_bytes / kBytesPerGiB;
  return peaks;
}

DevicePeaks TpuPeaks(const Plane& plane) {
  const auto gib = [&](const char* memory) {
    return StatOf(plane, std::string("peak_") + memory + "_bw_gigabytes_per_second") / kGBPerGiB;
  };
  DevicePeaks peaks;
  peaks.source = "the recording";
  peaks.flops = StatOf(plane, "peak_teraflops_per_second") * 1e3;
  peaks.hbm = gib("hbm");
  peaks.sram_read = gib("sram_rd"), peaks.sram_write = gib("sram_wr");
  peaks.cmem_read = gib("cmem_rd"), peaks.cmem_write = gib("cmem_wr");
  peaks.vmem_read = gib("vmem_rd"), peaks.vmem_write = gib("vmem_wr");
  peaks.merged_vmem = StatOf(plane, "has_merged_vmem") != 0;
  peaks.megacore = StatOf(plane, "has_megacore") != 0;
  return peaks;
}

// Peaks of the device from other sources; the larger one where a type has two.
void Use(const KnownPeaks& known, DevicePeaks* peaks) {
  const PeakNumbers& n = known.numbers;
  const std::array<double, static_cast<size_t>(PeakKind::kCount)> tflops = {
      std::max(n.fp64, n.fp64_matrix), n.fp32, n.fp16, n.fp8, n.fp4, n.int8};
  for (size_t k = 0; k < tflops.size(); ++k) peaks->flops_of[k] = tflops[k] * 1e3;
  peaks->tf32 = n.tf32 * 1e3;
  const double most = *std::max_element(peaks->flops_of.begin(), peaks->flops_of.end());
  if (most > 0) peaks->flops = n.fp16 > 0 ? n.fp16 * 1e3 : most;
  if (n.gbps > 0) peaks->hbm = n.gbps / kGBPerGiB;
  peaks->source = known.own ? "peaks of " + known.name + ": " + known.source
                            : "published by the vendor of " + known.name;
}

}  // namespace

double DevicePeaks::FlopsOf(xla::ElementType type) const {
  const auto of = [&](PeakKind kind) {
    const double known = flops_of[static_cast<size_t>(kind)];
    return known > 0 ? known : flops;
  };
  switch (type) {
    case xla::ElementType::kF64:
    case xla::ElementType::kC128:
      return of(PeakKind::kFp64);
    case xla::ElementType::kF32:
    case xla::ElementType::kC64:
      return of(PeakKind::kFp32);
    case xla::ElementType::kF16:
    case xla::ElementType::kBf16:
      return of(PeakKind::kFp16);
    case xla::ElementType::kS8:
    case xla::ElementType::kU8:
      return of(PeakKind::kInt8);
    case xla::ElementType::kF4E2M1:
      return of(PeakKind::kFp4);
    default:
      return xla::BitsOf(type) == 8 && type != xla::ElementType::kPred ? of(PeakKind::kFp8)
                                                                       : of(PeakKind::kFp32);
  }
}

DevicePeaks DevicePeaksOf(const Trace& trace, bool as_xprof, std::span<const OwnPeaks> own) {
  DevicePeaks peaks;
  if (const Plane* tpu = FirstPlane(trace, PlaneKind::kTpu)) {
    peaks = TpuPeaks(*tpu);
  } else if (const Plane* gpu = FirstPlane(trace, PlaneKind::kGpu)) {
    peaks = GpuPeaks(*gpu);
  }
  if (!as_xprof) {
    if (const auto known = KnownPeaksOf(trace, own)) Use(*known, &peaks);
  }
  peaks.device = DeviceTypeOf(trace);
  return peaks;
}

}  // namespace stepscope
