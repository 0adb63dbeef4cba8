// Steps have one definition: `info`, the overview's table and the markers of the timeline show the
// same steps, with the same names, places and lengths.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "app/report/report.h"
#include "loaders/loader.h"
#include "model/analysis/pages/overview.h"
#include "model/analysis/steps/steps.h"
#include "tests/support/samples.h"
#include "viewer/core/profiles/step_markers.h"

namespace stepscope {
namespace {

std::shared_ptr<const Trace> Load(const std::string& path) {
  Progress progress;
  auto trace = LoadPath(path, {}, {}, progress);
  REQUIRE_MESSAGE(trace.ok(), trace.status().message());
  return *trace;
}

bool HasSeveralDevices(const StepDatabase& db) {
  for (const DeviceStep& d : db.device_steps) {
    if (d.device != db.device_steps.front().device) return true;
  }
  return false;
}

std::string Report(AnalysisContext& context, const AnalysisParams& params) {
  ReportInput input;
  for (const AnalysisDesc& analysis : Analyses())
    input.panels.push_back({&analysis, context.Get(analysis.id, params)});
  return Collected([&input](const TextSink& sink) { WriteReportJson(input, sink); });
}

}  // namespace

TEST_CASE("the steps of a profile, its overview's rows and the timeline's markers are the same") {
  size_t steps = 0;
  for (const std::string& path : test::Samples()) {
    CAPTURE(path);
    AnalysisContext context(Load(path), Definitions::kStepscope);
    const StepDatabase& db = context.Get<StepDatabase>();
    const auto overview = context.Get("overview");
    const ResultTable& table = *overview->Table("steps");
    const std::vector<StepMarker> markers = StepMarkers(overview->As<Overview>()->db());
    REQUIRE(table.size() == db.steps.size());
    REQUIRE(markers.size() == db.steps.size());
    const auto cell = [&](size_t row, const char* column) {
      return table.columns[static_cast<size_t>(table.Column(column))].values.Own(row);
    };
    for (size_t i = 0; i < markers.size(); ++i) {
      CHECK(markers[i].label == db.steps[i].label);
      CHECK(cell(i, "stepnum") == Value(db.steps[i].label));
      CHECK(markers[i].range == db.steps[i].span);
      CHECK(context.trace().span.Contains(markers[i].range.begin));
      if (HasSeveralDevices(db)) continue;  // the table has the mean over devices
      CHECK(std::get<double>(cell(i, "stepTimeMs")) ==
            doctest::Approx(static_cast<double>(markers[i].range.length()) / kPsPerMs));
    }
    steps += markers.size();
  }
  CHECK(steps > 50);
}

TEST_CASE("the report of a range that holds the whole trace is the same, byte for byte") {
  for (const std::string& path : test::Samples()) {
    CAPTURE(path);
    AnalysisContext context(Load(path), Definitions::kStepscope);
    AnalysisParams whole;
    whole.range = context.trace().span;
    const std::string report = Report(context, {});
    CHECK(report.size() > 1000);
    CHECK(Report(context, whole) == report);
  }
}

}  // namespace stepscope
