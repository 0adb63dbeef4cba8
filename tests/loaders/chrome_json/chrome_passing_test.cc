// Plain files whose text is not kept: parsed text is released while reading goes on, and arguments
// are read from the file again.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <span>
#include <string>

#include "loaders/chrome_json/splitter.h"
#include "tests/loaders/chrome_json/chrome_folder.h"
#include "tests/loaders/chrome_json/chrome_support.h"
#include "tests/support/source_paths.h"

namespace stepscope {
namespace {

Result<TracePtr> TryLoad(const std::string& path, uint64_t reread_from) {
  LoadOptions options;
  options.reread_from_bytes = reread_from;
  return TryChromeFile({path, "", nullptr}, options);
}

constexpr uint64_t kNever = ~uint64_t{0};

TracePtr Load(const std::string& path, uint64_t reread_from) {
  Result<TracePtr> trace = TryLoad(path, reread_from);
  REQUIRE_MESSAGE(trace.ok(), trace.status().message());
  return *trace;
}

std::string Args(const Trace& trace, EventRow row) {
  const Result<std::vector<Stat>> stats = trace.source->Decode(trace, row);
  REQUIRE(stats.ok());
  std::string out;
  for (const Stat& stat : *stats) out += stat.name + "=" + ToText(stat) + ";";
  return out;
}

// Every argument of every event.
std::string AllArgs(const Trace& trace) {
  std::string out;
  for (uint32_t row = 0; row < trace.set.rows; ++row) out += Args(trace, EventRow(row)) + "\n";
  return out;
}

std::string TypedText(const Trace& trace) {
  const auto table = trace.source->LoadTyped(trace, {});
  REQUIRE(table.ok());
  std::string out;
  const auto add = [&](const auto& columns, const auto& text) {
    for (size_t c = 0; c < columns.size(); ++c) {
      columns[c].ForAll([&](uint32_t row, auto value) {
        out += std::to_string(c) + ":" + std::to_string(row) + "=" + text(value) + " ";
      });
    }
  };
  const auto number = [](auto v) { return std::to_string(v); };
  add((*table)->ints, number);
  add((*table)->reals, number);
  add((*table)->texts, [&](StringId id) { return std::string((*table)->strings->View(id)); });
  return out;
}

std::string Sample(const std::string& name) {
  const std::string path = test::SourcePath("tests/data/") + name;
  const auto source = OpenByteSource(path, uint64_t{1} << 30, {}, nullptr);
  REQUIRE(source.ok());
  const std::span<const std::byte> bytes = (*source)->bytes();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST_CASE("chrome passing: our samples are the same, kept or not") {
  const TempFolder folder;
  for (const char* name :
       {"torch_cpu.json.gz", "torch_cpu_stack.json.gz", "jax_cpu.trace.json.gz"}) {
    CAPTURE(name);
    const std::string path = folder.Add("plain.json", Sample(name));
    const TracePtr kept = Load(path, kNever), passed = Load(path, 0);
    CHECK(kept->source->resident_bytes() >= kept->inflated_bytes);
    CHECK(passed->source->resident_bytes() < 4096);
    CHECK(passed->inflated_bytes == kept->inflated_bytes);
    CHECK(Dump(*passed) == Dump(*kept));
    CHECK(AllArgs(*passed) == AllArgs(*kept));
    const std::string typed = TypedText(*kept);
    CHECK(typed.size() > 1000);
    CHECK(TypedText(*passed) == typed);
  }
}

TEST_CASE("chrome passing: text many times larger than the pages that are used again") {
  const TempFolder folder;
  const std::string text = ManyEvents(48 << 20);
  const std::string path = folder.Add("many.json", text);
  const TracePtr kept = Load(path, kNever), passed = Load(path, 0);
  CHECK(passed->counts.slices == kept->counts.slices);
  CHECK(Dump(*passed) == Dump(*kept));
  const uint32_t last = passed->set.rows - 1;
  for (const uint32_t row : {0u, last / 3, last / 2, last})
    CHECK(Args(*passed, EventRow(row)) == Args(*kept, EventRow(row)));
  CHECK(TypedText(*passed) == TypedText(*kept));
}

TEST_CASE("chrome passing: damaged text gives the same events, kept or not") {
  const TempFolder folder;
  const std::string text = ManyEvents(9 << 20);
  std::mt19937 random(11);
  for (int i = 0; i < 12; ++i) {
    std::string damaged = text.substr(0, text.size() - random() % 3 * 1'000'000);
    // A stray quote or bracket: after it the list has no more ends, so the rest is read at once.
    for (unsigned k = 0; k <= random() % 3; ++k)
      damaged[random() % damaged.size()] = "\"{}[]\\"[random() % 6];
    const std::string path = folder.Add("damaged.json", damaged);
    const Result<TracePtr> kept = TryLoad(path, kNever), passed = TryLoad(path, 0);
    REQUIRE(kept.ok() == passed.ok());
    if (!kept.ok()) continue;
    CHECK(Dump(**passed) == Dump(**kept));
    CHECK((*passed)->diagnostics.problems() == (*kept)->diagnostics.problems());
    CHECK(TypedText(**passed) == TypedText(**kept));
  }
}

TEST_CASE(
    "chrome passing: an event longer than what is read at first, and a long member in front") {
  const TempFolder folder;
  const std::string path = folder.Add(
      "long.json", R"({"host_name":"node7","other":")" + std::string(5 << 20, 'x') +
                       R"(","traceEvents":[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":1,"name":"a",)" +
                       R"("args":{"text":")" + std::string(300'000, 'y') + R"("}}]})");
  const TracePtr trace = Load(path, 0);
  CHECK(Args(*trace, EventRow(0)).size() > 300'000);
  CHECK(trace->names().strings.View(trace->hosts[0].name) == "node7");
}

TEST_CASE("chrome passing: a file that was overwritten says so when arguments are asked for") {
  const TempFolder folder;
  const std::string path = folder.Add("a.json", ManyEvents(10'000));
  const TracePtr trace = Load(path, 0);
  REQUIRE(trace->source->Decode(*trace, EventRow(0)).ok());
  folder.Add("a.json", "[]");
  const auto one = trace->source->Decode(*trace, EventRow(0));
  REQUIRE(!one.ok());
  CHECK(one.status().message().find("changed") != std::string::npos);
  CHECK(trace->source->LoadTyped(*trace, {}).status().code() == ErrorCode::kIo);
}

TEST_CASE("chrome passing: pages of released text are used again at the end") {
  constexpr size_t kText = 64 << 20, kBlock = 1 << 20;
  auto made = chrome::TraceText::Passing(kText);
  REQUIRE(made.ok());
  chrome::TraceText& text = **made;
  while (text.size() < kText) {
    const std::span<char> room = text.Room(kBlock);
    REQUIRE(!room.empty());
    std::fill(room.begin(), room.end(), static_cast<char>('a' + text.size() / kBlock % 26));
    text.Grow(room.size());
    // Text that is not released yet is as it was written.
    const uint64_t keep = text.size() > 8 * kBlock ? text.size() - 8 * kBlock : 0;
    CHECK(text.data()[keep] == static_cast<char>('a' + keep / kBlock % 26));
    text.Release(keep);
  }
  CHECK(text.data()[kText - 1] == static_cast<char>('a' + (kText - 1) / kBlock % 26));
}

}  // namespace
}  // namespace stepscope
