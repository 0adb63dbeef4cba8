// Riegeli files: checksums and chunks, what is read of damaged files, and that a recording in
// several records gives the same trace as in one XSpace.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "loaders/loader.h"
#include "model/analysis/analysis.h"
#include "tests/support/gpu_profile.h"
#include "tests/support/peak_memory.h"
#include "tests/support/riegeli_writer.h"
#include "tests/support/sanitized.h"
#include "tests/support/source_paths.h"
#include "tests/support/trace_lookup.h"
#include "tests/support/wire.h"
#include "tests/support/xspace_builder.h"

namespace stepscope {
namespace {

using test::CountOf;
using test::RiegeliCompression;
using test::RiegeliWriter;
using TracePtr = std::shared_ptr<const Trace>;
using Strings = std::vector<std::string>;

constexpr const char* kName = "vm.xplane.riegeli";

Result<TracePtr> LoadRiegeli(std::string bytes, const LoadOptions& options = {}) {
  return LoadBytes(kName, std::move(bytes), options);
}

// An XSpace of one thread with `events` events of this name, one after the other.
std::string Space(const std::string& name, int64_t events, int64_t first = 0) {
  test::XSpaceBuilder space;
  auto& line = space.Plane("/host:CPU").Line(7, "main").TimestampNs(1'700'000'000'000'000'000);
  for (int64_t i = first; i < first + events; ++i)
    line.Event(name, i * 1'000'000, 500'000).Stat("index", i);
  return space.Bytes();
}

TEST_CASE("The signature is the 64 bytes that the format states") {
  const std::array<uint8_t, 64> stated = {
      0x83, 0xaf, 0x70, 0xd1, 0x0d, 0x88, 0x4a, 0x3f, 0,    0,   0, 0,    0,
      0,    0,    0,    0x40, 0,    0,    0,    0,    0,    0,   0, 0x91, 0xba,
      0xc2, 0x3c, 0x92, 0x87, 0xe1, 0xa9, 0,    0,    0,    0,   0, 0,    0,
      0,    0xe1, 0x9f, 0x13, 0xc0, 0xe9, 0xb1, 0xc3, 0x72, 0x73};
  const std::string written = RiegeliWriter().Bytes();
  CHECK(written == std::string(reinterpret_cast<const char*>(stated.data()), stated.size()));
}

TEST_CASE("All compressions, chunks across blocks, padding and metadata") {
  for (const auto compression : {RiegeliCompression::kNone, RiegeliCompression::kBrotli,
                                 RiegeliCompression::kZstd, RiegeliCompression::kSnappy}) {
    RiegeliWriter file;
    file.Chunk('m', "what transposed metadata looks like", 0, 9);
    file.Records({Space("a", 3000), Space("b", 1)}, compression);
    file.Pad();
    file.Records({Space("a", 10, 3000)}, compression);
    const auto trace = LoadRiegeli(file.Bytes());
    REQUIRE_MESSAGE(trace.ok(), trace.status().message());
    CHECK((*trace)->counts.slices == 3011);
    CHECK((*trace)->set.tracks.size() == 1);
    CHECK((*trace)->diagnostics.problems() == 0);
    CHECK((*trace)->format->name == std::string_view("XSpace"));
  }
}

TEST_CASE("Chunks of every size around the end of a block") {
  for (size_t size = 65'300; size < 65'560; ++size) {
    RiegeliWriter file;
    file.Chunk('p', std::string(size, 'x'), 0, 0);
    file.Records({Space("a", 2)}, RiegeliCompression::kNone);
    file.Records({Space("b", 2)}, RiegeliCompression::kNone);
    const auto trace = LoadRiegeli(file.Bytes());
    REQUIRE_MESSAGE(trace.ok(), trace.status().message());
    CHECK((*trace)->counts.slices == 4);
  }
}

// ---- One recording in one XSpace and in several records ---------------------

std::string Inflated(const std::string& name) {
  const auto source = OpenByteSource(test::SourcePath("tests/data/") + name + ".xplane.pb.zst",
                                     uint64_t{1} << 30, {}, nullptr);
  REQUIRE(source.ok());
  const auto bytes = (*source)->bytes();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Every event as a text with its place and all of its stats, sorted.
Strings NamesOfEvents(const Trace& trace) {
  Strings out;
  for (const Lane& lane : trace.set.lanes) {
    const Track& track = trace.set.tracks[lane.track.value];
    const std::string place = std::string(trace.names().strings.View(track.name)) + " " +
                              std::to_string(track.id) + " " + std::to_string(lane.depth);
    for (uint32_t i = 0; i < lane.size(); ++i) {
      std::string text = place + " " + std::string(trace.names().DisplayName(MetaId(lane.meta[i])));
      text += " " + std::to_string(lane.start[i]) + " " + std::to_string(lane.dur[i]);
      const auto stats = trace.source->Decode(trace, EventRow(lane.first_row + i));
      REQUIRE(stats.ok());
      for (const Stat& stat : *stats) text += " " + stat.name + "=" + ToText(stat);
      out.push_back(std::move(text));
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

Strings Tables(const TracePtr& trace, Definitions definitions) {
  Strings out;
  AnalysisContext context(trace, definitions);
  for (const AnalysisDesc& analysis : Analyses()) {
    const AnalysisResult result = RunAnalysis(analysis, context, {});
    for (const ResultTable& table : result.tables)
      out.push_back(std::string(analysis.id) + "/" + std::string(table.id) + "\n" + ToCsv(table));
  }
  return out;
}

void CheckSame(const std::string& name, const std::string& space) {
  CAPTURE(name);
  const auto whole = LoadBytes("vm.xplane.pb", space, {});
  RiegeliWriter file;
  for (const std::string& record : test::SplitXSpace(space, 5)) file.Records({record}).Pad();
  const auto parts = LoadRiegeli(file.Bytes());
  REQUIRE(whole.ok());
  REQUIRE_MESSAGE(parts.ok(), parts.status().message());
  CHECK((*parts)->planes.size() == (*whole)->planes.size());
  CHECK((*parts)->set.tracks.size() == (*whole)->set.tracks.size());
  CHECK((*parts)->origin_unix_ns == (*whole)->origin_unix_ns);
  CHECK((*parts)->diagnostics.problems() == (*whole)->diagnostics.problems());
  CHECK(NamesOfEvents(**parts) == NamesOfEvents(**whole));
  for (const Definitions definitions : {Definitions::kStepscope, Definitions::kXprof}) {
    const Strings expected = Tables(*whole, definitions), got = Tables(*parts, definitions);
    REQUIRE(got.size() == expected.size());
    for (size_t i = 0; i < got.size(); ++i) CHECK(got[i] == expected[i]);
  }
}

TEST_CASE("A recording in five records gives the tables of the same recording as .xplane.pb") {
  for (const char* name : {"jax_cpu", "tf_eagerpy"}) {
    CheckSame(name, Inflated(name));
    if (kSanitized) return;
  }
  CheckSame("tf_keras", Inflated("tf_keras"));
  test::GpuProfileOptions options;
  options.steps = 5;
  options.layers = 8;
  CheckSame("gpu", test::MakeGpuProfile(options));
}

TEST_CASE("Planes of one name and lines of one id belong together, their metadata does not") {
  test::XSpaceBuilder first, second;
  first.Plane("/device:GPU:0").Line(1, "Stream #1").Event("gemm", 0, 10).Stat("x", int64_t{1});
  auto& line = second.Plane("/device:GPU:0").Line(1, "Stream #1");
  line.Event("relu", 100, 10).Stat("y", std::int64_t{2});
  line.Event("gemm", 200, 10).Stat("x", std::int64_t{3});
  second.Plane("/device:GPU:1").Line(1, "Stream #1").Event("gemm", 0, 10);
  const auto trace = LoadRiegeli(RiegeliWriter().Records({first.Bytes(), second.Bytes()}).Bytes());
  REQUIRE(trace.ok());
  CHECK((*trace)->planes.size() == 2);
  CHECK(NamesOfEvents(**trace) == Strings{"Stream #1 1 0 gemm 0 10", "Stream #1 1 0 gemm 0 10 x=1",
                                          "Stream #1 1 0 gemm 200 10 x=3",
                                          "Stream #1 1 0 relu 100 10 y=2"});
}

TEST_CASE("Counters go on in the next record, whatever ids their names have there") {
  const auto space = [](bool turned, int at) {
    test::XSpaceBuilder builder;
    auto& plane = builder.Plane("/host:CPU");
    if (turned) plane.StatMetadata(1, "other").StatMetadata(2, "used");
    plane.Line(3, "_counters_").Event("memory", at, 0).Stat("used", double{1.0 * at});
    return builder.Bytes();
  };
  const auto trace =
      LoadRiegeli(RiegeliWriter().Records({space(false, 10), space(true, 20)}).Bytes());
  REQUIRE(trace.ok());
  REQUIRE((*trace)->set.tracks.size() == 1);
  REQUIRE((*trace)->set.tracks[0].counters.size() == 1);
  CHECK((*trace)->set.tracks[0].counters[0].value == std::vector<double>{10, 20});
}

// ---- Damage -----------------------------------------------------------------

// Ten chunks of 20 events each. They do not compress, so each takes two blocks.
struct TenChunks {
  RiegeliWriter file;
  std::vector<uint64_t> begins;
  TenChunks() {
    std::mt19937 random(1);
    for (int i = 0; i < 10; ++i) {
      begins.push_back(file.size());
      std::string noise(100'000, '\0');
      for (char& c : noise) c = static_cast<char>(random());
      std::string space = Space("event", 20, i * 20);
      test::PutBytes(&space, 9, noise);  // a field that nobody knows
      file.Records({space});
    }
  }
};

TEST_CASE("A damaged chunk is skipped and counted, wherever the damage is") {
  const TenChunks ten;
  const std::string bytes = ten.file.Bytes();
  for (const size_t chunk : {size_t{0}, size_t{4}, size_t{9}}) {
    for (const uint64_t offset : {uint64_t{0}, uint64_t{30}, uint64_t{45}, uint64_t{50'000}}) {
      CAPTURE(chunk);
      CAPTURE(offset);
      std::string damaged = bytes;
      damaged[ten.begins[chunk] + offset] ^= 0x10;
      const auto trace = LoadRiegeli(damaged);
      REQUIRE_MESSAGE(trace.ok(), trace.status().message());
      CHECK((*trace)->counts.slices == 180);
      CHECK(CountOf(**trace, "riegeli.damaged_chunk") == 1);
      const Diagnostic* d = (*trace)->diagnostics.Find("riegeli.damaged_chunk");
      REQUIRE(d != nullptr);
      CHECK(d->first == Strings{std::string(kName) + " byte " + std::to_string(ten.begins[chunk])});
    }
  }
}

TEST_CASE("A hole of many blocks: reading goes on at the next block that is whole") {
  const TenChunks ten;
  std::string bytes = ten.file.Bytes();
  std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(ten.begins[2]) + 10,
            bytes.begin() + static_cast<std::ptrdiff_t>(ten.begins[6]) + 10, '\0');
  const auto trace = LoadRiegeli(bytes);
  REQUIRE(trace.ok());
  CHECK((*trace)->counts.slices == 100);  // chunks 0, 1, 7, 8, 9
  CHECK(CountOf(**trace, "riegeli.damaged_chunk") >= 1);
}

TEST_CASE("A file that is still being written opens as far as it goes") {
  const TenChunks ten;
  const std::string bytes = ten.file.Bytes();
  for (size_t n = 1; n < 10; ++n) {
    for (const uint64_t more : {uint64_t{0}, uint64_t{20}, uint64_t{3000}, uint64_t{99'000}}) {
      CAPTURE(n);
      CAPTURE(more);
      const auto trace = LoadRiegeli(bytes.substr(0, ten.begins[n] + more));
      REQUIRE_MESSAGE(trace.ok(), trace.status().message());
      CHECK((*trace)->counts.slices == 20 * n);
      CHECK((*trace)->truncated() == (more > 0));
      CHECK(CountOf(**trace, "riegeli.damaged_chunk") == 0);
    }
  }
  for (const size_t n : {size_t{64}, size_t{70}, size_t{50'000}}) {
    const auto trace = LoadRiegeli(bytes.substr(0, n));
    CHECK(trace.status().code() == ErrorCode::kFormat);
    CHECK(trace.status().message().find("without one whole record") != std::string::npos);
  }
}

TEST_CASE("Without its beginning a file is known by its name and its blocks") {
  const TenChunks ten;
  std::string bytes = ten.file.Bytes();
  std::fill(bytes.begin(), bytes.begin() + 200, 'x');
  const auto trace = LoadRiegeli(bytes);
  REQUIRE_MESSAGE(trace.ok(), trace.status().message());
  CHECK((*trace)->counts.slices == 180);
}

TEST_CASE("Transposed chunks are one clear error") {
  RiegeliWriter file;
  file.Records({Space("a", 3)}).Chunk('t', "whatever", 3, 100);
  const Status status = LoadRiegeli(file.Bytes()).status();
  CHECK(status.code() == ErrorCode::kUnsupported);
  CHECK(status.message().find("transposed") != std::string::npos);
}

TEST_CASE("Bombs end in one error, before or while they are inflated") {
  const std::string zeros(std::size_t{64} << 20, '\0');
  LoadOptions small;
  small.max_inflated_bytes = 1 << 20;
  for (const auto compression :
       {RiegeliCompression::kBrotli, RiegeliCompression::kZstd, RiegeliCompression::kSnappy}) {
    // The size that the header states is too large: the header is enough to know it.
    const Status stated =
        LoadRiegeli(RiegeliWriter().Records({zeros}, compression).Bytes(), small).status();
    CHECK(stated.code() == ErrorCode::kLimit);
    CHECK(stated.message().find("--max-inflated") != std::string::npos);
    // It inflates to more than it states: the chunk is damaged.
    const std::string data = test::RiegeliRecords({zeros}, compression);
    RiegeliWriter lying;
    lying.Records({Space("a", 1)}).Chunk('r', data, 1, 1000);
    const uint64_t memory = test::PeakGrowth([&] {
      const auto trace = LoadRiegeli(lying.Bytes(), small);
      REQUIRE(trace.ok());
      CHECK(CountOf(**trace, "riegeli.damaged_chunk") == 1);
    });
    if (!kSanitized) CHECK(memory < (uint64_t{16} << 20));
  }
  // More records than are allowed; each takes at least a byte.
  RiegeliWriter many;
  many.Chunk('r', "x", 2'000'000, 0);
  CHECK(LoadRiegeli(many.Bytes()).status().code() == ErrorCode::kLimit);
  // Sizes that inflate to more bytes than so many records can need.
  std::string data = "b";
  const std::string sizes = test::RiegeliCompress(zeros, RiegeliCompression::kBrotli);
  test::PutVarint(&data, sizes.size());
  data += sizes + test::RiegeliCompress("", RiegeliCompression::kBrotli);
  RiegeliWriter lying;
  lying.Records({Space("a", 1)}).Chunk('r', data, 10, 0);
  const auto trace = LoadRiegeli(lying.Bytes());
  REQUIRE(trace.ok());
  CHECK(CountOf(**trace, "riegeli.damaged_chunk") == 1);
}

TEST_CASE("Chunks whose data is nonsense under right checksums are damaged chunks") {
  std::mt19937 random(3);
  const std::string good =
      test::RiegeliRecords({Space("a", 20), Space("b", 3)}, RiegeliCompression::kZstd);
  const uint64_t size = Space("a", 20).size() + Space("b", 3).size();
  uint64_t damaged = 0;
  for (int i = 0; i < (kSanitized ? 300 : 3000); ++i) {
    std::string data = good;
    for (auto edits = 1 + random() % 3; edits > 0; --edits)
      data[random() % std::min<size_t>(data.size(), 64)] = static_cast<char>(random());
    if (random() % 4 == 0) data.resize(random() % data.size());
    RiegeliWriter file;
    file.Records({Space("first", 5)}).Chunk('r', data, 2, size).Records({Space("last", 5)});
    const auto trace = LoadRiegeli(file.Bytes());
    REQUIRE(trace.ok());
    CHECK((*trace)->counts.slices >= 10);
    CHECK(CountOf(**trace, "riegeli.damaged_chunk") <= 1);
    damaged += CountOf(**trace, "riegeli.damaged_chunk");
  }
  CHECK(damaged > 0);
}

TEST_CASE("Random damage is always reported") {
  const TenChunks ten;
  const std::string bytes = ten.file.Bytes();
  std::mt19937 random(2);
  for (int i = 0; i < (kSanitized ? 20 : 200); ++i) {
    std::string damaged = bytes;
    const auto edits = 1 + random() % 4;
    for (size_t e = 0; e < edits; ++e) damaged[random() % damaged.size()] ^= 0x5a;
    if (random() % 4 == 0) damaged.resize(random() % damaged.size());
    if (random() % 4 == 0) damaged.erase(random() % damaged.size(), random() % 5000);
    const auto trace = LoadRiegeli(damaged);
    if (!trace.ok()) {
      CHECK(!trace.status().message().empty());
      continue;
    }
    // A cut between two chunks cannot be detected.
    const bool told = (*trace)->diagnostics.problems() > 0;
    if ((*trace)->counts.slices < 200 && damaged.size() == bytes.size()) CHECK(told);
  }
}

TEST_CASE("The recording of JAX with continuous profiling") {
  const std::string path = test::SharedPath("profiles/jax_riegeli");
  if (!std::filesystem::exists(path)) {
    MESSAGE("SKIPPED: no " << path);
    return;
  }
  Progress progress;
  const auto trace = LoadPath(path, {}, {}, progress);
  REQUIRE_MESSAGE(trace.ok(), trace.status().message());
  CHECK((*trace)->HostName(HostId(0)) == "vm");
  CHECK((*trace)->planes.size() == 2);
  CHECK((*trace)->counts.slices == 4617);
  CHECK((*trace)->diagnostics.problems() == 0);
  CHECK(progress.bytes_done.load() <= progress.bytes_total.load());
}

}  // namespace
}  // namespace stepscope
