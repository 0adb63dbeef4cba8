// A part of a trace has what begins in it, for every analysis. The whole range equals no range, and
// the values of adjoining ranges add up.
#include "model/analysis/steps/scope.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <map>
#include <string>

#include "loaders/loader.h"
#include "model/analysis/memory/memory_profile.h"
#include "model/analysis/steps/steps.h"
#include "model/analysis/tables/cells.h"
#include "tests/support/gpu_profile.h"
#include "tests/support/loaded.h"
#include "tests/support/source_paths.h"
#include "tests/support/table_rows.h"
#include "tests/support/xspace_builder.h"

namespace stepscope {
namespace {

using TracePtr = std::shared_ptr<const Trace>;

TracePtr LoadText(const std::string& bytes) { return test::Loaded("h.xplane.pb", bytes); }

std::map<std::string, TracePtr> Profiles() {
  std::map<std::string, TracePtr> profiles;
  for (const char* name :
       {"jax_cpu.xplane.pb.zst", "jax_cpu.trace.json.gz", "tf_graph.xplane.pb.zst",
        "tf_inputbound.xplane.pb.zst", "tf_keras.xplane.pb.zst", "torch_cpu.json.gz"}) {
    Progress progress;
    auto trace = LoadPath(test::SourcePath("tests/data/") + name, {}, {}, progress);
    REQUIRE(trace.ok());
    profiles[name] = *trace;
  }
  test::GpuProfileOptions options;
  options.steps = 4;
  options.layers = 6;
  profiles["generated"] = LoadText(test::MakeGpuProfile(options));
  options.scenario = test::GpuScenario::kInputBound;
  profiles["generated, waits"] = LoadText(test::MakeGpuProfile(options));
  return profiles;
}

std::string TextOf(const AnalysisResult& r) {
  std::string text = r.empty_reason + "\n";
  for (const Property& p : r.properties) text += p.id + "=" + RawValue(p.value) + "\n";
  for (const ResultTable& t : r.tables) text += t.id + "\n" + ToCsv(t);
  for (const Finding& f : r.findings) text += f.text + "\n";
  return text;
}

AnalysisParams In(TimeRange range) {
  AnalysisParams params;
  params.range = range;
  return params;
}

AnalysisParams StepParams(int64_t first, int64_t last) {
  AnalysisParams params;
  params.steps = StepInterval{first, last};
  return params;
}

double NumberIn(const Value& v) {
  if (const auto* i = std::get_if<int64_t>(&v)) return static_cast<double>(*i);
  const auto* d = std::get_if<double>(&v);
  return d ? *d : 0;
}

struct Sum {
  const char *analysis, *table;
  std::vector<const char*> key, value;
};
const std::array<Sum, 5> kSums = {
    Sum{"kernel_stats",
        "kernels",
        {"kernel_name", "op_name", "grid_dim", "block_dim", "shmem_bytes"},
        {"occurrences", "total_duration_us"}},
    Sum{"op_stats", "ops", {"host_or_device", "operation"}, {"total_time", "total_self_time"}},
    Sum{"input_pipeline", "host_ops", {"opName"}, {"count", "timeInMs", "selfTimeInMs"}},
    Sum{"memory", "summary", {"host", "memory_id"}, {"num_allocations", "num_deallocations"}},
    Sum{"memory", "lifetimes", {"memory_id", "tf_op"}, {"occurrences", "still_live"}}};

// Sums the values of rows by their keys.
using Totals = std::map<std::string, std::vector<double>>;
void AddUp(const Sum& sum, const AnalysisResult& result, Totals* totals) {
  const ResultTable* table = result.Table(sum.table);
  REQUIRE(table);
  for (const auto& row : test::RowsOf(*table)) {
    std::string key;
    for (const char* c : sum.key) key += RawValue(row[static_cast<size_t>(table->Column(c))]) + "|";
    auto& values = (*totals)[key];
    values.resize(sum.value.size());
    for (size_t i = 0; i < values.size(); ++i)
      values[i] += NumberIn(row[static_cast<size_t>(table->Column(sum.value[i]))]);
  }
}

void CheckEqual(const Totals& parts, const Totals& whole) {
  CHECK(parts.size() == whole.size());
  for (const auto& [key, values] : whole) {
    CAPTURE(key);
    const auto it = parts.find(key);
    REQUIRE(it != parts.end());
    for (size_t i = 0; i < values.size(); ++i)
      CHECK(it->second[i] == doctest::Approx(values[i]).epsilon(1e-9));
  }
}

size_t StepRows(AnalysisContext& context, const AnalysisParams& params) {
  return context.Get("overview", params)->Table("steps")->size();
}

}  // namespace

TEST_CASE("The whole range, and more than it, is no range: every analysis, both definitions") {
  for (const auto& [name, trace] : Profiles()) {
    CAPTURE(name);
    for (const Definitions definitions : {Definitions::kStepscope, Definitions::kXprof}) {
      AnalysisContext context(trace, definitions);
      const TimeRange more{trace->span.begin - 1, trace->span.end + kPsPerS};
      for (const AnalysisDesc& analysis : Analyses()) {
        CAPTURE(analysis.id);
        const std::string all = TextOf(analysis.run(context, {}));
        CHECK(TextOf(analysis.run(context, In(trace->span))) == all);
        CHECK(TextOf(analysis.run(context, In(more))) == all);
      }
    }
  }
}

TEST_CASE("Two parts add up to the whole, wherever they meet") {
  for (const auto& [name, trace] : Profiles()) {
    CAPTURE(name);
    AnalysisContext context(trace, Definitions::kStepscope);
    for (const double share : {0.1, 0.5, 0.83}) {
      const Ps cut =
          trace->span.begin + static_cast<Ps>(static_cast<double>(trace->span.length()) * share);
      const AnalysisParams left = In({trace->span.begin, cut}), right = In({cut, trace->span.end});
      for (const Sum& sum : kSums) {
        CAPTURE(sum.table);
        Totals parts, whole;
        AddUp(sum, *context.Get(sum.analysis, left), &parts);
        AddUp(sum, *context.Get(sum.analysis, right), &parts);
        AddUp(sum, *context.Get(sum.analysis), &whole);
        CheckEqual(parts, whole);
      }
      CHECK(StepRows(context, left) + StepRows(context, right) == StepRows(context, {}));
    }
  }
}

TEST_CASE("An event belongs to the range in which it begins") {
  test::XSpaceBuilder b;
  auto& stream = b.Plane("/device:GPU:0").Line(1, "Stream #1");
  for (int64_t i = 0; i < 4; ++i) {
    stream.Event("gemm", i * 10, 12).Stat("kernel_details", "regs:16 grid:1,1,1 block:32,1,1");
  }
  AnalysisContext context(LoadText(b.Bytes()), Definitions::kStepscope);
  const auto kernels = context.Get("kernel_stats", In({10, 30}));
  const ResultTable& table = *kernels->Table("kernels");
  REQUIRE(table.size() == 1);
  CHECK(NumberAt(table, 0, "occurrences") == 2);
  CHECK(table.links[0].rows.size() == 2);
  CHECK(context.Get("kernel_stats", In({11, 20}))->Table("kernels")->empty());
}

TEST_CASE("Steps are chosen by number: all of them are the whole table, one is its row") {
  for (const auto& [name, trace] : Profiles()) {
    CAPTURE(name);
    AnalysisContext context(trace, Definitions::kStepscope);
    const std::vector<Step>& steps = context.Get<StepDatabase>().steps;
    const auto whole = context.Get("overview");
    const ResultTable& table = *whole->Table("steps");
    REQUIRE(table.size() == steps.size());
    if (steps.empty()) continue;
    const auto all = context.Get("overview", StepParams(steps.front().number, steps.back().number));
    CHECK(ToCsv(*all->Table("steps")) == ToCsv(table));
    const size_t middle = steps.size() / 2;
    const int64_t number = steps[middle].number;
    const auto one = context.Get("overview", StepParams(number, number));
    REQUIRE(one->Table("steps")->size() == 1);
    CHECK(test::RowOf(*one->Table("steps"), 0) == test::RowOf(table, middle));
    CHECK(one->Table("steps")->links[0].range == steps[middle].span);
    CHECK(StepRows(context, StepParams(steps.back().number + 1, steps.back().number + 9)) == 0);
    // Everything else belongs to the time of the step.
    const AnalysisParams of_step = StepParams(number, number), of_time = In(steps[middle].span);
    for (const Sum& sum : kSums) {
      CAPTURE(sum.table);
      Totals by_step, by_time;
      AddUp(sum, *context.Get(sum.analysis, of_step), &by_step);
      AddUp(sum, *context.Get(sum.analysis, of_time), &by_time);
      CheckEqual(by_step, by_time);
    }
  }
}

TEST_CASE("A step's number is that of its name where those rise, else its place") {
  const auto numbers = [](std::vector<std::string> labels, std::vector<uint32_t> hosts) {
    std::vector<Step> steps(labels.size());
    for (size_t i = 0; i < steps.size(); ++i) {
      steps[i].label = labels[i];
      steps[i].host = HostId(hosts[i]);
    }
    NumberSteps(&steps);
    std::vector<int64_t> out;
    for (const Step& step : steps) out.push_back(step.number);
    return out;
  };
  using Numbers = std::vector<int64_t>;
  CHECK(numbers({"train 7", "train 8", "eval 12"}, {0, 0, 0}) == Numbers{7, 8, 12});
  CHECK(numbers({"3", "4"}, {0, 0}) == Numbers{3, 4});
  CHECK(numbers({"train 0", "train 1", "eval 0"}, {0, 0, 0}) == Numbers{0, 1, 2});
  CHECK(numbers({"train", "train"}, {0, 0}) == Numbers{0, 1});
  CHECK(numbers({"train 5", "train 6", "loop", "loop"}, {0, 0, 1, 1}) == Numbers{5, 6, 0, 1});
  CHECK(numbers({"train 99999999999999999999"}, {0}) == Numbers{0});
  CHECK(numbers({}, {}).empty());
}

TEST_CASE("What was allocated before a range is live in it, and does not count as made in it") {
  test::XSpaceBuilder b;
  auto& line = b.Plane("/host:CPU").Line(1, "tf_gpu_0");
  const auto event = [&](bool allocation, int64_t at, int64_t heap, int64_t address) {
    line.Event(allocation ? "MemoryAllocation" : "MemoryDeallocation", at, 0)
        .Stat("allocator_name", "GPU_0_bfc")
        .Stat("bytes_allocated", heap)
        .Stat("bytes_available", int64_t{1000} - heap)
        .Stat("allocation_bytes", int64_t{100})
        .Stat("addr", address)
        .Stat("tf_op", "op:Op");
  };
  event(true, 10, 100, 1), event(true, 20, 200, 2), event(false, 30, 100, 2);
  event(true, 40, 200, 3), event(true, 50, 300, 4);
  AnalysisContext context(LoadText(b.Bytes()), Definitions::kStepscope);
  const auto memory = context.Get("memory", In({15, 35}));
  const auto cell = [&](const char* table, const char* column) {
    const ResultTable& t = *memory->Table(table);
    REQUIRE(t.size() == 1);
    return NumberAt(t, 0, column);
  };
  CHECK(cell("summary", "num_allocations") == 1);
  CHECK(cell("summary", "num_deallocations") == 1);
  CHECK(cell("summary", "peak_bytes_in_use") == 200);
  CHECK(cell("active_allocations", "occurrences") == 2);
  CHECK(cell("lifetimes", "occurrences") == 1);
  CHECK(memory->Table("timeline")->size() == 2);
  CHECK(context.Get("memory", In({31, 39}))->Table("summary")->empty());
}

TEST_CASE("Each host has its own time of a step") {
  test::GpuProfileOptions options;
  options.steps = 3;
  options.layers = 4;
  AnalysisContext context(LoadText(test::MakeGpuProfile(options)), Definitions::kStepscope);
  const Step& step = context.Get<StepDatabase>().steps.at(1);
  const Scope scope = ScopeOf(context, StepParams(step.number, step.number));
  CHECK_FALSE(scope.whole_time());
  CHECK(scope.OfHost(step.host).Contains(step.span.begin));
  CHECK_FALSE(scope.OfHost(step.host).Contains(step.span.begin - 1));
  CHECK_FALSE(scope.OfHost(step.host).Contains(step.span.end));
  CHECK(scope.Has(step));
  CHECK_FALSE(scope.Has(context.Get<StepDatabase>().steps.at(0)));
  // Without a step nothing counts.
  CHECK_FALSE(ScopeOf(context, StepParams(77, 78)).OfHost(step.host).Contains(step.span.begin));
}

}  // namespace stepscope
