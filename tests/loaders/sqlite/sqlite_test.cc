// Databases of Nsight Systems and rocprofv3: what they become, that analyses work on them as on
// PyTorch's traces, and that no bytes crash, hang, or take more memory than is stated.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "loaders/loader.h"
#include "model/analysis/analysis.h"
#include "model/stat_reader.h"
#include "tests/support/has_text.h"
#include "tests/support/loaded.h"
#include "tests/support/peak_memory.h"
#include "tests/support/profile_database.h"
#include "tests/support/sanitized.h"
#include "tests/support/source_paths.h"
#include "tests/support/table_cells.h"
#include "tests/support/trace_lookup.h"

namespace stepscope {
namespace {

using test::CountOf;
using test::Has;
using test::RowNamed;
using test::StatOf;
using test::TrackNamed;

using TracePtr = std::shared_ptr<const Trace>;

TracePtr LoadDatabase(std::string bytes, const char* name = "profile.sqlite") {
  return test::Loaded(name, std::move(bytes));
}

std::string DatabaseError(std::string bytes, const char* name = "profile.sqlite") {
  const auto trace = LoadBytes(name, std::move(bytes), {});
  REQUIRE(!trace.ok());
  return trace.status().message();
}

// The number of events of a category by name.
std::map<std::string, int> EventsOf(const Trace& trace, EventCategory category) {
  std::map<std::string, int> events;
  for (uint32_t row = 0; row < trace.set.rows; ++row) {
    const MetaId meta = trace.set.Meta(EventRow(row));
    if (trace.names().metas[meta.value].category == category)
      ++events[std::string(trace.names().Name(meta))];
  }
  return events;
}

TEST_CASE("An export without META_DATA tables, of 2021, is known by any table of its own") {
  const auto database = [](const std::string& tables) {
    test::DatabaseWriter db;
    db.Run(
        "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL);"
        "INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel_v7000'), (2, 'poll');" +
        tables);
    return db.Bytes();
  };
  const std::string runtime =
      "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, eventClass INTEGER,"
      " globalTid INTEGER, correlationId INTEGER, nameId INTEGER, returnValue INTEGER);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (100, 200, 0, 84422, 1, 1, 0);";
  const std::string osrt =
      "CREATE TABLE OSRT_API (start INTEGER, end INTEGER, eventClass INTEGER, globalTid INTEGER,"
      " correlationId INTEGER, nameId INTEGER, returnValue INTEGER);"
      "INSERT INTO OSRT_API VALUES (100, 200, 27, 84422, 0, 2, 0);";
  CHECK(EventsOf(*LoadDatabase(database(runtime)), EventCategory::kRuntimeCall).size() == 1);
  CHECK(EventsOf(*LoadDatabase(database(osrt)), EventCategory::kHostEvent).size() == 1);
  CHECK(Has(DatabaseError(database("CREATE TABLE users (id INTEGER);")),
            "that is none of Nsight Systems"));
}

TEST_CASE("An export of Nsight Systems becomes streams, threads and ranges, in old schemas too") {
  for (const bool old_schema : {false, true}) {
    CAPTURE(old_schema);
    const TracePtr trace = LoadDatabase(test::NsysBytes({1, 4, old_schema, false}));
    CHECK(trace->format->name == std::string_view("Nsight Systems export"));
    CHECK(EventsOf(*trace, EventCategory::kKernel) ==
          std::map<std::string, int>{{"void gemm<float>(float*)", 4}});
    CHECK(EventsOf(*trace, EventCategory::kMemcpy) ==
          std::map<std::string, int>{{"Memcpy HtoD (Pinned -> Device)", 4}});
    CHECK(EventsOf(*trace, EventCategory::kRuntimeCall) ==
          std::map<std::string, int>{{"cudaLaunchKernel", 4}, {"cudaMemcpyAsync", 4}});
    CHECK(EventsOf(*trace, EventCategory::kCpuOp) == std::map<std::string, int>{{"aten::mm", 4}});
    const Track* stream = TrackNamed(*trace, "Stream #7");
    REQUIRE(stream != nullptr);
    CHECK(stream->kind == TrackKind::kStream);
    CHECK(stream->events == 8);
    REQUIRE(TrackNamed(*trace, "python3 51") != nullptr);
    CHECK(trace->flows.size() == (old_schema ? 0 : 8));
    CHECK(trace->origin_unix_ns == 1'700'000'000'000'000'000);
    CHECK(trace->set.Start(RowNamed(*trace, "aten::mm")) == kPsPerS);
    CHECK(trace->planes[0].display_name == "GPU 0");
    CHECK(trace->planes[0].subtitle == (old_schema ? "" : "NVIDIA H100, 132 SMs"));
    CHECK(CountOf(*trace, "nsys.table_not_read") == (old_schema ? 0 : 1));
    CHECK(trace->diagnostics.problems() == 0);
  }
}

TEST_CASE("Arguments of an event are the columns of its row, references resolved") {
  const TracePtr trace = LoadDatabase(test::NsysBytes({1, 2, false, false}));
  const EventRow kernel = RowNamed(*trace, "void gemm<float>(float*)");
  CHECK(StatOf(*trace, kernel, "gridX") == "8");
  CHECK(StatOf(*trace, kernel, "shortName") == "gemm");
  CHECK(StatOf(*trace, RowNamed(*trace, "Memcpy HtoD (Pinned -> Device)"), "copyKind") ==
        "Host-to-Device");
  CHECK(StatOf(*trace, RowNamed(*trace, "aten::mm"), "text") == "aten::mm, op_id = 0");
  const auto stats = trace->source->LoadTyped(*trace, {});
  REQUIRE(stats.ok());
  const auto at = [&](IntStat stat) { return (*stats)->Int(stat).Find(EventRow(kernel)); };
  CHECK(at(IntStat::kGridY) == 4);
  CHECK(at(IntStat::kBlockX) == 128);
  CHECK(at(IntStat::kRegisters) == 32);
  CHECK(at(IntStat::kStaticShared) == 1024);
  CHECK(at(IntStat::kCorrelationId).has_value());
}

TEST_CASE("A reader of many events says of each what reading it alone says, in any order") {
  for (const std::string& bytes :
       {test::NsysBytes({2, 8, false, true}), test::RocpdBytes(8, true)}) {
    const TracePtr trace = LoadDatabase(bytes);
    const std::unique_ptr<StatReader> reader = ReaderOf(*trace);
    REQUIRE(trace->set.rows > 8);
    const auto texts = [](const Result<std::vector<Stat>>& stats) {
      REQUIRE(stats.ok());
      std::vector<std::string> out;
      for (const Stat& stat : *stats) out.push_back(stat.name + "=" + ToText(stat));
      return out;
    };
    size_t known = 0;
    for (uint32_t i = 0; i < 2 * trace->set.rows; ++i) {
      const EventRow row(i < trace->set.rows ? i : 2 * trace->set.rows - 1 - i);
      const auto alone = texts(trace->source->Decode(*trace, row));
      CHECK(texts(reader->Read(row)) == alone);
      known += alone.empty() ? 0 : 1;
    }
    CHECK(known > trace->set.rows);
  }
}

TEST_CASE("Processes that use devices are hosts of their own; their calls are told apart") {
  const TracePtr trace = LoadDatabase(test::NsysBytes({2, 3, false, false}));
  REQUIRE(trace->hosts.size() == 2);
  CHECK(trace->HostName(HostId(1)) == "profile process 51");
  CHECK(trace->flows.size() == 12);
  for (const Flow& flow : trace->flows) {
    const auto host = [&](EventRow row) {
      return trace->planes[trace->set.tracks[trace->set.TrackOf(row).value].plane.value].host;
    };
    CHECK(host(flow.from) == host(flow.to));
  }
}

TEST_CASE("Sampled counters and allocations are counters of the device") {
  const TracePtr trace = LoadDatabase(test::NsysBytes({1, 2, false, true}));
  const Track* active = TrackNamed(*trace, "SMs Active [%]");
  REQUIRE(active != nullptr);
  REQUIRE(active->counters.size() == 1);
  CHECK(active->counters[0].max == 90);
  CHECK(trace->planes[active->plane.value].kind == PlaneKind::kGpu);
  const Track* memory = TrackNamed(*trace, "Memory allocated while recording");
  REQUIRE(memory != nullptr);
  CHECK(memory->counters[0].value == std::vector<double>{100, 150, 110});
}

TEST_CASE("Kernel statistics know the op and the launch of each kernel") {
  const TracePtr trace = LoadDatabase(test::NsysBytes({1, 4, false, false}));
  AnalysisContext context(trace, Definitions::kStepscope);
  const AnalysisResult result = RunAnalysis(*FindAnalysis("kernel_stats"), context, {});
  REQUIRE(test::TableOf(result, "kernels").size() == 1);
  CHECK(test::Text(result, "kernels", 0, "op_name") == "aten::mm");
  CHECK(test::Int(result, "kernels", 0, "occurrences") == 4);
  CHECK(test::Text(result, "kernels", 0, "block_dim") == "128,2,1");
  CHECK(test::Text(result, "kernels", 0, "grid_dim") == "8,4,2");
}

TEST_CASE("A database of rocprofv3 says the same, whichever way its rows are placed") {
  for (const bool tracks : {true, false}) {
    CAPTURE(tracks);
    const TracePtr trace = LoadDatabase(test::RocpdBytes(3, tracks), "results.db");
    CHECK(trace->format->name == std::string_view("rocprofv3 database"));
    CHECK(EventsOf(*trace, EventCategory::kKernel) == std::map<std::string, int>{{"gemm()", 3}});
    CHECK(EventsOf(*trace, EventCategory::kMemcpy) ==
          std::map<std::string, int>{{"Memcpy HtoD (Host -> Device)", 3}});
    CHECK(EventsOf(*trace, EventCategory::kRuntimeCall) ==
          std::map<std::string, int>{{"hipLaunchKernel", 3}, {"hipMemcpyAsync", 3}});
    CHECK(EventsOf(*trace, EventCategory::kUserAnnotation) ==
          std::map<std::string, int>{{"train step", 3}});
    CHECK(trace->flows.size() == 6);
    CHECK(trace->HostName(HostId(0)) == "node7");
    CHECK(trace->planes[0].subtitle == "AMD Instinct MI300X, 304 CUs");
    CHECK(trace->planes[1].subtitle == "python3, process 4242");
    REQUIRE(TrackNamed(*trace, "Stream #3") != nullptr);
    REQUIRE(TrackNamed(*trace, "main 4243") != nullptr);
    const Track* waves = TrackNamed(*trace, "SQ_WAVES");
    REQUIRE(waves != nullptr);
    CHECK(waves->counters[0].value == std::vector<double>{0, 64, 128});
    const EventRow kernel = RowNamed(*trace, "gemm()");
    const auto stats = trace->source->LoadTyped(*trace, {});
    REQUIRE(stats.ok());
    CHECK((*stats)->Int(IntStat::kGridX).Find(EventRow(kernel)) == 8);
    CHECK((*stats)->Int(IntStat::kRegisters).Find(EventRow(kernel)) == 96);
    CHECK((*stats)->Int(IntStat::kDynamicShared).Find(EventRow(kernel)) == 2048);
    CHECK(StatOf(*trace, kernel, "kernel_id") == "gemm()");
    CHECK(trace->diagnostics.problems() == 0);
  }
}

TEST_CASE("What cannot be read ends in one sentence that says what it is") {
  CHECK(Has(DatabaseError("SQLite format 3" + std::string(200, '\0')), "no tables can be read"));
  test::DatabaseWriter other;
  other.Run("CREATE TABLE bookmarks (id INTEGER, url TEXT); CREATE TABLE places (id INTEGER)");
  CHECK(Has(DatabaseError(other.Bytes()), "its tables are bookmarks, places"));
  CHECK(Has(DatabaseError(test::NsysBytes({1, 0, false, false})), "no events"));
  const std::string report = DatabaseError("\x01\x02 a report of its own format", "train.nsys-rep");
  CHECK(Has(report, "nsys export --type sqlite"));
}

TEST_CASE("A report of Nsight Systems is known by its content, whatever it is called") {
  const std::string report = "NVIDIA Tegra Profiler Report 1.\n\x0bLocal (CLI)\x12";
  for (const char* name : {"train.nsys-rep", "train.qdrep", "train.bin", "train.sqlite", "train"})
    CHECK(Has(DatabaseError(report, name), "nsys export --type sqlite"));
  CHECK(!Has(DatabaseError("NVIDIA says hello", "train.bin"), "nsys export"));
}

TEST_CASE("Views, triggers, functions and virtual tables of a file are not run") {
  test::DatabaseWriter db;
  test::FillNsys({1, 2, false, false}, &db);
  db.Run(
      "DROP TABLE NVTX_EVENTS; DROP TABLE META_DATA_EXPORT;"
      "CREATE VIEW NVTX_EVENTS AS WITH RECURSIVE n(start) AS (SELECT 1 UNION ALL SELECT start + 1 "
      "FROM n) SELECT start, start + 1 AS \"end\", 59 AS eventType, 'x' AS text FROM n;"
      "CREATE TABLE PROFILER_OVERHEAD (start INTEGER, \"end\" INTEGER AS "
      "(length(hex(zeroblob(4000000)))), globalTid INTEGER, overheadType INTEGER);"
      "CREATE VIRTUAL TABLE OSRT_API USING fts4(start, stop);"
      "INSERT INTO PROFILER_OVERHEAD VALUES (1, 2, 3);");
  const TracePtr trace = LoadDatabase(db.Bytes());
  CHECK(trace->counts.slices == 2 * 4);  // the overhead cannot be read
  CHECK(EventsOf(*trace, EventCategory::kCpuOp).empty());
}

TEST_CASE("Bombs end within stated memory") {
  test::DatabaseWriter db;
  test::FillNsys({1, 2, false, false}, &db);
  // A name of 64 MiB, more than a value may have: the other names stay.
  db.Run("UPDATE StringIds SET value = hex(zeroblob(33554432)) WHERE id = 3");
  std::string bytes = db.Bytes();
  REQUIRE(bytes.size() > size_t{64} << 20);
  TracePtr trace;
  const uint64_t memory = test::PeakGrowth([&] { trace = LoadDatabase(std::move(bytes)); });
  if (!kSanitized) CHECK(memory < (uint64_t{16} << 20));
  CHECK(EventsOf(*trace, EventCategory::kRuntimeCall) ==
        std::map<std::string, int>{{"", 2}, {"cudaMemcpyAsync", 2}});
  // Names that add up to more than the limit.
  test::DatabaseWriter names;
  test::FillNsys({1, 1, false, false}, &names);
  names.Run(
      "INSERT INTO NVTX_EVENTS SELECT e.value, e.value + 1, 59, hex(zeroblob(250000)) || "
      "e.value, 1, NULL, 0 FROM (WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT "
      "value + 1 FROM n LIMIT 8) SELECT value FROM n) AS e");
  LoadOptions options;
  options.max_inflated_bytes = uint64_t{2} << 20;
  const auto limited = LoadBytes("profile.sqlite", names.Bytes(), options);
  REQUIRE(!limited.ok());
  CHECK(limited.status().code() == ErrorCode::kLimit);
}

TEST_CASE("Pages that refer to each other in circles end") {
  const std::string good = test::NsysBytes({1, 400, false, false});
  // Every page becomes a copy of an inner page that is one of its own children.
  std::mt19937 random(5);
  for (int i = 0; i < (kSanitized ? 5 : 40); ++i) {
    std::string bytes = good;
    const size_t pages = bytes.size() / 4096;
    const size_t from = 1 + random() % (pages - 1);
    for (int n = 0; n < 4; ++n)
      bytes.replace((1 + random() % (pages - 1)) * 4096, 4096, good.substr(from * 4096, 4096));
    const auto trace = LoadBytes("profile.sqlite", bytes, {});
    if (!trace.ok()) CHECK(!trace.status().message().empty());
    if (trace.ok()) CHECK((*trace)->counts.slices <= 400 * 5 * 20);
  }
}

TEST_CASE("A file that was cut gives the tables before the cut, and says so") {
  for (const std::string& bytes :
       {test::NsysBytes({1, 2000, false, false}), test::RocpdBytes(2000, true)}) {
    const uint64_t all = LoadDatabase(bytes)->counts.slices;
    uint64_t most = 0, read = 0;
    for (size_t n = 0; n <= bytes.size(); n += bytes.size() / 37) {
      const auto trace = LoadBytes("profile.sqlite", bytes.substr(0, n), {});
      if (!trace.ok()) {
        CHECK(!trace.status().message().empty());
        continue;
      }
      ++read;
      CHECK((*trace)->truncated() == (n < bytes.size()));
      CHECK((*trace)->counts.slices <= all);
      if (n < bytes.size()) most = std::max(most, (*trace)->counts.slices);
    }
    CHECK(read > 10);
    CHECK(most > all / 2);
  }
}

TEST_CASE("Random edits neither crash nor hang, and what is lost is counted") {
  const std::string nsys = test::NsysBytes({2, 30, false, true}),
                    rocpd = test::RocpdBytes(30, true);
  std::mt19937 random(11);
  for (int i = 0; i < (kSanitized ? 20 : 200); ++i) {
    std::string bytes = i % 2 == 0 ? nsys : rocpd;
    for (int edit = 0; edit < 1 + i % 6; ++edit)
      bytes[100 + random() % (bytes.size() - 100)] = static_cast<char>(random());
    const auto trace = LoadBytes("profile.sqlite", bytes, {});
    if (!trace.ok()) {
      CHECK(!trace.status().message().empty());
      continue;
    }
    for (uint32_t row = 0; row < std::min(16u, (*trace)->set.rows); ++row)
      CHECK((*trace)->source->Decode(**trace, EventRow(row)).ok());
    CHECK((*trace)->source->LoadTyped(**trace, {}).ok());
  }
}

TEST_CASE("An export of two H100: its rows are those that SQLite itself counts") {
  const std::string path = test::SharedPath("other/nsys_h100.sqlite");
  if (!std::filesystem::exists(path)) {
    MESSAGE("SKIPPED: no " << path);
    return;
  }
  Progress progress;
  const auto loaded = LoadPath(path, {}, {}, progress);
  REQUIRE_MESSAGE(loaded.ok(), loaded.status().message());
  const Trace& trace = **loaded;
  CHECK(progress.bytes_done == progress.bytes_total);
  const auto sum = [&](EventCategory category) {
    int count = 0;
    for (const auto& [name, n] : EventsOf(trace, category)) count += n;
    return count;
  };
  CHECK(sum(EventCategory::kKernel) == 3442);
  CHECK(sum(EventCategory::kMemcpy) == 904);
  CHECK(sum(EventCategory::kMemset) == 22);
  CHECK(sum(EventCategory::kRuntimeCall) == 5796);
  CHECK(sum(EventCategory::kOverhead) == 244 + 198);
  CHECK(trace.counts.slices == 3442 + 904 + 22 + 5796 + 244 + 198 + 16782);
  CHECK(EventsOf(trace, EventCategory::kCpuOp)["aten::mm"] == 280);
  CHECK(trace.hosts.size() == 2);
  CHECK(trace.planes.size() == 4);  // marks of synchronisation are on the device that works
  CHECK(trace.flows.size() == 1632 + 438 + 22);  // whose calls are in the file too
  CHECK(trace.diagnostics.problems() == 0);
}

}  // namespace
}  // namespace stepscope
