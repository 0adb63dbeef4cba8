#include "tests/support/profile_database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <stdexcept>

namespace stepscope::test {

DatabaseWriter::DatabaseWriter() {
  if (sqlite3_open(":memory:", &db_) != SQLITE_OK) throw std::runtime_error("no database");
}
DatabaseWriter::~DatabaseWriter() { sqlite3_close(db_); }

void DatabaseWriter::Run(const std::string& sql) {
  char* error = nullptr;
  if (sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, &error) == SQLITE_OK) return;
  const std::string text = error == nullptr ? "unknown" : error;
  sqlite3_free(error);
  throw std::runtime_error(text + ": " + sql);
}

std::string DatabaseWriter::Bytes() const {
  sqlite3_int64 size = 0;
  unsigned char* bytes = sqlite3_serialize(db_, "main", &size, 0);
  std::string text(reinterpret_cast<const char*>(bytes), static_cast<size_t>(size));
  sqlite3_free(bytes);
  return text;
}

namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kMachine = int64_t{1} << 48;

void CreateNsys(bool old_schema, DatabaseWriter* db) {
  const char* pid = old_schema ? "" : ", globalPid INTEGER, graphNodeId INTEGER, graphId INTEGER";
  db->Run(fmt::format(R"(
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE META_DATA_EXPORT (name TEXT NOT NULL, value TEXT);
CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER, utcTime TEXT);
CREATE TABLE ThreadNames (nameId INTEGER NOT NULL, priority INTEGER, globalTid INTEGER);
CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL,
  deviceId INTEGER, contextId INTEGER, streamId INTEGER, correlationId INTEGER,
  demangledName INTEGER, shortName INTEGER, registersPerThread INTEGER, gridX INTEGER,
  gridY INTEGER, gridZ INTEGER, blockX INTEGER, blockY INTEGER, blockZ INTEGER,
  staticSharedMemory INTEGER, dynamicSharedMemory INTEGER{});
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER NOT NULL, end INTEGER NOT NULL,
  deviceId INTEGER, contextId INTEGER, streamId INTEGER, correlationId INTEGER, bytes INTEGER,
  copyKind INTEGER, srcKind INTEGER, dstKind INTEGER{});
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL,
  eventClass INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER,
  returnValue INTEGER);
CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER, text TEXT,
  globalTid INTEGER, textId INTEGER, domainId INTEGER);
INSERT INTO StringIds VALUES (1, 'void gemm<float>(float*)'), (2, 'gemm'),
  (3, 'cudaLaunchKernel_v7000'), (4, 'cudaMemcpyAsync_v3020'), (5, 'python3'), (6, 'registered');
INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_SCHEMA_VERSION', '3.25.0');
INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1700000000000000000, '');
)",
                      pid, pid));
  if (old_schema) return;
  db->Run(R"(
CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, totalMemory INTEGER, smCount INTEGER);
CREATE TABLE ENUM_CUDA_MEMCPY_OPER (id INTEGER PRIMARY KEY, name TEXT, label TEXT);
CREATE TABLE SCHED_EVENTS (start INTEGER, cpu INTEGER);
INSERT INTO TARGET_INFO_GPU VALUES (0, 'NVIDIA H100', 85899345920, 132);
INSERT INTO ENUM_CUDA_MEMCPY_OPER VALUES (1, 'CUDA_MEMCPY_KIND_HTOD', 'Host-to-Device');
INSERT INTO SCHED_EVENTS VALUES (1, 2);
)");
}

// One launch of process `pid`; all times in ns.
void AddLaunch(int pid, int i, bool old_schema, DatabaseWriter* db) {
  const int64_t t = kSecond + int64_t{1'000'000} * i;
  const int64_t global_pid = kMachine | int64_t{pid} << 24, tid = global_pid | (pid + 1);
  const int id = 100 + 2 * i;  // the same in all processes
  const std::string tail = old_schema ? "" : fmt::format(", {}, NULL, NULL", global_pid);
  db->Run(fmt::format(
      "INSERT INTO NVTX_EVENTS VALUES ({}, {}, 59, 'aten::mm, op_id = {}', {}, NULL, 0);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES ({}, {}, 0, {}, {}, 3, 0);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES ({}, {}, 0, {}, {}, 4, 0);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES "
      "({}, {}, 0, 1, 7, {}, 1, 2, 32, 8, 4, 2, 128, 2, 1, 1024, 2048{});"
      "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES ({}, {}, 0, 1, 7, {}, 4096, 1, 1, 2{});",
      t, t + 500'000, i, tid, t + 100'000, t + 200'000, tid, id, t + 220'000, t + 240'000, tid,
      id + 1, t + 300'000, t + 700'000, id, tail, t + 700'000, t + 750'000, id + 1, tail));
}

