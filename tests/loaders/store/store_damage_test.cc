// Stores that are cut, damaged, newer, or made to do harm.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include "loaders/loader.h"
#include "loaders/store/byte_codec.h"
#include "loaders/store/store.pb.h"
#include "model/analysis/analysis.h"
#include "tests/support/gpu_profile.h"
#include "tests/support/loaded.h"
#include "tests/support/memory_snapshot.h"
#include "tests/support/samples.h"
#include "tests/support/sanitized.h"
#include "tests/support/store_parts.h"
#include "tests/support/trace_lookup.h"

namespace stepscope {
namespace {

using test::CountOf;

std::string SampleStore(const char* name = "torch_cpu.json.gz") {
  Progress progress;
  auto trace = LoadPath(test::SourcePath("tests/data/") + name, {}, {}, progress);
  REQUIRE_MESSAGE(trace.ok(), trace.status().message());
  return test::StoreOf(**trace);
}

Result<std::shared_ptr<const Trace>> LoadDamaged(std::string bytes,
                                                 uint64_t most = uint64_t{1} << 28) {
  return LoadBytes("x.stepscope", std::move(bytes), {.max_inflated_bytes = most});
}

// Reads all that a trace can be asked for.
void ReadAll(const Trace& trace) {
  if (trace.source == nullptr) return;
  CHECK(trace.source->LoadTyped(trace, {}).ok());
  for (uint32_t row = 0; row < trace.set.rows; row += 1 + trace.set.rows / 50)
    CHECK(trace.source->Decode(trace, EventRow(row)).ok());
}

TEST_CASE("A store that is cut anywhere keeps what came and says so") {
  const std::string whole = SampleStore();
  const auto all = LoadDamaged(whole);
  REQUIRE(all.ok());
  CHECK(!(*all)->truncated());
  const std::vector<test::StorePart> parts = test::PartsOf(whole);
  std::vector<size_t> cuts;
  for (const test::StorePart& part : parts) {
    for (const size_t within :
         {size_t{0}, size_t{1}, store::kSectionHeaderBytes - 1, store::kSectionHeaderBytes,
          store::kSectionHeaderBytes + 1, store::kSectionHeaderBytes + part.header.stored / 2})
      cuts.push_back(part.at + within);
  }
  const size_t events_at = std::find_if(parts.begin(), parts.end(), [](const auto& p) {
                             return p.header.id == "OVER";
                           })->at;
  for (const size_t cut : cuts) {
    CAPTURE(cut);
    const auto trace = LoadDamaged(whole.substr(0, cut));
    if (cut < events_at) continue;  // too little came: an error says so, or there are no events
    REQUIRE_MESSAGE(trace.ok(), trace.status().message());
    CHECK((*trace)->truncated());
    CHECK((*trace)->planes.size() == (*all)->planes.size());
    CHECK((*trace)->set.rows + CountOf(**trace, "store.missing_events") == (*all)->set.rows);
    ReadAll(**trace);
  }
}

TEST_CASE("The first bytes of a store are an error of one line, and never a crash") {
  const std::string whole = SampleStore();
  for (size_t n = 0; n < 2000 && n < whole.size(); n += n < 80 ? 1 : 13) {
    const auto trace = LoadDamaged(whole.substr(0, n));
    if (trace.ok()) continue;
    CHECK(!trace.status().message().empty());
    CHECK(trace.status().message().find('\n') == std::string::npos);
  }
}

TEST_CASE("Any damaged byte is found, and the rest of the store is kept") {
  const std::string whole = SampleStore();
  std::mt19937 random(7);
  const auto rows = (*LoadDamaged(whole))->set.rows;
  // Nothing is lost by damage to the first picture or to the index.
  const std::vector<test::StorePart> parts = test::PartsOf(whole);
  const auto picture =
      std::find_if(parts.begin(), parts.end(), [](const auto& p) { return p.header.id == "OVER"; });
  const size_t unread = picture->at + store::kSectionHeaderBytes;
  const size_t unread_end = unread + picture->header.stored;
  const size_t index_at = parts.back().at + store::kSectionHeaderBytes + parts.back().header.stored;
  for (int i = 0; i < (kSanitized ? 30 : 300); ++i) {
    std::string bytes = whole;
    const size_t at = random() % bytes.size();
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
    CAPTURE(at);
    const auto trace = LoadDamaged(std::move(bytes));
    if (!trace.ok()) {
      CHECK(!trace.status().message().empty());
      continue;
    }
    const bool said = (*trace)->truncated() || CountOf(**trace, "store.damaged_section") > 0;
    CHECK((said || (at >= unread && at < unread_end) || at >= index_at));
    CHECK((*trace)->set.rows + CountOf(**trace, "store.missing_events") >= rows);
    ReadAll(**trace);
  }
}

TEST_CASE("Sections with good checksums and bad contents do no harm") {
  std::mt19937 random(11);
  for (const char* name : {"torch_cpu.json.gz", "tf_keras.xplane.pb.zst", "torch_gloo"}) {
    const std::vector<test::StorePart> parts = test::PartsOf(SampleStore(name));
    for (int i = 0; i < (kSanitized ? 20 : 150); ++i) {
      std::vector<test::StorePart> changed = parts;
      test::StorePart& part = changed[random() % changed.size()];
      CAPTURE(name);
      CAPTURE(part.header.id);
      CAPTURE(i);
      switch (random() % 5) {
        case 0:
          part.payload.resize(part.payload.empty() ? 0 : random() % part.payload.size());
          break;
        case 1:
          part.header.count = static_cast<uint32_t>(random());
          break;
        case 2:
          part.header.key = random() % 3 == 0 ? random() : random() % 100'000;
          break;
        default:
          for (int k = 0; k < 4 && !part.payload.empty(); ++k)
            part.payload[random() % part.payload.size()] = static_cast<char>(random());
      }
      const auto trace = LoadDamaged(test::Join(changed));
      if (trace.ok()) ReadAll(**trace);
    }
  }
}

// Three parts of arguments, and one of events.
std::shared_ptr<const Trace> ManyEvents() {
  std::string text = "[";
  for (int i = 0; i < 40'000; ++i) {
    const std::string at = std::to_string(i);
    text += R"({"ph":"X","name":"op","pid":1,"tid":1,"ts":)" + at + R"(,"dur":0.5,"args":{"i":)" +
            at + "}},";
  }
  text.back() = ']';
  return test::Loaded("t.json", text);
}

std::string SnapshotStore() {
  const test::TrainingSnapshot made = test::MakeTrainingSnapshot(20, 3, 1 << 20, true);
  return test::StoreOf(*test::Loaded("x.pickle", test::ToPickle(made.file)));
}

TEST_CASE("Of sections that come twice the first is read, and it is said") {
  std::vector<std::string> stores = {SnapshotStore()};
  for (const char* name : {"torch_cpu_stack.json.gz", "jax_gpu.xplane.pb.zst", "torch_gloo"})
    stores.push_back(SampleStore(name));
  for (const std::string& store : stores) {
    const std::vector<test::StorePart> parts = test::PartsOf(store);
    const auto once = LoadDamaged(store);
    REQUIRE(once.ok());
    for (const test::StorePart& part : parts) {
      CAPTURE(part.header.id);
      if (part.header.id == "OVER") continue;  // read while a stream arrives only
      std::vector<test::StorePart> more = parts;
      more.push_back(part);
      const auto twice = LoadDamaged(test::Join(more));
      REQUIRE_MESSAGE(twice.ok(), twice.status().message());
      CHECK(CountOf(**twice, "store.repeated_section") == 1);
      CHECK(CountOf(**twice, "store.damaged_section") == 0);
      CHECK((*twice)->set.rows == (*once)->set.rows);
      CHECK((*twice)->planes.size() == (*once)->planes.size());
      CHECK((*twice)->counts.flows == (*once)->counts.flows);
      CHECK((*twice)->counts.counter_samples == (*once)->counts.counter_samples);
      ReadAll(**twice);
    }
  }
}

TEST_CASE("A second list of tracks, programs or a snapshot is left out, whatever its key") {
  for (const std::string& store : {SampleStore("jax_gpu.xplane.pb.zst"), SnapshotStore()}) {
    std::vector<test::StorePart> parts = test::PartsOf(store);
    const auto once = LoadDamaged(store);
    for (const test::StorePart& part : test::PartsOf(store)) {
      if (std::string("HEAD TRCK PRGS HIST").find(part.header.id) == std::string::npos) continue;
      parts.push_back(part);
      parts.back().header.key = 7;
    }
    const auto twice = LoadDamaged(test::Join(parts));
    REQUIRE(twice.ok());
    CHECK(CountOf(**twice, "store.repeated_section") == 3);
    CHECK((*twice)->set.tracks.size() == (*once)->set.tracks.size());
    ReadAll(**twice);
  }
}

// Changes the sections of one kind of a store.
template <typename Change>
std::string Changed(const std::string& store, const char* id, Change change) {
  std::vector<test::StorePart> parts = test::PartsOf(store);
  for (test::StorePart& part : parts) {
    if (part.header.id == id) change(&part);
  }
  return test::Join(parts);
}

TEST_CASE("Events, stats and arguments keep to rows of their own") {
  const std::string store = test::StoreOf(*ManyEvents());
  const auto damaged = [&](const char* id, uint64_t key) {
    const auto trace =
        LoadDamaged(Changed(store, id, [key](test::StorePart* part) { part->header.key += key; }));
    REQUIRE(trace.ok());
    ReadAll(**trace);
    return CountOf(**trace, "store.damaged_section");
  };
  // 32 bits hold a row: a key beyond them names none.
  CHECK(damaged("EVTS", uint64_t{1} << 32) == 1);
  // Rows 1 to 16,384 are also of the next section.
  CHECK(damaged("ARGS", 1) == 3);
  CHECK(damaged("TYPE", 1) == 1);
}

// Changes the hosts, planes and tracks of a store.
template <typename Change>
std::string WithTracks(const std::string& store, Change change) {
  return Changed(store, "TRCK", [&](test::StorePart* part) {
    store::pb::Tracks tracks;
    REQUIRE(tracks.ParseFromString(part->payload));
    change(&tracks);
    part->payload = tracks.SerializeAsString();
  });
}

// Runs all analyses of a profile.
void Analyse(const std::shared_ptr<const Trace>& trace) {
  AnalysisContext context(trace, Definitions::kStepscope);
  for (const AnalysisDesc& analysis : Analyses()) RunAnalysis(analysis, context, {});
}

std::string GpuStore() {
  test::GpuProfileOptions options;
  options.steps = 4, options.layers = 5;
  return test::StoreOf(*test::Loaded("h.xplane.pb", test::MakeGpuProfile(options)));
}

TEST_CASE("Every plane of a store has a host, whatever the file says") {
  const std::string store = GpuStore();
  const auto good = LoadDamaged(store);
  REQUIRE(good.ok());
  for (size_t p = 0; p < (*good)->planes.size(); ++p) {
    const auto trace = LoadDamaged(WithTracks(store, [p](store::pb::Tracks* tracks) {
      tracks->mutable_planes(static_cast<int>(p))->set_host(p % 2 == 0 ? HostId::kInvalid : 1);
    }));
    REQUIRE(trace.ok());
    REQUIRE((*trace)->hosts.size() == 2);
    CHECK((*trace)->HostName(HostId(1)).empty());
    REQUIRE((*trace)->planes.size() == (*good)->planes.size());
    for (size_t q = 0; q < (*trace)->planes.size(); ++q)
      CHECK((*trace)->planes[q].host == HostId(q == p ? 1 : 0));
    Analyse(*trace);
  }
}

TEST_CASE("A track that is on no plane is damage of the begin") {
  const std::string store = SampleStore();
  for (const uint32_t plane : {PlaneId::kInvalid, 1000u}) {
    const auto trace = LoadDamaged(WithTracks(store, [plane](store::pb::Tracks* tracks) {
      tracks->mutable_tracks(0)->set_plane(plane);
    }));
    REQUIRE(!trace.ok());
    CHECK(trace.status().message().find("the begin of the store is damaged") != std::string::npos);
  }
}

int64_t ArgumentOf(const Trace& trace, uint32_t row) {
  const auto stats = trace.source->Decode(trace, EventRow(row));
  REQUIRE(stats.ok());
  return stats->empty() ? -1 : std::get<int64_t>(stats->front().value);
}

TEST_CASE("A missing part of the arguments leaves those of other events as they are") {
  std::vector<test::StorePart> parts = test::PartsOf(test::StoreOf(*ManyEvents()));
  std::erase_if(parts,
                [](const auto& p) { return p.header.id == "ARGS" && p.header.key == 16'384; });
  const auto trace = LoadDamaged(test::Join(parts));
  REQUIRE(trace.ok());
  REQUIRE((*trace)->set.rows == 40'000);
  CHECK(ArgumentOf(**trace, 0) == 0);
  CHECK(ArgumentOf(**trace, 16'383) == 16'383);
  CHECK(ArgumentOf(**trace, 16'384) == -1);
  CHECK(ArgumentOf(**trace, 32'768) == 32'768);
}

TEST_CASE("Events that cannot be are left out, and the others keep their arguments") {
  const auto source = ManyEvents();
  std::vector<test::StorePart> parts = test::PartsOf(test::StoreOf(*source));
  for (test::StorePart& part : parts) {
    if (part.header.id != "EVTS") continue;
    // The fourth event begins before the third one ends: its distance is in the first plane.
    std::string events;
    store::ByteWriter writer(&events);
    std::vector<uint64_t> starts(40'000, 1'000'000), durs(40'000, 500'000), zero(40'000, 0);
    starts[0] = 0;
    starts[3] = 1000;
    starts[4] = 2'000'000 - 1000;
    std::vector<uint64_t> places(40'000, 1);
    writer.Signed(0);
    writer.Ints(starts);
    writer.Ints(durs);
    writer.Ints(zero);
    writer.Ints(places);
    part.payload = events;
  }
  const auto trace = LoadDamaged(test::Join(parts));
  REQUIRE(trace.ok());
  CHECK((*trace)->set.rows == 39'999);
  CHECK(CountOf(**trace, "store.impossible_events") == 1);
  CHECK(ArgumentOf(**trace, 2) == 2);
  CHECK(ArgumentOf(**trace, 3) == 4);
  CHECK(ArgumentOf(**trace, 39'998) == 39'999);
  CHECK((*trace)->source->LoadTyped(**trace, {}).ok());
}

TEST_CASE("A section of an unknown kind is skipped, one of a newer version is said") {
  std::vector<test::StorePart> parts = test::PartsOf(SampleStore());
  test::StorePart unknown;
  unknown.header.id = "ZZZZ";
  unknown.header.version = 9;
  unknown.payload = "what a later program adds";
  parts.insert(parts.begin() + 2, unknown);
  auto trace = LoadDamaged(test::Join(parts));
  REQUIRE(trace.ok());
  CHECK((*trace)->diagnostics.problems() == (*LoadDamaged(SampleStore()))->diagnostics.problems());
  for (test::StorePart& part : parts) {
    if (part.header.id == "TYPE") part.header.version = 2;
  }
  trace = LoadDamaged(test::Join(parts));
  REQUIRE(trace.ok());
  CHECK(CountOf(**trace, "store.newer_section") > 0);
}

TEST_CASE("A store of a newer major version is one clear error") {
  std::string bytes = SampleStore();
  bytes[8] = 2;
  const uint32_t sum = store::Checksum(std::string_view(bytes).substr(0, 12));
  for (size_t i = 0; i < 4; ++i) bytes[12 + i] = static_cast<char>(sum >> (8 * i));
  const auto trace = LoadDamaged(bytes);
  REQUIRE(!trace.ok());
  CHECK(trace.status().code() == ErrorCode::kUnsupported);
  CHECK(trace.status().message().find("newer Stepscope") != std::string::npos);
}

TEST_CASE("A store that would fill the memory ends at the limit") {
  std::vector<test::StorePart> parts = test::PartsOf(SampleStore());
  test::StorePart zeros;
  zeros.header.id = "CNTR";
  zeros.header.key = 1;
  zeros.header.version = 1;
  zeros.header.count = 1;
  zeros.payload.assign(size_t{200} << 20, '\0');
  std::vector<test::StorePart> bomb = parts;
  bomb.push_back(zeros);
  const std::string file = test::Join(bomb);
  CHECK(file.size() < 4 << 20);
  const auto trace = LoadDamaged(file, uint64_t{64} << 20);
  REQUIRE(!trace.ok());
  CHECK(trace.status().code() == ErrorCode::kLimit);
  CHECK(trace.status().message().find("--max-inflated") != std::string::npos);
}

TEST_CASE("Rows that a header claims take memory only where sections have them") {
  std::vector<test::StorePart> parts = test::PartsOf(SampleStore());
  for (test::StorePart& part : parts) {
    if (part.header.id == "EVTS") part.header.count = store::kMaxItems;
  }
  const auto trace = LoadDamaged(test::Join(parts), uint64_t{1} << 26);
  REQUIRE(trace.ok());
  CHECK((*trace)->set.rows == 0);
}

}  // namespace
}  // namespace stepscope
