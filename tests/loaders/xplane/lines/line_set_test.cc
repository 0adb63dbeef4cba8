#include "loaders/xplane/lines/line_set.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "loaders/loader.h"
#include "tests/support/wire.h"
#include "tests/support/xspace_builder.h"

namespace stepscope {
namespace {

using test::XSpaceBuilder;
using TracePtr = std::shared_ptr<const Trace>;

TracePtr LoadWith(unsigned threads, const std::string& bytes) {
  LoadOptions options;
  options.threads = threads;
  const auto result = LoadBytes("vm.xplane.pb", bytes, options);
  REQUIRE(result.ok());
  return *result;
}

// Loads bytes with one thread and with four, which split lines of more than 8 MB, and compares the
// events. Returns what four threads loaded.
TracePtr LoadSplit(const std::string& bytes) {
  const TracePtr a = LoadWith(1, bytes), b = LoadWith(4, bytes);
  REQUIRE(a->set.rows == b->set.rows);
  CHECK(a->diagnostics.problems() == b->diagnostics.problems());
  uint64_t different = 0;
  for (uint32_t r = 0; r < a->set.rows; ++r) {
    const EventRow row(r);
    different += a->set.Start(row) != b->set.Start(row) ||
                 a->set.Duration(row) != b->set.Duration(row) ||
                 a->set.Name(row) != b->set.Name(row);
  }
  CHECK(different == 0);
  return b;
}

TEST_CASE("Long lines are split without a difference, long fields are stepped over") {
  // Two lines of 24 MB are split for four threads; an event larger than a block is read on its own.
  XSpaceBuilder space;
  auto& plane = space.Plane("/host:CPU");
  const std::string filler(3'000, 'x');
  for (int l = 0; l < 2; ++l) {
    auto& line = plane.Line(l + 1, "long " + std::to_string(l));
    for (int i = 0; i < 8'000; ++i) {
      auto& e = line.Event(i % 7 == l ? "a" : "b", int64_t{i} * 1'000, i % 5 == 0 ? 0 : 900 + l);
      e.Stat("text", filler).Stat("index", int64_t{i});
      if (i == 4'000) e.Stat("huge", std::string(2 << 20, 'y'));
    }
    std::string unknown;
    test::PutBytes(&unknown, 15, std::string(1 << 20, 'z'));
    line.Raw(unknown);
  }
  const TracePtr trace = LoadSplit(space.Bytes());
  CHECK(trace->counts.events() == 16'000);
  CHECK(trace->diagnostics.problems() == 0);
  const auto stats = trace->source->Decode(*trace, EventRow(trace->set.rows / 2));
  REQUIRE(stats.ok());
  CHECK(stats->size() >= 2);
}

TEST_CASE("A long line is read whole if what looks like its events are texts of its stats") {
  XSpaceBuilder other;
  auto& fakes = other.Plane("/host:CPU").Line(1, "fakes");
  std::string text;
  for (int i = 0; i < 500; ++i)
    test::PutBytes(&text, 4, fakes.Event("a", int64_t{i} * 10, 5).Encode());
  XSpaceBuilder space;
  auto& line = space.Plane("/host:CPU").Line(1, "long");
  const int count = static_cast<int>((size_t{40} << 20) / text.size());
  for (int i = 0; i < count; ++i) line.Event("a", int64_t{i} * 1'000, 900).Stat("text", text);
  const TracePtr trace = LoadSplit(space.Bytes());
  CHECK(trace->counts.events() == static_cast<uint64_t>(count));
  CHECK(trace->diagnostics.problems() == 0);
}

TEST_CASE("A long line is read up to its damage, whichever piece has that") {
  XSpaceBuilder space, other;
  auto& line = space.Plane("/host:CPU").Line(1, "long");
  auto& behind = other.Plane("/host:CPU").Line(1, "behind");
  const std::string filler(3'000, 'x');
  for (int i = 0; i < 8'000; ++i) line.Event("a", int64_t{i} * 1'000, 900).Stat("text", filler);
  std::string raw(1, '\x07');  // a type that no field has
  for (int i = 8'000; i < 12'000; ++i) {
    auto& event = behind.Event("a", int64_t{i} * 1'000, 900).Stat("text", filler);
    test::PutBytes(&raw, 4, event.Encode());
  }
  line.Raw(raw);
  const TracePtr trace = LoadSplit(space.Bytes());
  CHECK(trace->counts.events() == 8'000);
  CHECK(trace->diagnostics.problems() == 1);
}

}  // namespace
}  // namespace stepscope