void AddMetrics(DatabaseWriter* db) {
  const int64_t pid = kMachine | int64_t{50} << 24;
  db->Run(fmt::format(R"(
CREATE TABLE GPU_METRICS (timestamp INTEGER, typeId INTEGER, metricId INTEGER, value INTEGER);
CREATE TABLE TARGET_INFO_GPU_METRICS (typeId INTEGER, sourceId INTEGER, typeName TEXT,
  metricId INTEGER, metricName TEXT);
CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start INTEGER, globalPid INTEGER, deviceId INTEGER,
  bytes INTEGER, memoryOperationType INTEGER);
INSERT INTO TARGET_INFO_GPU_METRICS VALUES (256, 1, 'GPU', 3, 'SMs Active [%]');
INSERT INTO GPU_METRICS VALUES (1000000000, 256, 3, 10), (1001000000, 256, 3, 90);
INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES (1000000000, {0}, 0, 100, 0),
  (1002000000, {0}, 0, 40, 1), (1001000000, {0}, 0, 50, 0);
)",
                      pid));
}

}  // namespace

void FillNsys(const NsysShape& shape, DatabaseWriter* db) {
  CreateNsys(shape.old_schema, db);
  db->Run("BEGIN");
  for (int p = 0; p < shape.processes; ++p) {
    const int pid = 50 + p;
    const int64_t global = kMachine | int64_t{pid} << 24;
    db->Run(
        fmt::format("INSERT INTO PROCESSES VALUES ({}, {}, 'python3');"
                    "INSERT INTO ThreadNames VALUES (5, 0, {});",
                    global, pid, global | (pid + 1)));
    for (int i = 0; i < shape.launches; ++i) AddLaunch(pid, i, shape.old_schema, db);
  }
  if (shape.metrics) AddMetrics(db);
  db->Run("COMMIT");
}

std::string NsysBytes(const NsysShape& shape) {
  DatabaseWriter db;
  FillNsys(shape, &db);
  return db.Bytes();
}

namespace {

void CreateRocpd(bool tracks, DatabaseWriter* db) {
  const char* place = tracks ? "track_id INTEGER, start_id INTEGER, end_id INTEGER"
                             : "nid INTEGER, pid INTEGER, tid INTEGER, agent_id INTEGER, "
                               "queue_id INTEGER, stream_id INTEGER, start BIGINT, \"end\" BIGINT";
  db->Run(fmt::format(R"(
CREATE TABLE rocpd_string_00ab (id INTEGER NOT NULL PRIMARY KEY, string TEXT NOT NULL);
CREATE TABLE rocpd_info_node_00ab (id INTEGER NOT NULL PRIMARY KEY, hostname TEXT);
CREATE TABLE rocpd_info_process_00ab (id INTEGER NOT NULL PRIMARY KEY, pid INTEGER, command TEXT);
CREATE TABLE rocpd_info_thread_00ab (id INTEGER NOT NULL PRIMARY KEY, tid INTEGER, name TEXT);
CREATE TABLE rocpd_info_agent_00ab (id INTEGER NOT NULL PRIMARY KEY, type TEXT, type_index INTEGER,
  name TEXT, model_name TEXT, vendor_name TEXT, product_name TEXT, extdata TEXT);
CREATE TABLE rocpd_info_kernel_symbol_00ab (id INTEGER NOT NULL PRIMARY KEY, kernel_name TEXT,
  display_name TEXT, group_segment_size INTEGER, arch_vgpr_count INTEGER);
CREATE TABLE rocpd_info_pmc_00ab (id INTEGER NOT NULL PRIMARY KEY, pid INTEGER, agent_id INTEGER,
  name TEXT, symbol TEXT);
CREATE TABLE rocpd_track_00ab (id INTEGER NOT NULL PRIMARY KEY, pid INTEGER, tid INTEGER,
  agent_id INTEGER, queue_id INTEGER, stream_id INTEGER);
CREATE TABLE rocpd_timestamp_00ab (id INTEGER NOT NULL PRIMARY KEY, value BIGINT);
CREATE TABLE rocpd_event_00ab (id INTEGER NOT NULL PRIMARY KEY, category_id INTEGER,
  stack_id INTEGER, extdata TEXT);
CREATE TABLE rocpd_pmc_event_00ab (id INTEGER NOT NULL PRIMARY KEY, event_id INTEGER,
  pmc_id INTEGER, value REAL);
CREATE TABLE rocpd_region_00ab (id INTEGER NOT NULL PRIMARY KEY, {0}, name_id INTEGER,
  event_id INTEGER);
CREATE TABLE rocpd_kernel_dispatch_00ab (id INTEGER NOT NULL PRIMARY KEY, {0}, kernel_id INTEGER,
  group_segment_size INTEGER, workgroup_size_x INTEGER, workgroup_size_y INTEGER,
  workgroup_size_z INTEGER, grid_size_x INTEGER, grid_size_y INTEGER, grid_size_z INTEGER,
  event_id INTEGER);
CREATE TABLE rocpd_memory_copy_00ab (id INTEGER NOT NULL PRIMARY KEY, {0}, name_id INTEGER,
  dst_agent_id INTEGER, src_agent_id INTEGER, size INTEGER, event_id INTEGER);
CREATE VIEW rocpd_string AS SELECT * FROM rocpd_string_00ab;
INSERT INTO rocpd_string_00ab VALUES (1, 'HIP_RUNTIME_API'), (2, 'hipLaunchKernel'),
  (3, 'MARKER_CORE_RANGE_API'), (4, 'roctxRangePushA'), (5, 'MEMORY_COPY_HOST_TO_DEVICE'),
  (6, 'KERNEL_DISPATCH'), (7, 'hipMemcpyAsync');
INSERT INTO rocpd_info_node_00ab VALUES (1, 'node7');
INSERT INTO rocpd_info_process_00ab VALUES (1, 4242, '/usr/bin/python3 train.py');
INSERT INTO rocpd_info_thread_00ab VALUES (1, 4243, 'main');
INSERT INTO rocpd_info_agent_00ab VALUES (1, 'CPU', 0, 'cpu', 'EPYC', 'AMD', 'AMD EPYC', '{{}}'),
  (2, 'GPU', 0, 'gfx942', 'MI300X', 'AMD', 'AMD Instinct MI300X', '{{"cu_count":304}}');
INSERT INTO rocpd_info_kernel_symbol_00ab VALUES (1, '_Z4gemmv.kd', 'gemm()', 1024, 96);
INSERT INTO rocpd_info_pmc_00ab VALUES (1, 1, 2, 'SQ_WAVES', 'SQ_WAVES');
INSERT INTO rocpd_track_00ab VALUES (1, 1, 1, NULL, NULL, NULL), (2, 1, 1, 2, 1, 3);
)",
                      place));
}

