#include "app/report/report.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "tests/support/table_rows.h"

namespace stepscope {
namespace {

AnalysisResult NoRun(AnalysisContext&, const AnalysisParams&) { return {}; }

constexpr AnalysisDesc kAnalysis{"kernels", "Kernels <b>", "What runs & how long.", NoRun};

ReportInput MakeInput() {
  ResultTable table;
  table.id = "kernels";
  table.title = "Kernels";
  table.SetColumns({{"name", "Name", Unit::kNone, ValueType::kString, ""},
                    {"total_us", "Total", Unit::kUs, ValueType::kReal, "sum of durations"},
                    {"share", "Share", Unit::kFraction, ValueType::kReal, ""},
                    {"count", "Count", Unit::kCount, ValueType::kInt, ""},
                    {"tensor", "Matrix unit", Unit::kNone, ValueType::kBool, ""}});
  test::SetRows(&table,
                {{std::string("gemm<float, \"x\">"), 0.1 + 0.2, 0.25, int64_t{3}, true},
                 {std::string("bad \xff name"), std::nan(""), 2.0, int64_t{1} << 60, false},
                 {Value(), std::numeric_limits<double>::infinity(), Value(), Value(), Value()}});
  AnalysisResult result;
  result.panel = "kernels";
  result.properties = {{"step_ms", "Step", 7.0625, Unit::kMs, "mean"},
                       {"bottleneck", "Bottleneck", std::string("device"), Unit::kNone, ""}};
  result.findings = {{Finding::Grade::kBad, "Input <slow>", "Cache it", "input_pipeline"}};
  result.tables = {table};
  ReportInput input;
  input.path = "/p/q";
  input.run = "r1";
  input.panels.push_back({&kAnalysis, std::make_shared<const AnalysisResult>(result)});
  return input;
}

template <typename Write>
std::string Written(const Write& write, const ReportInput& input) {
  return Collected([&](const TextSink& sink) { write(input, sink); });
}
std::string JsonOf(const ReportInput& input) { return Written(WriteReportJson, input); }
std::string HtmlOf(const ReportInput& input) { return Written(WriteReportHtml, input); }
std::string TextOf(const ReportInput& input) { return Written(WriteReportText, input); }

size_t LongestLine(const std::string& text) {
  size_t most = 0, at = 0;
  for (size_t end; (end = text.find('\n', at)) != std::string::npos; at = end + 1) {
    size_t cells = 0;
    for (size_t i = at; i < end; ++i) cells += (static_cast<unsigned char>(text[i]) & 0xc0) != 0x80;
    most = std::max(most, cells);
  }
  return most;
}

TEST_CASE(
    "report text: whether a change is chance is said in words, as the first sentence has it") {
  ReportInput input = MakeInput();
  AnalysisResult result = *input.panels[0].result;
  result.properties.push_back(
      {"significance", "Significance", std::string("strong"), Unit::kNone, ""});
  input.panels[0].result = std::make_shared<const AnalysisResult>(result);
  CHECK(TextOf(input).find("  significant\n") != std::string::npos);
  CHECK(TextOf(input).find("strong") == std::string::npos);
  CHECK(JsonOf(input).find("\"strong\"") != std::string::npos);  // for scripts
}

TEST_CASE("report json: the promised form, numbers unrounded, no number where there is none") {
  const nlohmann::json json = nlohmann::json::parse(JsonOf(MakeInput()));
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
  CHECK(nlohmann::json::parse(JsonOf(one_host))["host"] == "vm");
}

TEST_CASE("report html: what comes from the profile is escaped, shares are bars") {
  const std::string html = HtmlOf(MakeInput());
  CHECK(html.find("gemm&lt;float, &quot;x&quot;&gt;") != std::string::npos);
  CHECK(html.find("gemm<float") == std::string::npos);
  CHECK(html.find("Input &lt;slow&gt;") != std::string::npos);
  CHECK(html.find("Kernels &lt;b&gt;") != std::string::npos);
  CHECK(html.find("<rect width=\"15.0\"") != std::string::npos);  // a quarter of 60
  CHECK(html.find("<rect width=\"60.0\"") != std::string::npos);  // clamped to the whole
  CHECK(html.find("http") == std::string::npos);                  // nothing is fetched
  CHECK(html.find("</html>") != std::string::npos);
}

TEST_CASE("report text: findings, properties and tables") {
  const std::string text = TextOf(MakeInput());
  CHECK(text.find("problem: Input <slow>") != std::string::npos);
  CHECK(text.find("Bottleneck  device") != std::string::npos);
  CHECK(text.find("gemm<float") != std::string::npos);
}

TEST_CASE(
    "report text: lines of at most 100 columns, units on properties; wide and XProf's are not "
    "cut") {
  ReportInput input = MakeInput();
  AnalysisResult result = *input.panels[0].result;
  test::SetCell(&result.tables[0], 0, 0, SharedText(std::string(90, 'x')));
  result.findings[0].text =
      "Input-bound: " + std::string("the device waits for it ") +
      "and the sentence goes on beyond what a terminal of usual size shows of it";
  input.panels[0].result = std::make_shared<const AnalysisResult>(result);
  const std::string text = TextOf(input);
  CHECK(LongestLine(text) <= 100);
  CHECK(text.find("Step        7.062 ms") != std::string::npos);
  input.wide = true;
  CHECK(LongestLine(TextOf(input)) > 100);
  input.wide = false;
  input.compat_xprof = true;
  CHECK(LongestLine(TextOf(input)) > 100);
}

TEST_CASE(
    "report text: reasons and long words are broken, properties without a value are left out") {
  ReportInput input = MakeInput();
  AnalysisResult result = *input.panels[0].result;
  std::string reason = "There is nothing,";
  for (int i = 0; i < 30; ++i) reason += " because";
  result.empty_reason = reason;
  result.findings[0].text = std::string(250, 'w') + " end";
  result.properties.push_back({"how", "How", std::string(230, 'h'), Unit::kNone, ""});
  result.properties.push_back({"none", "Loader workers", Value(), Unit::kMs, ""});
  input.panels[0].result = std::make_shared<const AnalysisResult>(result);
  const std::string text = TextOf(input);
  CHECK(LongestLine(text) <= 100);
  CHECK(std::count(text.begin(), text.end(), 'w') >= 250);
  CHECK(text.find("Loader workers") == std::string::npos);
  CHECK(HtmlOf(input).find("Loader workers") == std::string::npos);
  CHECK(JsonOf(input).find("\"none\"") != std::string::npos);
  input.wide = true;
  CHECK(TextOf(input).find(reason) != std::string::npos);
  CHECK(TextOf(input).find("Loader workers") == std::string::npos);
  input.compat_xprof = true;
  CHECK(TextOf(input).find("Loader workers") != std::string::npos);
}

TEST_CASE("report html: the overview has a chart with one bar for each step") {
  ResultTable steps;
  steps.id = "step_losses";
  steps.SetColumns({{"stepnum", "Step", Unit::kNone, ValueType::kString, ""},
                    {"device", "Compute", Unit::kMs, ValueType::kReal, ""},
                    {"unknown", "Not explained", Unit::kMs, ValueType::kReal, ""}});
  test::SetRows(&steps, {{std::string("train <1>"), 3.0, 1.0}, {std::string("train 2"), 2.0, 0.0}});
  AnalysisResult result;
  result.panel = "overview";
  result.tables = {steps};
  ReportInput input;
  input.panels.push_back({&kAnalysis, std::make_shared<const AnalysisResult>(result)});
  const std::string html = HtmlOf(input);
  CHECK(html.find("<title>train &lt;1&gt;: Compute 3.000 ms</title>") != std::string::npos);
  CHECK(html.find("<title>train &lt;1&gt;: Not explained 1.000 ms</title>") != std::string::npos);
  CHECK(html.find("train 2: Not explained") == std::string::npos);  // there is nothing to draw
  steps.id = "steps";  // the only one with XProf's definitions
  result.tables = {steps};
  input.panels[0].result = std::make_shared<const AnalysisResult>(result);
  CHECK(HtmlOf(input).find("<figure>") == std::string::npos);
}

TEST_CASE("report json: a page that is asked for twice is written once") {
  ReportInput input = MakeInput();
  input.panels.push_back(input.panels.front());
  const std::string json = JsonOf(input);
  CHECK(json == JsonOf(MakeInput()));
  CHECK(json.find("\"kernels\": {\n   \"properties\"") != std::string::npos);
}

TEST_CASE("report text: escape sequences in names are escaped") {
  ReportInput input = MakeInput();
  AnalysisResult result = *input.panels[0].result;
  test::SetCell(&result.tables[0], 0, 0, SharedText("a\x1b]0;title\x07\n\tb"));
  result.findings[0].text = "rank \x1b[2J is late";
  result.empty_reason = "\u202ereversed";
  result.properties[1].value = "\u009b31m";
  input.path = "dir\x1b[31m";
  input.run = "run\rrun";
  input.panels[0].result = std::make_shared<const AnalysisResult>(result);
  const std::string text = TextOf(input);
  for (const char* part : {"a\\x1b]0;title\\x07; \\x09b", "rank \\x1b[2J is late",
                           "\\u{202e}reversed", "\\u{9b}31m", "dir\\x1b[31m", "run\\x0drun"}) {
    CAPTURE(part);
    CHECK(text.find(part) != std::string::npos);
  }
  CHECK(text.find('\x1b') == std::string::npos);
}

TEST_CASE("report: one table by name") {
  ReportInput input = MakeInput();
  REQUIRE(ReportTable(input) != nullptr);
  CHECK(ReportTable(input)->id == "kernels");
  input.table = "other";
  CHECK(ReportTable(input) == nullptr);
  CHECK(nlohmann::json::parse(JsonOf(input))["panels"]["kernels"]["tables"].empty());
}

TEST_CASE(
    "report text and html: the line below the title says which part of the profile is shown") {
  ReportInput input = MakeInput();
  CHECK(PartText(input.params).empty());
  CHECK(TextOf(input).find("only ") == std::string::npos);
  input.params.range = {12 * kPsPerMs, 15 * kPsPerMs};
  CHECK(TextOf(input).find("\nonly what begins from 12.0000 ms to 15.0000 ms\n") !=
        std::string::npos);
  CHECK(HtmlOf(input).find(">only what begins from 12.0000 ms to 15.0000 ms<") !=
        std::string::npos);
  input.params.steps = StepInterval{3, 7};
  CHECK(PartText(input.params) ==
        "only what begins from 12.0000 ms to 15.0000 ms and in steps 3 to 7");
  input.params.range = {};
  CHECK(TextOf(input).find("\nonly steps 3 to 7\n") != std::string::npos);
  CHECK(HtmlOf(input).find(">only steps 3 to 7<") != std::string::npos);
  input.params.steps = StepInterval{4, 4};
  CHECK(PartText(input.params) == "only step 4");
}

TEST_CASE("report: text has readable names, data has those of the file") {
  ReportInput input = MakeInput();
  AnalysisResult result = *input.panels[0].result;
  ResultTable& table = result.tables[0];
  test::SetCell(&table, 0, 0, SharedText(std::string("_Z3addPf")));
  table.readable = {SharedText("add<a>"), SharedText(), SharedText()};
  table.readable_column = 0;
  input.panels[0].result = std::make_shared<const AnalysisResult>(result);
  CHECK(TextOf(input).find("add<a>") != std::string::npos);
  CHECK(TextOf(input).find("_Z3addPf") == std::string::npos);
  CHECK(HtmlOf(input).find("add&lt;a&gt;") != std::string::npos);
  const nlohmann::json json = nlohmann::json::parse(JsonOf(input));
  CHECK(json["panels"]["kernels"]["tables"]["kernels"]["rows"][0]["name"] == "_Z3addPf");
  CHECK(ToCsv(table).find("_Z3addPf") != std::string::npos);
  CHECK(ToCsv(table).find("add<a>") == std::string::npos);
}

TEST_CASE("report: a panel is computed when it is written and dropped before the next") {
  ReportInput input = MakeInput();
  const auto made = input.panels[0].result;
  std::weak_ptr<const AnalysisResult> last;
  int alive = 0, most = 0, computed = 0;
  input.panels.assign(3, {&kAnalysis, nullptr, {}, [&] {
                            alive = last.expired() ? 1 : alive + 1;
                            most = std::max(most, alive);
                            ++computed;
                            auto fresh = std::make_shared<const AnalysisResult>(*made);
                            last = fresh;
                            return fresh;
                          }});
  CHECK(TextOf(input).find("Bottleneck  device") != std::string::npos);
  CHECK(computed == 3);
  CHECK(most == 1);
  HtmlOf(input);
  CHECK(most == 1);
}

}  // namespace
}  // namespace stepscope
