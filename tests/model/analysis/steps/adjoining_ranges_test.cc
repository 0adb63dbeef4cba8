// Adjoining parts of a trace add up to the whole (docs/rules.md#parts-of-a-trace): every table that
// counts or sums events, cut at random, on every sample and on generated profiles.
#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/support/table_rows.h"

#include "loaders/loader.h"
#include "model/analysis/analysis.h"
#include "model/analysis/params.h"
#include "model/analysis/steps/steps.h"
#include "tests/support/gpu_profile.h"
#include "tests/support/report_figures.h"
#include "tests/support/samples.h"
#include "tests/support/sanitized.h"
#include "tests/support/xspace_builder.h"

namespace stepscope {
namespace {

using test::NumberOf;
using test::Rows;
using TracePtr = std::shared_ptr<const Trace>;

struct Summed {
  const char *analysis, *table;
  std::vector<const char*> key, value;
  bool of_steps = false;  // it is about steps: without steps the span of the whole trace has none
  bool counted = false;   // of the steps that count: a part without any has all of its steps
};

const std::vector<Summed>& Sums() {
  static const std::vector<Summed> sums = {
      {"kernel_stats",
       "kernels",
       {"kernel_name", "op_name", "grid_dim", "block_dim", "shmem_bytes", "registers_per_thread"},
       {"occurrences", "total_duration_us"}},
      {"kernel_stats", "by_kernel", {"name"}, {"occurrences", "total_duration_us"}},
      {"kernel_stats", "by_op", {"name"}, {"occurrences", "total_duration_us"}},
      {"kernel_stats", "by_stream", {"name"}, {"occurrences", "total_duration_us"}},
      {"kernel_stats", "by_category", {"category"}, {"count", "timeMs"}},
      {"kernel_stats",
       "devices",
       {"host", "device"},
       {"kernels", "graph_kernels", "graph_launches"}},
      {"kernel_stats",
       "launch_delay",
       {"host", "device", "stream"},
       {"launches", "graph_launches"}},
      {"kernel_stats",
       "copies",
       {"host", "device", "direction", "memory"},
       {"count", "bytes", "timeMs"}},
      {"kernel_stats", "by_annotation", {"name"}, {"count", "timeMs"}},
      {"kernel_stats", "graphs", {"source"}, {"launches", "kernels", "matched"}},
      {"kernel_stats",
       "graph_ops",
       {"name", "parent_module"},
       {"occurrences", "total_duration_us"}},
      {"op_stats",
       "ops",
       {"host_or_device", "type", "operation"},
       {"occurrences", "total_time", "total_self_time"}},
      {"op_stats", "by_category", {"category"}, {"count", "timeMs"}},
      {"overview",
       "overlap",
       {"host", "device"},
       {"count", "collectiveMs", "hiddenMs", "exposedMs", "computeMs"},
       true,
       true},
      {"overview", "steps", {"stepnum", "host"}, {"stepTimeMs", "otherTimeMs"}, true},
      {"overview",
       "device_steps",
       {"stepnum", "host", "device"},
       {"stepTimeMs", "idleTimeMs", "h2dTimeMs", "d2hTimeMs"},
       true},
      {"overview",
       "idle_causes",
       {"stepnum", "host", "device", "class", "cause"},
       {"timeMs", "count"},
       true},
      {"input_pipeline", "host_ops", {"opName"}, {"count", "timeInMs", "selfTimeInMs"}},
      {"input_pipeline", "loader_waits", {"loader"}, {"count", "timeMs"}},
      {"memory", "summary", {"host", "memory_id"}, {"num_allocations", "num_deallocations"}},
      {"memory", "lifetimes", {"host", "memory_id", "tf_op"}, {"occurrences", "allocated_bytes"}},
      {"ranks", "ranks", {"rank"}, {"collectives", "steps"}},
      {"ranks", "collectives", {"step", "name"}, {"participants"}},
  };
  return sums;
}

// Sums of the values of rows, by their keys.
using Totals = std::map<std::string, std::vector<double>>;

void AddTo(const Summed& sum, const AnalysisResult& result, Totals* totals) {
  const ResultTable* table = result.Table(sum.table);
  if (table == nullptr) return;
  const auto cell = [&](const std::vector<Value>& row, const char* id) {
    const int column = table->Column(id);
    return column < 0 ? Value() : row[static_cast<size_t>(column)];
  };
  for (const auto& row : test::RowsOf(*table)) {
    std::string key;
    for (const char* id : sum.key) key += RawValue(cell(row, id)) + "|";
    std::vector<double>& values = (*totals)[key];
    values.resize(sum.value.size());
    for (size_t i = 0; i < values.size(); ++i) values[i] += NumberOf(cell(row, sum.value[i]));
  }
}

bool IsNothing(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return v == 0; });
}

