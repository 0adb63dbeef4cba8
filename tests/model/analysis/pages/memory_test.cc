// The rules of docs/rules.md#memory, on XSpaces built here.
#include "model/analysis/memory/live_allocations.h"

#include <doctest/doctest.h>

#include "loaders/loader.h"
#include "tests/support/xspace_builder.h"

namespace stepscope {
namespace {

struct MemoryHost {
  test::XSpaceBuilder space;
  test::LineBuilder* line;
  MemoryHost() { line = &space.Plane("/host:CPU").Line(1, "tf_gpu_0"); }
  test::LineBuilder& Line(int64_t id, int64_t timestamp_ns) {
    line = &line->Line(id, "more").TimestampNs(timestamp_ns);
    return *line;
  }
  void Event(bool allocation, int64_t offset, int64_t heap, int64_t bytes, int64_t address,
             const char* op, int64_t peak = 0) {
    line->Event(allocation ? "MemoryAllocation" : "MemoryDeallocation", offset, 0)
        .Stat("allocator_name", "GPU_0_bfc")
        .Stat("bytes_reserved", int64_t{0})
        .Stat("bytes_allocated", heap)
        .Stat("bytes_available", int64_t{10'000} - heap)
        .Stat("fragmentation", 0.25)
        .Stat("peak_bytes_in_use", peak)
        .Stat("requested_bytes", bytes - 1)
        .Stat("allocation_bytes", bytes)
        .Stat("addr", address)
        .Stat("tf_op", op)
        .Stat("region_type", "temp")
        .Stat("data_type", int64_t{19})
        .Stat("shape", "[2,3]");
  }
  std::shared_ptr<const Trace> Load() {
    auto trace = LoadBytes("t.xplane.pb", space.Bytes(), {});
    REQUIRE(trace.ok());
    return *trace;
  }
};

}  // namespace

TEST_CASE("peak, capacity, lifetime peak and what was live at the peak") {
  MemoryHost h;
  h.Event(true, 1000, 500, 500, 1, "a:A", 700);
  h.Event(true, 2000, 800, 300, 2, "b:B", 900);
  h.Event(false, 3000, 500, 300, 2, "b:B", 900);
  h.Event(true, 4000, 600, 100, 3, "c:C", 800);
  AnalysisContext context(h.Load(), Definitions::kStepscope);
  const MemoryProfile profile = MemoryProfile::Compute(context, {});
  REQUIRE(profile.allocators.size() == 1);
  const AllocatorProfile& a = profile.allocators[0];
  CHECK(a.id == "GPU_0_bfc");
  CHECK(a.peak == 1);
  CHECK(a.capacity == 10'000);
  CHECK(a.lifetime_peak == 900);
  const auto live = ActiveAt(context, a, a.peak);
  REQUIRE(live.size() == 2);
  CHECK(live[0].op == "a:A");
  CHECK(live[0].allocated == 500);
  CHECK(live[0].requested == 499);
  CHECK(live[0].type == "half");
  CHECK(live[1].op == "b:B");
  // At the end b is freed and c is live.
  const auto end = ActiveAt(context, a, SnapshotAt(a, 1'000'000));
  REQUIRE(end.size() == 2);
  CHECK(end[1].op == "c:C");
}

TEST_CASE("live allocations are sorted by their total size, not by the size of one") {
  MemoryHost h;
  h.Event(true, 1000, 600, 600, 1, "a:A");
  h.Event(true, 2000, 1000, 400, 2, "b:B");
  h.Event(true, 3000, 1400, 400, 3, "b:B");
  AnalysisContext context(h.Load(), Definitions::kStepscope);
  const auto result = context.Get("memory");
  const ResultTable& live = *result->Table("active_allocations");
  REQUIRE(live.size() == 2);
  const auto total = static_cast<size_t>(live.Column("total_bytes"));
  CHECK(std::get<int64_t>(live.At(0, total)) == 800);
  CHECK(std::get<int64_t>(live.At(1, total)) == 600);
  AnalysisContext as_xprof(h.Load(), Definitions::kXprof);
  CHECK(as_xprof.Get("memory")->Table("active_allocations")->Column("total_bytes") == -1);
}

TEST_CASE("bytes that no recorded allocation explains are a row of their own") {
  MemoryHost h;
  h.Event(true, 1000, 5500, 500, 1, "a:A");
  AnalysisContext context(h.Load(), Definitions::kStepscope);
  const MemoryProfile profile = MemoryProfile::Compute(context, {});
  const auto live = ActiveAt(context, profile.allocators[0], 0);
  REQUIRE(live.size() == 2);
  CHECK(live[0].allocated == 5000);
  CHECK(live[0].rows.empty());
}

TEST_CASE(
    "XProf's lifetime peak is the last event's, and the latest of equal maxima is its peak; ours "
    "the maximum and the earliest") {
  MemoryHost h;
  h.Event(true, 1000, 800, 800, 1, "a:A", 900);
  h.Event(false, 2000, 0, 800, 1, "a:A", 900);
  h.Event(true, 3000, 800, 800, 2, "b:B", 850);
  const auto trace = h.Load();
  AnalysisContext xprof(trace, Definitions::kXprof), ours(trace, Definitions::kStepscope);
  const AllocatorProfile x = MemoryProfile::Compute(xprof, {}).allocators[0];
  CHECK(x.lifetime_peak == 850);
  CHECK(x.snapshots[x.peak].time == 3000);
  const AllocatorProfile o = MemoryProfile::Compute(ours, {}).allocators[0];
  CHECK(o.lifetime_peak == 900);
  CHECK(o.snapshots[o.peak].time == 1000);
}

TEST_CASE("true times order events of lines that start apart; XProf leaves out each line's start") {
  MemoryHost h;
  h.line->TimestampNs(100);
  h.Event(true, 5000, 100, 100, 1, "late:A");  // true time 105 ns
  h.Line(2, 0);
  h.Event(true, 50'000, 300, 200, 2, "early:B");  // true time 50 ns
  const auto trace = h.Load();
  AnalysisContext xprof(trace, Definitions::kXprof), ours(trace, Definitions::kStepscope);
  CHECK(MemoryProfile::Compute(xprof, {}).allocators[0].snapshots[0].time == 5000);
  const AllocatorProfile o = MemoryProfile::Compute(ours, {}).allocators[0];
  CHECK(o.snapshots[0].in_use == 300);
  CHECK(o.snapshots[1].time - o.snapshots[0].time == 55'000);
}

TEST_CASE("sampling keeps the largest snapshot of each box, and no more boxes than asked for") {
  AllocatorProfile a;
  for (int i = 0; i < 2500; ++i) {
    MemorySnapshot s;
    s.time = i, s.in_use = i == 1234 ? 9999 : i % 7;
    a.snapshots.push_back(s);
  }
  a.end = a.snapshots.size();
  const auto sampled = SampleSnapshots(a, 1000);
  CHECK(sampled.size() == 1000);
  CHECK(std::find(sampled.begin(), sampled.end(), 1234u) != sampled.end());
  a.end = 10;
  CHECK(SampleSnapshots(a, 1000).size() == 10);
}

TEST_CASE("lifetimes by op: freed, and never freed") {
  MemoryHost h;
  h.Event(true, 1000, 800, 800, 1, "a:A");
  h.Event(false, 3000, 0, 800, 1, "a:A");
  h.Event(true, 4000, 100, 100, 2, "a:A");
  AnalysisContext context(h.Load(), Definitions::kStepscope);
  const AnalysisResult r = FindAnalysis("memory")->run(context, {});
  const ResultTable* t = r.Table("lifetimes");
  REQUIRE(t);
  REQUIRE(t->size() == 1);
  CHECK(t->At(0, static_cast<size_t>(t->Column("occurrences"))) == Cell(int64_t{1}));
  CHECK(t->At(0, static_cast<size_t>(t->Column("still_live"))) == Cell(int64_t{1}));
  CHECK(t->At(0, static_cast<size_t>(t->Column("avg_lifetime_ms"))) == Cell(2e-6));
}

TEST_CASE("data types as TensorFlow numbers them") {
  CHECK(DataTypeName(1) == "float");
  CHECK(DataTypeName(14) == "bfloat16");
  CHECK(DataTypeName(19) == "half");
  CHECK(DataTypeName(101) == "float_ref");
  CHECK(DataTypeName(-5) == "type -5");
}

TEST_CASE("allocation boxes: placed without overlap, the small ones left out, ops by their area") {
  MemoryHost h;
  h.Event(true, 1000, 500, 500, 1, "a:A");  // 1000..4000
  h.Event(true, 2000, 800, 300, 2, "b:B");  // on top of it, 2000..3000
  h.Event(false, 3000, 500, 300, 2, "b:B");
  h.Event(false, 4000, 0, 500, 1, "a:A");
  h.Event(true, 5000, 200, 200, 1, "b:B");  // at the bottom again; it is never freed
  h.Event(true, 6000, 201, 1, 4, "c:C");    // the smallest one
  h.Event(false, 9000, 200, 1, 4, "c:C");
  AnalysisContext context(h.Load(), Definitions::kStepscope);
  const AllocatorProfile a = MemoryProfile::Compute(context, {}).allocators.at(0);
  const AllocationBoxes boxes = MakeAllocationBoxes(context, a, 3);
  CHECK(boxes.left_out == 1);
  CHECK(boxes.ops == std::vector<std::string>{"a:A", "b:B"});
  REQUIRE(boxes.spans.size() == 3);
  CHECK(boxes.spans[0].offset == 0);
  CHECK(boxes.spans[1].offset == 500);
  CHECK(boxes.spans[2].offset == 0);
  CHECK(boxes.top == 800);
  CHECK(boxes.spans[1].end - boxes.spans[1].begin == 1000);
  CHECK(boxes.spans[1].freed);
  CHECK_FALSE(boxes.spans[2].freed);
  CHECK(boxes.spans[2].end == a.snapshots.back().time);
  CHECK(boxes.spans[2].op == 1);
}

}  // namespace stepscope
