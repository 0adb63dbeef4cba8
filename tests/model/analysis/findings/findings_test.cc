// Every rule finds its loss in a generated profile in which it is planted, and nothing in one
// without it. savings_test.cc compares savings, finding_thresholds_test.cc thresholds.
#include "model/analysis/findings/findings.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "loaders/loader.h"
#include "model/analysis/findings/finding_context.h"
#include "model/analysis/naming/remedies.h"
#include "model/analysis/steps/steps.h"
#include "tests/loaders/chrome_json/chrome_folder.h"
#include "tests/support/gpu_profile.h"
#include "tests/support/kineto_text.h"
#include "tests/support/loaded.h"
#include "tests/support/memory_snapshot.h"
#include "tests/support/planted_losses.h"
#include "tests/support/source_paths.h"
#include "tests/support/table_cells.h"
#include "tests/support/xspace_builder.h"

namespace stepscope {
namespace {

using test::GpuProfileOptions;
using test::GpuScenario;

GpuProfileOptions Healthy() { return test::HealthyTraining(); }

std::shared_ptr<const Trace> Load(const std::string& bytes) {
  return test::Loaded("h.xplane.pb", bytes);
}

AnalysisResult FindIn(const std::shared_ptr<const Trace>& trace,
                      const FindingThresholds& thresholds = {}) {
  AnalysisContext context(trace, Definitions::kStepscope);
  return FindAll(context, {}, thresholds);
}

AnalysisResult FindIn(const GpuProfileOptions& options) {
  return FindIn(Load(test::MakeGpuProfile(options)));
}

// The first row of the rule; -1: none.
int RuleRow(const AnalysisResult& result, std::string_view rule) {
  const ResultTable& table = test::TableOf(result, "findings");
  for (size_t r = 0; r < table.size(); ++r) {
    if (table.ShownText(r, table.Column("rule")) == rule) return static_cast<int>(r);
  }
  return -1;
}

struct Planted {
  const char* what;
  const char* rule;
  test::SetOptions set;
  const char* severity;
  const char* device;
  const char* steps;
  double measured;  // percent, within 5 %; 0: savings_test.cc compares it
};

std::vector<Planted> AllPlanted() {
  using O = GpuProfileOptions;
  const char* both = "GPU 0, GPU 1";
  const char* all = "0..7";
  return {
      {"input", "input-bound", test::InScenario(GpuScenario::kInputBound), "problem", both, all, 0},
      {"late marker", "input-bound",
       [](O* o) { o->marker_after_input = true, o->input_wait_us = 2000; }, "problem", both, "1..7",
       0},
      {"contention", "host-threads", [](O* o) { o->contention_us = 120; }, "warning", both, all, 0},
      {"metrics", "between-steps", [](O* o) { o->between_us = 2500; }, "problem", both, "1..7", 0},
      {"tiny kernels", "launch-bound", test::InScenario(GpuScenario::kLaunchBound), "problem", both,
       all, 0},
      {"tiny kernels", "short-kernels", test::InScenario(GpuScenario::kLaunchBound), "problem",
       both, all, 160.0 / 162 * 100},
      {"op on the host", "host-op", test::StallIn("net/unique:Unique", 2000), "problem", both, all,
       0},
      {"copies", "copies", test::InScenario(GpuScenario::kCopies), "problem", both, all, 0},
      {"sync", "sync", test::StallIn("cudaStreamSynchronize", 2000), "problem", both, all, 0},
      {"float", "matrix-units", test::InScenario(GpuScenario::kFp32), "problem", both, all, 0},
      {"float", "precision", test::InScenario(GpuScenario::kFp32), "warning", both, all, 0},
      {"scaling", "loss-scaling", test::StallIn("LossScaleOptimizer/IsFinite:IsFinite", 1000),
       "warning", both, all, 0},
      {"compile", "compile", test::StallIn("XlaCompile", 2000), "problem", both, all, 0},
      {"fragmented", "memory", test::InScenario(GpuScenario::kFragmented), "warning", both, all,
       37},
      {"leak", "memory", [](O* o) { o->leak_bytes = 400'000'000; }, "warning", both, all, 1},
      {"malloc", "memory", test::StallIn("cudaMalloc", 1000), "warning", both, all, 0},
      {"slow network", "allreduce", [](O* o) { o->collective_us = 2000; }, "problem", both, all, 0},
      {"staggered", "imbalance", test::InScenario(GpuScenario::kStaggered), "problem", "GPU 1", all,
       0},
      {"turns", "sequential-gpus", [](O* o) { o->sequential = true; }, "problem", both, all, 0},
      {"outlier", "outlier-steps", [](O* o) { o->outlier_step = 4; }, "warning", both, "4", 0},
  };
}

std::string Listed(const AnalysisResult& result) {
  std::string text;
  const ResultTable& t = test::TableOf(result, "findings");
  for (size_t r = 0; r < t.size(); ++r) {
    for (const char* column :
         {"rule", "severity", "device", "steps", "measured", "saving_ms_per_step", "title"})
      text += RawValue(t.At(r, static_cast<size_t>(t.Column(column)))) + " | ";
    text += "\n";
  }
  return text;
}

bool IsNote(const AnalysisResult& result, size_t row) {
  return test::Text(result, "findings", row, "severity") == "note";
}

}  // namespace

TEST_CASE("Planted losses are found with their devices and steps, and a healthy profile has none") {
  const AnalysisResult healthy = FindIn(Healthy());
  for (const Planted& planted : AllPlanted()) {
    CAPTURE(planted.what);
    GpuProfileOptions options = Healthy();
    planted.set(&options);
    const AnalysisResult result = FindIn(options);
    CAPTURE(Listed(result));
    const int at = RuleRow(result, planted.rule);
    CHECK(at >= 0);
    if (at < 0) continue;
    const auto row = static_cast<size_t>(at);
    CHECK(test::Text(result, "findings", row, "severity") == planted.severity);
    CHECK(test::Text(result, "findings", row, "device") == planted.device);
    CHECK(test::Text(result, "findings", row, "host") == "h");
    CHECK(test::Text(result, "findings", row, "steps") == planted.steps);
    if (planted.measured > 0)
      CHECK(test::Real(result, "findings", row, "measured") ==
            doctest::Approx(planted.measured).epsilon(0.05));
    const double saving = test::Real(result, "findings", row, "saving_ms_per_step");
    CHECK(saving <= test::StepMsOf(result));
    const int in_healthy = RuleRow(healthy, planted.rule);
    if (in_healthy >= 0) CHECK(IsNote(healthy, static_cast<size_t>(in_healthy)));
  }
  const ResultTable& table = test::TableOf(healthy, "findings");
  for (size_t r = 0; r < table.size(); ++r) CHECK_MESSAGE(IsNote(healthy, r), Listed(healthy));
}

TEST_CASE("The cost of launches is the idle time that was planted") {
  GpuProfileOptions options = Healthy();
  options.scenario = GpuScenario::kLaunchBound;
  std::vector<test::StepTruth> truth;
  const AnalysisResult result = FindIn(Load(test::MakeGpuProfile(options, &truth)));
  const int at = RuleRow(result, "launch-bound");
  REQUIRE(at == 0);  // the verdict's finding comes first
  const double idle = static_cast<double>(truth[3].gpus[0].idle_ps) / 1e9;
  CHECK(test::Real(result, "findings", 0, "saving_ms_per_step") ==
        doctest::Approx(idle).epsilon(0.05));
}

TEST_CASE("Findings have the columns that scripts read, their events, and a section of the guide") {
  GpuProfileOptions options = Healthy();
  options.scenario = GpuScenario::kCopies;
  const std::shared_ptr<const Trace> trace = Load(test::MakeGpuProfile(options));
  const AnalysisResult result = FindIn(trace);
  const ResultTable& table = test::TableOf(result, "findings");
  std::vector<std::string> columns;
  for (const ColumnDesc& c : table.columns) columns.push_back(c.id);
  CHECK(columns == std::vector<std::string>{"rule", "severity", "title", "measured", "threshold",
                                            "unit", "saving_ms_per_step", "assumption", "host",
                                            "device", "steps", "events", "guide", "remedy"});
  REQUIRE(table.links.size() == table.size());
  REQUIRE(RuleRow(result, "copies") == 0);
  CHECK(test::Text(result, "findings", 0, "unit") == "percent");
  CHECK(test::Text(result, "findings", 0, "guide") == "Tensorflow Op Placement");
  CHECK(test::Text(result, "findings", 0, "assumption").find("Mean of 8 steps") !=
        std::string::npos);
  CHECK(test::Text(result, "findings", 0, "title").find("640 KiB each, to pageable memory") !=
        std::string::npos);
  // Ten copies in each of eight steps on two devices.
  CHECK(test::Int(result, "findings", 0, "events") == 160);
  CHECK(table.links[0].rows.size() == 160);
  for (const EventRow row : table.links[0].rows) CHECK(trace->set.Name(row) == "MemcpyD2H");
  CHECK(FindingsOfRule(result, "copies", FindingSeverity::kProblem).size() == 1);
  CHECK(FindingsOfRule(result, "input-bound").empty());
}

TEST_CASE("A finding links to at most a thousand events, and says how many there are") {
  GpuProfileOptions options = Healthy();
  options.scenario = GpuScenario::kCopies;
  options.steps = 80;
  const AnalysisResult result = FindIn(options);
  REQUIRE(RuleRow(result, "copies") == 0);
  CHECK(test::Int(result, "findings", 0, "events") == 1600);
  CHECK(test::TableOf(result, "findings").links[0].rows.size() <= FindingContext::kMostEvents);
}

TEST_CASE("Thresholds can be changed, by rule and by parameter") {
  FindingThresholds thresholds;
  CHECK(thresholds.Of(*FindRule("copies")) == 5);
  for (const char* wrong : {"", "copies", "copies=", "copies=x", "copies=1x", "copies=-1",
                            "copies=nan", "copies=inf", "no-such-rule=1"})
    CHECK_FALSE(thresholds.Set(wrong));
  CHECK(thresholds.Set("copies=1.5"));
  CHECK(thresholds.Of(*FindRule("copies")) == 1.5);
  const std::shared_ptr<const Trace> healthy = Load(test::MakeGpuProfile(Healthy()));
  CHECK(RuleRow(FindIn(healthy), "copies") < 0);
  const AnalysisResult result = FindIn(healthy, thresholds);  // input's copies are 2 % of the step
  REQUIRE(RuleRow(result, "copies") >= 0);
  CHECK(IsNote(result, static_cast<size_t>(RuleRow(result, "copies"))));
  CHECK(thresholds.Set("gaps=1000"));
  CHECK(test::TableOf(FindIn(healthy, thresholds), "gaps").empty());
}

TEST_CASE("Every rule has its own id, a section of the guide, a formula and a remedy") {
  std::set<std::string> ids;
  for (const FindingRule& rule : FindingRules()) {
    CAPTURE(rule.id);
    CHECK(ids.insert(rule.id).second);
    CHECK(FindRule(rule.id) == &rule);
    for (const char* text : {rule.what, rule.formula, rule.guide}) CHECK(text[0] != 0);
    CHECK((rule.remedy[0] != 0) != !RemedyFor(rule.id, Program()).empty());  // one place has it
    CHECK(rule.threshold > 0);
  }
  for (const FindingParameter& p : FindingParameters()) CHECK(ids.insert(p.id).second);
  const AnalysisResult healthy = FindIn(Healthy());
  CHECK(test::TableOf(healthy, "rules").size() == ids.size());
}

TEST_CASE("Gaps are the idle time of each step, with class, cause and frames") {
  GpuProfileOptions options = Healthy();
  options.stall = "cudaStreamSynchronize";
  options.stall_us = 1500;
  const std::shared_ptr<const Trace> trace = Load(test::MakeGpuProfile(options));
  AnalysisContext context(trace, Definitions::kStepscope);
  const AnalysisResult result = FindAll(context, {}, {});
  const ResultTable& gaps = test::TableOf(result, "gaps");
  REQUIRE(gaps.size() >= 16);
  for (size_t r = 0; r < 16; ++r) {  // the longest: one in each step on each device
    CHECK(test::Text(result, "gaps", r, "class") == "sync");
    CHECK(test::Text(result, "gaps", r, "cause") ==
          "cudaStreamSynchronize in ExecutorState::Process");
    CHECK(test::Text(result, "gaps", r, "host_frame") ==
          "cudaStreamSynchronize < ExecutorState::Process");
    CHECK(test::Real(result, "gaps", r, "durationMs") == doctest::Approx(1.5).epsilon(0.02));
    CHECK(test::Int(result, "gaps", r, "begin_ps") == gaps.links[r].range.begin);
  }
  // Data has the id of the class, the window its name.
  CHECK(gaps.ShownText(0, gaps.Column("class")) == "Synchronisation");
  const ResultTable& by_cause = test::TableOf(result, "gap_causes");
  CHECK(test::Text(result, "gap_causes", 0, "class") == "sync");
  CHECK(by_cause.ShownText(0, by_cause.Column("class")) == "Synchronisation");
  double listed = 0, idle = 0, rolled = 0;
  for (size_t r = 0; r < gaps.size(); ++r) listed += test::Real(result, "gaps", r, "durationMs");
  const ResultTable& causes = test::TableOf(result, "gap_causes");
  for (size_t r = 0; r < causes.size(); ++r)
    rolled += test::Real(result, "gap_causes", r, "timeMs");
  for (const DeviceStep& d : context.Get<StepDatabase>().device_steps)
    idle += static_cast<double>(d.idle) / 1e9;
  CHECK(rolled == doctest::Approx(listed));
  CHECK(listed <= idle);
  CHECK(listed >= 0.95 * idle);  // the rest is in gaps of less than 10 us
}

TEST_CASE("A long gap is called by what most of it is, however many small things come first") {
  test::XSpaceBuilder b;
  auto& stream = b.Plane("/device:GPU:0").Line(14, "Stream #14");
  auto& host = b.Plane("/host:CPU").Line(1, "python");
  int64_t t = 0;
  for (int step = 0; step < 4; ++step) {
    host.Event("train", t, 10'000 * kPsPerUs)
        .Stat("_r", int64_t{1})
        .Stat("step_num", int64_t{step});
    int64_t at = t + 10 * kPsPerUs;
    for (int i = 0; i < 100; ++i, at += 10 * kPsPerUs)
      host.Event("python_" + std::to_string(i), at, 9 * kPsPerUs);
    host.Event("IteratorGetNext:IteratorGetNext", at, 5000 * kPsPerUs);
    at += 5000 * kPsPerUs;
    for (int k = 0; k < 8; ++k, at += 120 * kPsPerUs) {
      const auto id = static_cast<uint64_t>(step * 8 + k + 1);
      host.Event("cuLaunchKernel", at, 5 * kPsPerUs).Stat("correlation_id", id);
      stream.Event("kernel", at + 10 * kPsPerUs, 100 * kPsPerUs).Stat("correlation_id", id);
    }
    t += 10'000 * kPsPerUs;
  }
  const AnalysisResult result = FindIn(Load(b.Bytes()));
  REQUIRE(test::TableOf(result, "gaps").size() >= 3);
  CHECK(test::Text(result, "gaps", 1, "class") == "input");
  CHECK(test::Text(result, "gaps", 1, "cause") == "IteratorGetNext");
}

TEST_CASE("The longest idle intervals are kept, and the title says how many there are") {
  IdleIntervals some, others;
  const auto interval = [](int64_t i) {
    IdleInterval idle;
    idle.range = {i * kPsPerMs, i * kPsPerMs + i * kPsPerUs};
    return idle;
  };
  for (int64_t i = 0; i < 50'000; ++i) (i % 2 == 0 ? some : others).Add(interval(i));
  some.Append(others);
  some.Finish();
  CHECK(some.count == 49'999);  // one is shorter than a microsecond
  REQUIRE(some.longest.size() == IdleIntervals::kMost);
  for (size_t i = 0; i < some.longest.size(); ++i)
    CHECK(some.longest[i].range.length() == (49'999 - static_cast<int64_t>(i)) * kPsPerUs);
}

TEST_CASE("What if: classes exclude each other, and none saves more than the step") {
  for (const GpuScenario scenario : {GpuScenario::kInputBound, GpuScenario::kLaunchBound,
                                     GpuScenario::kCopies, GpuScenario::kStaggered}) {
    GpuProfileOptions options = Healthy();
    options.scenario = scenario;
    const AnalysisResult result = FindIn(options);
    const ResultTable& table = test::TableOf(result, "what_if");
    REQUIRE_FALSE(table.empty());
    double sum = 0;
    for (size_t r = 0; r < table.size(); ++r) {
      const double saving = test::Real(result, "what_if", r, "saving_ms_per_step");
      CHECK(test::Real(result, "what_if", r, "step_ms") ==
            doctest::Approx(test::StepMsOf(result) - saving));
      if (test::Text(result, "what_if", r, "class") != "collective_wait") sum += saving;
    }
    CHECK(sum < test::StepMsOf(result));
  }
}

TEST_CASE("Nothing is found with XProf's definitions, without steps, or without events") {
  AnalysisContext xprof(Load(test::MakeGpuProfile(Healthy())), Definitions::kXprof);
  const AnalysisResult none = FindAll(xprof, {}, {});
  CHECK(none.tables.empty());
  CHECK_FALSE(none.empty_reason.empty());
  test::XSpaceBuilder b;
  b.Plane("/host:CPU").Line(1, "python");
  CHECK_FALSE(FindIn(Load(b.Bytes())).empty_reason.empty());
}

// The percentage in a title like "... 1.5 ms of an average step of 3 ms ...".
double PercentInTitle(const std::string& title) {
  const std::string mark = " ms of an average step of ";
  const size_t at = title.find(mark);
  REQUIRE(at != std::string::npos);
  const size_t begin = title.rfind(' ', at - 1) + 1;
  return 100 * std::stod(title.substr(begin)) / std::stod(title.substr(at + mark.size()));
}

TEST_CASE("Both numbers in a title are means, and `measured` is their quotient") {
  const TempFolder folder;
  GpuProfileOptions options = Healthy();
  options.gpus = 1, options.layers = 4, options.input_wait_us = 2000, options.host = "a";
  folder.Add("a.xplane.pb", test::MakeGpuProfile(options));
  options.layers = 30, options.steps = 5, options.host = "b";
  folder.Add("b.xplane.pb", test::MakeGpuProfile(options));
  Progress progress;
  const auto trace = LoadPath(folder.path(), {}, {}, progress);
  REQUIRE(trace.ok());
  const AnalysisResult result = FindIn(*trace);
  const int row = RuleRow(result, "input-bound");
  REQUIRE(row >= 0);
  const double measured = test::Real(result, "findings", static_cast<size_t>(row), "measured");
  CHECK(PercentInTitle(test::Text(result, "findings", static_cast<size_t>(row), "title")) ==
        doctest::Approx(measured).epsilon(0.01));
}

TEST_CASE("GPUs that take turns: kernels that ran alone are the evidence") {
  GpuProfileOptions options = Healthy();
  options.sequential = true;
  const std::shared_ptr<const Trace> trace = Load(test::MakeGpuProfile(options));
  const AnalysisResult result = FindIn(trace);
  const int row = RuleRow(result, "sequential-gpus");
  REQUIRE(row >= 0);
  const RowLink& link = test::TableOf(result, "findings").links[static_cast<size_t>(row)];
  CHECK(link.rows.size() > 100);
  CHECK(link.rows.size() <= FindingContext::kMostEvents);
  CHECK(link.total >= link.rows.size());
  CHECK(!link.range.empty());
  std::set<uint32_t> devices;
  for (const EventRow kernel : link.rows) {
    const Track& track =
        trace->set.tracks[trace->set.lanes[trace->set.LaneOf(kernel).value].track.value];
    CHECK(track.kind == TrackKind::kStream);
    devices.insert(track.plane.value);
  }
  CHECK(devices.size() == 2);
}

TEST_CASE("If no steps are found, findings are about the whole recording") {
  test::XSpaceBuilder b;
  auto& stream = b.Plane("/device:GPU:0").Stat("device_vendor", "Nvidia").Line(14, "Stream #14");
  b.Plane("/host:CPU").Line(1, "python");
  for (int k = 0; k < 40; ++k) {  // no name recurs, so that there is no period
    stream.Event("kernel" + std::to_string(k), k * 100 * kPsPerUs, 50 * kPsPerUs);
    stream.Event("MemcpyH2D", (k * 100 + 50) * kPsPerUs, 40 * kPsPerUs);
  }
  const AnalysisResult result = FindIn(Load(b.Bytes()));
  const int row = RuleRow(result, "copies");
  REQUIRE(row >= 0);
  const auto text = [&](const char* column) {
    return test::Text(result, "findings", static_cast<size_t>(row), column);
  };
  CHECK(text("title").find("the recording's 3.9") != std::string::npos);
  CHECK(text("title").find("step") == std::string::npos);
  CHECK(text("steps").empty());
  const std::string& sentence = result.findings[static_cast<size_t>(row) + 1].text;
  CHECK(sentence.find("Without it the recording is") != std::string::npos);
}

TEST_CASE("Without steps nothing is inside one") {
  test::KinetoText t;
  for (int k = 0; k < 60; ++k) {  // no name recurs
    t.Host("cpu_op", "op" + std::to_string(k), 100 * k, 60).Launch(k + 1, 100 * k + 50, 5);
    t.Kernel("kernel" + std::to_string(k), k + 1, 100 * k + 60, 30);
  }
  const AnalysisResult result = test::Analyse("t.json", t.Text(test::kH100), "findings");
  const int row = test::RowOfRule(result, "host-op");
  REQUIRE(row >= 0);
  const std::string title = test::Text(result, "findings", static_cast<size_t>(row), "title");
  CAPTURE(title);
  CHECK(title.find("of the recording's") != std::string::npos);
  CHECK(title.find("step") == std::string::npos);
}

TEST_CASE("A memory snapshot's own facts are findings of the rule memory, and nothing else is") {
  const auto found = [](int64_t leak, bool fails) {
    const test::SnapshotFile file = test::MakeTrainingSnapshot(6, 8, leak, fails).file;
    const auto trace = LoadBytes("s.pickle", test::ToPickle(file), {});
    REQUIRE(trace.ok());
    AnalysisResult result = FindIn(*trace);
    CHECK(result.Table("what_if") == nullptr);
    CHECK(result.Table("gaps") == nullptr);
    CHECK(std::holds_alternative<std::monostate>(result.Find("step_ms")->value));
    return result;
  };
  CHECK(test::TableOf(found(0, false), "findings").empty());
  CHECK(found(0, false).findings.front().text.starts_with("At most "));
  const AnalysisResult grows = found(3'000'320, false);
  REQUIRE(test::TableOf(grows, "findings").size() == 1);
  CHECK(test::Text(grows, "findings", 0, "severity") == "warning");
  CHECK(test::Text(grows, "findings", 0, "unit") == "bytes");
  CHECK(test::Real(grows, "findings", 0, "measured") == 3'000'320);
  const AnalysisResult fails = found(3'000'320, true);
  CHECK(test::Text(fails, "findings", 0, "title").starts_with("Out of memory"));
  CHECK(FindingsOfRule(fails, "memory", FindingSeverity::kProblem).size() == 1);
  CHECK(FindingsOfRule(fails, "memory").size() == 2);
}

TEST_CASE("A compiled program gets no advice to compile it") {
  test::XSpaceBuilder b;
  auto& host = b.Plane("/host:CPU").Line(1, "python");
  for (int step = 0; step < 4; ++step) {
    const int64_t t = step * 1000 * kPsPerUs;
    host.Event("train", t, 990 * kPsPerUs).Stat("_r", int64_t{1}).Stat("step_num", int64_t{step});
    host.Event("CommonPjRtLoadedExecutable::ExecuteHelperOnSingleDevice", t + 10 * kPsPerUs,
               900 * kPsPerUs);
  }
  const AnalysisResult result = FindIn(Load(b.Bytes()));
  const int row = RuleRow(result, "host-op");
  REQUIRE(row >= 0);
  const auto at = static_cast<size_t>(row);
  CHECK(test::Text(result, "findings", at, "title").starts_with("The framework's runtime takes "));
  CHECK(test::Text(result, "findings", at, "remedy").find("of the compiled step") !=
        std::string::npos);
  for (const Finding& f : result.findings)  // the verdict's is one of them
    CHECK(f.next_step.find("Compile the step") == std::string::npos);
}

TEST_CASE("Memory that is reserved and memory that is allocated are two words") {
  const char* const text = R"({"schemaVersion": 1,
 "deviceProperties": [{"id": 0, "name": "NVIDIA H100", "totalGlobalMem": 85899345920}],
 "traceEvents": [
 {"ph":"i","s":"t","name":"[memory]","pid":1,"tid":2,"ts":10,"args":{
  "Total Reserved":12884901888,"Total Allocated":6442450944,"Bytes":6442450944,"Addr":7,
  "Device Id":0,"Device Type":1}},
 {"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":2,"ts":5,"dur":20,"args":{}},
 {"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":30,"dur":20,
  "args":{"device":0,"stream":7}}]})";
  const auto trace = LoadBytes("t.pt.trace.json", text, {});
  REQUIRE(trace.ok());
  const AnalysisResult result = FindIn(*trace);
  const int row = RuleRow(result, "memory");
  REQUIRE(row >= 0);
  CHECK(test::Text(result, "findings", static_cast<size_t>(row), "title") ==
        "GPU 0 reserves 12.0 of 80.0 GiB at its peak, and 6.0 GiB are allocated: a larger batch "
        "fits.");
}

TEST_CASE("Findings for some steps are about these steps only") {
  GpuProfileOptions options = Healthy();
  options.outlier_step = 4;
  AnalysisContext context(Load(test::MakeGpuProfile(options)), Definitions::kStepscope);
  AnalysisParams params;
  params.steps = StepInterval{0, 3};
  CHECK(RuleRow(FindAll(context, {}, {}), "outlier-steps") >= 0);
  CHECK(RuleRow(FindAll(context, params, {}), "outlier-steps") < 0);
}

TEST_CASE("What the verdict of CPU ranks names, collectives of the backend, is the first finding") {
  Progress progress;
  const auto trace = LoadPath(test::SourcePath("tests/data/torch_gloo"), {}, {}, progress);
  REQUIRE(trace.ok());
  AnalysisContext context(*trace, Definitions::kStepscope);
  const auto overview = context.Get("overview"), findings = context.Get("findings");
  CHECK(test::PropertyText(*overview, "verdict") == "collectives");
  REQUIRE_FALSE(test::TableOf(*findings, "findings").empty());
  CHECK(test::Text(*findings, "findings", 0, "rule") == "allreduce");
  CHECK(test::Real(*findings, "findings", 0, "measured") ==
        doctest::Approx(test::Real(*overview, "losses", 0, "percent")));
}

TEST_CASE("A gap that comes once is warm-up in the first steps only, and not if it comes again") {
  const auto stalled = [](int step) {
    test::GpuProfileOptions o = test::HealthyTraining();
    o.stall = "cudaMalloc", o.stall_us = 2000, o.stall_step = step;
    return test::RowOfRule(test::FindingsOf(o), "warm-up");
  };
  CHECK(stalled(1) >= 0);
  CHECK(stalled(5) < 0);
  CHECK(stalled(-1) < 0);  // in every step
  CHECK(test::RowOfRule(test::FindingsOf(test::HealthyTraining()), "warm-up") < 0);
}

}  // namespace stepscope
