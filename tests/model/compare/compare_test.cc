// Pairs of profiles with one planted change: it must come first and explain the change of the step.
#include "model/compare/compare.h"
#include "model/compare/compare_table.h"
#include "model/compare/step_tables.h"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>

#include "loaders/loader.h"
#include "tests/support/gpu_profile.h"
#include "tests/support/kineto_text.h"
#include "tests/support/source_paths.h"
#include "tests/support/table_cells.h"
#include "tests/support/table_rows.h"

namespace stepscope::compare {
namespace {

using test::GpuProfileOptions;
using test::GpuScenario;

std::unique_ptr<AnalysisContext> Loaded(const GpuProfileOptions& options) {
  auto trace = LoadBytes("h.xplane.pb", test::MakeGpuProfile(options), {});
  REQUIRE(trace.ok());
  return std::make_unique<AnalysisContext>(*trace, Definitions::kStepscope);
}

AnalysisResult ComparedWith(const GpuProfileOptions& a, const GpuProfileOptions& b) {
  return CompareProfiles(*Loaded(a), *Loaded(b), {});
}

double Number(const AnalysisResult& result, const char* id) {
  const Property* p = result.Find(id);
  REQUIRE_MESSAGE(p != nullptr, id);
  REQUIRE_MESSAGE(std::holds_alternative<double>(p->value), id);
  return std::get<double>(p->value);
}

// Listed contributions and noise sum to the change of the mean step, and so do the classes.
void CheckSums(const AnalysisResult& result) {
  const double mean = Number(result, "mean_delta_ms"), noise = Number(result, "noise_ms");
  const double step = std::max(Number(result, "step_ms_a"), Number(result, "step_ms_b"));
  double sum = noise, classes = 0;
  const ResultTable& contributions = test::TableOf(result, "contributions");
  for (size_t r = 0; r < contributions.size(); ++r)
    sum += test::Real(result, "contributions", r, "delta_ms_per_step");
  for (size_t r = 0; r < test::TableOf(result, "classes").size(); ++r)
    classes += test::Real(result, "classes", r, "delta_ms_per_step");
  CAPTURE(mean);
  CAPTURE(sum);
  CAPTURE(classes);
  CHECK(std::abs(sum - mean) <= 1e-6 * step);
  CHECK(std::abs(classes - mean) <= 1e-6 * step);
}

double ShareOf(const AnalysisResult& result, const std::string& name) {
  double share = 0;
  const ResultTable& t = test::TableOf(result, "contributions");
  for (size_t r = 0; r < t.size(); ++r) {
    if (test::Text(result, "contributions", r, "name").find(name) != std::string::npos)
      share += test::Real(result, "contributions", r, "share_of_change");
  }
  return share;
}

struct Planted {
  const char* what;
  std::function<void(GpuProfileOptions*)> plant;
  const char* kind;
  const char* name;  // part of the first row's name
  const char* change;
  GpuScenario base = GpuScenario::kHealthy;
};

const Planted kPlanted[] = {
    {"one op slower", [](auto* o) { o->slower_op = "logits/MatMul", o->slower_factor = 1.2; }, "op",
     "logits/MatMul", "slower"},
    {"one layer slower",
     [](auto* o) { o->slower_op = "stage0/block3/conv", o->slower_factor = 1.2; }, "op",
     "stage0/block3/conv", "slower"},
    {"an op of all layers slower", [](auto* o) { o->slower_op = "conv", o->slower_factor = 1.2; },
     "op", "/conv/Conv2D", "slower"},
    {"a stage slower", [](auto* o) { o->slower_op = "stage1/", o->slower_factor = 1.5; }, "op",
     "stage1/", "slower"},
    {"an op of all layers faster", [](auto* o) { o->slower_op = "/bn/", o->slower_factor = 0.5; },
     "op", "/bn/", "faster"},
    {"one op dropped", [](auto* o) { o->drop_op = "logits/MatMul"; }, "op", "logits/MatMul",
     "removed"},
    {"an op of all layers dropped", [](auto* o) { o->drop_op = "relu"; }, "op", "/relu/",
     "removed"},
    {"a tiny op of all layers dropped", [](auto* o) { o->drop_op = "Mul_3"; }, "op", "Mul_3",
     "removed", GpuScenario::kLaunchBound},
    {"waiting for input", [](auto* o) { o->input_wait_us = 2000; }, "input", "IteratorGetNext",
     "slower"},
    {"copies that the host waits for", [](auto* o) { o->scenario = GpuScenario::kCopies; }, "copy",
     "MemcpyD2H", "added"},
    {"work between steps", [](auto* o) { o->between_us = 3000; }, "idle", "WriteMetrics", "added"},
    {"an outlier", [](auto* o) { o->outlier_step = 5; }, "op", "train 5", "added"},
};

// Checks that all columns whose ids begin with delta_ are 0.
void CheckZero(const AnalysisResult& result) {
  for (const ResultTable& t : result.tables) {
    for (size_t c = 0; c < t.columns.size(); ++c) {
      if (t.columns[c].id.rfind("delta_", 0) != 0) continue;
      for (const std::vector<Value>& row : test::RowsOf(t)) {
        CAPTURE(t.id);
        const auto* value = std::get_if<double>(&row[c]);
        if (value != nullptr) CHECK(*value == 0);
      }
    }
  }
}

}  // namespace

TEST_CASE("A planted change comes first and explains the change of the step time") {
  for (const Planted& planted : kPlanted) {
    for (const bool run_ahead : {false, true}) {
      CAPTURE(planted.what);
      CAPTURE(run_ahead);
      GpuProfileOptions a;
      a.scenario = planted.base;
      a.layers = 30;
      a.run_ahead = run_ahead;
      GpuProfileOptions b = a;
      planted.plant(&b);
      const AnalysisResult result = ComparedWith(a, b);
      CheckSums(result);
      // A step that runs ahead hides the host's work.
      if (run_ahead && std::string(planted.kind) != "op") continue;
      if (run_ahead && planted.base == GpuScenario::kLaunchBound) continue;
      REQUIRE_FALSE(test::TableOf(result, "contributions").empty());
      CAPTURE(test::PropertyText(result, "summary"));
      CHECK(test::Text(result, "contributions", 0, "kind") == planted.kind);
      CHECK(test::Text(result, "contributions", 0, "change") == planted.change);
      CHECK(test::Text(result, "contributions", 0, "name").find(planted.name) != std::string::npos);
      const double share = ShareOf(result, planted.name);
      CHECK(share >= 95);
      CHECK(share <= 105);
    }
  }
}

TEST_CASE("A profile compared with itself has changed nowhere") {
  for (const GpuScenario scenario : {GpuScenario::kHealthy, GpuScenario::kStaggered}) {
    GpuProfileOptions options;
    options.scenario = scenario;
    options.layers = 8;
    options.outlier_step = 4;
    const AnalysisResult result = ComparedWith(options, options);
    CHECK(test::TableOf(result, "contributions").empty());
    CHECK(result.Table("differences") == nullptr);
    CHECK(Number(result, "delta_ms") == 0);
    CHECK(Number(result, "mean_delta_ms") == 0);
    CHECK(test::PropertyText(result, "significance") == "none");
    CheckZero(result);
  }
}

TEST_CASE("Profiles of another size differ in size only, not in what they do") {
  const auto check = [](const GpuProfileOptions& a, const GpuProfileOptions& b, const char* what) {
    CAPTURE(what);
    const AnalysisResult result = ComparedWith(a, b);
    CheckSums(result);
    const double step = Number(result, "step_ms_a");
    const ResultTable& t = test::TableOf(result, "contributions");
    for (size_t r = 0; r < t.size(); ++r)
      CHECK(std::abs(test::Real(result, "contributions", r, "delta_ms_per_step")) <= 0.01 * step);
    bool said = false;
    for (size_t r = 0; r < test::TableOf(result, "differences").size(); ++r)
      said = said || test::Text(result, "differences", r, "id") == what;
    CHECK(said);
  };
  const GpuProfileOptions a;
  GpuProfileOptions half = a, more = a;
  half.steps = a.steps / 2;
  more.gpus = 4;
  check(a, half, "steps");
  check(half, a, "steps");
  check(a, more, "gpus");
  check(more, a, "gpus");
}

TEST_CASE("Exchanging the profiles negates every change") {
  for (const Planted& planted : kPlanted) {
    CAPTURE(planted.what);
    GpuProfileOptions a;
    a.scenario = planted.base;
    a.layers = 9;
    a.steps = 8;
    GpuProfileOptions b = a;
    planted.plant(&b);
    const AnalysisResult ab = ComparedWith(a, b), ba = ComparedWith(b, a);
    for (const char* id : {"delta_ms", "mean_delta_ms", "noise_ms"})
      CHECK(std::abs(Number(ab, id) + Number(ba, id)) <= 1e-9);
    CHECK(Number(ab, "p_value") == doctest::Approx(Number(ba, "p_value")));
    REQUIRE(test::TableOf(ab, "contributions").size() == test::TableOf(ba, "contributions").size());
    for (size_t r = 0; r < test::TableOf(ab, "contributions").size(); ++r) {
      CHECK(std::abs(test::Real(ab, "contributions", r, "delta_ms_per_step") +
                     test::Real(ba, "contributions", r, "delta_ms_per_step")) <= 1e-9);
    }
  }
}

TEST_CASE("Significance needs steps, and more than their scatter") {
  GpuProfileOptions a, b;
  a.layers = b.layers = 10;
  b.slower_op = "conv";
  b.slower_factor = 1.2;
  CHECK(test::PropertyText(ComparedWith(a, b), "significance") == "strong");
  CHECK(std::get<double>(ComparedWith(a, b).Find("delta_low_ms")->value) > 0);
  b.steps = 2;
  CHECK(test::PropertyText(ComparedWith(a, b), "significance") == "none");
  b.steps = 1;  // no interval, rather than one of 0
  for (const char* bound : {"delta_low_ms", "delta_high_ms"})
    CHECK(test::PropertyText(ComparedWith(a, b), bound).empty());
}

// The sentence that says the difference of steps of about 10 ms and of about `b` ms, `n` on a side.
std::string DifferenceOf(double b, size_t n, double deviation) {
  StepChange change;
  std::vector<double> times_a, times_b;
  for (size_t i = 0; i < n; ++i) {
    const double noise =
        deviation * (static_cast<double>(7 * i % n) / static_cast<double>(n) - 0.5);
    times_a.push_back(10 + noise);
    times_b.push_back(b + noise);
  }
  change.found = true;
  change.a = {10, deviation, 0, 0, 10, n};
  change.b = {b, deviation, 0, 0, b, n};
  change.test = TestShift(times_a, times_b);
  AnalysisResult result;
  StepComparison comparison;
  comparison.change = change;
  AddSummary(comparison, &result);
  REQUIRE_FALSE(result.findings.empty());
  CHECK(test::PropertyText(result, "summary").starts_with(result.findings[0].text));
  return result.findings[0].text;
}

TEST_CASE("The first sentence is the difference with its significance in words") {
  CHECK(DifferenceOf(13.2, 12, 0.1)
            .starts_with("B's step is 3.20 ms longer (+32 %), significant (p = "));
  CHECK(DifferenceOf(9.5, 12, 0.1)
            .starts_with("B's step is 500 µs shorter (-5.0 %), significant (p"));
  CHECK(DifferenceOf(10.05, 12, 2)
            .starts_with("B's step is 50.0 µs longer (+0.5 %), not significant: the steps vary by "
                         "2.00 ms (p = "));
  CHECK(DifferenceOf(10.05, 5, 2)
            .starts_with("B's step is 50.0 µs longer (+0.5 %), not significant: the steps vary by "
                         "2.00 ms, and 5 and "
                         "5 steps are few (p = "));
  CHECK(DifferenceOf(890, 3, 0.1) ==
        "B's step is 880 ms longer; 3 and 3 steps are too few to test it.");  // no 8800 %
  CHECK(DifferenceOf(109, 3, 0.1) ==
        "B's step is 99.0 ms longer (+990 %); 3 and 3 steps are too few to test it.");
  CHECK(DifferenceOf(10, 12, 0.1) == "B's step takes as long as A's: 10.0 ms.");
}

TEST_CASE("A change of many times A has no percentage, in no table and in no sentence") {
  using compare::ChangePercent;
  CHECK(*ChangePercent(2, 3) == doctest::Approx(50));
  CHECK(*ChangePercent(2, 0) == doctest::Approx(-100));
  CHECK(*ChangePercent(1, 11) == doctest::Approx(1000));
  CHECK_FALSE(ChangePercent(1, 11.1));
  CHECK_FALSE(ChangePercent(0, 1));
  CHECK_FALSE(ChangePercent(0, 0));
  CHECK_FALSE(ChangePercent(1, std::nan("")));
  GpuProfileOptions a, b;
  a.layers = b.layers = 6;
  b.scenario = GpuScenario::kInputBound;  // A waits hardly for input
  const AnalysisResult result = ComparedWith(a, b);
  for (const ResultTable& table : result.tables) {
    const int column = table.Column("delta_percent");
    if (column < 0) continue;
    CAPTURE(table.id);
    for (const auto& row : test::RowsOf(table)) {
      const auto* percent = std::get_if<double>(&row[static_cast<size_t>(column)]);
      if (percent != nullptr) CHECK(std::abs(*percent) <= 1000);
    }
  }
}

TEST_CASE("Names in common are those of kernels, but for numbers") {
  const auto shared = [](const GpuProfileOptions& a, const GpuProfileOptions& b) {
    return Number(ComparedWith(a, b), "shared_names_percent");
  };
  GpuProfileOptions a, b;
  a.layers = b.layers = 6;
  CHECK(shared(a, b) == 100);
  b.scenario = GpuScenario::kFp32;
  const double fp32 = shared(a, b);
  CHECK(fp32 > 0);
  CHECK(fp32 < 100);
}

TEST_CASE("Rows have shares of a change, and none of next to no change") {
  compare::StepChange change;
  change.a.mean = 100;
  for (const double b : {100.0, 100.4, 99.6}) {
    change.b.mean = b;
    CHECK(change.divisor() == 0);
  }
  change.test.significance = compare::Significance::kStrong;  // small, but certain
  CHECK(change.divisor() == doctest::Approx(-0.4));
  change.largest_row = 1.9;
  CHECK(change.divisor() == doctest::Approx(-0.4));
  change.largest_row = 2.1;  // certain, but next to nothing beside what rows changed
  CHECK(change.divisor() == 0);
  change.largest_row = 0;
  change.test.significance = compare::Significance::kNone;
  change.b.mean = 101;
  CHECK(change.divisor() == doctest::Approx(1));
  change.b.mean = 99;
  CHECK(change.divisor() == doctest::Approx(-1));
  change.largest_row = 1.9;
  CHECK(change.divisor() == doctest::Approx(-1));
  change.largest_row = 2.1;  // the change is what other rows leave of this one
  CHECK(change.divisor() == 0);
}

TEST_CASE("A participant that is later is a wait of the others, and its own idle time") {
  GpuProfileOptions a, b;
  a.scenario = b.scenario = GpuScenario::kStaggered;
  b.late_us = a.late_us + 3000;
  const AnalysisResult result = ComparedWith(a, b);
  CheckSums(result);
  CHECK(test::Text(result, "contributions", 0, "kind") == "wait");
  CHECK(test::Text(result, "contributions", 0, "class") == "collective_wait");
  CHECK(test::Text(result, "contributions", 0, "name").find("AllReduce") != std::string::npos);
  CHECK(test::Real(result, "contributions", 0, "share_of_change") == doctest::Approx(50));
  CHECK(test::Text(result, "contributions", 1, "kind") == "idle");
}

struct Program {
  std::string device = test::kH100, type = "c10::BFloat16";
  int batch = 8;
  double other = 0;  // part of the device time in kernels and ops of another name
};

std::unique_ptr<AnalysisContext> Loaded(const Program& program) {
  test::KinetoText t;
  const std::string sizes = "\"Input Dims\":[[" + std::to_string(program.batch) +
                            ",64],[64,64]],\"Input type\":[\"" + program.type + "\",\"" +
                            program.type + "\"]";
  for (int s = 0; s < 8; ++s) {
    const double at = 1000 * s;
    const int id = 2 * s + 1;
    t.Host("user_annotation", "ProfilerStep#" + std::to_string(s), at, 999);
    t.Host("cpu_op", "aten::mm", at, 20, sizes).Launch(id, at + 5, 5);
    t.Kernel("gemm", id, at + 15, 900 * (1 - program.other));
    if (program.other <= 0) continue;
    t.Host("cpu_op", "aten::sort", at + 30, 20, sizes).Launch(id + 1, at + 35, 5);
    t.Kernel("radix", id + 1, at + 15 + 900 * (1 - program.other), 900 * program.other);
  }
  auto trace = LoadBytes("t.json", t.Text(program.device), {});
  REQUIRE(trace.ok());
  return std::make_unique<AnalysisContext>(*trace, Definitions::kStepscope);
}

std::string SummaryOf(const Program& a, const Program& b) {
  return test::PropertyText(CompareProfiles(*Loaded(a), *Loaded(b), {}), "summary");
}

TEST_CASE("Two programs with little work in common are said to be that, before all else") {
  CHECK(SummaryOf({}, {.other = 0.7})
            .starts_with(
                "A and B are hardly the same program: they share 30 % of their work and 50 % of "
                "the names in it. B's step takes"));
  CHECK(SummaryOf({}, {.other = 0.6}).starts_with("B's step takes as long as A's: "));
}

TEST_CASE("Another GPU, type of numbers or batch is said before the change") {
  const std::string v100 =
      R"({"id":0,"name":"Tesla V100","totalGlobalMem":17000000000,"numSms":80})";
  CHECK(SummaryOf({}, {.device = v100})
            .starts_with("The conditions differ: Device NVIDIA H100 80GB HBM3 -> Tesla V100. "));
  CHECK(SummaryOf({}, {.type = "float"})
            .starts_with("The conditions differ: 16-bit compute 100 % -> 0 %. "));
  CHECK(SummaryOf({}, {.type = "c10::Half"})
            .starts_with("The conditions differ: Type of most kernels bf16 -> fp16. "));
  CHECK(SummaryOf({}, {.type = "c10::Float8_e4m3fn"})
            .starts_with("The conditions differ: Type of most kernels bf16 -> fp8. "));
  CHECK(SummaryOf({}, {.batch = 16})
            .starts_with("The conditions differ: Inputs of aten::mm [[8,64],[64,64]] -> "
                         "[[16,64],[64,64]]. "));
  CHECK(SummaryOf({}, {}).starts_with("B's step takes as long as A's: "));
}

TEST_CASE("A run drifts if its second half differs by more than its steps scatter") {
  const auto drift = [](size_t n, double later) {
    compare::ComparedSteps steps;
    for (size_t i = 0; i < n; ++i)
      steps.times.push_back((i < n / 2 ? 10 : later) + 0.01 * static_cast<double>(7 * i % 5));
    steps.summary.median = 10;
    return compare::DriftOf(steps);
  };
  CHECK(drift(40, 11) == doctest::Approx(10).epsilon(0.05));
  CHECK(drift(40, 9) == doctest::Approx(-10).epsilon(0.05));
  CHECK(drift(40, 10) == 0);
  CHECK(drift(14, 11) == 0);  // too few steps
}

TEST_CASE("Kernels that were renamed are found by their op, and links lead to both profiles") {
  GpuProfileOptions a, b;
  a.layers = b.layers = 6;
  b.scenario = GpuScenario::kFp32;
  const AnalysisResult result = ComparedWith(a, b);
  CheckSums(result);
  const ResultTable& kernels = test::TableOf(result, "kernels");
  size_t renamed = 0;
  for (size_t r = 0; r < kernels.size(); ++r) {
    if (test::Text(result, "kernels", r, "change") != "renamed") continue;
    ++renamed;
    CHECK_FALSE(test::Text(result, "kernels", r, "matched_as").empty());
    CHECK(test::Text(result, "kernels", r, "matched_by") == "op");
  }
  CHECK(renamed == 4);
  CHECK(test::Text(result, "contributions", 0, "change") == "slower");
  const ResultTable& rows = test::TableOf(result, "contributions");
  REQUIRE(rows.links.size() == rows.size());
  REQUIRE(rows.links_b.size() == rows.size());
  CHECK_FALSE(rows.links[0].rows.empty());
  CHECK_FALSE(rows.links_b[0].rows.empty());
}

TEST_CASE("A row leads to all of its events in both profiles, however many") {
  GpuProfileOptions base;
  base.gpus = 1;
  GpuProfileOptions slower = base;
  slower.slower_op = "conv";
  slower.slower_factor = 1.2;
  const AnalysisResult result = ComparedWith(base, slower);
  for (const char* id : {"contributions", "kernels", "ops"}) {
    const ResultTable& table = test::TableOf(result, id);
    size_t most = 0;
    for (size_t r = 0; r < table.size(); ++r) {
      // The profiles have the same number of typical steps.
      const double a = test::Real(result, id, r, "a_count"),
                   b = test::Real(result, id, r, "b_count");
      const auto steps = static_cast<double>(std::get<int64_t>(result.Find("steps_a")->value));
      if (a > 0)
        CHECK(static_cast<double>(table.links[r].rows.size()) == doctest::Approx(a * steps));
      if (b > 0)
        CHECK(static_cast<double>(table.links_b[r].rows.size()) == doctest::Approx(b * steps));
      most = std::max(most, table.links[r].rows.size());
    }
    CAPTURE(id);
    CHECK(most >= (std::string_view(id) == "ops" ? 10 : 450));
  }
}

TEST_CASE("Allocations and peaks are compared") {
  GpuProfileOptions a, b;
  a.layers = b.layers = 6;
  b.drop_op = "block5/conv";  // its output lives to the end of the step
  const AnalysisResult result = ComparedWith(a, b);
  CHECK(Number(result, "memory_peak_bytes_b") < Number(result, "memory_peak_bytes_a"));
  const ResultTable& t = test::TableOf(result, "allocations");
  CHECK_FALSE(t.empty());
}

TEST_CASE("A profile that recorded no memory has no memory peak") {
  GpuProfileOptions a, b;
  a.layers = b.layers = 4;
  b.memory = false;
  const AnalysisResult result = ComparedWith(a, b);
  CHECK(result.Find("memory_peak_bytes_a") != nullptr);
  CHECK(result.Find("memory_peak_bytes_b") == nullptr);
}

TEST_CASE("All pairs of recorded samples compare, and their sums hold") {
  const char* names[] = {"tf_graph.xplane.pb.zst", "tf_keras.xplane.pb.zst",
                         "jax_cpu.xplane.pb.zst", "torch_cpu.json.gz"};
  std::vector<std::unique_ptr<AnalysisContext>> contexts;
  Progress progress;
  for (const char* name : names) {
    const auto trace = LoadPath(test::SourcePath("tests/data/") + name, {}, {}, progress);
    REQUIRE_MESSAGE(trace.ok(), name);
    contexts.push_back(std::make_unique<AnalysisContext>(*trace, Definitions::kStepscope));
  }
  for (const auto& a : contexts) {
    for (const auto& b : contexts) {
      const AnalysisResult result = CompareProfiles(*a, *b, {});
      CAPTURE(a->trace().path);
      CAPTURE(b->trace().path);
      CHECK(HaveSteps(*a, *b, {}));
      CheckSums(result);
      if (a == b) CheckZero(result);
    }
  }
}

TEST_CASE("A part of each profile is compared") {
  GpuProfileOptions a, b;
  a.layers = b.layers = 5;
  b.outlier_step = 7;
  CompareParams params;
  params.a.steps = params.b.steps = StepInterval{1, 5};
  const AnalysisResult result = CompareProfiles(*Loaded(a), *Loaded(b), params);
  CHECK(Number(result, "delta_ms") == 0);
  CHECK(test::TableOf(result, "contributions").empty());
}

}  // namespace stepscope::compare
