#include "model/analysis/naming/vendor_words.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "loaders/loader.h"
#include "model/analysis/analysis.h"
#include "model/trace_builder.h"
#include "tests/support/has_text.h"
#include "tests/support/xspace_builder.h"

namespace stepscope {
namespace {

using test::Has;

std::shared_ptr<const Trace> TraceOn(const std::string& gpu) {
  TraceBuilder builder;
  builder.AddHost({});
  Plane plane;
  plane.host = HostId(0);
  plane.kind = PlaneKind::kGpu;
  plane.subtitle = gpu;
  builder.AddPlane(std::move(plane));
  auto trace = builder.Finish();
  REQUIRE(trace.ok());
  return *trace;
}

AnalysisResult Result() {
  AnalysisResult result;
  result.properties = {{"matrix_unit_percent", "Tensor Core time", 50.0, Unit::kPercent, ""}};
  result.tables.push_back({"kernels",
                           "Kernels",
                           {{"eligible", "TC eligible", Unit::kNone, ValueType::kBool, ""},
                            {"name", "Kernel", Unit::kNone, ValueType::kString, ""}}});
  result.tables[0].AddRow({true, std::string("Tensor Core")});
  result.findings = {{Finding::Grade::kWarning, "Ops could use Tensor Cores.", "", ""}};
  return result;
}

// Every text of every analysis, except names that come from the profile.
std::string WordsOf(const char* vendor, Definitions definitions) {
  test::XSpaceBuilder space;
  auto& plane = space.Plane("/device:GPU:0").Stat("device_vendor", vendor);
  plane.Line(1, "Stream #1(Kernel)")
      .Event("gemm", 0, 1'000'000)
      .Stat("kernel_details", test::Ref{"regs:32 grid:4,2,1 block:256,1,1"});
  const auto trace = LoadBytes("t.xplane.pb", space.Bytes(), {});
  REQUIRE(trace.ok());
  AnalysisContext context(*trace, definitions);
  std::string words;
  for (const AnalysisDesc& analysis : Analyses()) {
    const auto result = context.Get(analysis.id);
    words += WhatOf(analysis, context) + "\n";
    for (const Property& p : result->properties) words += p.label + "|" + p.how + "\n";
    for (const Finding& f : result->findings) words += f.text + "|" + f.next_step + "\n";
    for (const ResultTable& table : result->tables) {
      for (const ColumnDesc& c : table.columns) words += c.id + "|" + c.label + "|" + c.how + "\n";
    }
  }
  return words;
}

TEST_CASE("AMD has matrix cores") {
  for (const char* gpu : {"AMD, 304 CUs, 192 GB", "AMD Instinct MI300X"}) {
    AnalysisResult result = Result();
    UseVendorWords(*TraceOn(gpu), &result);
    CHECK(result.properties[0].label == "Matrix Core time");
    CHECK(result.tables[0].columns[0].label == "Matrix eligible");
    CHECK(result.findings[0].text == "Ops could use Matrix Cores.");
    // Names in rows come from the profile and stay.
    CHECK(result.tables[0].At(0, 1) == Cell(std::string_view("Tensor Core")));
  }
}

TEST_CASE("NVIDIA has Tensor Cores") {
  AnalysisResult result = Result();
  UseVendorWords(*TraceOn("NVIDIA H100 80GB HBM3"), &result);
  CHECK(result.properties[0].label == "Tensor Core time");
  CHECK(result.findings[0].text == "Ops could use Tensor Cores.");
}

TEST_CASE("TPUs have HBM and VMEM, and classes of a step of their own") {
  TraceBuilder builder;
  builder.AddHost({});
  Plane plane;
  plane.host = HostId(0);
  plane.kind = PlaneKind::kTpu;
  builder.AddPlane(std::move(plane));
  auto trace = builder.Finish();
  REQUIRE(trace.ok());
  AnalysisResult result;
  result.properties = {{"peak_hbm_bw", "Peak of main memory, GiB/s", 1.0, Unit::kNone, ""},
                       {"vmem", "Peak of on-chip memory, GiB/s", 1.0, Unit::kNone, ""}};
  result.tables.push_back(
      {"steps",
       "Steps",
       {{"deviceComputeTimeMs", "Device compute", Unit::kMs, ValueType::kReal, "kernels"},
        {"infeedTimeMs", "Input", Unit::kMs, ValueType::kReal, ""},
        {"other", "Input pipeline", Unit::kMs, ValueType::kReal, ""}}});
  UseVendorWords(**trace, &result);
  CHECK(result.properties[0].label == "Peak of HBM, GiB/s");
  CHECK(result.properties[1].label == "Peak of VMEM, GiB/s");
  const std::vector<TableColumn>& columns = result.tables[0].columns;
  CHECK(columns[0].id == "deviceComputeTimeMs");
  CHECK(columns[0].label == "Compute");
  CHECK(columns[0].how == "ops of the cores that wait for nothing");
  CHECK(columns[1].label == "Copies to the device, infeed");
  CHECK(columns[2].label == "Input pipeline");
}

TEST_CASE(
    "Results have the vendor's words and keep their ids; XProf's definitions keep XProf's words") {
  const std::string amd = WordsOf("AMD", Definitions::kStepscope);
  CHECK(Has(amd, "is_kernel_using_tensor_core|Matrix used (XProf)"));
  CHECK(Has(amd, "uses_matrix_unit|Matrix Core|"));
  CHECK(Has(amd, "and Matrix Core use of each kernel"));
  CHECK_FALSE(Has(amd, "Tensor Core"));
  const std::string nvidia = WordsOf("Nvidia", Definitions::kStepscope);
  CHECK(Has(nvidia, "uses_matrix_unit|Tensor Core|"));
  CHECK_FALSE(Has(nvidia, "Matrix Core"));
  CHECK_FALSE(Has(WordsOf("AMD", Definitions::kXprof), "Matrix Core"));
}

}  // namespace
}  // namespace stepscope
