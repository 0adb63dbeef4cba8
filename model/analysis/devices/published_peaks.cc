#include "model/analysis/devices/published_peaks.h"

#include <algorithm>
#include <string>
#include <variant>

#include "model/base/ascii.h"

namespace stepscope {
namespace {

constexpr GpuVendor kNv = GpuVendor::kNvidia, kAmd = GpuVendor::kAmd;

// The sources that the numbers were checked against beside the vendors' data sheets.
constexpr std::string_view kSheet = "data sheet of the product";
constexpr std::string_view kUnits = "data sheet of the product; units * operations * boost clock";
constexpr std::string_view kTorch =
    "data sheet of the product; units * operations * boost clock; PyTorch's device_info";

// A name that contains another comes first, and of devices that only their memory tells apart the
// one with more. Rows without processors are known by name alone.
constexpr PublishedPeaks kPeaks[] = {
    {"V100-PCIE", kNv, 70, 0, 15, {7, 7, 14, 0, 112, 0, 0, 62, 900}, kUnits},
    {"V100", kNv, 70, 80, 15, {7.8, 7.8, 15.7, 0, 125, 0, 0, 62, 900}, kUnits},
    {"T4", kNv, 75, 40, 14, {.25, .25, 8.1, 0, 65, 0, 0, 130, 320}, kUnits},
    {"A100-SXM4-80GB", kNv, 80, 108, 70, {9.7, 19.5, 19.5, 156, 312, 312, 0, 624, 2039}, kTorch},
    {"A100 80GB PCIe", kNv, 80, 0, 70, {9.7, 19.5, 19.5, 156, 312, 312, 0, 624, 1935}, kTorch},
    {"A100-PCIE-80GB", kNv, 80, 0, 70, {9.7, 19.5, 19.5, 156, 312, 312, 0, 624, 1935}, kTorch},
    {"A100", kNv, 80, 108, 35, {9.7, 19.5, 19.5, 156, 312, 312, 0, 624, 1555}, kTorch},
    {"A10", kNv, 86, 72, 20, {.5, .5, 31.2, 62.5, 125, 125, 0, 250, 600}, kUnits},
    {"A40", kNv, 86, 84, 40, {.6, .6, 37.4, 74.8, 149.7, 149.7, 0, 299, 696}, kUnits},
    {"RTX A6000", kNv, 86, 84, 40, {.6, .6, 38.7, 77.4, 154.8, 154.8, 0, 309, 768}, kUnits},
    {"L40S", kNv, 89, 142, 40, {1.4, 1.4, 91.6, 183, 362, 362, 733, 733, 864}, kUnits},
    {"L4", kNv, 89, 58, 20, {.5, .5, 30.3, 60, 121, 121, 242, 242, 300}, kUnits},
    {"RTX 4090", kNv, 89, 128, 20, {1.3, 1.3, 82.6, 82.6, 165, 165, 330, 661, 1008}, kSheet},
    {"RTX 5090", kNv, 120, 170, 28, {1.6, 1.6, 104.8, 104.8, 209, 209, 419, 838, 1792}, kSheet},
    {"H200", kNv, 90, 132, 130, {34, 67, 67, 495, 989, 989, 1979, 1979, 4800}, kUnits},
    {"H100 PCIe", kNv, 90, 114, 70, {26, 51, 51, 378, 756, 756, 1513, 1513, 2039}, kUnits},
    {"H100 NVL", kNv, 90, 132, 90, {30, 60, 60, 418, 835, 835, 1671, 1671, 3938}, kSheet},
    {"H100", kNv, 90, 132, 70, {34, 67, 67, 495, 989, 989, 1979, 1979, 3350}, kUnits},
    {"GH200 480GB", kNv, 90, 132, 90, {34, 67, 67, 495, 989, 989, 1979, 1979, 4000}, kUnits},
    {"GH200 144G", kNv, 90, 132, 140, {34, 67, 67, 495, 989, 989, 1979, 1979, 4900}, kUnits},
    {"GH200", kNv, 90, 132, 90, {34, 67, 67, 495, 989, 989, 1979, 1979, 4000}, kUnits},
    {"GB200", kNv, 100, 152, 180, {45, 45, 90, 1250, 2500, 2500, 5000, 5000, 8000, 10000}, kSheet},
    {"B200", kNv, 100, 148, 150, {40, 40, 80, 1100, 2250, 2250, 4500, 4500, 8000, 9000}, kUnits},
    {"MI100", kAmd, 90, 120, 30, {11.5, 11.5, 23.1, 0, 184.6, 92.3, 0, 184.6, 1229}, kUnits},
    {"MI210", kAmd, 90, 104, 50, {22.6, 45.3, 22.6, 0, 181, 181, 0, 181, 1638}, kTorch},
    {"MI250X", kAmd, 90, 110, 50, {23.9, 47.9, 23.9, 0, 191.5, 191.5, 0, 191.5, 1638}, kUnits},
    {"MI250", kAmd, 90, 104, 50, {22.6, 45.3, 22.6, 0, 181, 181, 0, 181, 1638}, kUnits},
    {"MI300A", kAmd, 94, 228, 100, {61.3, 122.6, 122.6, 490, 981, 981, 1961, 1961, 5300}, kTorch},
    {"MI325X", kAmd, 94, 304, 230, {81.7, 163.4, 163.4, 654, 1307, 1307, 2615, 2615, 6000}, kUnits},
    {"MI300X", kAmd, 94, 304, 150, {81.7, 163.4, 163.4, 654, 1307, 1307, 2615, 2615, 5300}, kTorch},
    {"MI350X",
     kAmd,
     95,
     256,
     250,
     {72.1, 72.1, 144.2, 0, 2307, 2307, 4614, 4614, 8000, 9227},
     kTorch},
    {"MI355X",
     kAmd,
     95,
     256,
     250,
     {78.6, 78.6, 157.3, 0, 2517, 2517, 5033, 5033, 8000, 10066},
     kUnits},
};

int64_t IntOf(const Plane& plane, std::string_view name) {
  for (const PlaneStat& s : plane.stats) {
    if (s.name != name) continue;
    if (const auto* i = std::get_if<int64_t>(&s.value)) return *i;
    if (const auto* u = std::get_if<uint64_t>(&s.value)) return static_cast<int64_t>(*u);
    if (const auto* d = std::get_if<double>(&s.value)) return static_cast<int64_t>(*d);
  }
  return 0;
}

int64_t CapabilityOf(const Plane& plane) {
  const int64_t major = std::max(IntOf(plane, "compute_cap_major"), IntOf(plane, "computeMajor"));
  const int64_t minor = std::max(IntOf(plane, "compute_cap_minor"), IntOf(plane, "computeMinor"));
  return major * 10 + minor;
}

// ROCm calls some devices by their architecture, or "AMD Radeon Graphics".
bool SaysNothing(std::string_view name) {
  return name.empty() || name.starts_with("gfx") || name == "AMD Radeon Graphics";
}

bool Fits(const PublishedPeaks& row, const DeviceFacts& facts, int64_t capability) {
  if (!SaysNothing(facts.name)) return ContainsWords(facts.name, row.name);
  const bool vendor =
      facts.vendor == row.vendor || (facts.vendor == GpuVendor::kUnknown && row.vendor == kAmd);
  return vendor && row.capability == capability && row.processors == facts.processors &&
         facts.memory_bytes / 1'000'000'000 >= row.least_memory_gb;
}

}  // namespace

std::span<const PublishedPeaks> AllPublishedPeaks() { return kPeaks; }

const PublishedPeaks* PublishedPeaksOf(const Plane& plane) {
  const DeviceFacts facts = DeviceFactsOf(plane);
  const int64_t capability = CapabilityOf(plane);
  const auto row = std::find_if(std::begin(kPeaks), std::end(kPeaks),
                                [&](const auto& peaks) { return Fits(peaks, facts, capability); });
  return row != std::end(kPeaks) ? &*row : nullptr;
}

std::optional<KnownPeaks> KnownPeaksOf(const Trace& trace, std::span<const OwnPeaks> own) {
  std::optional<KnownPeaks> known;
  const auto gpu = std::find_if(trace.planes.begin(), trace.planes.end(),
                                [](const Plane& plane) { return plane.kind == PlaneKind::kGpu; });
  const PublishedPeaks* row = gpu != trace.planes.end() ? PublishedPeaksOf(*gpu) : nullptr;
  if (row != nullptr) {
    known = {std::string(row->name), row->numbers,
             "published by the vendor: " + std::string(row->source), false};
  }
  const OwnPeaks* mine = FindOwnPeaks(own, DeviceNameOf(trace));
  if (mine == nullptr) return known;
  const PeakNumbers numbers = WithOwn(known ? known->numbers : PeakNumbers(), mine->numbers);
  return KnownPeaks{mine->device, numbers,
                    known ? "your own; the others are published by the vendor" : "your own", true};
}

}  // namespace stepscope
