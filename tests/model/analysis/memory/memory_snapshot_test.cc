// The analysis of memory snapshots and its drawing: they show what a generated program holds.
#include <doctest/doctest.h>

#include <cstdlib>
#include <limits>
#include <map>
#include <string>

#include "tests/support/table_rows.h"

#include "loaders/loader.h"
#include "model/allocator_history.h"
#include "model/analysis/analysis.h"
#include "model/analysis/memory/allocation_groups.h"
#include "model/analysis/memory/allocation_layout.h"
#include "tests/support/loaded.h"
#include "tests/support/memory_snapshot.h"

namespace stepscope {
namespace {

std::shared_ptr<const Trace> Load(const test::SnapshotFile& file) {
  return test::Loaded("a.pickle", test::ToPickle(file));
}

AnalysisResult Analyse(const std::shared_ptr<const Trace>& trace, TimeRange range = {}) {
  AnalysisContext context(trace, Definitions::kStepscope);
  AnalysisParams params;
  params.range = range;
  return RunAnalysis(*FindAnalysis("memory_snapshot"), context, params);
}

int64_t Number(const AnalysisResult& result, std::string_view property) {
  const Property* p = result.Find(property);
  REQUIRE(p != nullptr);
  return std::get<int64_t>(p->value);
}

// The values of a table's column by the text in its first column.
std::map<std::string, int64_t> Bytes(const AnalysisResult& result, const char* table,
                                     const char* column = "bytes") {
  const ResultTable* t = result.Table(table);
  REQUIRE(t != nullptr);
  std::map<std::string, int64_t> bytes;
  for (const auto& row : test::RowsOf(*t)) {
    bytes[std::get<SharedText>(row[0]).str()] =
        std::get<int64_t>(row[static_cast<size_t>(t->Column(column))]);
  }
  return bytes;
}

TEST_CASE("At the peak and at the end: bytes by the program's innermost frame, as planted") {
  for (const int64_t leak : {int64_t{0}, int64_t{512}, int64_t{3'000'320}}) {
    const test::TrainingSnapshot made = test::MakeTrainingSnapshot(6, 8, leak, false);
    const AnalysisResult result = Analyse(Load(made.file));
    CHECK(Number(result, "peak_bytes") == made.peak_bytes);
    CHECK(Number(result, "peak_time_us") == made.peak_time_us);
    CHECK(Number(result, "reserved_bytes") == made.reserved_bytes);
    CHECK(Number(result, "events") == static_cast<int64_t>(made.events));
    CHECK(Bytes(result, "at_peak") == made.at_peak);
    CHECK(Bytes(result, "at_end") == made.at_end);
    CHECK(result.Table("at_oom") == nullptr);
    REQUIRE(result.findings.size() == 1);
    CHECK((result.findings[0].grade == Finding::Grade::kInfo) == (leak == 0));
  }
}

TEST_CASE("A snapshot's pages advise neither to mark steps nor to record a GPU") {
  const test::TrainingSnapshot made = test::MakeTrainingSnapshot(2, 3, 0, false);
  AnalysisContext context(Load(made.file), Definitions::kStepscope);
  for (const char* id : {"overview", "kernel_stats", "op_stats", "input_pipeline", "memory"}) {
    CAPTURE(id);
    const auto result = context.Get(id);
    CHECK(result->empty_reason.starts_with("A memory snapshot has allocations only"));
    CHECK(result->findings.empty());
  }
  CHECK(context.Get("memory_snapshot")->empty_reason.empty());
  CHECK_FALSE(context.Get("diagnostics")->empty_reason.starts_with("A memory snapshot"));
}

TEST_CASE("Leaks are what every step keeps, not what the first one made") {
  const test::TrainingSnapshot made = test::MakeTrainingSnapshot(6, 8, 3'000'320, false);
  const AnalysisResult result = Analyse(Load(made.file));
  CHECK(Bytes(result, "leaks") ==
        std::map<std::string, int64_t>{{"train.py:88 loss_history", 6 * 3'000'320}});
  CHECK(Bytes(result, "leaks", "bytes_per_step").begin()->second == 3'000'320);
  CHECK(Bytes(result, "leaks", "count").begin()->second == 6);
  CHECK(Bytes(result, "leaks", "steps").begin()->second == 6);
  REQUIRE(result.findings.size() == 1);
  CHECK(result.findings[0].text ==
        "Memory grows: train.py:88 loss_history (17.17 MiB in 6 allocations) is never freed, 2.861 "
        "MiB more each step.");
  CHECK(Bytes(result, "growth", "delta_bytes").at("train.py:88 loss_history") == 4 * 3'000'320);
  CHECK(Bytes(result, "growth", "delta_bytes").at("train.py:75 train_step") == 0);
  CHECK(Bytes(Analyse(Load(test::MakeTrainingSnapshot(6, 8, 0, false).file)), "leaks").empty());
}

TEST_CASE(
    "Without annotations growth is found in parts of equal time, and bytes per step are unknown") {
  test::TrainingSnapshot made = test::MakeTrainingSnapshot(40, 8, 3'000'320, false);
  made.file.notes.clear();
  const AnalysisResult result = Analyse(Load(made.file));
  const ResultTable& leaks = *result.Table("leaks");
  REQUIRE(leaks.size() == 1);
  CHECK(std::get<int64_t>(leaks.At(0, 1)) == 40 * 3'000'320);
  CHECK(std::holds_alternative<std::monostate>(leaks.At(0, 3)));
  CHECK(result.Table("growth") == nullptr);
}

TEST_CASE("Out of memory: what was asked for, what was free, and who held the memory") {
  const test::TrainingSnapshot made = test::MakeTrainingSnapshot(3, 6, 0, true);
  const AnalysisResult result = Analyse(Load(made.file));
  CHECK(Number(result, "out_of_memory") == 1);
  CHECK(Number(result, "oom_requested_bytes") == int64_t{64} << 30);
  CHECK(Number(result, "oom_device_free_bytes") == 1 << 20);
  CHECK(Bytes(result, "at_oom") == made.at_end);  // nothing is freed after it
  REQUIRE(!result.findings.empty());
  CHECK(result.findings[0].grade == Finding::Grade::kBad);
  CHECK(result.findings[0].text ==
        "Out of memory: 64.00 GiB were asked for with 1.000 MiB free on the device; most was held "
        "by what "
        "has no frame of the program (34.00 MiB, 52 % of the 66.00 MiB allocated then).");
  // Shares of other moments differ: their tables say of how much they are.
  CHECK(result.Table("at_peak")->title.starts_with("At the peak, "));
  CHECK(result.Table("at_oom")->title == "When memory ran out, 66.00 MiB");
}

TEST_CASE("A part of the time has a peak and an end of its own") {
  const test::TrainingSnapshot made = test::MakeTrainingSnapshot(6, 8, 1 << 20, false);
  const auto trace = Load(made.file);
  const AllocatorHistory& history = *HistoryOf(*trace);
  const auto at = [&](size_t note) { return history.TimeOf(made.file.notes[note].time_us); };
  const AnalysisResult first = Analyse(trace, {at(0), at(2) + 1});
  CHECK(Number(first, "peak_bytes") < made.peak_bytes);
  CHECK(Bytes(first, "at_end").at("train.py:88 loss_history") == 1 << 20);
  CHECK(Number(first, "events") < static_cast<int64_t>(made.events));
  const AnalysisResult all = Analyse(trace, {trace->span.begin, trace->span.end + 1});
  CHECK(Number(all, "peak_bytes") == made.peak_bytes);
  CHECK(Bytes(all, "at_end") == made.at_end);
}

TEST_CASE("Segments: in use, free, and how scattered the free part is") {
  test::SnapshotFile file;
  file.segments = {{0x1000,
                    10 << 20,
                    {{0x1000, 4 << 20},
                     {0x2000, 1 << 20, 0, "inactive"},
                     {0x3000, 2 << 20},
                     {0x4000, 3 << 20, 0, "inactive"}}},
                   {0x9000, 2 << 20, {{0x9000, 2 << 20}}, 0, 3}};
  const AnalysisResult result = Analyse(Load(file));
  const ResultTable& t = *result.Table("segments");
  REQUIRE(t.size() == 2);
  const auto cell = [&](size_t row, const char* column) {
    return t.At(row, static_cast<size_t>(t.Column(column)));
  };
  CHECK(std::get<int64_t>(cell(0, "allocated_bytes")) == 6 << 20);
  CHECK(std::get<int64_t>(cell(0, "free_bytes")) == 4 << 20);
  CHECK(std::get<int64_t>(cell(0, "largest_free_bytes")) == 3 << 20);
  CHECK(std::get<double>(cell(0, "fragmentation")) == doctest::Approx(0.25));
  CHECK(std::get<std::string_view>(cell(1, "pool")) == "(0, 3)");
  CHECK(Number(result, "at_end_bytes") == 8 << 20);
}

TEST_CASE("A snapshot without history says what is held and what lies unused, and of no peak") {
  test::SnapshotFile file;
  file.segments = {{0x1000, 100 << 20, {{0x1000, 60 << 20}, {0x3c01000, 40 << 20, 0, "inactive"}}}};
  const AnalysisResult result = Analyse(Load(file));
  REQUIRE(result.findings.size() == 1);
  CHECK(result.findings[0].text ==
        "60 MiB are allocated and 40 MiB lie unused in segments at the time of the snapshot; "
        "no history was recorded.");
  CHECK(result.findings[0].next_step.find("_record_memory_history") != std::string::npos);
  CHECK(result.Find("peak_bytes") == nullptr);
  CHECK(result.Table("at_peak") == nullptr);
  CHECK(result.Table("leaks") == nullptr);
  for (const ResultTable& table : result.tables)
    CHECK_MESSAGE(table.title.find("peak") == std::string::npos, table.title);
  CHECK(Bytes(result, "at_end").begin()->second == 60 << 20);
}

TEST_CASE("A profile without a snapshot says how to write one") {
  const auto trace = LoadBytes(
      "a.json", R"([{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":1,"dur":5}])",
      {});
  REQUIRE(trace.ok());
  const AnalysisResult result = Analyse(*trace);
  CHECK(result.empty_reason.find("_dump_snapshot") != std::string::npos);
}