void CheckAdded(Totals parts, const Totals& whole) {
  for (const auto& [key, values] : whole) {
    CAPTURE(key);
    std::vector<double> sums = parts[key];
    sums.resize(values.size());
    for (size_t i = 0; i < values.size(); ++i)
      CHECK(sums[i] == doctest::Approx(values[i]).epsilon(1e-9));
    parts.erase(key);
  }
  for (const auto& [key, values] : parts) {
    CAPTURE(key);
    CHECK(IsNothing(values));
  }
}

// Whether a part has a step that counts.
bool HasCounted(AnalysisContext& context, const AnalysisParams& params) {
  const auto page = context.Get("overview", params);
  const Rows steps(*page, "steps");
  for (size_t r = 0; r < steps.size(); ++r) {
    if (!steps.Is(r, "partial") && !steps.Is(r, "warmup")) return true;
  }
  return false;
}

AnalysisParams InRange(TimeRange range) {
  AnalysisParams params;
  params.range = range;
  return params;
}

void CheckCut(AnalysisContext& context, Ps cut) {
  CAPTURE(cut);
  const TimeRange span = context.trace().span;
  const AnalysisParams left = InRange({span.begin, cut}), right = InRange({cut, span.end});
  const bool counted = HasCounted(context, left) && HasCounted(context, right);
  for (const Summed& sum : Sums()) {
    if (sum.counted && !counted) continue;
    if (sum.of_steps && context.Get<StepDatabase>().steps.empty()) continue;
    CAPTURE(sum.analysis);
    CAPTURE(sum.table);
    Totals parts, whole;
    AddTo(sum, *context.Get(sum.analysis, left), &parts);
    AddTo(sum, *context.Get(sum.analysis, right), &parts);
    AddTo(sum, *context.Get(sum.analysis), &whole);
    CheckAdded(std::move(parts), whole);
  }
}

void CheckCuts(const TracePtr& trace, int cuts) {
  AnalysisContext context(trace, Definitions::kStepscope);
  std::mt19937_64 random(29);
  for (int i = 0; i < cuts && trace->span.length() > 2; ++i) {
    const auto at = static_cast<Ps>(random() % static_cast<uint64_t>(trace->span.length() - 1));
    CheckCut(context, trace->span.begin + 1 + at);
  }
}

TracePtr LoadFile(const std::string& path) {
  Progress progress;
  auto trace = LoadPath(path, {}, {}, progress);
  REQUIRE_MESSAGE(trace.ok(), trace.status().message());
  return *trace;
}

}  // namespace

TEST_CASE("Adjoining parts of every sample add up to the whole, wherever they meet") {
  std::vector<std::string> paths = test::Samples();
  paths.push_back(test::SourcePath("tests/data/torch_gloo"));
  for (const std::string& path : paths) {
    CAPTURE(path);
    CheckCuts(LoadFile(path), kSanitized ? 1 : 3);
  }
}

TEST_CASE("Adjoining parts of real recordings add up to the whole, wherever they meet") {
  const std::vector<std::string> paths = test::SharedRecordings();
  if (paths.empty()) MESSAGE("skipped: the recordings beside the repository are not there");
  for (const std::string& path : paths) {
    CAPTURE(path);
    CheckCuts(LoadFile(path), kSanitized ? 1 : 4);
  }
}

TEST_CASE("A cut between the two kernels of an op's run does not make two runs of it") {
  test::XSpaceBuilder b;
  auto& line = b.Plane("/device:GPU:0").Line(1, "Stream #1");
  for (int64_t run = 0; run < 3; ++run) {
    line.Event("k1", run * 100, 10).Stat("tf_op", "x/A:");
    line.Event("k2", run * 100 + 50, 10).Stat("tf_op", "x/A:A");
  }
  const auto trace = LoadBytes("h.xplane.pb", b.Bytes(), {});
  REQUIRE(trace.ok());
  AnalysisContext context(*trace, Definitions::kStepscope);
  CHECK(Rows(*context.Get("op_stats"), "ops").Sum("occurrences") == 3);
  for (const Ps cut : {1, 40, 120, 140, 180, 240}) CheckCut(context, cut);
}

TEST_CASE("Adjoining parts of programs on several GPUs add up, also inside a collective") {
  test::GpuProfileOptions options;
  options.gpus = 4;
  options.steps = 4;
  options.layers = 6;
  for (const test::GpuScenario scenario :
       {test::GpuScenario::kHealthy, test::GpuScenario::kStaggered, test::GpuScenario::kCopies}) {
    options.scenario = scenario;
    const auto trace = LoadBytes("h.xplane.pb", test::MakeGpuProfile(options), {});
    REQUIRE(trace.ok());
    CheckCuts(*trace, kSanitized ? 3 : 10);
  }
}

}  // namespace stepscope
