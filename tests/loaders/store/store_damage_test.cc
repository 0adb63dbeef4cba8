// Stores that are cut, damaged, newer, or made to do harm.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include "loaders/loader.h"
#include "loaders/store/byte_codec.h"
#include "tests/support/loaded.h"
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
