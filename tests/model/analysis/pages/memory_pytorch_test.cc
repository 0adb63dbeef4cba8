// PyTorch's allocator events, from the text of a trace to the live allocations.
#include <doctest/doctest.h>

#include "loaders/loader.h"
#include "model/analysis/memory/live_allocations.h"
#include "tests/support/table_cells.h"

namespace stepscope {
namespace {

// An op allocates through aten::empty, keeps 100 of 160 bytes, and frees 50 bytes that were
// allocated before the recording.
constexpr const char* kTrace = R"({"traceEvents": [
{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":10,"dur":20},
{"ph":"X","cat":"cpu_op","name":"aten::empty","pid":1,"tid":1,"ts":11,"dur":2},
{"ph":"i","cat":"cpu_instant_event","s":"t","name":"[memory]","pid":1,"tid":1,"ts":12,"args":
 {"Total Reserved":500,"Total Allocated":300,"Bytes":100,"Addr":7,"Device Id":0,"Device Type":1}},
{"ph":"i","cat":"cpu_instant_event","s":"t","name":"[memory]","pid":1,"tid":1,"ts":15,"args":
 {"Total Reserved":500,"Total Allocated":360,"Bytes":60,"Addr":8,"Device Id":0,"Device Type":1}},
{"ph":"i","cat":"cpu_instant_event","s":"t","name":"[memory]","pid":1,"tid":1,"ts":18,"args":
 {"Total Reserved":500,"Total Allocated":300,"Bytes":-60,"Addr":8,"Device Id":0,"Device Type":1}},
{"ph":"i","cat":"cpu_instant_event","s":"t","name":"[memory]","pid":1,"tid":1,"ts":40,"args":
 {"Total Reserved":500,"Total Allocated":250,"Bytes":-50,"Addr":9,"Device Id":0,"Device Type":1}}
]})";

TEST_CASE("pytorch memory: negative bytes are deallocations; an allocation's op is named") {
  const Result<std::shared_ptr<const Trace>> trace = LoadBytes("a.json", kTrace, {});
  REQUIRE_MESSAGE(trace.ok(), trace.status().message());
  AnalysisContext context(*trace, Definitions::kStepscope);
  const MemoryProfile profile = MemoryProfile::Compute(context, {});
  REQUIRE(profile.allocators.size() == 1);
  const AllocatorProfile& gpu = profile.allocators[0];
  REQUIRE(gpu.snapshots.size() == 4);
  CHECK(gpu.snapshots[0].allocation);
  MemoryPartsReader reader(context.allocation_stats());
  const MemoryParts parts[] = {reader.Of(gpu.snapshots[0]), reader.Of(gpu.snapshots[3]),
                               reader.Of(gpu.snapshots[0])};
  CHECK(parts[0].stack == 0);
  CHECK(parts[0].heap == gpu.snapshots[0].in_use);
  CHECK(parts[0].free == 200);  // reserved but not in use
  CHECK(parts[1].free == 250);
  CHECK(parts[2].free == parts[0].free);
  CHECK_FALSE(gpu.snapshots[2].allocation);
  CHECK(gpu.snapshots[2].bytes == 60);
  CHECK(gpu.peak == 1);

  const std::vector<LiveAllocation> live = ActiveAt(context, gpu, 2);
  REQUIRE(live.size() == 2);
  CHECK(live[0].op == "allocated before the recording began");
  CHECK(live[0].allocated == 200);
  CHECK(live[0].region.empty());
  CHECK(live[1].op == "aten::mm");  // not aten::empty, which only allocates for it
  CHECK(live[1].allocated == 100);

  const AnalysisResult result = FindAnalysis("memory")->run(context, {});
  const ResultTable* lifetimes = result.Table("lifetimes");
  REQUIRE(lifetimes != nullptr);
  REQUIRE(lifetimes->size() == 1);  // both allocations are of one op
  const auto at = [&](const char* column) {
    return lifetimes->At(0, static_cast<size_t>(lifetimes->Column(column)));
  };
  CHECK(std::get<std::string_view>(at("tf_op")) == "aten::mm");
  CHECK(std::get<int64_t>(at("occurrences")) == 1);
  CHECK(std::get<int64_t>(at("still_live")) == 1);
  CHECK(std::get<double>(at("avg_lifetime_ms")) == doctest::Approx(0.003));
  CHECK(lifetimes->links[0].total == 2);
}

// A device of 1000 bytes, of which at most 950 are reserved and 300 allocated.
std::string OneAllocation(const std::string& device) {
  return R"({"deviceProperties":[)" + device + R"(],"traceEvents":[
{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":2,"args":{"device":0}},
{"ph":"i","cat":"cpu_instant_event","s":"t","name":"[memory]","pid":1,"tid":1,"ts":12,"args":
 {"Total Reserved":400,"Total Allocated":300,"Bytes":100,"Addr":7,"Device Id":0,"Device Type":1}},
{"ph":"i","cat":"cpu_instant_event","s":"t","name":"[memory]","pid":1,"tid":1,"ts":18,"args":
 {"Total Reserved":850,"Total Allocated":240,"Bytes":-60,"Addr":8,"Device Id":0,"Device Type":1}}
]})";
}

TEST_CASE(
    "pytorch memory: capacity is the device's, and the most reserved stands beside the peak") {
  using namespace test;
  const AnalysisResult known =
      Analyse("a.json", OneAllocation(R"({"id":0,"name":"X","totalGlobalMem":1000})"), "memory");
  CHECK(Int(known, "summary", 0, "memory_capacity_bytes") == 1000);
  CHECK(Int(known, "summary", 0, "peak_bytes_in_use") == 300);
  CHECK(Int(known, "summary", 0, "peak_reserved_bytes") == 850);
  CHECK(known.findings.empty());  // 300 of 400 reserved is not 300 of 1000
  const AnalysisResult unknown = Analyse("a.json", OneAllocation(""), "memory");
  CHECK(Unknown(unknown, "summary", 0, "memory_capacity_bytes"));
  CHECK(unknown.findings.empty());
}

}  // namespace
}  // namespace stepscope