TEST_CASE("Frames of the program are those outside of packages and torch") {
  AllocatorHistory history;
  const auto own = [&](const char* file) {
    history.frames.push_back({history.strings.Intern("f"), history.strings.Intern(file), 1});
    return IsUserFrame(history, static_cast<uint32_t>(history.frames.size() - 1));
  };
  CHECK(own("/job/train.py"));
  CHECK(own("train.py"));
  CHECK(own("/tmp/ipykernel_77/1.py"));
  CHECK(!own("/usr/lib/torch/nn/functional.py"));
  CHECK(!own("/opt/venv/lib/python3.11/site-packages/transformers/trainer.py"));
  CHECK(!own("/usr/lib/python3.11/threading.py"));
  CHECK(!own("??"));
  CHECK(!own("/pytorch/aten/src/ATen/Context.cpp"));
  CHECK(!own("<frozen importlib>.py"));
}

uint32_t OneGroup(const Allocation&) { return 0; }
uint32_t ByStack(const Allocation& a) { return a.stack % 3; }

// At any time the bands and the small allocations lie on each other without a gap, up to what is
// allocated.
void CheckStack(const AllocatorHistory& history, const AllocatorDevice& device,
                const AllocationLayout& layout, Ps time, int64_t bytes) {
  std::map<int64_t, int64_t> stack;  // size, by offset
  for (const AllocationBand& b : layout.bands) {
    if (b.range.Contains(time)) CHECK(stack.emplace(b.offset, b.size).second);
  }
  for (const SmallBand& b : layout.small) {
    if (b.range.Contains(time)) CHECK(stack.emplace(b.offset, b.size).second);
  }
  int64_t top = 0;
  for (const auto& [offset, size] : stack) {
    CHECK(offset == top);
    top = offset + size;
  }
  CHECK(top == bytes);
  CHECK(!history.streams.empty());
  CHECK(device.events > 0);
}

