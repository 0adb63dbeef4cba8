#include "model/analysis/memory/allocator_parts.h"

#include <doctest/doctest.h>

#include "loaders/loader.h"
#include "tests/support/memory_snapshot.h"

namespace stepscope {
namespace {

std::vector<std::string> Categories(const test::SnapshotFile& file) {
  const auto trace = LoadBytes("a.pickle", test::ToPickle(file), {});
  REQUIRE_MESSAGE(trace.ok(), trace.status().message());
  const AllocatorHistory& history = *HistoryOf(**trace);
  const AllocatorCategories categories(history);
  std::vector<std::string> of;
  for (const Allocation& a : history.devices.at(0).allocations.span())
    of.push_back(categories.labels()[categories.Of(history.devices[0], a)]);
  return of;
}

TEST_CASE(
    "An allocation belongs to the innermost open annotation, and all steps are one category") {
  test::SnapshotFile file;
  for (uint64_t i = 1; i <= 6; ++i)
    file.devices.resize(1),
        file.devices[0].push_back({"alloc", i << 20, 512, static_cast<int64_t>(i * 10)});
  file.notes = {{"START", "step 1", 15}, {"START", "forward", 25}, {"END", "forward", 35},
                {"END", "step 1", 45},   {"START", "step 2", 55},  {"END", "nothing", 56}};
  CHECK(Categories(file) == std::vector<std::string>{"no annotation", "step #", "forward", "step #",
                                                     "no annotation", "step #"});
}

TEST_CASE(
    "The category is what was compiled, else the annotation; older allocations have their own") {
  test::SnapshotFile file;
  file.devices = {{{"alloc", 1 << 20, 512, 10, {}, 0, "graph 3"},
                   {"alloc", 2 << 20, 512, 20},
                   {"free_completed", 3 << 20, 512, 30}}};
  file.notes = {{"START", "step 1", 5}};
  CHECK(Categories(file) ==
        std::vector<std::string>{"graph #", "step #", "from before the recording"});
}

}  // namespace
}  // namespace stepscope
