#include "model/analysis/memory/allocator_state.h"

#include <doctest/doctest.h>

#include "loaders/loader.h"
#include "tests/support/memory_snapshot.h"

namespace stepscope {
namespace {

constexpr int64_t kMiB = 1 << 20;

// Computes the segments of the first device after an event.
struct State {
  State(const test::SnapshotFile& file, uint32_t event) {
    const auto loaded = LoadBytes("a.pickle", test::ToPickle(file), {});
    REQUIRE_MESSAGE(loaded.ok(), loaded.status().message());
    trace = *loaded;
    history = HistoryOf(*trace);
    REQUIRE(!history->devices.empty());
    segments = SegmentsAt(*history, history->devices[0], event);
  }
  std::shared_ptr<const Trace> trace;
  const AllocatorHistory* history = nullptr;
  std::vector<SegmentState> segments;
};

TEST_CASE("Segments at a moment: segments taken or returned later are undone") {
  test::SnapshotFile file;
  const uint64_t a = 1 << 30, b = uint64_t{2} << 30;
  file.devices = {{{"segment_alloc", b, 20 * kMiB, 1},
                   {"alloc", a, 2 * kMiB, 2},
                   {"alloc", a + 4 * kMiB, kMiB, 3},
                   {"alloc", b, 3 * kMiB, 4},
                   {"free_completed", b, 3 * kMiB, 5},
                   {"segment_free", b, 20 * kMiB, 6},
                   {"free_completed", a, 2 * kMiB, 7}}};
  file.segments = {{a, 10 * kMiB, {{a + 4 * kMiB, kMiB, kMiB}}}};
  const State middle(file, 3);
  REQUIRE(middle.segments.size() == 2);
  CHECK(middle.segments[0].address == a);
  CHECK(middle.segments[0].allocated == 3 * kMiB);
  CHECK(middle.segments[0].free() == 7 * kMiB);
  CHECK(middle.segments[0].largest_free == 5 * kMiB);
  CHECK(middle.segments[0].free_parts == 2);
  CHECK(middle.segments[0].allocations == 2);
  CHECK(middle.segments[0].at_end != nullptr);
  CHECK(middle.segments[1].address == b);
  CHECK(middle.segments[1].bytes == 20 * kMiB);
  CHECK(middle.segments[1].allocated == 3 * kMiB);
  CHECK(middle.segments[1].at_end == nullptr);
  const State end(file, 6);
  REQUIRE(end.segments.size() == 1);
  CHECK(end.segments[0].allocated == kMiB);
  CHECK(end.segments[0].largest_free == 5 * kMiB);
  const ResultTable table = SegmentStateTable(*end.history, end.segments, "t", "T");
  const auto fragmentation = static_cast<size_t>(table.Column("fragmentation"));
  CHECK(std::get<double>(table.At(0, fragmentation)) == doctest::Approx(1 - 5.0 / 9));
}

TEST_CASE("Segments at a moment: parts of an expandable segment come and go") {
  test::SnapshotFile file;
  const uint64_t a = 1 << 30;
  file.devices = {{{"segment_map", a, 4 * kMiB, 1},
                   {"alloc", a, 4 * kMiB, 2},
                   {"segment_map", a + 4 * kMiB, 4 * kMiB, 3},
                   {"segment_unmap", a + 6 * kMiB, 2 * kMiB, 4}}};
  file.segments = {{a, 6 * kMiB, {{a, 4 * kMiB, 4 * kMiB}}}};
  CHECK(State(file, 1).segments.at(0).bytes == 4 * kMiB);
  REQUIRE(State(file, 2).segments.size() == 1);
  CHECK(State(file, 2).segments[0].bytes == 8 * kMiB);
  CHECK(State(file, 3).segments.at(0).bytes == 6 * kMiB);
}

TEST_CASE("Segments at a moment: addresses and sizes at the end of all addresses") {
  test::SnapshotFile file;
  file.devices = {{{"alloc", ~uint64_t{0}, int64_t{1} << 50, 1},
                   {"segment_free", ~uint64_t{0} - 5, int64_t{1} << 50, 2},
                   {"segment_alloc", 0, 0, 3}}};
  file.segments = {{~uint64_t{0} - 100, int64_t{1} << 43, {}}};
  const State state(file, 0);
  for (const SegmentState& s : state.segments) CHECK(s.bytes >= 0);
}

TEST_CASE("Segments at a moment: the segments of a training loop hold what is allocated") {
  const test::TrainingSnapshot made = test::MakeTrainingSnapshot(4, 6, 3'000'000, false);
  const State state(made.file, 0);
  const AllocatorDevice& device = state.history->devices[0];
  for (const uint32_t event : {0u, device.peak_event, static_cast<uint32_t>(device.events - 1)}) {
    int64_t allocated = 0, live = 0;
    for (const SegmentState& s : SegmentsAt(*state.history, device, event))
      allocated += s.allocated;
    for (const Allocation& a : device.allocations.span()) live += a.LiveAfter(event) ? a.size : 0;
    CHECK(allocated == live);
  }
}

}  // namespace
}  // namespace stepscope
