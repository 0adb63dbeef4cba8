// Which files of a folder are ranks, cycles of one process, and recordings to choose from.
#include "loaders/chrome_json/recordings.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "loaders/loader.h"
#include "model/analysis/analysis.h"
#include "model/stats.h"
#include "tests/loaders/chrome_json/chrome_folder.h"

namespace stepscope::chrome {
namespace {

constexpr int64_t kMs = 1'000'000, kS = 1000 * kMs, kHour = 3600 * kS;

using Strings = std::vector<std::string>;

TEST_CASE("A file's name tells its worker where host, process and time stand in it") {
  CHECK(WorkerInName("node1_77.1700000001000000000") == "node1_77");
  CHECK(WorkerInName("gpu-a.x_5.1700000001000") == "gpu-a.x_5");
  CHECK(WorkerInName("node_77_20240101120000123") == "node_77");
  for (const char* name : {"trace", "rank0", "node1_77", "node1_77.12", "trace.1700000001000000000",
                           "1700000001000000000", "_77.1700000001000000000", ""})
    CHECK_MESSAGE(WorkerInName(name).empty(), name);
}

TEST_CASE("Files that overlap are ranks of one time") {
  const std::vector<RecordedFile> files = {
      {"a_1", "1", 0, 0, 100 * kMs}, {"b_2", "2", 1, 50 * kMs, 150 * kMs}, {"", "3", -1, 10, 20}};
  const auto recordings = GroupRecordings(files);
  REQUIRE(recordings.size() == 1);
  CHECK(recordings[0].cycles == std::vector<SameTime>{{0, 1, 2}});
}

TEST_CASE("Ranks whose clocks are apart, and short recordings near each other, stay together") {
  const std::vector<RecordedFile> ranks = {{"", "1", 0, 0, kMs}, {"", "1", 1, 60 * kS, 61 * kS}};
  CHECK(GroupRecordings(ranks).size() == 1);
  const std::vector<RecordedFile> near = {{"", "1", -1, 0, kMs}, {"", "2", -1, 3 * kS, 4 * kS}};
  CHECK(GroupRecordings(near).size() == 1);
}

TEST_CASE("Files of one process, one after the other, are its cycles") {
  const std::vector<RecordedFile> files = {{"a_1", "1", 0, kHour, kHour + kMs},
                                           {"a_1", "1", 0, 0, kMs},
                                           {"a_2", "2", 1, kHour, kHour + kMs},
                                           {"a_2", "2", 1, 0, kMs}};
  const auto recordings = GroupRecordings(files);
  REQUIRE(recordings.size() == 1);
  CHECK(recordings[0].cycles == std::vector<SameTime>{{1, 3}, {0, 2}});
  const std::vector<RecordedFile> by_number = {{"", "77", -1, 0, kMs}, {"", "77", -1, kS, 2 * kS}};
  CHECK(GroupRecordings(by_number)[0].cycles.size() == 2);
}

TEST_CASE("Recordings far apart are told apart, the newest first") {
  const std::vector<RecordedFile> files = {{"", "1", -1, 0, kMs},
                                           {"", "1", -1, 22 * kHour, 22 * kHour + kMs},
                                           {"", "9", -1, 60 * kS, 61 * kS}};
  const auto recordings = GroupRecordings(files);
  REQUIRE(recordings.size() == 3);
  CHECK(recordings[0].cycles == std::vector<SameTime>{{1}});
  CHECK(recordings[1].cycles == std::vector<SameTime>{{2}});
  CHECK(recordings[2].cycles == std::vector<SameTime>{{0}});
}

// Sixty ops of a process, each with a launch and a kernel; ids are the same in each cycle.
std::string CycleText(int64_t begin_us, int pid) {
  std::string text = R"({"schemaVersion":1,"baseTimeNanoseconds":1690000000000000000,)"
                     R"("deviceProperties":[{"id":0,"name":"A100","numSms":108}],"traceEvents":[)";
  for (int k = 0; k < 60; ++k) {
    const std::string ts = std::to_string(begin_us + k * 500), id = std::to_string(k + 1);
    const std::string host = R"("pid":)" + std::to_string(pid) + R"(,"tid":)" + std::to_string(pid);
    const std::string end = std::to_string(begin_us + k * 500 + 30);
    text += (k > 0 ? "," : "");
    text += R"({"ph":"X","cat":"cpu_op","name":"aten::mm","ts":)" + ts + R"(,"dur":300,)" + host +
            R"(,"args":{"External id":)" + id + "}},";
    text += R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","ts":)" + ts +
            R"(,"dur":10,)" + host + R"(,"args":{"correlation":)" + id + "}},";
    text += R"({"ph":"X","cat":"kernel","name":"gemm","ts":)" + end +
            R"(,"dur":400,"pid":0,"tid":7,"args":{"device":0,"stream":7,"correlation":)" + id +
            R"(,"External id":)" + id + "}}";
  }
  return text + "]}";
}

std::shared_ptr<const Trace> Opened(const std::string& path, std::string run,
                                    std::vector<std::string>* runs) {
  Progress progress;
  LoadOptions options;
  options.run = std::move(run);
  runs->clear();
  const auto trace = LoadPath(path, options, {}, progress, runs);
  REQUIRE_MESSAGE(trace.ok(), trace.status().message());
  return *trace;
}

TEST_CASE("Two cycles of one process are one host with one GPU, without the time between them") {
  const TempFolder folder;
  folder.Add("node1_77.1700000001000000000.pt.trace.json", CycleText(1000, 77));
  folder.Add("node1_77.1700000002000000000.pt.trace.json", CycleText(601'000, 77));
  Strings runs;
  const auto trace = Opened(folder.path(), "", &runs);
  REQUIRE(trace->hosts.size() == 1);
  CHECK(trace->HostName(HostId(0)) == "node1_77");
  CHECK(trace->counts.slices == 360);
  const auto gpus = std::count_if(trace->planes.begin(), trace->planes.end(),
                                  [](const Plane& p) { return p.kind == PlaneKind::kGpu; });
  CHECK(gpus == 1);
  CHECK(trace->set.tracks.size() == 2);
  CHECK(trace->span.length() < 61 * kPsPerMs);
  REQUIRE(trace->cycles.size() == 2);
  CHECK(trace->cycles[0].name == "node1_77.1700000001000000000");
  CHECK(trace->cycles[1].span.begin == trace->cycles[0].span.end);
  CHECK(trace->cycles[1].start_unix_ns - trace->cycles[0].start_unix_ns == 600 * kMs);
  const std::string all = trace->run;
  CHECK(runs == Strings{all, "node1_77.1700000002000000000", "node1_77.1700000001000000000"});
  CHECK(trace->diagnostics.Find("recording.cycle") != nullptr);
  CHECK(trace->diagnostics.problems() == 0);
}

TEST_CASE("Launches of two cycles with the same numbers stay apart, and arguments are their own") {
  const TempFolder folder;
  folder.Add("node1_77.1700000001000000000.pt.trace.json", CycleText(1000, 77));
  folder.Add("node1_77.1700000002000000000.pt.trace.json", CycleText(601'000, 77));
  Strings runs;
  const auto trace = Opened(folder.path(), "", &runs);
  const auto typed = trace->source->LoadTyped(*trace, {});
  REQUIRE(typed.ok());
  std::set<int64_t> ids;
  size_t kernels = 0;
  for (uint32_t row = 0; row < trace->set.rows; ++row) {
    if (trace->names().Name(trace->set.Meta(EventRow(row))) != "gemm") continue;
    ++kernels;
    const auto id = (*typed)->Int(IntStat::kCorrelationId).Find(EventRow(row));
    REQUIRE(id);
    ids.insert(*id);
    const auto stats = trace->source->Decode(*trace, EventRow(row));
    REQUIRE(stats.ok());
    CHECK(std::any_of(stats->begin(), stats->end(), [&](const Stat& s) {
      return s.name == "correlation" && std::get<int64_t>(s.value) == *id % (int64_t{1} << 40);
    }));
  }
  CHECK(kernels == 120);
  CHECK(ids.size() == 120);
}

TEST_CASE("One cycle of a process is opened by its name") {
  const TempFolder folder;
  folder.Add("node1_77.1700000001000000000.pt.trace.json", CycleText(1000, 77));
  folder.Add("node1_77.1700000002000000000.pt.trace.json", CycleText(601'000, 77));
  Strings runs;
  const auto trace = Opened(folder.path(), "node1_77.1700000001000000000", &runs);
  CHECK(trace->counts.slices == 180);
  CHECK(trace->run == "node1_77.1700000001000000000");
  CHECK(trace->cycles.empty());
  CHECK(runs.size() == 3);
  Progress progress;
  LoadOptions options;
  options.run = "nowhere";
  const Status unknown = LoadPath(folder.path(), options, {}, progress).status();
  CHECK(unknown.code() == ErrorCode::kUsage);
  CHECK(unknown.message().find("node1_77.1700000002000000000") != std::string::npos);
}

TEST_CASE("Two ranks with two cycles each are two hosts on one axis") {
  const TempFolder folder;
  for (const int pid : {77, 78}) {
    for (const int cycle : {1, 2})
      folder.Add("node1_" + std::to_string(pid) + ".170000000" + std::to_string(cycle) +
                     "000000000.pt.trace.json",
                 CycleText(cycle * 600'000 + pid, pid));
  }
  Strings runs;
  const auto trace = Opened(folder.path(), "", &runs);
  CHECK(trace->hosts.size() == 2);
  CHECK(trace->cycles.size() == 2);
  CHECK(trace->counts.slices == 720);
  CHECK(trace->span.length() < 62 * kPsPerMs);
}

TEST_CASE("Of recordings hours apart the newest is opened, and the others are named") {
  const TempFolder folder;
  folder.Add("trace.json", CycleText(1000, 1));
  folder.Add("trace_later.json", CycleText(80'000'000'000, 1));
  Strings runs;
  const auto newest = Opened(folder.path(), "", &runs);
  CHECK(runs == Strings{"trace_later", "trace"});
  CHECK(newest->run == "trace_later");
  CHECK(newest->counts.slices == 180);
  CHECK(newest->span.length() < 31 * kPsPerMs);
  const Diagnostic* other = newest->diagnostics.Find("recording.other");
  REQUIRE(other != nullptr);
  CHECK(other->first == Strings{"trace"});
  const auto older = Opened(folder.path(), "trace", &runs);
  CHECK(older->run == "trace");
  CHECK(older->origin_unix_ns < newest->origin_unix_ns);
}

}  // namespace
}  // namespace stepscope::chrome
