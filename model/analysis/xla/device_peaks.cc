#include "model/analysis/xla/device_peaks.h"

#include <algorithm>
#include <string_view>
#include <variant>

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

// Dense peaks that the vendors publish: TFLOP/s by PeakKind, and GB/s. A device is known by a part
// of its name, or by its compute capability, processors and memory.
struct PublishedRow {
  std::string_view name;
  GpuVendor vendor;
  int capability;
  int64_t processors, least_memory_gb;
  std::array<double, 5> tflops;
  double gbps;
};
constexpr PublishedRow kPublished[] = {
    {"MI325X", GpuVendor::kAmd, 94, 304, 230, {163.4, 163.4, 1307, 2615, 2615}, 6000},
    {"MI300X", GpuVendor::kAmd, 94, 304, 150, {163.4, 163.4, 1307, 2615, 2615}, 5300},
    {"MI300A", GpuVendor::kAmd, 94, 228, 100, {122.6, 122.6, 981, 1961, 1961}, 5300},
    {"MI355X", GpuVendor::kAmd, 95, 256, 250, {78.6, 157.3, 2517, 5033, 5033}, 8000},
    {"MI250X", GpuVendor::kAmd, 90, 110, 50, {47.9, 47.9, 191.5, 0, 191.5}, 1638},
    {"B200", GpuVendor::kNvidia, 100, 148, 150, {40, 80, 2250, 4500, 4500}, 8000},
    {"H200", GpuVendor::kNvidia, 90, 132, 130, {67, 67, 989, 1979, 1979}, 4800},
    {"H100 PCIe", GpuVendor::kNvidia, 90, 114, 70, {51, 51, 756, 1513, 1513}, 2039},
    {"H100", GpuVendor::kNvidia, 90, 132, 70, {67, 67, 989, 1979, 1979}, 3350},
    {"A100-SXM4-80GB", GpuVendor::kNvidia, 80, 108, 70, {19.5, 19.5, 312, 0, 624}, 2039},
    {"A100", GpuVendor::kNvidia, 80, 108, 35, {19.5, 19.5, 312, 0, 624}, 1555},
    {"V100", GpuVendor::kNvidia, 70, 80, 15, {7.8, 15.7, 125, 0, 62}, 900},
    {"T4", GpuVendor::kNvidia, 75, 40, 14, {0.25, 8.1, 65, 0, 130}, 320},
    {"L40S", GpuVendor::kNvidia, 89, 142, 40, {1.4, 91.6, 362, 733, 733}, 864},
    {"L4", GpuVendor::kNvidia, 89, 58, 20, {0.5, 30.3, 121, 242, 242}, 300},
};

bool Fits(const PublishedRow& row, const DeviceFacts& facts, int capability) {
  if (!facts.name.empty() && facts.name.find(row.name) != std::string::npos) return true;
  const bool named = !facts.name.empty() && !facts.name.starts_with("gfx");
  return !named && row.vendor == facts.vendor && row.capability == capability &&
         row.processors == facts.processors &&
         facts.memory_bytes / 1'000'000'000 >= row.least_memory_gb;
}

void UsePublished(const Plane& plane, DevicePeaks* peaks) {
  const DeviceFacts facts = DeviceFactsOf(plane);
  for (const PublishedRow& row : kPublished) {
    if (!Fits(row, facts, Capability(plane))) continue;
    for (size_t k = 0; k < row.tflops.size(); ++k) peaks->flops_of[k] = row.tflops[k] * 1e3;
    peaks->flops = peaks->flops_of[static_cast<size_t>(PeakKind::kFp16)];
    peaks->hbm = row.gbps / kGBPerGiB;
    peaks->source = "published by the vendor of " + std::string(row.name);
    return;
  }
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
    default:
      return xla::BitsOf(type) == 8 && type != xla::ElementType::kPred ? of(PeakKind::kFp8)
                                                                       : of(PeakKind::kFp32);
  }
}

DevicePeaks DevicePeaksOf(const Trace& trace, bool as_xprof) {
  DevicePeaks peaks;
  if (const Plane* tpu = FirstPlane(trace, PlaneKind::kTpu)) {
    peaks = TpuPeaks(*tpu);
  } else if (const Plane* gpu = FirstPlane(trace, PlaneKind::kGpu)) {
    peaks = GpuPeaks(*gpu);
    if (!as_xprof) UsePublished(*gpu, &peaks);
  }
  peaks.device = DeviceTypeOf(trace);
  return peaks;
}

}  // namespace stepscope
