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

TEST_CASE("what the user states wins, for GPUs that are known or not, and for CPUs") {
  const auto own = ParseOwnPeaks("MY GPU: fp16=100 fp32=10 memory=2000; CPU: fp32=2 memory=100");
  REQUIRE(own.ok());
  const Trace mine = GpuOf({{"gpu_device_name", std::string("MY GPU 2")}});
  const DevicePeaks peaks = DevicePeaksOf(mine, false, *own);
  CHECK(peaks.flops == 100e3);
  CHECK(peaks.FlopsOf(xla::ElementType::kBf16) == 100e3);
  CHECK(peaks.FlopsOf(xla::ElementType::kF32) == 10e3);
  CHECK(peaks.hbm == doctest::Approx(2000 / kGBPerGiB));
  CHECK(peaks.source.find("your own") != std::string::npos);
  CHECK(DevicePeaksOf(mine, true, *own).flops == 0);  // XProf knows nothing of it
  const DevicePeaks cpu = DevicePeaksOf(Trace(), false, *own);
  CHECK(cpu.flops == 2e3);
  CHECK(cpu.hbm == doctest::Approx(100 / kGBPerGiB));
  // Only the stated number of a known device changes.
  const Trace h100 = GpuOf({{"gpu_device_name", std::string("NVIDIA H100 80GB HBM3")}});
  const auto memory = ParseOwnPeaks("H100: memory=3000");
  const DevicePeaks some = DevicePeaksOf(h100, false, *memory);
  CHECK(some.FlopsOf(xla::ElementType::kBf16) == 989e3);
  CHECK(some.hbm == doctest::Approx(3000 / kGBPerGiB));
}

TEST_CASE("FP4 has a peak of its own where the device has the type") {
  const Trace b200 = GpuOf({{"gpu_device_name", std::string("NVIDIA B200")}});
  CHECK(DevicePeaksOf(b200, false).FlopsOf(xla::ElementType::kF4E2M1) == 9000e3);
  const Trace h100 = GpuOf({{"gpu_device_name", std::string("NVIDIA H100 80GB HBM3")}});
  CHECK(DevicePeaksOf(h100, false).FlopsOf(xla::ElementType::kF4E2M1) ==
        DevicePeaksOf(h100, false).flops);
}

TEST_CASE("without a device, or facts about it, no peak is known") {
  CHECK(DevicePeaksOf(Trace(), false).flops == 0);
  CHECK(DevicePeaksOf(GpuOf({}), false).flops == 0);
}

}  // namespace
}  // namespace stepscope
