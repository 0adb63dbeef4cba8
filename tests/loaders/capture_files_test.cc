#include "loaders/capture_files.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "loaders/profile_dir.h"
#include "model/graph_captures.h"
#include "tests/loaders/chrome_json/chrome_folder.h"
#include "tests/support/graph_traces.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

// A replay, and a folder of captures beside it.
struct Server {
  Server() { fs::create_directories(folder.path() + "/capture_traces"); }
  std::string Replay() const {
    return folder.Add("decode.json", test::ReplayText(test::GraphKernels(2)));
  }
  void Capture(const std::string& name, const std::string& text = test::CaptureText(2)) const {
    folder.Add("capture_traces/" + name, text);
  }
  TempFolder folder;
};

std::shared_ptr<const Trace> Load(const std::string& path) {
  Progress progress;
  const auto trace = LoadPath(path, {}, {}, progress);
  REQUIRE_MESSAGE(trace.ok(), trace.status().message());
  CHECK(progress.bytes_done == progress.bytes_total);
  return *trace;
}

TEST_CASE("Captures that lie beside a replay are read along, by file and by folder") {
  const Server server;
  server.Capture("bs_32_rank0.json");
  server.Capture("notes.json");
  server.Capture("execution_details.json",
                 R"([{"file":"bs_32_rank0.json","batch_size":32,"mode":"FULL"}])");
  for (const std::string& path : {server.Replay(), server.folder.path()}) {
    const std::shared_ptr<const Trace> trace = Load(path);
    const std::span<const GraphCapture> captures = CapturesOf(*trace);
    REQUIRE(captures.size() == 1);
    CHECK(captures[0].file == "bs_32_rank0.json");
    CHECK(captures[0].batch_size == 32);
    CHECK(captures[0].mode == "FULL");
    CHECK(captures[0].trace->counts.slices > 9);
    CHECK(trace->counts.slices == 11);
    CHECK(trace->source->Decode(*trace, EventRow(0)).ok());
  }
}

TEST_CASE("Captures are a run of their own only where there is no other") {
  const Server server;
  server.Capture("bs_32.pt.trace.json");
  REQUIRE(FindRuns(server.folder.path()).ok());
  CHECK(FindRuns(server.folder.path())->front().files[0].path.ends_with("bs_32.pt.trace.json"));
  const std::string replay = server.Replay();
  const auto runs = FindRuns(server.folder.path());
  REQUIRE(runs.ok());
  REQUIRE(runs->size() == 1);
  CHECK(runs->front().files[0].path == replay);
  CHECK(CapturesOf(*Load(server.folder.path())).size() == 1);
}

TEST_CASE("Without a list all traces of the folder are captures; other files are skipped") {
  const Server server;
  server.Capture("a.json");
  server.Capture("b.json", "no trace");
  server.Capture("c.txt");
  const std::shared_ptr<const Trace> trace = Load(server.Replay());
  REQUIRE(CapturesOf(*trace).size() == 1);
  REQUIRE(trace->skipped_files.size() == 1);
  CHECK(trace->skipped_files[0].starts_with("b.json: "));
}

TEST_CASE("A list names files of its own folder only") {
  const Server server;
  server.folder.Add("other.json", test::CaptureText(2));
  server.Capture("execution_details.json", R"([{"file":"../other.json"},{"file":"gone.json"},7])");
  CHECK(CapturesOf(*Load(server.Replay())).empty());
}

TEST_CASE("A trace that launches no graph is read without the captures beside it") {
  const Server server;
  server.Capture("a.json");
  test::KinetoText t;
  t.Host("cpu_op", "aten::mm", 0, 10).Launch(1, 2, 3).Kernel("gemm", 1, 20, 5);
  CHECK(CapturesOf(*Load(server.folder.Add("eager.json", t.Text()))).empty());
}

TEST_CASE("The list of captures is no profile") {
  CHECK(ClassifyFileName("execution_details.json").foreign.has_value());
  const Server server;
  server.Capture("a.json");
  server.Capture("execution_details.json", R"([{"file":"a.json"}])");
  CHECK(Load(server.folder.path() + "/capture_traces")->hosts.size() == 1);
}

}  // namespace
}  // namespace stepscope
