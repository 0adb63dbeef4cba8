// Files of rocmProfileData (.rpd): calls, work of GPUs, the way from one to the other, markers.
#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "loaders/loader.h"
#include "model/stats.h"
#include "tests/support/has_text.h"
#include "tests/support/loaded.h"
#include "tests/support/profile_database.h"
#include "tests/support/trace_lookup.h"

namespace stepscope {
namespace {

using TracePtr = std::shared_ptr<const Trace>;

// Twenty launches of a kernel of 80 us on GPU 2, a copy, a marker and a call of the recorder.
// `schema` 2 keeps long texts with the others, 3 has a table for them.
std::string RpdBytes(int schema) {
  test::DatabaseWriter db;
  const std::string texts = schema >= 3 ? "rocpd_ustring" : "rocpd_string";
  db.Run(
      "CREATE TABLE rocpd_metadata (id INTEGER PRIMARY KEY, tag TEXT, value TEXT);"
      "CREATE TABLE rocpd_string (id INTEGER PRIMARY KEY, string TEXT);"
      "CREATE TABLE rocpd_api (id INTEGER PRIMARY KEY, pid INTEGER, tid INTEGER, start INTEGER,"
      " \"end\" INTEGER, apiName_id INTEGER, args_id INTEGER);"
      "CREATE TABLE rocpd_op (id INTEGER PRIMARY KEY, gpuId INTEGER, queueId INTEGER,"
      " sequenceId INTEGER, start INTEGER, \"end\" INTEGER, description_id INTEGER,"
      " opType_id INTEGER);"
      "CREATE TABLE rocpd_api_ops (id INTEGER PRIMARY KEY, api_id INTEGER, op_id INTEGER);"
      "CREATE TABLE rocpd_kernelapi (api_ptr_id bigint PRIMARY KEY, stream TEXT, gridX INTEGER,"
      " gridY INTEGER, gridZ INTEGER, workgroupX INTEGER, workgroupY INTEGER, workgroupZ INTEGER,"
      " groupSegmentSize INTEGER, privateSegmentSize INTEGER, kernelName_id INTEGER);"
      "CREATE TABLE rocpd_copyapi (api_ptr_id bigint PRIMARY KEY, stream TEXT, size INTEGER);"
      "CREATE TABLE rocpd_monitor (id INTEGER PRIMARY KEY, deviceType TEXT, deviceId INTEGER,"
      " monitorType TEXT, start INTEGER, \"end\" INTEGER, value TEXT);"
      "INSERT INTO rocpd_string VALUES (1,''),(2,'hipLaunchKernel'),(3,'KernelExecution'),"
      "(4,'gemm_kernel'),(5,'hipMemcpyAsync'),(6,'CopyHostToDevice'),(7,'UserMarker'),"
      "(8,'OpTable::writeRows'),(9,'hipExtModuleLaunchKernel'),(10,'forward');"
      "INSERT INTO rocpd_monitor VALUES (1,'gpu',2,'sclk',1000000,2000000,'1700'),"
      "(2,'gpu',0,'sclk',1000000,2000000,'100');");
  if (schema >= 3) db.Run("CREATE TABLE rocpd_ustring (id INTEGER PRIMARY KEY, string TEXT)");
  db.Run("INSERT INTO " + texts + " VALUES (20,'forward'),(21,'aten::mm, seq = 3, op_id = 17')");
  const auto n = [](int64_t value) { return std::to_string(value); };
  for (int i = 0; i < 20; ++i) {
    const int64_t t = 1'000'000 + i * 100'000;
    const std::string id = n(i + 1), call = i == 0 ? "9" : "2";
    db.Run("INSERT INTO rocpd_api VALUES (" + id + ",77,78," + n(t) + "," + n(t + 5000) + "," +
           call + ",1)");
    db.Run("INSERT INTO rocpd_op VALUES (" + id + ",2,0,0," + n(t + 10'000) + "," + n(t + 90'000) +
           ",4,3)");
    db.Run("INSERT INTO rocpd_api_ops VALUES (" + id + "," + id + "," + id + ")");
    db.Run("INSERT INTO rocpd_kernelapi VALUES (" + id + ",'0x0',512,1,1,256,1,1,64,0,4)");
  }
  db.Run(
      "INSERT INTO rocpd_api VALUES (30,77,78,3000000,3010000,5,1),(31,77,78,900000,3020000,7,20),"
      "(32,77,78,3030000,3040000,8,1),(33,77,78,1000000,1006000,7,21),"
      "(34,77,78,3050000,3050000,7,20);"
      "INSERT INTO rocpd_op VALUES (30,2,0,0,3011000,3019000,1,6);"
      "INSERT INTO rocpd_api_ops VALUES (30,30,30);"
      "INSERT INTO rocpd_copyapi VALUES (30,'0x0',4096)");
  return db.Bytes();
}

uint32_t RowOf(const Trace& trace, std::string_view name) {
  for (uint32_t row = 0; row < trace.set.rows; ++row) {
    if (trace.names().Name(trace.set.Meta(EventRow(row))) == name) return row;
  }
  FAIL("no event " << name);
  return 0;
}

EventCategory CategoryOf(const Trace& trace, std::string_view name) {
  return trace.names().metas[trace.set.Meta(EventRow(RowOf(trace, name))).value].category;
}

TEST_CASE("A .rpd file becomes a GPU with kernels, a thread with calls, and arrows between them") {
  for (const int schema : {2, 3}) {
    CAPTURE(schema);
    const TracePtr trace = test::Loaded("a.rpd", RpdBytes(schema));
    CHECK(trace->format->name == std::string_view("rocmProfileData database"));
    REQUIRE(trace->planes.size() == 2);
    const Plane& gpu = trace->planes[0];
    CHECK(gpu.kind == PlaneKind::kGpu);
    CHECK(gpu.device_ordinal == 2);
    const Track& queue = trace->set.tracks[gpu.tracks.front().value];
    CHECK(queue.kind == TrackKind::kStream);
    CHECK(queue.events == 21);
    CHECK(trace->flows.size() == 21);
    CHECK(CategoryOf(*trace, "gemm_kernel") == EventCategory::kKernel);
    CHECK(CategoryOf(*trace, "Memcpy HtoD (Host -> Device)") == EventCategory::kMemcpy);
    CHECK(CategoryOf(*trace, "hipLaunchKernel") == EventCategory::kRuntimeCall);
    CHECK(CategoryOf(*trace, "forward") == EventCategory::kUserAnnotation);
    CHECK(CategoryOf(*trace, "aten::mm") == EventCategory::kCpuOp);
    CHECK(CategoryOf(*trace, "OpTable::writeRows") == EventCategory::kOverhead);
    CHECK(trace->counts.instants == 1);
    CHECK(trace->counts.counter_samples == 1);  // of the GPU with work
    CHECK(trace->diagnostics.problems() == 0);
  }
}

TEST_CASE(
    "Kernels of a .rpd file know their launch, their grid in blocks, and copies their bytes") {
  const TracePtr trace = test::Loaded("a.rpd", RpdBytes(2));
  const auto typed = trace->source->LoadTyped(*trace, {});
  REQUIRE(typed.ok());
  const auto value = [&](IntStat stat, uint32_t row) {
    return (*typed)->Int(stat).Find(EventRow(row));
  };
  const uint32_t first = RowOf(*trace, "gemm_kernel");
  CHECK(value(IntStat::kCorrelationId, first) == 1);
  CHECK(value(IntStat::kCorrelationId, RowOf(*trace, "hipExtModuleLaunchKernel")) == 1);
  CHECK(value(IntStat::kGridX, first) == 2);  // 512 threads
  CHECK(value(IntStat::kGridX, first + 1) == 512);
  CHECK(value(IntStat::kBlockX, first) == 256);
  CHECK(value(IntStat::kStaticShared, first) == 64);
  CHECK(value(IntStat::kBytes, RowOf(*trace, "Memcpy HtoD (Host -> Device)")) == 4096);
  CHECK(!value(IntStat::kCorrelationId, RowOf(*trace, "forward")));
  const auto stats = trace->source->Decode(*trace, EventRow(first));
  REQUIRE(stats.ok());
  CHECK(std::any_of(stats->begin(), stats->end(), [](const Stat& s) {
    return s.name == "opType_id" && std::get<std::string>(s.value) == "KernelExecution";
  }));
}

TEST_CASE("A .rpd file without rows says so") {
  test::DatabaseWriter db;
  db.Run(
      "CREATE TABLE rocpd_string (id INTEGER PRIMARY KEY, string TEXT);"
      "CREATE TABLE rocpd_api (id INTEGER PRIMARY KEY, pid INTEGER, tid INTEGER, start INTEGER,"
      " \"end\" INTEGER, apiName_id INTEGER, args_id INTEGER);"
      "CREATE TABLE rocpd_op (id INTEGER PRIMARY KEY, gpuId INTEGER, queueId INTEGER,"
      " start INTEGER, \"end\" INTEGER, description_id INTEGER, opType_id INTEGER)");
  const auto trace = LoadBytes("a.rpd", db.Bytes(), {});
  CHECK(test::Has(trace.status().message(), "no events"));
}

}  // namespace
}  // namespace stepscope
