#include "app/report/report.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace stepscope {
namespace {

AnalysisResult NoRun(AnalysisContext&, const AnalysisParams&, std::stop_token) { return {}; }

constexpr AnalysisDesc kAnalysis{"kernels", "Kernels <b>", "What runs & how long.", NoRun};

ReportInput MakeInput() {
  ResultTable table;
  table.id = "kernels";
  table.title = "Kernels";
  table.columns = {{"name", "Name", Unit::kNone, ValueType::kString, ""},
                   {"total_us", "Total", Unit::kUs, ValueType::kReal, "sum of durations"},
                   {"share", "Share", Unit::kFraction, ValueType::kReal, ""},
                   {"count", "Count", Unit::kCount, ValueType::kInt, ""},
                   {"tensor", "Matrix unit", Unit::kNone, ValueType::kBool, ""}};
  table.rows = {{std::string("gemm<float, \"x\">"), 0.1 + 0.2, 0.25, int64_t{3}, true},
                {std::string("bad \xff name"), std::nan(""), 2.0, int64_t{1} << 60, false},
                {Value(), std::numeric_limits<double>::infinity(), Value(), Value(), Value()}};
  AnalysisResult result;
  result.panel = "kernels";
  result.properties = {{"step_ms", "Step", 7.0625, Unit::kMs, "mean"},
                       {"bottleneck", "Bottleneck", std::string("device"), Unit::kNone, ""}};
  result.findings = {{Finding::Grade::kBad, "Input <slow>", "Cache it", "input_pipeline"}};
  result.tables = {table};
  ReportInput input;
  input.path = "/p/q";
  input.run = "r1";
  input.panels.push_back({&kAnalysis, result});
  return input;
}

TEST_CASE("report json: the promised form, numbers unrounded, no number where there is none") {
  const nlohmann::json json = nlohmann::json::parse(ReportJson(MakeInput()));
  CHECK(json["profile"] == "/p/q");
  CHECK(json["run"] == "r1");
  CHECK(json["host"] == "ALL_HOSTS");
  const nlohmann::json& panel = json["panels"]["kernels"];
  CHECK(panel["properties"]["step_ms"] == 7.0625);
  CHECK(panel["properties"]["bottleneck"] == "device");
  const nlohmann::json& table = panel["tables"]["kernels"];
  CHECK(table["columns"][1] ==
        nlohmann::json{{"id", "total_us"}, {"label", "Total"}, {"unit", "us"}, {"type", "number"}});
  CHECK(table["rows"][0]["total_us"].get<double>() == 0.1 + 0.2);
  CHECK(table["rows"][0]["tensor"] == true);
  CHECK(table["rows"][1]["total_us"].is_null());
  CHECK(table["rows"][1]["count"] == int64_t{1} << 60);
  CHECK(table["rows"][2]["total_us"].is_null());
  CHECK(table["rows"][2]["name"].is_null());
  ReportInput one_host = MakeInput();
  one_host.host = "vm";
  CHECK(nlohmann::json::parse(ReportJson(one_host))["host"] == "vm");
}

TEST_CASE("report html: what comes from the profile is escaped, shares are bars") {
  const std::string html = ReportHtml(MakeInput());
  CHECK(html.find("gemm&lt;float, &quot;x&quot;&gt;") != std::string::npos);
  CHECK(html.find("gemm<float") == std::string::npos);
  CHECK(html.find("Input &lt;slow&gt;") != std::string::npos);
  CHECK(html.find("Kernels &lt;b&gt;") != std::string::npos);
  CHECK(html.find("<rect width=\"15.0\"") != std::string::npos);  // a quarter of 60
  CHECK(html.find("<rect width=\"60.0\"") != std::string::npos);  // more than all is all
  CHECK(html.find("http") == std::string::npos);                  // nothing is fetched
  CHECK(html.find("</html>") != std::string::npos);
}

TEST_CASE("report text: findings, properties and tables") {
  const std::string text = ReportText(MakeInput());
  CHECK(text.find("problem: Input <slow>") != std::string::npos);
  CHECK(text.find("Bottleneck  device") != std::string::npos);
  CHECK(text.find("gemm<float") != std::string::npos);
}

TEST_CASE("report: one table by name") {
  ReportInput input = MakeInput();
  REQUIRE(ReportTable(input) != nullptr);
  CHECK(ReportTable(input)->id == "kernels");
  input.table = "other";
  CHECK(ReportTable(input) == nullptr);
  CHECK(nlohmann::json::parse(ReportJson(input))["panels"]["kernels"]["tables"].empty());
}

}  // namespace
}  // namespace stepscope