struct RocpdPlace {
  bool tracks;
  int64_t* timestamps;
  DatabaseWriter* db;
  // The values of the columns that say where and when.
  std::string At(bool device, int64_t begin, int64_t end) const {
    if (!tracks)
      return device ? fmt::format("1, 1, 1, 2, 1, 3, {}, {}", begin, end)
                    : fmt::format("1, 1, 1, NULL, NULL, NULL, {}, {}", begin, end);
    const int64_t first = *timestamps + 1;
    *timestamps += 2;
    db->Run(fmt::format("INSERT INTO rocpd_timestamp_00ab VALUES ({}, {}), ({}, {});", first, begin,
                        first + 1, end));
    return fmt::format("{}, {}, {}", device ? 2 : 1, first, first + 1);
  }
};

}  // namespace

std::string RocpdBytes(int launches, bool tracks) {
  DatabaseWriter db;
  CreateRocpd(tracks, &db);
  db.Run("BEGIN");
  int64_t timestamps = 0;
  const RocpdPlace place{tracks, &timestamps, &db};
  for (int i = 0; i < launches; ++i) {
    const int64_t t = kSecond + int64_t{1'000'000} * i;
    const int e = 10 * i + 1;  // events
    db.Run(fmt::format(
        "INSERT INTO rocpd_event_00ab VALUES ({}, 3, {}, '{{\"message\":\"train step\"}}'),"
        "({}, 1, {}, '{{}}'), ({}, 6, {}, '{{}}'), ({}, 1, {}, '{{}}'), ({}, 6, {}, '{{}}');",
        e, e, e + 1, e + 1, e + 2, e + 1, e + 3, e + 3, e + 4, e + 3));
    db.Run(fmt::format(
        "INSERT INTO rocpd_region_00ab VALUES ({}, {}, 4, {});"
        "INSERT INTO rocpd_region_00ab VALUES ({}, {}, 2, {});"
        "INSERT INTO rocpd_region_00ab VALUES ({}, {}, 7, {});",
        e, place.At(false, t, t + 500'000), e, e + 1, place.At(false, t + 100'000, t + 200'000),
        e + 1, e + 2, place.At(false, t + 220'000, t + 240'000), e + 3));
    db.Run(
        fmt::format("INSERT INTO rocpd_kernel_dispatch_00ab VALUES "
                    "({}, {}, 1, 3072, 128, 2, 1, 1024, 8, 2, {});"
                    "INSERT INTO rocpd_memory_copy_00ab VALUES ({}, {}, 5, 2, 1, 4096, {});"
                    "INSERT INTO rocpd_pmc_event_00ab VALUES ({}, {}, 1, {});",
                    i + 1, place.At(true, t + 300'000, t + 700'000), e + 2, i + 1,
                    place.At(true, t + 700'000, t + 750'000), e + 4, i + 1, e + 2, 64 * i));
  }
  db.Run("COMMIT");
  return db.Bytes();
}

}  // namespace stepscope::test
