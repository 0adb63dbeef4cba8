// Perfetto traces: tracks, slices, counters, arrows, clocks, interned names and lost packets, and
// that no bytes crash or take more memory than is stated.
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <variant>

#include "loaders/loader.h"
#include "model/analysis/analysis.h"
#include "tests/support/loaded.h"
#include "tests/support/peak_memory.h"
#include "tests/support/perfetto_profile.h"
#include "tests/support/perfetto_writer.h"
#include "tests/support/sanitized.h"
#include "tests/support/table_cells.h"
#include "tests/support/trace_lookup.h"

namespace stepscope {
namespace {

using test::CountOf;
using test::Message;
using test::PerfettoWriter;
using test::RowNamed;
using test::StatOf;
using test::TrackNamed;
using TracePtr = std::shared_ptr<const Trace>;

TracePtr LoadPerfetto(std::string bytes) { return test::Loaded("no_ending", std::move(bytes)); }

std::map<std::string, int> Names(const Trace& trace) {
  std::map<std::string, int> names;
  for (uint32_t row = 0; row < trace.set.rows; ++row)
    ++names[std::string(trace.names().Name(trace.set.Meta(EventRow(row))))];
  return names;
}

TEST_CASE("Tracks, slices, counters and arrows, plain and deflated") {
  const std::string plain = test::PerfettoBytes(3);
  for (const std::string& bytes : {plain, test::Deflated(plain)}) {
    const TracePtr trace = LoadPerfetto(bytes);
    CHECK(trace->format->name == std::string_view("Perfetto trace"));
    CHECK(Names(*trace) ==
          std::map<std::string, int>{{"aten::mm", 3}, {"cudaLaunchKernel", 3}, {"gemm", 3}});
    const Track* thread = TrackNamed(*trace, "main");
    REQUIRE(thread != nullptr);
    CHECK(thread->kind == TrackKind::kThread);
    CHECK(thread->rows == 2);
    const Track* stream = TrackNamed(*trace, "GPU 0 Stream #7");
    REQUIRE(stream != nullptr);
    CHECK(stream->kind == TrackKind::kStream);
    CHECK(trace->planes[stream->plane.value].kind == PlaneKind::kGpu);
    const Track* counter = TrackNamed(*trace, "Bytes in use");
    REQUIRE(counter != nullptr);
    CHECK(counter->counters[0].value == std::vector<double>{0, 100, 200});
    CHECK(trace->flows.size() == 3);
    CHECK(trace->set.Name(trace->flows[0].from) == "cudaLaunchKernel");
    CHECK(trace->set.Name(trace->flows[0].to) == "gemm");
    CHECK(trace->origin_unix_ns == 1'700'000'000'001'000'000);
    CHECK(trace->set.Duration(RowNamed(*trace, "gemm")) == 400 * kPsPerUs);
    CHECK(StatOf(*trace, RowNamed(*trace, "gemm"), "correlation") == "1");
    CHECK(trace->diagnostics.problems() == 0);
  }
}

TEST_CASE("Kernel statistics know the op that launched a kernel") {
  const TracePtr trace = LoadPerfetto(test::PerfettoBytes(4));
  AnalysisContext context(trace, Definitions::kStepscope);
  const AnalysisResult result = RunAnalysis(*FindAnalysis("kernel_stats"), context, {});
  REQUIRE(test::TableOf(result, "kernels").size() == 1);
  CHECK(test::Text(result, "kernels", 0, "op_name") == "aten::mm");
  CHECK(test::Int(result, "kernels", 0, "occurrences") == 4);
}

uint64_t ResidentBytes() {
  std::ifstream statm("/proc/self/statm");
  uint64_t all = 0, resident = 0;
  statm >> all >> resident;
  return resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

Message Interned(uint64_t iid, std::string_view name) {
  return Message().Int(1, iid).Text(2, name);
}
Message Event(uint64_t type, uint64_t name) {
  return Message().Int(9, type).Int(10, name).Int(11, 5);
}

TEST_CASE("Interned names last until the state is cleared; lost packets lose what refers to them") {
  PerfettoWriter w;
  const auto packet = [](uint64_t at, uint64_t flags) {
    return Message().Int(8, at).Int(13, flags);
  };
  w.Packet(packet(1000, 1)
               .Sub(12, Message().Sub(2, Interned(1, "first")).Sub(3, Interned(9, "key")))
               .Sub(11, Event(1, 1)));
  w.Packet(packet(2000, 2).Sub(11, Event(2, 0)));
  w.Packet(packet(3000, 3)
               .Sub(12, Message().Sub(2, Interned(1, "second")).Sub(3, Interned(9, "other")))
               .Sub(11, Message(Event(1, 1)).Sub(4, Message().Int(1, 9).Text(6, "value"))));
  w.Packet(packet(4000, 2).Sub(11, Event(2, 0)));
  w.Packet(packet(5000, 2).Int(42, 1).Sub(11, Event(3, 1)));
  w.Packet(packet(6000, 2).Sub(11, Event(3, 1)));
  w.Packet(packet(7000, 1).Sub(12, Message().Sub(2, Interned(1, "third"))).Sub(11, Event(3, 1)));
  const TracePtr trace = LoadPerfetto(w.Bytes());
  CHECK(Names(*trace) == std::map<std::string, int>{{"first", 1}, {"second", 1}, {"third", 1}});
  CHECK(StatOf(*trace, RowNamed(*trace, "second"), "other") == "value");
  CHECK(CountOf(*trace, "perfetto.packet_loss") == 1);
  CHECK(CountOf(*trace, "perfetto.event_without_state") == 2);
}

TEST_CASE("Times of other clocks become those of the trace's; unknown clocks are counted") {
  PerfettoWriter w;
  const auto clock = [](uint64_t id, uint64_t at) { return Message().Int(1, id).Int(2, at); };
  w.Packet(Message().Sub(6, Message()
                                .Sub(1, clock(6, 5'000'000))
                                .Sub(1, clock(3, 1'000'000))
                                .Sub(1, clock(64, 10).Int(3, 1).Int(4, 1000))));
  const auto event = [&](uint64_t at, uint64_t id, const char* name) {
    w.Packet(
        Message().Int(8, at).Int(58, id).Sub(11, Message().Int(9, 3).Int(11, 5).Text(23, name)));
  };
  event(5'000'000, 6, "boot");
  event(1'500'000, 3, "monotonic");
  event(5, 64, "delta");
  event(5, 64, "delta again");
  event(5'100'000, 99, "unknown");
  const TracePtr trace = LoadPerfetto(w.Bytes());
  const auto at = [&](const char* name) { return trace->set.Start(RowNamed(*trace, name)); };
  CHECK(at("monotonic") - at("boot") == 500 * kPsPerUs);
  CHECK(at("delta") - at("boot") == 5 * kPsPerUs);
  CHECK(at("delta again") - at("boot") == 10 * kPsPerUs);
  CHECK(CountOf(*trace, "perfetto.unknown_clock") == 1);
}

TEST_CASE("What GPU profilers write: stages on queues, and counters") {
  PerfettoWriter w;
  w.Packet(Message().Int(13, 1).Sub(12, Message()
                                            .Sub(24, Interned(1, "Queue A"))
                                            .Sub(24, Interned(2, "compute"))
                                            .Sub(23, Message().Int(1, 7).Int(2, 99).Int(3, 4))));
  const Message dims = Message().Int(1, 4).Int(2, 2).Int(3, 1);
  w.Packet(Message().Int(8, 1000).Sub(53, Message()
                                              .Int(2, 500)
                                              .Int(5, 7)
                                              .Int(11, 1)
                                              .Int(13, 1)
                                              .Int(14, 2)
                                              .Text(17, "gemm")
                                              .Sub(21, Message().Sub(1, dims))));
  w.Packet(Message().Int(8, 1000).Sub(
      52, Message()
              .Sub(1, Message().Sub(1, Message().Int(1, 3).Text(2, "SM busy")))
              .Sub(2, Message().Int(1, 3).Real(3, 0.5))
              .Int(3, 1)));
  const TracePtr trace = LoadPerfetto(w.Bytes());
  const Track* queue = TrackNamed(*trace, "Queue A");
  REQUIRE(queue != nullptr);
  CHECK(queue->kind == TrackKind::kStream);
  const Plane& plane = trace->planes[queue->plane.value];
  CHECK(plane.display_name == "GPU 1");
  CHECK(StatOf(*trace, RowNamed(*trace, "gemm"), "grid.x") == "4");
  REQUIRE(TrackNamed(*trace, "SM busy") != nullptr);
  CHECK(TrackNamed(*trace, "SM busy")->counters[0].max == 0.5);
}

TEST_CASE("A GPU that two processes use has a plane for each of them") {
  PerfettoWriter w;
  const auto context = [](uint64_t iid, uint64_t pid) { return Message().Int(1, iid).Int(2, pid); };
  w.Packet(Message().Int(13, 1).Sub(
      12,
      Message().Sub(24, Interned(1, "Queue A")).Sub(23, context(7, 99)).Sub(23, context(8, 100))));
  for (const uint64_t iid : {7, 8}) {
    const Message stage = Message().Int(2, 500).Int(5, iid).Int(13, 1).Text(17, "gemm");
    w.Packet(Message().Int(8, 1000).Sub(53, stage));
  }
  const TracePtr trace = LoadPerfetto(w.Bytes());
  CHECK(trace->planes.size() == 2);
}

TEST_CASE("Interned kernels give dispatches names and arguments; counters are known by number") {
  PerfettoWriter w;
  const auto arg = [](uint64_t name, uint64_t value) {
    return Message().Int(1, name).Int(4, value);
  };
  const Message kernel = Message()
                             .Int(1, 3)
                             .Text(2, "_Z4gemmv")
                             .Text(3, "gemm()")
                             .Text(4, "sm_90")
                             .Sub(5, Message().Text(2, "stages").Text(6, "four"));
  const Message spec = Message().Sub(1, Message().Int(1, 5).Text(2, "SM busy"));
  w.Packet(Message().Int(13, 1).Sub(12, Message()
                                            .Sub(24, Interned(1, "Queue A"))
                                            .Sub(24, Interned(2, "compute"))
                                            .Sub(47, Message().Int(1, 9).Sub(2, spec).Int(3, 1))
                                            .Sub(1000, kernel)
                                            .Sub(1001, Interned(1, "registers_per_thread"))));
  const Message stage = Message().Int(2, 500).Int(11, 1).Int(13, 1).Int(14, 2).Int(19, 3).Sub(
      21, Message().Sub(3, arg(1, 96)));
  w.Packet(Message().Int(8, 1000).Sub(53, stage));
  w.Packet(
      Message().Int(8, 1000).Sub(52, Message().Int(4, 9).Sub(2, Message().Int(1, 5).Int(2, 30))));
  const TracePtr trace = LoadPerfetto(w.Bytes());
  const EventRow row = RowNamed(*trace, "gemm()");
  CHECK(StatOf(*trace, row, "kernel") == "_Z4gemmv");
  CHECK(StatOf(*trace, row, "arch") == "sm_90");
  CHECK(StatOf(*trace, row, "stages") == "four");
  CHECK(StatOf(*trace, row, "registers_per_thread") == "96");
  const auto table = trace->source->LoadTyped(*trace, {});
  REQUIRE(table.ok());
  CHECK((*table)->Int(IntStat::kRegisters).Find(row).value_or(0) == 96);
  const Track* counter = TrackNamed(*trace, "SM busy");
  REQUIRE(counter != nullptr);
  CHECK(trace->planes[counter->plane.value].display_name == "GPU 1");
}

TEST_CASE("Arguments at the end of a slice belong to it, before those of its begin") {
  PerfettoWriter w;
  const auto whole = [](const char* name, uint64_t value) {
    return Message().Sub(4, Message().Text(10, name).Int(4, value));
  };
  const std::string first = whole("bytes", 1).bytes() + whole("state", 1).bytes();
  w.Packet(Message().Int(8, 1000).Text(
      11, Message().Int(9, 1).Int(11, 5).Text(23, "copy").bytes() + first));
  const std::string last = whole("state", 2).bytes() + whole("correlation", 7).bytes();
  w.Packet(Message().Int(8, 2000).Text(11, Message().Int(9, 2).Int(11, 5).bytes() + last));
  for (const std::string& bytes : {w.Bytes(), test::Deflated(w.Bytes())}) {
    const TracePtr trace = LoadPerfetto(bytes);
    const EventRow row = RowNamed(*trace, "copy");
    CHECK(StatOf(*trace, row, "bytes") == "1");
    CHECK(StatOf(*trace, row, "state") == "2");
    CHECK(trace->source->Decode(*trace, row)->size() == 3);
    const auto table = trace->source->LoadTyped(*trace, {});
    REQUIRE(table.ok());
    CHECK((*table)->Int(IntStat::kCorrelationId).Find(row).value_or(0) == 7);
  }
}

constexpr std::pair<const char*, IntStat> kTyped[] = {
    {"bytes", IntStat::kBytes},   {"device", IntStat::kDeviceId}, {"step_num", IntStat::kStepNum},
    {"grid.x", IntStat::kGridX},  {"grid.z", IntStat::kGridZ},    {"block.y", IntStat::kBlockY},
    {"x", IntStat::kCount},       {"grid", IntStat::kCount},      {"block", IntStat::kCount},
    {"unheard", IntStat::kCount}, {"y", IntStat::kCount},         {"z", IntStat::kCount},
    {"grid[0]", IntStat::kGridX}, {"block[1]", IntStat::kBlockY}, {"grid[2]", IntStat::kGridZ}};

// An argument with values of any kind, some twice, some with a wrong wire type, and its name as a
// number or a text.
Message RandomArgument(std::mt19937* random, int depth) {
  const auto pick = [&](size_t n) { return static_cast<uint32_t>((*random)() % n); };
  Message m;
  const auto name = [&] {
    const auto i = pick(std::size(kTyped));
    pick(2) == 0 ? m.Int(1, i + 1) : m.Text(10, kTyped[i].first);
  };
  if (pick(2) == 0) name();
  for (uint32_t i = 0, n = pick(3); i < n; ++i) {
    const uint32_t field = std::array{2, 3, 4, 7, 17, 9, 13}[pick(7)];
    const uint32_t kind = pick(12);
    if (kind < 8) m.Int(field, pick(100));
    if (kind == 8) m.Real(5, 2.5);
    if (kind == 9) m.Text(6, "text");
    if (kind == 10) m.Fixed(field, pick(100));
    if (kind == 11) m.Text(field, "text");
  }
  for (uint32_t i = 0, n = pick(4); i < n && depth < 3; ++i)
    m.Sub(pick(3) == 0 ? 12 : 11, RandomArgument(random, depth + 1));
  return pick(2) == 0 ? m.Int(1, 1 + pick(std::size(kTyped))) : m;
}

TEST_CASE(
    "A grid and a block that are lists are those of the kernel; a flow's end belongs to a slice") {
  const auto list = [](const char* name, std::vector<uint64_t> values) {
    Message m;
    m.Text(10, name);
    for (const uint64_t value : values) m.Sub(12, Message().Int(4, value));
    return m;
  };
  PerfettoWriter w;
  Message kernel = Message().Int(9, 1).Int(11, 5).Text(23, "gemm");
  kernel.Sub(4, list("grid", {24, 2, 3})).Sub(4, list("block", {640})).Fixed(47, 9);
  w.Packet(Message().Int(8, 1000).Sub(11, kernel));
  w.Packet(Message().Int(8, 2000).Sub(11, Message().Int(9, 2).Int(11, 5)));
  w.Begin(6, 1500, "", "wait");
  w.Packet(Message().Int(8, 3000).Sub(11, Message().Int(9, 2).Int(11, 6).Fixed(48, 9)));
  const TracePtr trace = LoadPerfetto(w.Bytes());
  const EventRow row = RowNamed(*trace, "gemm");
  const auto table = trace->source->LoadTyped(*trace, {});
  REQUIRE(table.ok());
  CHECK((*table)->Int(IntStat::kGridX).Find(row).value_or(0) == 24);
  CHECK((*table)->Int(IntStat::kGridZ).Find(row).value_or(0) == 3);
  CHECK((*table)->Int(IntStat::kBlockX).Find(row).value_or(0) == 640);
  CHECK_FALSE((*table)->Int(IntStat::kBlockY).Find(row).has_value());
  REQUIRE(trace->flows.size() == 1);
  CHECK(trace->flows[0].from == row);
  CHECK(trace->flows[0].to == RowNamed(*trace, "wait"));
}

// Typed arguments are read from the bytes of all events, and those of one event with their names.
TEST_CASE("Arguments that analyses know are the same as those of each event") {
  PerfettoWriter w;
  Message names;
  for (uint64_t i = 0; i < std::size(kTyped); ++i) names.Sub(3, Interned(i + 1, kTyped[i].first));
  w.Packet(Message().Int(13, 1).Sub(12, names));
  std::mt19937 random(7);
  for (uint64_t i = 0; i < 3000; ++i) {
    Message event = Event(3, 0);
    for (auto n = random() % 4; n > 0; --n) event.Sub(4, RandomArgument(&random, 0));
    w.Packet(Message().Int(8, i).Int(13, 2).Sub(11, event));
  }
  const TracePtr trace = LoadPerfetto(w.Bytes());
  REQUIRE(trace->set.rows == 3000);
  const auto table = trace->source->LoadTyped(*trace, {});
  REQUIRE(table.ok());
  int found = 0;
  for (uint32_t row = 0; row < 3000; ++row) {
    std::map<IntStat, int64_t> least;
    const auto stats = trace->source->Decode(*trace, EventRow(row));
    REQUIRE(stats.ok());
    for (const Stat& stat : *stats) {
      const auto* known = std::find_if(std::begin(kTyped), std::end(kTyped),
                                       [&](const auto& typed) { return typed.first == stat.name; });
      if (known == std::end(kTyped) || known->second == IntStat::kCount) continue;
      const auto* i = std::get_if<int64_t>(&stat.value);
      const auto* u = std::get_if<uint64_t>(&stat.value);
      if (i == nullptr && u == nullptr) continue;
      const int64_t value = i != nullptr ? *i : static_cast<int64_t>(*u);
      least[known->second] = std::min(value, least.try_emplace(known->second, value).first->second);
    }
    for (const auto& [name, stat] : kTyped) {
      if (stat == IntStat::kCount) continue;
      const std::optional<int64_t> typed = (*table)->Int(stat).Find(EventRow(row));
      const auto at = least.find(stat);
      CHECK(typed == (at == least.end() ? std::nullopt : std::optional(at->second)));
      found += typed.has_value();
    }
  }
  CHECK(found > 300);
}

TEST_CASE("A name with a large number takes no memory for the numbers below it") {
  PerfettoWriter w;
  for (uint64_t i = 0; i < 4000; ++i)
    w.Packet(Message().Int(8, i).Int(13, 1).Sub(
        12, Message().Sub(2, Interned(65'535, "far")).Sub(3, Interned(65'535, "key"))));
  w.Packet(Message().Int(8, 5000).Int(13, 2).Sub(11, Event(3, 65'535)));
  const uint64_t before = ResidentBytes();
  const TracePtr trace = LoadPerfetto(w.Bytes());
  CHECK(RowNamed(*trace, "far").value == 0);
  CHECK(ResidentBytes() < before + (uint64_t{64} << 20));
}

TEST_CASE("The number of batches and threads does not change the result") {
  std::string bytes;
  test::WritePerfettoProfile({20, 2, 100, 3}, [&](std::string_view b) { bytes += b; });
  REQUIRE(bytes.size() > 4 * (256u << 10));
  const auto load = [&](unsigned threads) {
    LoadOptions options;
    options.threads = threads;
    return *LoadBytes("t.pftrace", bytes, options);
  };
  const TracePtr one = load(1), many = load(5);
  REQUIRE(one->set.rows == 20 * 2 * 100 * 3);
  CHECK(one->diagnostics.problems() == 0);
  CHECK(one->flows.size() == 20 * 2 * 100);
  REQUIRE(many->set.rows == one->set.rows);
  uint32_t same = 0;
  for (uint32_t row = 0; row < one->set.rows; ++row)
    same += one->set.Start(EventRow(row)) == many->set.Start(EventRow(row)) &&
            one->set.Name(EventRow(row)) == many->set.Name(EventRow(row));
  CHECK(same == one->set.rows);
}

TEST_CASE("What is not read is named; begins without an end are drawn to the track's last event") {
  PerfettoWriter w;
  w.Begin(1, 1000, "", "open").Begin(1, 2000, "", "closed").End(1, 3000);
  w.End(2, 500);
  w.Packet(Message().Int(8, 1).Text(1, "ftrace"));
  const TracePtr trace = LoadPerfetto(w.Bytes());
  CHECK(trace->set.Duration(RowNamed(*trace, "open")) == 2 * kPsPerUs);
  CHECK(CountOf(*trace, "perfetto.unmatched_begin") == 1);
  CHECK(CountOf(*trace, "perfetto.unmatched_end") == 1);
  const Diagnostic* other = trace->diagnostics.Find("perfetto.not_read");
  REQUIRE(other != nullptr);
  CHECK(other->first[0].find("ftrace") != std::string::npos);
}

TEST_CASE("A file without track events says what it holds instead") {
  PerfettoWriter w;
  for (int i = 0; i < 3; ++i) w.Packet(Message().Int(8, 5).Sub(1, Message().Int(1, 2)));
  w.Packet(Message().Int(8, 5).Sub(9, Message().Int(1, 2)));
  const auto trace = LoadBytes("android.pftrace", w.Bytes(), {});
  REQUIRE(!trace.ok());
  const std::string error = trace.status().message();
  CHECK(error.find("4 packets; it holds kernel events (ftrace, scheduling), statistics") !=
        error.npos);
}

TEST_CASE("A packet that inflates to more than the limit is an error, within that memory") {
  const std::string bytes = test::Deflated(Message().Text(1, std::string(64 << 20, '\0')).bytes());
  LoadOptions options;
  options.max_inflated_bytes = 8 << 20;
  const uint64_t memory = test::PeakGrowth([&] {
    const auto trace = LoadBytes("t.pftrace", bytes, options);
    REQUIRE(!trace.ok());
    CHECK(trace.status().code() == ErrorCode::kLimit);
  });
  if (!kSanitized) CHECK(memory < (uint64_t{24} << 20));
}

TEST_CASE("Every prefix is read as far as it goes and says that it was cut") {
  const std::string plain = test::PerfettoBytes(20), whole = plain + test::Deflated(plain);
  for (size_t n = 0; n < whole.size(); n += 7) {
    const auto trace = LoadBytes("t.pftrace", whole.substr(0, n), {});
    if (!trace.ok()) {
      CHECK(!trace.status().message().empty());
      continue;
    }
    CHECK((*trace)->counts.slices <= 2 * 60);
    const Diagnostic* cut = (*trace)->diagnostics.Find(kTruncated);
    CHECK((cut == nullptr || cut->count == 1));
  }
  CHECK(LoadPerfetto(plain)->diagnostics.Find(kTruncated) == nullptr);
  const auto cut = LoadBytes("t.pftrace", plain.substr(0, plain.size() - 3), {});
  REQUIRE(cut.ok());
  CHECK((*cut)->truncated());
}

TEST_CASE("Random edits neither crash nor hang") {
  const std::string plain = test::PerfettoBytes(10), deflated = test::Deflated(plain);
  std::mt19937 random(3);
  for (int i = 0; i < (kSanitized ? 100 : 1000); ++i) {
    std::string bytes = i % 3 == 0 ? deflated : plain;
    for (int edit = 0; edit <= i % 5; ++edit)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    const auto trace = LoadBytes("t.pftrace", bytes, {});
    if (!trace.ok()) {
      CHECK(!trace.status().message().empty());
      continue;
    }
    for (uint32_t row = 0; row < std::min(8u, (*trace)->set.rows); ++row)
      CHECK((*trace)->source->Decode(**trace, EventRow(row)).ok());
    CHECK((*trace)->source->LoadTyped(**trace, {}).ok());
  }
}

}  // namespace
}  // namespace stepscope
