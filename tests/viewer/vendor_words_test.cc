#include "viewer/core/vendor_words.h"

#include <doctest/doctest.h>

#include <string>

#include "tests/viewer/viewer_fixture.h"

namespace stepscope {
namespace {

std::shared_ptr<const Trace> TraceOn(const std::string& gpu) {
  testing::TraceMaker maker;
  const PlaneId plane = maker.Plane("GPU 0", PlaneKind::kGpu);
  maker.trace().planes[plane.value].subtitle = gpu;
  maker.Track(plane, "Stream", TrackKind::kStream, {{"gemm", 0, kPsPerMs}});
  return maker.Finish();
}

AnalysisResult Result() {
  AnalysisResult result;
  result.properties = {{"matrix_unit_percent", "Tensor Core time", 50.0, Unit::kPercent, ""}};
  result.tables.push_back({"kernels",
                           "Kernels",
                           {{"eligible", "TC eligible", Unit::kNone, ValueType::kBool, ""},
                            {"name", "Kernel", Unit::kNone, ValueType::kString, ""}},
                           {{true, std::string("Tensor Core")}},
                           {}});
  result.findings = {{Finding::Grade::kWarning, "Ops could use Tensor Cores.", "", ""}};
  return result;
}

TEST_CASE("AMD has matrix cores") {
  for (const char* gpu : {"AMD, 304 CUs, 192 GB", "AMD Instinct MI300X"}) {
    AnalysisResult result = Result();
    UseVendorWords(*TraceOn(gpu), &result);
    CHECK(result.properties[0].label == "Matrix Core time");
    CHECK(result.tables[0].columns[0].label == "Matrix eligible");
    CHECK(result.findings[0].text == "Ops could use Matrix Cores.");
    // Names of rows are those of the profile.
    CHECK(std::get<SharedText>(result.tables[0].rows[0][1]).view() == "Tensor Core");
  }
}

TEST_CASE("NVIDIA has Tensor Cores") {
  AnalysisResult result = Result();
  UseVendorWords(*TraceOn("NVIDIA H100 80GB HBM3"), &result);
  CHECK(result.properties[0].label == "Tensor Core time");
  CHECK(result.findings[0].text == "Ops could use Tensor Cores.");
}

}  // namespace
}  // namespace stepscope
