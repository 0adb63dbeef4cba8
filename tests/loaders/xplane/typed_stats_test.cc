// Typed stats of allocations and of other events, read apart.
#include "loaders/xplane/typed_stats.h"

#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "loaders/loader.h"
#include "model/string_pool.h"
#include "tests/support/source_paths.h"
#include "tests/support/xspace_builder.h"

namespace stepscope {
namespace {

// The value at a row of a column, as text. Columns of all kinds have one numbering.
using Values = std::map<std::pair<size_t, uint32_t>, std::string>;

Values Read(const Trace& trace, StatRows rows) {
  const auto loaded = trace.source->LoadTypedOf(trace, rows, {});
  REQUIRE(loaded.ok());
  const StatTable& table = **loaded;
  Values values;
  size_t c = 0;
  for (const auto& column : table.ints) {
    column.ForAll([&](uint32_t row, int64_t v) { values[{c, row}] = std::to_string(v); });
    ++c;
  }
  for (const auto& column : table.texts) {
    column.ForAll([&](uint32_t row, StringId id) { values[{c, row}] = table.strings->View(id); });
    ++c;
  }
  for (const auto& column : table.reals) {
    column.ForAll([&](uint32_t row, double v) { values[{c, row}] = std::to_string(v); });
    ++c;
  }
  return values;
}

bool IsAllocation(const Trace& trace, uint32_t row) {
  const EventMeta& meta = trace.names().metas[trace.set.Meta(EventRow(row)).value];
  return meta.category == EventCategory::kMemoryEvent;
}

// Checks that both parts hold the events that they are for, and together all values.
void CheckParts(const Trace& trace) {
  REQUIRE(trace.source->reads_allocations_apart());
  const Values all = Read(trace, StatRows::kAll);
  Values parts = Read(trace, StatRows::kOthers);
  for (const auto& [place, value] : parts) CHECK_FALSE(IsAllocation(trace, place.second));
  const Values allocations = Read(trace, StatRows::kAllocations);
  for (const auto& [place, value] : allocations) CHECK(IsAllocation(trace, place.second));
  CHECK(parts.size() + allocations.size() == all.size());
  parts.insert(allocations.begin(), allocations.end());
  CHECK(parts == all);
}

TEST_CASE("typed stats: allocations and other events of our samples, read apart, are all events") {
  for (const char* sample : {"tf_graph", "tf_keras", "jax_cpu"}) {
    CAPTURE(sample);
    Progress progress;
    const auto trace =
        LoadPath(test::SourcePath("tests/data/") + sample + ".xplane.pb.zst", {}, {}, progress);
    REQUIRE(trace.ok());
    CheckParts(**trace);
  }
}

TEST_CASE("typed stats: only allocations, none, and both on one line") {
  const int kEvents = 5000;  // more than a slice
  for (const auto& [every, offset] :
       {std::pair{1, 0}, std::pair{kEvents, kEvents}, std::pair{2, 0}, std::pair{4000, 3000}}) {
    CAPTURE(every);
    test::XSpaceBuilder space;
    auto& plane = space.Plane("/host:CPU");
    plane.StatMetadata(1, "tf_op").StatMetadata(2, "bytes_allocated").StatMetadata(3, "group_id");
    auto& line = plane.Line(1, "a");
    for (int i = 0; i < kEvents; ++i) {
      const bool allocation = i % every == offset % every && offset < kEvents;
      line.Event(allocation ? "MemoryAllocation" : "x", i * 10, 5)
          .Stat("tf_op", "a" + std::to_string(i % 7) + ":MatMul")
          .Stat("bytes_allocated", int64_t{i})
          .Stat("group_id", int64_t{i / 100});
    }
    const auto trace = LoadBytes("a.xplane.pb", space.Bytes(), {});
    REQUIRE(trace.ok());
    CheckParts(**trace);
    CHECK(Read(**trace, StatRows::kAll).size() == size_t{3} * kEvents);
  }
}

}  // namespace
}  // namespace stepscope
