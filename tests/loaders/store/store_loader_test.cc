// Several stores are one trace, as their sources are.
#include "loaders/store/store_loader.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "loaders/loader.h"
#include "model/xla/hlo_source.h"
#include "tests/loaders/chrome_json/chrome_folder.h"
#include "tests/support/memory_snapshot.h"
#include "tests/support/source_paths.h"
#include "tests/support/store_parts.h"
#include "tests/support/trace_difference.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

std::shared_ptr<const Trace> LoadAll(const std::vector<std::string>& paths) {
  Progress progress;
  auto trace = LoadPaths(paths, {}, {}, progress);
  REQUIRE_MESSAGE(trace.ok(), trace.status().message());
  return *trace;
}

std::string AddStore(const TempFolder& folder, const std::string& name, const std::string& path) {
  return folder.Add(name + ".stepscope", test::StoreOf(*LoadAll({path})));
}

std::vector<std::string> FilesOf(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

// All that is seen of an event, wherever it lies.
struct Seen {
  std::string host, plane, track, name;
  Ps start, dur;
  size_t arguments;
  auto operator<=>(const Seen&) const = default;
};

std::vector<Seen> EventsOf(const Trace& trace) {
  std::vector<Seen> out;
  for (const Lane& lane : trace.set.lanes) {
    const Track& track = trace.set.tracks[lane.track.value];
    const Plane& plane = trace.planes[track.plane.value];
    for (uint32_t i = 0; i < lane.size(); ++i) {
      const auto stats = trace.source->Decode(trace, EventRow(lane.first_row + i));
      REQUIRE(stats.ok());
      out.push_back({std::string(trace.HostName(plane.host)), plane.display_name,
                     std::string(trace.names().strings.View(track.name)),
                     std::string(trace.names().Name(MetaId(lane.meta[i]))), lane.start[i],
                     lane.dur[i], stats->size()});
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

TEST_CASE("The stores of a job's ranks are one trace, as the ranks' own files are") {
  const std::vector<std::string> files = FilesOf(test::SourcePath("tests/data/torch_gloo"));
  REQUIRE(files.size() > 1);
  const TempFolder folder;
  std::vector<std::string> stores;
  for (size_t i = 0; i < files.size(); ++i)
    stores.push_back(AddStore(folder, "rank" + std::to_string(i), files[i]));
  const auto whole = LoadAll(files);
  for (const std::vector<std::string>& paths : {stores, {folder.path()}}) {
    const auto joined = LoadAll(paths);
    CHECK(joined->origin_unix_ns == whole->origin_unix_ns);
    CHECK(joined->kineto == whole->kineto);
    CHECK(joined->span == whole->span);
    CHECK(joined->counts.events() == whole->counts.events());
    CHECK(joined->counts.flows == whole->counts.flows);
    CHECK(joined->flows.size() == whole->flows.size());
    REQUIRE(joined->hosts.size() == whole->hosts.size());
    for (size_t h = 0; h < whole->hosts.size(); ++h)
      CHECK(joined->hosts[h].rank == whole->hosts[h].rank);
    CHECK(EventsOf(*joined) == EventsOf(*whole));
    CHECK(test::FirstDifference(*joined,
                                *LoadAll({folder.Add("all.bin", test::StoreOf(*joined))})) == "");
    fs::remove(folder.path() + "/all.bin");
  }
}

TEST_CASE("Typed stats and programs of joined stores are those of their parts") {
  const TempFolder folder;
  const std::string jax = test::SourcePath("tests/data/jax_cpu.xplane.pb.zst");
  const std::string keras = test::SourcePath("tests/data/tf_keras.xplane.pb.zst");
  const auto joined = LoadAll({AddStore(folder, "a", keras), AddStore(folder, "b", jax)});
  const auto first = LoadAll({keras}), second = LoadAll({jax});
  REQUIRE(joined->set.rows == first->set.rows + second->set.rows);
  const auto all = joined->source->LoadTyped(*joined, {});
  const auto one = first->source->LoadTyped(*first, {});
  const auto two = second->source->LoadTyped(*second, {});
  REQUIRE(all.ok());
  size_t entries = 0;
  for (size_t s = 0; s < (*all)->ints.size(); ++s) {
    std::vector<std::pair<uint32_t, int64_t>> want, got;
    const auto add = [](auto* to, uint32_t base) {
      return [to, base](uint32_t row, int64_t value) { to->emplace_back(base + row, value); };
    };
    (*one)->ints[s].ForAll(add(&want, 0));
    (*two)->ints[s].ForAll(add(&want, first->set.rows));
    (*all)->ints[s].ForAll(add(&got, 0));
    CHECK(got == want);
    entries += got.size();
  }
  CHECK(entries > 0);
  const xla::HloSource* programs = xla::HloSourceOf(*joined);
  REQUIRE(programs != nullptr);
  size_t expected = 0;
  for (const auto& part : {first, second}) {
    if (const xla::HloSource* own = xla::HloSourceOf(*part)) expected += own->Programs().size();
  }
  CHECK(programs->Programs().size() == expected);
  for (const xla::ProgramEntry& entry : programs->Programs()) CHECK(programs->Read(entry, {}).ok());
}

TEST_CASE("Stores that do not fit together are named, and the others are read") {
  const TempFolder folder;
  const std::string first =
      AddStore(folder, "a", test::SourcePath("tests/data/tf_keras.xplane.pb.zst"));
  const std::string chrome =
      AddStore(folder, "b", test::SourcePath("tests/data/torch_cpu.json.gz"));
  const test::TrainingSnapshot made = test::MakeTrainingSnapshot(20, 3, 1 << 20, true);
  const std::string snapshot =
      AddStore(folder, "c", folder.Add("x.pickle", test::ToPickle(made.file)));
  const std::string damaged = folder.Add("d.stepscope", "\x89STPSC\r\nnonsense");
  const auto joined = LoadAll({first, chrome, snapshot, damaged});
  CHECK(joined->set.rows == LoadAll({first})->set.rows);
  REQUIRE(joined->skipped_files.size() == 3);
  CHECK(joined->skipped_files[0].find("b.stepscope") != std::string::npos);
  CHECK(joined->skipped_files[1].find("snapshot") != std::string::npos);
  CHECK(joined->skipped_files[2].find("d.stepscope") != std::string::npos);
}

// The later part begins 29 days after the first one, and would end behind the greatest time.
TEST_CASE("A part whose events are at the end of all time is moved as far as they allow") {
  const TempFolder folder;
  std::vector<std::string> paths;
  for (const int64_t origin : {int64_t{1'000'000'000}, int64_t{29} * 24 * 3600 * 1'000'000'000}) {
    TraceBuilder builder;
    builder.trace().origin_unix_ns = origin;
    TrackData track;
    track.track.plane = builder.AddPlane({});
    EventMeta op;
    op.name = builder.strings().Intern("op");
    const uint32_t meta = builder.AddMeta(op).value;
    track.slices.Add(kMaxPs - 1000, 300, meta, Lane::kNoRef);
    track.slices.Add(kMaxPs - 500, 300, meta, Lane::kNoRef);
    builder.AddTrack(std::move(track));
    const auto trace = builder.Finish();
    REQUIRE(trace.ok());
    paths.push_back(folder.Add(std::to_string(origin) + ".stepscope", test::StoreOf(**trace)));
  }
  const auto both = LoadAll(paths);
  REQUIRE(both->set.lanes.size() == 2);
  for (const Lane& lane : both->set.lanes) {
    REQUIRE(lane.size() == 2);
    CHECK(lane.start[1] - lane.start[0] == 500);
    CHECK(lane.start[1] <= kMaxPs - lane.dur[1]);
  }
}

}  // namespace
}  // namespace stepscope
