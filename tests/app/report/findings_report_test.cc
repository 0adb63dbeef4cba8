// Findings in reports: the events of a finding are a list in JSON and a number elsewhere.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "app/report/report.h"
#include "loaders/loader.h"
#include "tests/support/gpu_profile.h"

namespace stepscope {
namespace {

struct Loaded {
  std::shared_ptr<const Trace> trace;
  ReportInput input;
};

Loaded Planted() {
  test::GpuProfileOptions options;
  options.scenario = test::GpuScenario::kInputBound;
  options.steps = 5;
  options.layers = 10;
  Loaded loaded;
  auto trace = LoadBytes("h.xplane.pb", test::MakeGpuProfile(options), {});
  REQUIRE(trace.ok());
  loaded.trace = *trace;
  AnalysisContext context(loaded.trace, Definitions::kStepscope);
  loaded.input.trace = loaded.trace;
  loaded.input.panels.push_back({FindAnalysis("findings"), context.Get("findings")});
  return loaded;
}

}  // namespace

TEST_CASE("JSON lists the events of each finding, with their track") {
  const Loaded loaded = Planted();
  const auto json = nlohmann::json::parse(
      Collected([&](const TextSink& sink) { WriteReportJson(loaded.input, sink); }));
  const auto& table = json["panels"]["findings"]["tables"]["findings"];
  for (const auto& column : table["columns"]) {
    if (column["id"] == "events") CHECK(column["type"] == "array");
  }
  const auto& first = table["rows"][0];
  CHECK(first["rule"] == "input-bound");
  CHECK(first["severity"] == "problem");
  REQUIRE(first["events"].is_array());
  REQUIRE(first["events"].size() == 5);
  for (const auto& event : first["events"]) {
    CHECK(event.size() == 3);
    CHECK(event["track"] == "python3");
    // The wait of 4 ms.
    CHECK(event["end_ps"].get<int64_t>() - event["begin_ps"].get<int64_t>() == 4 * kPsPerMs);
  }
  CHECK(json["panels"]["findings"]["tables"].contains("gaps"));
}

TEST_CASE("Text and CSV count the events") {
  Loaded loaded = Planted();
  const std::string csv = ToCsv(*ReportTable(loaded.input));
  CHECK(csv.substr(0, csv.find('\n')).find(",events,") != std::string::npos);
  CHECK(csv.find("input-bound,problem,\"The GPUs wait 4.00 ms of an average") != std::string::npos);
  const std::string text =
      Collected([&](const TextSink& sink) { WriteReportText(loaded.input, sink); });
  CHECK(text.find("Input-bound: the GPUs wait") != std::string::npos);
  const std::string html =
      Collected([&](const TextSink& sink) { WriteReportHtml(loaded.input, sink); });
  CHECK(html.find("input-bound") != std::string::npos);
}

TEST_CASE("HTML has a picture of the first event of each finding, with its track and neighbours") {
  const Loaded loaded = Planted();
  const std::string html =
      Collected([&](const TextSink& sink) { WriteReportHtml(loaded.input, sink); });
  const size_t section = html.find("<section id=\"findings\"");
  REQUIRE(section != std::string::npos);
  const std::string findings = html.substr(section);
  CHECK(findings.find("<figure><svg") != std::string::npos);
  CHECK(findings.find("python3</text>") != std::string::npos);          // the track of the wait
  CHECK(findings.find("stroke=\"var(--text)\"") != std::string::npos);  // the event is marked
  CHECK(findings.find("GPU 0") != std::string::npos);                   // and what the GPU did
}

}  // namespace stepscope
