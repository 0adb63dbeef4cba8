// Memory snapshots: what a snapshot of PyTorch becomes, and that no bytes run code, crash, or take
// more memory than is stated.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <unordered_map>

#include "loaders/loader.h"
#include "model/allocator_history.h"
#include "tests/support/has_text.h"
#include "tests/support/loaded.h"
#include "tests/support/memory_snapshot.h"
#include "tests/support/peak_memory.h"
#include "tests/support/sanitized.h"
#include "tests/support/trace_lookup.h"

namespace stepscope {
namespace {

using test::Has;
using test::TrackNamed;

using TracePtr = std::shared_ptr<const Trace>;

TracePtr LoadSnapshot(std::string bytes, const char* name = "snapshot.pickle") {
  return test::Loaded(name, std::move(bytes));
}

std::string SnapshotError(std::string bytes) {
  const auto trace = LoadBytes("snapshot.pickle", std::move(bytes), {});
  REQUIRE(!trace.ok());
  return trace.status().message();
}

TEST_CASE("A snapshot becomes a history with peak, allocations and segments, in all protocols") {
  const test::TrainingSnapshot made = test::MakeTrainingSnapshot(4, 6, 3'000'000, true);
  for (const int protocol : {2, 3, 4, 5}) {
    CAPTURE(protocol);
    const TracePtr trace = LoadSnapshot(test::ToPickle(made.file, protocol), "no_ending");
    CHECK(CapabilitiesOf(*trace).memory_snapshot);
    REQUIRE(HistoryOf(*trace) != nullptr);
    const AllocatorHistory& h = *HistoryOf(*trace);
    CHECK(h.events.count() == made.events);
    REQUIRE(h.devices.size() == 1);
    const AllocatorDevice& device = h.devices[0];
    CHECK(device.peak_bytes == made.peak_bytes);
    CHECK(h.events.time_us[device.peak_event] == made.peak_time_us);
    CHECK(device.reserved_bytes == made.reserved_bytes);
    int64_t at_end = 0;
    for (const auto& [frame, bytes] : made.at_end) at_end += bytes;
    CHECK(device.bytes_at_end == at_end);
    CHECK(device.bytes_before == (4 + 5 + 6 + 7 + 8 + 4) << 20);
    CHECK(device.out_of_memory.size() == 1);
    CHECK(h.device_free == std::vector<std::pair<uint32_t, int64_t>>{
                               {static_cast<uint32_t>(made.events - 1), 1 << 20}});
    CHECK(h.stack_count() == 6 + 2 + 1 + 1);  // layers, what stays, out of memory, none
    REQUIRE(h.segments.size() == 1);
    CHECK(h.BlocksOf(h.segments[0]).size() == 6 + 1 + 4 + 1);
    CHECK(h.settings.size() == 3);
    CHECK(h.settings[1].second == "0.25");
    CHECK(trace->diagnostics.problems() == 0);
  }
}

TEST_CASE("The timeline has counters of bytes, the annotations, and what the allocator met") {
  const test::TrainingSnapshot made = test::MakeTrainingSnapshot(3, 4, 0, true);
  const TracePtr trace = LoadSnapshot(test::ToPickle(made.file));
  REQUIRE(trace->planes.size() == 1);
  CHECK(trace->planes[0].display_name == "GPU 0");
  const Track* memory = TrackNamed(*trace, "Memory");
  REQUIRE(memory != nullptr);
  REQUIRE(memory->counters.size() == 2);
  CHECK(memory->counters[0].max == static_cast<double>(made.peak_bytes));
  CHECK(memory->counters[1].max == static_cast<double>(made.reserved_bytes));
  const Track* notes = TrackNamed(*trace, "Annotations");
  REQUIRE(notes != nullptr);
  CHECK(notes->events == 3);
  CHECK(trace->set.Name(EventRow(trace->set.LanesOf(*notes)[0].first_row)) == "step 0");
  const Track* failed = TrackNamed(*trace, "Out of memory");
  REQUIRE(failed != nullptr);
  const EventRow row(trace->set.LanesOf(*failed)[0].first_row);
  const auto stats = trace->source->Decode(*trace, row);
  REQUIRE(stats.ok());
  REQUIRE(stats->size() == 5);
  CHECK((*stats)[0].name == "size");
  CHECK(ToText((*stats)[1]) == "1048576");
  CHECK(Has(ToText(stats->back()), "model.py:41 block_5\n"));
  CHECK(trace->counts.events() == 4);
  CHECK(trace->origin_unix_ns == made.file.devices[0][0].time_us * 1000);
}

TEST_CASE(
    "Memory that is freed and never allocated was there before; an address can be used again") {
  test::SnapshotFile file;
  file.devices = {{{"free_completed", 0x1000, 512, 10},
                   {"alloc", 0x2000, 1024, 11},
                   {"alloc", 0x2000, 2048, 12},  // its deallocation was not recorded
                   {"free_requested", 0x2000, 2048, 13},
                   {"free_completed", 0x2000, 2048, 14},
                   {"segment_alloc", 0x9000, 4096, 15}}};
  file.segments = {{0x9000, 4096, {{0x9000, 4096, 4096, "active_pending_free"}}}};
  const TracePtr trace = LoadSnapshot(test::ToPickle(file));
  const AllocatorDevice& device = HistoryOf(*trace)->devices.at(0);
  CHECK(device.bytes_before == 512 + 4096);
  CHECK(device.bytes_at_end == 4096);
  CHECK(device.peak_bytes == 4096 + 2048);
  CHECK(device.reserved_before == 0);
  REQUIRE(device.allocations.size() == 4);
  CHECK(device.allocations[0].end == 2);
  CHECK(device.allocations[1].LiveAfter(3));
  CHECK(!device.allocations[1].LiveAfter(4));
  CHECK(device.allocations[2].before());
  CHECK(trace->diagnostics.Find("memory_snapshot.address_reused") != nullptr);
}

TEST_CASE("Several devices, events out of order and without times") {
  test::SnapshotFile file;
  file.devices = {{}, {{"alloc", 1, 100, 50}, {"alloc", 2, 100, 40}}, {{"alloc", 1, 7, 60}}};
  file.segments = {{0x100, 512, {}, 5}};
  const TracePtr trace = LoadSnapshot(test::ToPickle(file));
  const AllocatorHistory& h = *HistoryOf(*trace);
  REQUIRE(h.devices.size() == 3);
  CHECK(h.devices[0].index == 1);
  CHECK(h.devices[1].first_event == 2);
  CHECK(h.devices[2].index == 5);
  CHECK(h.devices[2].reserved_bytes == 512);
  CHECK(h.events.time_us[1] == 50);
  CHECK(trace->diagnostics.Find("memory_snapshot.time_order")->count == 1);
  for (auto& events : file.devices) {
    for (auto& event : events) event.time_us = 0;
  }
  const TracePtr timeless = LoadSnapshot(test::ToPickle(file));
  CHECK(HistoryOf(*timeless)->events.time_us[1] == 1);
  CHECK(timeless->diagnostics.Find("memory_snapshot.no_times") != nullptr);
}

TEST_CASE("Nothing is run: whatever asks for it ends in one error that names it") {
  const std::pair<std::string, const char*> kAsks[] = {
      {"cos\nsystem\n", "GLOBAL"},
      {"\x8c\x02os\x8c\x06system\x93", "STACK_GLOBAL"},
      {"K\x01K\x02R", "REDUCE"},
      {"}}b", "BUILD"},
      {"(ios\nsystem\n", "INST"},
      {"(o", "OBJ"},
      {")\x81", "NEWOBJ"},
      {"}\x92", "NEWOBJ_EX"},
      {"\x82\x01", "EXT"},
      {"Pid\n", "PERSID"},
      {"Q", "PERSID"},
      {"\x97", "NEXT_BUFFER"},
  };
  for (const auto& [ops, name] : kAsks) {
    CAPTURE(name);
    const std::string error = SnapshotError("\x80\x04}(\x8c\x08segments" + ops + "u.");
    CHECK(Has(error, "snapshot.pickle: byte "));
    CHECK(Has(error, "asks for code to be run"));
    CHECK(Has(error, name));
    CHECK(!Has(error, "\n"));
  }
}

TEST_CASE("A pickle of something else says what it lacks; other bytes are no pickle") {
  test::PickleWriter other;
  other.BeginDict();
  other.Text("weights");
  other.Int(1);
  other.EndDict();
  CHECK(Has(SnapshotError(other.Bytes()), "neither device_traces nor segments"));
  CHECK(Has(SnapshotError("\x80\x04N."), "neither device_traces nor segments"));
  CHECK(Has(SnapshotError("PK\x03\x04"), "a zip archive"));
  CHECK(Has(SnapshotError("\x80\x04\x01"), "no opcode of a binary pickle"));
  CHECK(Has(SnapshotError(""), "holds no object"));
  CHECK(Has(SnapshotError("\x80\x07."), "newer than 5"));
  CHECK(LoadBytes("a.bin", other.Bytes(), {}).status().message().find("Memory snapshot") !=
        std::string::npos);
}

TEST_CASE("Claims of depth, memo and sizes beyond what is there are refused") {
  CHECK(Has(SnapshotError("\x80\x04" + std::string(2000, '(')), "nested too deeply"));
  CHECK(Has(SnapshotError(std::string("\x80\x04}r\xff\xff\xff\x7f", 8)), "memo index"));
  CHECK(Has(SnapshotError("\x80\x04h\x05."), "memo index"));
  CHECK(Has(SnapshotError(std::string("\x80\x04\x8d\xff\xff\xff\xff\xff\xff\xff\x7f", 11)),
            "text of"));
  CHECK(Has(SnapshotError(std::string("\x80\x04\x8b\xff\xff\xff\x7f", 7)), "number too long"));
  CHECK(Has(SnapshotError("\x80\x04" + std::string(5 << 20, 'N')), "too many values"));
  CHECK(Has(SnapshotError("\x80\x04K\x01K\x02"
                          "a."),
            "no list"));
  CHECK(Has(SnapshotError("\x80\x04"
                          "e."),
            "without a mark"));
  CHECK(Has(SnapshotError("\x80\x04(e."), "without a container"));
  CHECK(Has(SnapshotError("\x80\x04"
                          "0"),
            "nothing to drop"));
  LoadOptions options;
  options.max_inflated_bytes = 1000;
  const auto trace = LoadBytes("a.pickle", "\x80\x04" + std::string(5000, ']'), options);
  CHECK(trace.status().code() == ErrorCode::kLimit);
}

// Each list holds the one before it ten times: written out, there would be 10^30 items.
TEST_CASE("Lists of lists from the memo take no more than a constant times their bytes") {
  std::string nested =
      "\x80\x04}\x8c\x0d"
      "device_traces](";
  nested += std::string("]\x94", 2);
  for (char level = 0; level < 30; ++level) {
    nested += "](";
    for (int i = 0; i < 10; ++i) nested += std::string("h") + level;
    nested += "e\x94";
  }
  CHECK(LoadSnapshot(nested + "es.")->counts.slices == 0);
  std::string named = "\x80\x04]\x94";
  for (int i = 0; i < 4000; ++i) {
    named += '(';
    for (int k = 0; k < 1000; ++k) named += std::string("h\0", 2);
    named += 'e';
  }
  const uint64_t bytes = named.size() + 1;
  const uint64_t memory =
      test::PeakGrowth([&] { CHECK(!LoadBytes("a.pickle", named + ".", {}).ok()); });
  if (!kSanitized) CHECK(memory < 12 * bytes);
}

// Two bytes refer to a list again: its items must not be copied each time.
TEST_CASE("A list that is named many times counts once") {
  test::PickleWriter out;
  out.BeginDict();
  out.Text("device_traces");
  out.BeginList();
  out.BeginList();
  const uint32_t events = out.last();
  for (int i = 0; i < 1000; ++i) {
    out.BeginDict();
    out.Text("action"), out.Text("alloc");
    out.Text("addr"), out.Int(i);
    out.Text("size"), out.Int(512);
    out.Text("time_us"), out.Int(i + 1);
    out.EndDict();
  }
  out.EndList();
  for (int i = 0; i < 3000; ++i) out.Recall(events);
  out.EndList();
  out.EndDict();
  const TracePtr trace = LoadSnapshot(out.Bytes());
  CHECK(HistoryOf(*trace)->events.count() == 1000);
  CHECK(HistoryOf(*trace)->devices.size() == 1);
}

TEST_CASE("Numbers that were chosen to meet in one bucket of a table cost no more than others") {
  // Addresses and streams are multiples of the number of buckets that a table of them ends with.
  constexpr size_t kCount = 100'000;
  std::unordered_map<uint64_t, uint32_t> table;
  for (uint64_t i = 0; i < kCount; ++i) table.emplace(i, 0);
  const uint64_t buckets = table.bucket_count();
  test::SnapshotFile file;
  file.devices.emplace_back();
  for (uint64_t i = 1; i <= kCount; ++i)
    file.devices[0].push_back(
        {"alloc", i * buckets, 512, static_cast<int64_t>(i), {}, i * buckets});
  const TracePtr trace = LoadSnapshot(test::ToPickle(file));
  CHECK(HistoryOf(*trace)->devices[0].bytes_at_end == 512 * kCount);
  CHECK(HistoryOf(*trace)->streams.size() == kCount + 1);
}

TEST_CASE("A file that ends early gives the events that it has, and says so") {
  const test::TrainingSnapshot made = test::MakeTrainingSnapshot(3, 5, 512, false);
  const std::string bytes = test::ToPickle(made.file);
  size_t before = 0;
  for (size_t n = 0; n < bytes.size(); n += kSanitized ? 97 : 7) {
    CAPTURE(n);
    const auto trace = LoadBytes("cut.pickle", bytes.substr(0, n), {});
    if (!trace.ok()) {
      CHECK(!trace.status().message().empty());
      CHECK(before == 0);  // once a prefix loads, longer ones do
      continue;
    }
    const size_t events = HistoryOf(**trace)->events.count();
    CHECK(events >= before);
    CHECK((*trace)->truncated());
    before = events;
  }
  CHECK(before == made.events);
}

TEST_CASE("Edited files load or say why not") {
  const std::string bytes = test::ToPickle(test::MakeTrainingSnapshot(3, 4, 512, true).file);
  std::mt19937 random(7);
  for (int i = 0; i < (kSanitized ? 100 : 1500); ++i) {
    std::string edited = bytes;
    for (uint32_t edits = 1 + random() % 4; edits > 0; --edits) {
      const size_t at = random() % edited.size();
      if (random() % 3 == 0) {
        edited.erase(at, 1 + random() % 9);
      } else {
        edited[at] = static_cast<char>(random());
      }
    }
    const auto trace = LoadBytes("edited.pickle", std::move(edited), {});
    if (!trace.ok()) CHECK(!trace.status().message().empty());
    if (trace.ok()) CHECK(HistoryOf(**trace) != nullptr);
  }
}

TEST_CASE("A load shows how far it is and stops when told to") {
  const std::string path =
      (std::filesystem::temp_directory_path() / "stepscope_snapshot_test.pickle").string();
  std::ofstream(path, std::ios::binary)
      << test::ToPickle(test::MakeTrainingSnapshot(100, 40, 512, false).file);
  Progress progress;
  const auto whole = LoadPath(path, {}, {}, progress);
  REQUIRE(whole.ok());
  CHECK(progress.bytes_done == progress.bytes_total);
  CHECK(progress.events == HistoryOf(**whole)->events.count());
  std::stop_source stop;
  stop.request_stop();
  Progress none;
  CHECK(LoadPath(path, {}, stop.get_token(), none).status().code() == ErrorCode::kCancelled);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace stepscope
