// Compares XProf 2.24.2's answers (tests/golden, written by
// tests/tools/make_golden.py) with ours by its definitions, value by value, for the
// profiles in tests/data and the generated GPU profiles. Tolerances: whole nanoseconds
// for kernels, the last digit for texts like "97.6%", 1e-6 for the rest.
#include <doctest/doctest.h>

#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "loaders/loader.h"
#include "model/analysis/analysis.h"
#include "tests/support/golden_comparison.h"
#include "tests/support/gpu_profile.h"
#include "tests/support/source_paths.h"

namespace stepscope {
namespace {

using test::Comparison;
using test::Json;
using test::Keys;
using test::RowsOf;
using test::ToJson;
using test::Tolerance;

Json ReadOwnGolden(const std::string& name) {
  std::ifstream in(test::SourcePath("tests/golden/") + name + ".json");
  REQUIRE(in.good());
  return Json::parse(in);
}

// The rows of a golden file's table, as objects by column.
Json RowObjects(const Json& table) {
  const Json& columns = table.at("columns");
  Json rows = Json::array();
  for (const Json& row : table.at("rows")) {
    REQUIRE(row.size() == columns.size());
    Json object;
    for (size_t c = 0; c < columns.size(); ++c) object[columns[c].get<std::string>()] = row[c];
    rows.push_back(std::move(object));
  }
  return rows;
}

// XProf has a row of a kernel for each host; we merge them.
template <typename Key>
Json MergeHosts(const Json& rows, Key key) {
  std::map<std::string, Json> merged;
  for (const Json& row : rows) {
    const auto [it, added] = merged.try_emplace(key(row), row);
    if (added) continue;
    Json& sum = it->second;
    for (const char* f : {"occurrences", "total_duration_us"})
      sum[f] = sum[f].get<double>() + row[f].get<double>();
    sum["min_duration_us"] =
        std::min(sum["min_duration_us"].get<double>(), row["min_duration_us"].get<double>());
    sum["max_duration_us"] =
        std::max(sum["max_duration_us"].get<double>(), row["max_duration_us"].get<double>());
  }
  Json out = Json::array();
  for (const auto& [k, row] : merged) out.push_back(row);
  return out;
}

void CompareKernels(AnalysisContext& context, const Json& golden, size_t* compared) {
  Comparison c("kernel_stats", compared);
  const auto key = [](const Json& r) {
    return Json{r["kernel_name"],
                r["registers_per_thread"].get<double>(),
                r["shmem_bytes"].get<double>(),
                r["block_dim"],
                r["grid_dim"],
                r["op_name"],
                r["is_kernel_using_tensor_core"],
                r["is_op_tensor_core_eligible"]}
        .dump();
  };
  const auto tolerance = [](const Json& row, const char* field) {
    const std::string_view f = field;
    if (!f.ends_with("_us")) return Tolerance{};
    return Tolerance{.001001 * (f == "total_duration_us" ? row["occurrences"].get<double>() : 1)};
  };
  const Json theirs = RowObjects(golden["kernel_stats"]["kernels"]);
  const Json merged = MergeHosts(theirs, key);
  Keys fields = {"occurrences", "total_duration_us", "min_duration_us", "max_duration_us",
                 "occupancy_pct"};
  if (merged.size() == theirs.size())  // XProf has the rows of one host only
    fields.insert(fields.end(), {"avg_duration_us", "rank"});
  c.Rows(RowsOf(*context.Get("kernel_stats"), "kernels"), merged, key, fields,
         theirs.size() >= 1000, tolerance);
}

Json OfSide(const Json& rows, const char* side) {
  Json picked = Json::array();
  for (const Json& r : rows) {
    if (r["host_or_device"] == side) picked.push_back(r);
  }
  return picked;
}

void CompareOpStats(AnalysisContext& context, const Json& golden, size_t* compared) {
  Comparison c("op_stats", compared);
  const auto ours_kept = context.Get("op_stats");
  const AnalysisResult& ours = *ours_kept;
  const auto key = [](const Json& r) { return Json{r["type"], r["operation"]}.dump(); };
  for (const char* table : {"ops_with_idle", "ops"}) {
    const Json mine = RowsOf(ours, table), theirs = RowObjects(golden["op_stats"][table]);
    for (const char* side : {"Device", "Host"}) {
      const Json rows = OfSide(theirs, side);
      c.Rows(OfSide(mine, side), rows, key,
             {"occurrences", "total_time", "avg_time", "total_self_time", "avg_self_time",
              "device_total_self_time_percent", "host_total_self_time_percent",
              "device_cumulative_total_self_time_percent",
              "Host_cumulative_total_self_time_percent", "eager", "rank"},
             rows.size() >= 500);
    }
  }
}

void CompareSteps(AnalysisContext& context, const Json& golden, size_t* compared) {
  Comparison c("steps", compared);
  c.Rows(RowsOf(*context.Get("overview"), "steps"), RowObjects(golden["overview"]["steps"]),
         [](const Json& r) { return r["stepnum"].get<std::string>(); },
         {"stepTimeMs", "deviceComputeTimeMs", "deviceToDeviceTimeMs", "deviceCollectivesTimeMs",
          "hostComputeTimeMs", "kernelLaunchTimeMs", "infeedTimeMs", "outfeedTimeMs",
          "compileTimeMs", "otherTimeMs"});
}

void CompareOverview(AnalysisContext& context, const Json& golden, size_t* compared) {
  Comparison c("overview", compared);
  const auto ours_kept = context.Get("overview");
  const AnalysisResult& ours = *ours_kept;
  std::map<std::string, std::string> theirs;
  for (const auto& [k, v] : golden["overview"]["properties"].items()) theirs[k] = v;
  const auto mine = [&](const char* k) {
    const Property* p = ours.Find(k);
    return p ? ToJson(p->value) : Json();
  };
  for (const char* k :
       {"device_compute_16bit_percent", "device_compute_32bit_percent", "host_tf_op_percent",
        "device_tf_op_percent", "host_op_time_eager_percent", "device_op_time_eager_percent",
        "steptime_ms_average", "steptime_ms_standard_deviation", "steptime_ms_minimum",
        "steptime_ms_maximum"}) {
    if (!theirs[k].empty()) c.Equal(k, mine(k), std::stod(theirs[k]), {.0500001, 0});
  }
  for (const char* k : {"device_core_count", "host_count"}) {
    c.Equal(k, mine(k), std::stoi(theirs[k]));
  }
  for (const char* k : {"device_type", "bottleneck", "kernel_launch_bottleneck",
                        "device_collectives_bottleneck", "all_other_bottleneck"}) {
    c.Equal(k, mine(k), theirs[k]);
  }
  const Json top = RowObjects(golden["overview"]["top_ops"]);
  if (top.empty()) return;
  c.Rows(
      RowsOf(ours, "top_ops"), top, [](const Json& r) { return r["operation"].get<std::string>(); },
      {"selfTimePercent", "cumulativeTimePercent", "category", "tcEligibility", "tcUtilization"});
}

void CompareInput(AnalysisContext& context, const Json& golden, size_t* compared) {
  Comparison c("input_pipeline", compared);
  const auto ours_kept = context.Get("input_pipeline");
  const AnalysisResult& ours = *ours_kept;
  const Json& theirs = golden["input_pipeline"];
  c.Rows(RowsOf(ours, "host_ops"), RowObjects(theirs["host_ops"]),
         [](const Json& r) { return r["opName"].get<std::string>(); },
         {"count", "timeInMs", "timeInPercent", "selfTimeInMs", "selfTimeInPercent", "category"});
  for (const auto& [k, v] : theirs["properties"].items()) {
    const Property* p = ours.Find(k);
    c.Equal(k, p ? ToJson(p->value) : Json(), std::stod(v.get<std::string>()), {.001});
  }
}

// Allocations live at the peak: how many of each description. Special rows
// are left out: only XProf has them.
using Live = std::map<std::string, int64_t>;

Live TheirLive(const Json& allocator) {
  Live live;
  for (const Json& r : RowObjects(allocator["live"])) {
    const Json key = {r["tfOpName"],   r["allocationBytes"], r["requestedBytes"],
                      r["regionType"], r["dataType"],        r["tensorShape"]};
    live[key.dump()] += r["numOccurrences"].get<int64_t>();
  }
  for (const Json& r : RowObjects(allocator["special"])) {
    live[Json{"special", r["allocationBytes"]}.dump()] += r["numOccurrences"].get<int64_t>();
  }
  return live;
}

Live OurLive(const Json& rows, const std::string& id) {
  const std::set<std::string> special = {"unused preallocated device memory", "stack"};
  Live live;
  for (const Json& r : rows) {
    if (r["memory_id"] != id) continue;
    const Json key = special.contains(r["tf_op"].get<std::string>())
                         ? Json{"special", r["allocation_bytes"]}
                         : Json{r["tf_op"],       r["allocation_bytes"], r["requested_bytes"],
                                r["region_type"], r["data_type"],        r["tensor_shape"]};
    live[key.dump()] += r["occurrences"].get<int64_t>();
  }
  return live;
}

// The rows of the host, or all rows if only one host has any.
Json OfHost(const Json& rows, const std::string& host) {
  Json picked = Json::array();
  bool several = false;
  for (const Json& r : rows) {
    several = several || r["host"] != rows[0]["host"];
    if (r["host"] == host) picked.push_back(r);
  }
  return several ? picked : rows;
}

void CompareMemoryProfile(AnalysisContext& context, const Json& golden, size_t* compared) {
  const Json& profile = golden["memory"];
  if (profile["allocators"].empty()) return;
  Comparison c("memory", compared);
  const auto ours_kept = context.Get("memory");
  const AnalysisResult& ours = *ours_kept;
  const std::string host = profile["host"];  // XProf has the memory of one host only
  const Json rows = OfHost(RowsOf(ours, "active_allocations"), host);
  std::map<std::string, Json> summary;
  for (const Json& r : OfHost(RowsOf(ours, "summary"), host)) summary[r["memory_id"]] = r;
  for (const auto& [id, allocator] : profile["allocators"].items()) {
    const Json& mine = summary[id];
    for (const auto& [field, value] : allocator["summary"].items()) {
      c.Equal(id + " " + field, mine.is_object() ? mine.value(field, Json()) : Json(), value);
    }
    Live live = OurLive(rows, id), theirs = TheirLive(allocator);
    for (const auto& [k, n] : theirs) live.try_emplace(k, 0);
    for (const auto& [k, n] : live) c.Equal(id + " live " + k, n, theirs[k]);
  }
}

// Returns the number of values that it compared.
size_t CompareAll(std::shared_ptr<const Trace> trace, const std::string& name) {
  MESSAGE(name);
  const Json golden = ReadOwnGolden(name);
  AnalysisContext context(std::move(trace), Definitions::kXprof);
  size_t compared = 0;
  CompareKernels(context, golden, &compared);
  CompareOpStats(context, golden, &compared);
  CompareOverview(context, golden, &compared);
  CompareSteps(context, golden, &compared);
  CompareInput(context, golden, &compared);
  CompareMemoryProfile(context, golden, &compared);
  return compared;
}

}  // namespace

TEST_CASE("XProf's numbers of the recorded profiles") {
  size_t compared = 0;
  for (const char* name : {"jax_cpu", "tf_eagerpy", "tf_graph", "tf_inputbound", "tf_keras"}) {
    const std::string path = test::SourcePath("tests/data/") + name + ".xplane.pb.zst";
    Progress progress;
    auto trace = LoadPath(path, {}, {}, progress);
    REQUIRE(trace.ok());
    compared += CompareAll(*trace, name);
  }
  CHECK(compared == 24'192);
}

TEST_CASE("XProf's numbers of the generated GPU profiles") {
  size_t compared = 0;
  for (auto scenario : {test::GpuScenario::kHealthy, test::GpuScenario::kInputBound,
                        test::GpuScenario::kLaunchBound, test::GpuScenario::kCopies,
                        test::GpuScenario::kStaggered}) {
    test::GpuProfileOptions options;
    options.steps = 6;
    options.layers = 20;
    options.scenario = scenario;
    auto trace = LoadBytes("worker-0.xplane.pb", test::MakeGpuProfile(options), {});
    REQUIRE(trace.ok());
    compared += CompareAll(*trace, "gpu_" + std::string(test::GpuScenarioName(scenario)));
  }
  CHECK(compared == 28'309);
}

TEST_CASE("XProf's numbers of a recorded TPU profile") {
  const std::string path = test::SharedPath("profiles/tpu_v6e");
  if (!std::filesystem::exists(path)) {
    MESSAGE("SKIPPED: the shared recording of tpu_v6e is not there");
    return;
  }
  Progress progress;
  auto trace = LoadPath(path, {}, {}, progress);
  REQUIRE(trace.ok());
  CHECK(CompareAll(*trace, "tpu_v6e") == 628);
}

TEST_CASE("XProf's numbers of two hosts, aligned and merged as it does") {
  namespace fs = std::filesystem;
  const fs::path folder =
      fs::temp_directory_path() / ("stepscope_two_hosts_" + std::to_string(getpid()));
  fs::create_directories(folder);
  for (int host = 0; host < 2; ++host) {
    test::GpuProfileOptions options;
    options.steps = 6;
    options.layers = 20;
    options.host = "worker-" + std::to_string(host);
    options.seed = host;
    if (host == 1) options.scenario = test::GpuScenario::kStaggered;
    std::ofstream out(folder / (options.host + ".xplane.pb"), std::ios::binary);
    out << test::MakeGpuProfile(options);
  }
  Progress progress;
  auto trace = LoadPath(folder.string(), {}, {}, progress);
  fs::remove_all(folder);
  REQUIRE(trace.ok());
  REQUIRE((*trace)->hosts.size() == 2);
  CHECK(CompareAll(*trace, "gpu_two_hosts") == 4'208);
  // By default every step of every host is listed, with its host; --host picks one.
  AnalysisContext own(*trace, Definitions::kStepscope);
  const ResultTable& steps = *own.Get("overview")->Table("steps");
  CHECK(steps.size() == 12);
  CHECK(steps.Column("host") >= 0);
  CHECK(own.Get("overview", ForHost("worker-1"))->Table("steps")->size() == 6);
  CHECK(own.Get("kernel_stats")->Table("kernels")->size() ==
        own.Get("kernel_stats", ForHost("worker-1"))->Table("kernels")->size());
}

}  // namespace stepscope
