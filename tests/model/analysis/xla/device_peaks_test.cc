#include "model/analysis/xla/device_peaks.h"

#include <doctest/doctest.h>

namespace stepscope {
namespace {

Trace GpuOf(std::vector<PlaneStat> stats) {
  Trace trace;
  Plane plane;
  plane.kind = PlaneKind::kGpu;
  plane.stats = std::move(stats);
  trace.planes.push_back(std::move(plane));
  return trace;
}

TEST_CASE("by XProf's rules peaks are cores * clock * operations of a cycle") {
  const Trace a100 = GpuOf({{"device_vendor", std::string("Nvidia")},
                            {"core_count", int64_t{100}},
                            {"clock_rate", int64_t{1'000'000}},  // kHz
                            {"memory_bandwidth", uint64_t{1'073'741'824}},
                            {"compute_cap_major", int64_t{8}},
                            {"compute_cap_minor", int64_t{7}}});
  const DevicePeaks peaks = DevicePeaksOf(a100, true);
  CHECK(peaks.flops == doctest::Approx(100 * 1.0 * 1024));  // 8.7 takes 8.6's
  CHECK(peaks.hbm == 1);
  CHECK(peaks.sram_write == doctest::Approx(100 * 1e9 * 256 / kBytesPerGiB));
}

TEST_CASE("a known device has the peaks that its vendor publishes, by type") {
  const Trace mi300x = GpuOf({{"device_vendor", std::string("AMD")},
                              {"core_count", int64_t{304}},
                              {"memory_size", uint64_t{206'141'652'992}},
                              {"memory_bandwidth", uint64_t{2'662'400'000'000}},
                              {"compute_cap_major", int64_t{9}},
                              {"compute_cap_minor", int64_t{4}}});
  const DevicePeaks peaks = DevicePeaksOf(mi300x, false);
  CHECK(peaks.hbm == doctest::Approx(5300 / kGBPerGiB));
  CHECK(peaks.FlopsOf(xla::ElementType::kBf16) == 1307e3);
  CHECK(peaks.FlopsOf(xla::ElementType::kF32) == 163.4e3);
  CHECK(DevicePeaksOf(mi300x, true).hbm == doctest::Approx(2662.4 / kGBPerGiB));
}

TEST_CASE("without a device, or facts about it, no peak is known") {
  CHECK(DevicePeaksOf(Trace(), false).flops == 0);
  CHECK(DevicePeaksOf(GpuOf({}), false).flops == 0);
}

}  // namespace
}  // namespace stepscope
