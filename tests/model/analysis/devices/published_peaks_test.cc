#include "model/analysis/devices/published_peaks.h"

#include <doctest/doctest.h>

#include <string>

namespace stepscope {
namespace {

const PublishedPeaks* Of(const std::string& name) {
  Plane plane;
  plane.kind = PlaneKind::kGpu;
  plane.stats = {{"name", name}};
  return PublishedPeaksOf(plane);
}

std::string_view NameOf(const std::string& device) {
  const PublishedPeaks* peaks = Of(device);
  return peaks != nullptr ? peaks->name : std::string_view();
}

}  // namespace

TEST_CASE("Devices are known by whole words of their names") {
  CHECK(NameOf("NVIDIA H100 80GB HBM3") == "H100");
  CHECK(NameOf("NVIDIA H100 PCIe") == "H100 PCIe");
  CHECK(NameOf("NVIDIA GH200 480GB") == "GH200 480GB");
  CHECK(NameOf("NVIDIA L40S") == "L40S");
  CHECK(NameOf("NVIDIA L4") == "L4");
  CHECK(NameOf("NVIDIA A10") == "A10");
  CHECK(NameOf("NVIDIA A100-SXM4-40GB") == "A100");
  CHECK(NameOf("NVIDIA GB200") == "GB200");
  CHECK(NameOf("Tesla V100-SXM2-16GB") == "V100");
  CHECK(NameOf("AMD Instinct MI300X VF") == "MI300X");
  CHECK(NameOf("NVIDIA L40") == "");
  CHECK(NameOf("") == "");
}

TEST_CASE("A device without a name is known by its units and memory") {
  Plane plane;
  plane.kind = PlaneKind::kGpu;
  plane.stats = {{"name", std::string("AMD Radeon Graphics")},
                 {"numSms", int64_t{110}},
                 {"totalGlobalMem", int64_t{68'702'699'520}},
                 {"computeMajor", int64_t{9}},
                 {"computeMinor", int64_t{0}}};
  REQUIRE(PublishedPeaksOf(plane));
  CHECK(PublishedPeaksOf(plane)->name == "MI250X");
}

TEST_CASE("Each row of the table is complete") {
  for (const PublishedPeaks& row : AllPublishedPeaks()) {
    CAPTURE(std::string(row.name));
    CHECK(row.numbers.fp32 > 0);
    CHECK(row.numbers.fp16 > row.numbers.fp32);
    CHECK(row.numbers.fp64_matrix >= row.numbers.fp64);
    CHECK(row.numbers.gbps > 100);
    CHECK_FALSE(row.source.empty());
    CHECK((row.numbers.fp4 == 0 || row.numbers.fp4 > 1.9 * row.numbers.fp8));
    CHECK((row.numbers.fp8 == 0 || row.numbers.fp8 > 1.9 * row.numbers.fp16));
  }
}

}  // namespace stepscope
