// A store gives back the trace that was put into it.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "loaders/loader.h"
#include "loaders/store/trace_part.h"
#include "model/graph_captures.h"
#include "tests/loaders/chrome_json/chrome_folder.h"
#include "tests/support/gpu_profile.h"
#include "tests/support/graph_traces.h"
#include "tests/support/memory_snapshot.h"
#include "tests/support/samples.h"
#include "tests/support/store_parts.h"
#include "tests/support/trace_difference.h"

namespace stepscope {
namespace {

std::shared_ptr<const Trace> LoadSource(const std::string& path, unsigned threads = 0) {
  Progress progress;
  auto trace = LoadPath(path, {.threads = threads}, {}, progress);
  REQUIRE_MESSAGE(trace.ok(), trace.status().message());
  return *trace;
}

std::shared_ptr<const Trace> LoadStore(std::string bytes, const std::string& host = {}) {
  auto trace = LoadBytes("x.stepscope", std::move(bytes), {.host = host});
  REQUIRE_MESSAGE(trace.ok(), trace.status().message());
  return *trace;
}

TEST_CASE("A store of each sample gives the same trace") {
  std::vector<std::string> paths = test::Samples();
  for (const char* more : {"chromium.pftrace.zst", "torch_gloo"})
    paths.push_back(test::SourcePath("tests/data/") + more);
  for (const std::string& path : paths) {
    CAPTURE(path);
    const auto source = LoadSource(path);
    const auto stored = LoadStore(test::StoreOf(*source));
    CHECK(test::FirstDifference(*source, *stored) == "");
    CHECK(test::StoreOf(*source) == test::StoreOf(*source));  // nothing depends on timing
    CHECK(test::FirstDifference(*source, *LoadStore(test::StoreOf(*stored))) == "");
  }
}

// A connection that broke goes on in the middle of the store that another load makes.
TEST_CASE("A store is the same bytes after each load, by any number of threads") {
  std::vector<std::string> paths = test::Samples();
  for (const char* more : {"chromium.pftrace.zst", "torch_gloo"})
    paths.push_back(test::SourcePath("tests/data/") + more);
  for (const std::string& path : paths) {
    CAPTURE(path);
    const std::string store = test::StoreOf(*LoadSource(path));
    for (const unsigned threads : {1u, 2u, 7u})
      CHECK(test::StoreOf(*LoadSource(path, threads)) == store);
  }
}

TEST_CASE("A store of each recording beside the repository gives the same trace") {
  const std::vector<std::string> paths = test::SharedRecordings();
  if (paths.empty()) {
    MESSAGE("SKIPPED: the recordings beside the repository are not there");
    return;
  }
  for (const std::string& path : paths) {
    CAPTURE(path);
    const auto source = LoadSource(path);
    CHECK(test::FirstDifference(*source, *LoadStore(test::StoreOf(*source))) == "");
  }
}

TEST_CASE("A part of a trace is the same in a store and keeps what touches its range") {
  const auto source = LoadSource(test::SourcePath("tests/data/torch_cpu_stack.json.gz"));
  const TimeRange range{source->span.begin + source->span.length() / 3,
                        source->span.begin + source->span.length() / 2};
  const auto part = PartOfTrace(source, range, HostId());
  uint64_t touching = 0;
  for (const Lane& lane : source->set.lanes) {
    for (uint32_t i = 0; i < lane.size(); ++i) {
      const bool instant = lane.dur[i] == 0;
      touching += lane.start[i] < range.end &&
                  (lane.end(i) > range.begin || (instant && lane.start[i] >= range.begin));
    }
  }
  CHECK(part->set.rows == touching);
  CHECK(part->set.rows > 0);
  CHECK(part->set.rows < source->set.rows);
  CHECK(test::FirstDifference(*part, *LoadStore(test::StoreOf(*part))) == "");
  for (const Flow& flow : part->flows) {
    CHECK(flow.from.value < part->set.rows);
    CHECK(flow.to.value < part->set.rows);
  }
}

TEST_CASE("A memory snapshot and captures of graphs are kept") {
  const test::TrainingSnapshot made = test::MakeTrainingSnapshot(20, 3, 1 << 20, true);
  const auto snapshot = LoadBytes("x.pickle", test::ToPickle(made.file), {});
  REQUIRE(snapshot.ok());
  CHECK(test::FirstDifference(**snapshot, *LoadStore(test::StoreOf(**snapshot))) == "");

  const TempFolder folder;
  std::filesystem::create_directories(folder.path() + "/capture_traces");
  folder.Add("capture_traces/bs_32_rank0.json", test::CaptureText(2));
  const auto replay =
      LoadSource(folder.Add("decode.json", test::ReplayText(test::GraphKernels(2))));
  REQUIRE(CapturesOf(*replay).size() == 1);
  CHECK(test::FirstDifference(*replay, *LoadStore(test::StoreOf(*replay))) == "");
}

TEST_CASE("One host of a store of several is asked for by its name") {
  const auto source = LoadSource(test::SourcePath("tests/data/torch_gloo"));
  REQUIRE(source->hosts.size() > 1);
  const std::string store = test::StoreOf(*source);
  const std::string host(source->HostName(HostId(1)));
  const auto one = LoadStore(store, {});
  CHECK(one->hosts.size() == source->hosts.size());
  const auto part = PartOfTrace(one, {}, HostId(1));
  REQUIRE(part->hosts.size() == 1);
  CHECK(part->HostName(HostId(0)) == host);
  uint64_t events = 0;
  for (const Track& track : source->set.tracks)
    events += source->planes[track.plane.value].host == HostId(1) ? track.events : 0;
  CHECK(part->counts.events() == events);
  size_t planes = 0;
  for (const Plane& plane : source->planes) planes += plane.host == HostId(1) ? 1 : 0;
  REQUIRE(part->planes.size() == planes);
  for (const Plane& plane : part->planes) CHECK(plane.host == HostId(0));
  CHECK(test::FirstDifference(*part, *LoadStore(test::StoreOf(*part))) == "");
}

TEST_CASE("Names of one host of a store belong to its planes") {
  const TempFolder folder;
  std::vector<std::string> paths;
  for (const char* host : {"a", "b"}) {
    test::GpuProfileOptions options;
    options.gpus = 1, options.steps = 2, options.layers = 2, options.host = host;
    paths.push_back(folder.Add(std::string(host) + ".xplane.pb", test::MakeGpuProfile(options)));
  }
  Progress progress;
  const auto both = LoadPaths(paths, {}, {}, progress);
  REQUIRE(both.ok());
  const Trace& source = **both;
  REQUIRE(source.hosts.size() == 2);
  const auto part = PartOfTrace(*both, {}, HostId(1));
  const NameTable &of_both = source.names(), &of_part = part->names();
  REQUIRE(of_part.metas.size() == of_both.metas.size());
  size_t kept = 0;
  for (size_t m = 0; m < of_part.metas.size(); ++m) {
    const PlaneId was = of_both.metas[m].plane, is = of_part.metas[m].plane;
    const bool mine = source.planes[was.value].host == HostId(1);
    REQUIRE(is.valid() == mine);
    CHECK(of_part.Name(MetaId(static_cast<uint32_t>(m))) ==
          of_both.Name(MetaId(static_cast<uint32_t>(m))));
    if (!mine) continue;
    ++kept;
    CHECK(part->planes[is.value].id == source.planes[was.value].id);
    CHECK(part->planes[is.value].display_name == source.planes[was.value].display_name);
  }
  CHECK(kept > 0);
  CHECK(kept < of_part.metas.size());
}

}  // namespace
}  // namespace stepscope