TEST_CASE("The drawing: with room for every event it is exact, allocations lie on each other") {
  const test::TrainingSnapshot made = test::MakeTrainingSnapshot(4, 8, 1 << 20, false);
  const auto trace = Load(made.file);
  const AllocatorHistory& history = *HistoryOf(*trace);
  const AllocatorDevice& device = history.devices[0];
  const TimeRange all{history.EventTime(device, 0),
                      history.EventTime(device, static_cast<uint32_t>(device.events - 1)) + 1};
  const Column<int64_t> after = AllocatedAfter(device);
  for (const int64_t least : {int64_t{1}, int64_t{4} << 20}) {
    const AllocationLayout layout = LayOut(history, device, {all, 100'000, least}, ByStack);
    CHECK(layout.top == made.peak_bytes);
    CHECK(layout.small.empty() == (least == 1));
    for (uint32_t e = 0; e < device.events; ++e)
      CheckStack(history, device, layout, history.EventTime(device, e), after[e]);
    for (const AllocationBand& b : layout.bands)
      CHECK(device.allocations[b.allocation].size >= least);
  }
}

TEST_CASE(
    "The drawing: with many events a column shows its fullest moment, and bands are bounded") {
  const test::TrainingSnapshot made = test::MakeTrainingSnapshot(60, 30, 1 << 20, false);
  const auto trace = Load(made.file);
  const AllocatorHistory& history = *HistoryOf(*trace);
  const AllocatorDevice& device = history.devices[0];
  const TimeRange all{history.EventTime(device, 0),
                      history.EventTime(device, static_cast<uint32_t>(device.events - 1)) + 1};
  const AllocationLayout layout = LayOut(history, device, {all, 50, 1}, OneGroup);
  CHECK(layout.top == made.peak_bytes);
  CHECK(layout.bands.size() < 50 * 120);
  CHECK(layout.min_bytes == 1);
  for (int c = 0; c < 50; ++c) {
    const Ps from = all.begin + all.length() * c / 50, to = all.begin + all.length() * (c + 1) / 50;
    int64_t top = 0;
    for (const AllocationBand& b : layout.bands) {
      if (b.range.begin < to && b.range.end > from) top = std::max(top, b.offset + b.size);
    }
    CHECK(top > 0);
  }
  CHECK(LayOut(history, device, {{0, 0}, 50, 1}, OneGroup).bands.empty());
}

TEST_CASE("The drawing: times at the end of all time") {
  test::SnapshotFile file;
  file.devices = {{{"alloc", 1, 100, INT64_MIN + 1}, {"alloc", 2, 50, INT64_MAX}}};
  const auto trace = Load(file);
  const AllocatorHistory& history = *HistoryOf(*trace);
  for (const uint32_t columns : {1u, 50u}) {
    const AllocationLayout layout =
        LayOut(history, history.devices[0], {{0, kMaxPs}, columns, 1}, OneGroup);
    CHECK(layout.top == (columns == 1 ? 100 : 150));  // the last one is made at the end
  }
}

TEST_CASE("Two moments by stack: what changed, the largest first, adding up to the difference") {
  const test::TrainingSnapshot made = test::MakeTrainingSnapshot(6, 8, 1 << 20, false);
  const auto trace = Load(made.file);
  const AllocatorHistory& history = *HistoryOf(*trace);
  const AllocatorDevice& device = history.devices[0];
  const UserFrames frames(history);
  const uint32_t peak = device.peak_event;
  const auto last = static_cast<uint32_t>(device.events - 1);
  const std::vector<GrownGroup> by_frame = Growth(device, frames, peak, last);
  const std::vector<GrownGroup> by_stack =
      GrowthByStack(history, device, frames, peak, last, SIZE_MAX);
  const auto sum = [](const std::vector<GrownGroup>& groups) {
    int64_t bytes = 0;
    for (const GrownGroup& group : groups) bytes += group.delta();
    return bytes;
  };
  REQUIRE(by_stack.size() > 1);
  const ResultTable table = GrowthTable(GroupedBy::kStack, by_stack, "growth", "Two moments");
  CHECK(table.Column("stack") == 0);
  CHECK(table.size() == by_stack.size());
  CHECK(sum(by_stack) == sum(by_frame));
  CHECK(sum(by_stack) < 0);
  int64_t before = std::numeric_limits<int64_t>::max();
  for (const GrownGroup& group : by_stack) {
    CHECK(std::abs(group.delta()) <= before);
    before = std::abs(group.delta());
    CHECK((group.a.bytes != group.b.bytes || group.a.count != group.b.count));
  }
  CHECK(GrowthByStack(history, device, frames, peak, last, 1).size() == 1);
  CHECK(GrowthByStack(history, device, frames, last, last, SIZE_MAX).empty());
}

}  // namespace
}  // namespace stepscope
