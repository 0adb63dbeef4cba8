// Stats of XSpace events: decoded for one event, and as typed columns. The two are checked against
// each other.
#include "loaders/xplane/xplane_stats.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "loaders/loader.h"
#include "model/stat_reader.h"
#include "model/string_pool.h"
#include "tests/support/gpu_profile.h"
#include "tests/support/loaded.h"
#include "tests/support/source_paths.h"
#include "tests/support/trace_lookup.h"
#include "tests/support/wire.h"
#include "tests/support/xspace_builder.h"

namespace stepscope {
namespace {

using test::RowNamed;
using test::XSpaceBuilder;
using TracePtr = std::shared_ptr<const Trace>;

template <typename T>
bool IsAscending(const SparseColumn<T>& column) {
  std::vector<uint32_t> rows;
  column.ForAll([&](uint32_t row, T) { rows.push_back(row); });
  return std::adjacent_find(rows.begin(), rows.end(), std::greater_equal<>()) == rows.end() &&
         rows.size() == column.size();
}

TracePtr LoadSpace(const std::string& bytes) { return test::Loaded("vm.xplane.pb", bytes); }

std::map<std::string, std::string> Decode(const Trace& trace, EventRow row) {
  const auto stats = trace.source->Decode(trace, row);
  REQUIRE(stats.ok());
  std::map<std::string, std::string> texts;
  for (const Stat& s : *stats) texts[(s.from_metadata ? "*" : "") + s.name] = ToText(s);
  return texts;
}

std::string Sample() {
  XSpaceBuilder space;
  auto& gpu = space.Plane("/device:GPU:0");
  gpu.EventMetadata("kernel")
      .Stat("hlo_category", test::Ref{"convolution"})
      .Stat("symbol_id", int64_t{1'000})
      .Stat("tf_op", "from metadata");
  auto& line = gpu.Line(1, "Stream #1");
  line.Event("kernel", 0, 10)
      .Stat("correlation_id", uint64_t{7})
      .Stat("kernel_details", test::Ref{"regs:32 grid:1,1,1"})
      .Stat("context_id", "$$1")
      .Stat("occupancy", 0.5)
      .Stat("shape", "(f32[8])")
      .Stat("blob", test::Bytes{"12345"})
      .Stat("nowhere", test::RefId{12345});
  line.Event("kernel", 20, 10)
      .Stat("tf_op", "own")
      .Stat("theoretical_occupancy_pct", 62.5)
      .Stat("step_num", "17");
  line.Event("plain", 40, 10);
  auto& host = space.Plane("/host:CPU").Line(1, "main");
  host.Event("MemoryAllocation", 5, 0)
      .Stat("bytes_reserved", int64_t{-3})
      .Stat("fragmentation", 0.25)
      .Stat("shape", "[2,3]")
      .Stat("allocator_name", "GPU_0_bfc");
  host.Event("sum", 6, 30).Occurrences(4);
  host.Event("twice", 50, 1).Stat("id", int64_t{1}).Stat("id", int64_t{2});
  return space.Bytes();
}

TEST_CASE("One event: metadata stats first, references resolved, values as XProf prints them") {
  const TracePtr trace = LoadSpace(Sample());
  const auto stats = trace->source->Decode(*trace, RowNamed(*trace, "kernel"));
  REQUIRE(stats.ok());
  REQUIRE(stats->size() == 10);
  CHECK((*stats)[0].from_metadata);
  CHECK((*stats)[2].from_metadata);
  CHECK(!(*stats)[3].from_metadata);
  const std::map<std::string, std::string> texts = Decode(*trace, RowNamed(*trace, "kernel"));
  CHECK(texts.at("*hlo_category") == "convolution");
  CHECK(texts.at("*symbol_id") == "1000");
  CHECK(texts.at("correlation_id") == "7");
  CHECK(texts.at("kernel_details") == "regs:32 grid:1,1,1");
  CHECK(texts.at("occupancy") == "0.5");
  CHECK(texts.at("blob").find("<opaque bytes>") == 0);
  CHECK(texts.at("blob").find('5') != std::string::npos);
  CHECK(texts.at("nowhere").empty());
  CHECK(Decode(*trace, RowNamed(*trace, "plain")).empty());
  CHECK(Decode(*trace, RowNamed(*trace, "sum")).at("num_occurrences") == "4");
  CHECK(trace->source->Decode(*trace, EventRow(trace->set.rows)).status().code() ==
        ErrorCode::kUsage);
}

// Keeps what a visitor is told, as Read() returns it.
struct Told final : StatVisitor {
  void TakeMetadata(std::span<const Stat> metadata, uint64_t) override {
    CHECK(stats.empty());
    stats.assign(metadata.begin(), metadata.end());
  }
  void Take(const StatView& view) override {
    Stat& stat = stats.emplace_back();
    stat.name = view.name;
    stat.from_metadata = view.from_metadata;
    switch (view.kind) {
      case 0:
        stat.value = static_cast<int64_t>(view.bits);
        break;
      case 1:
        stat.value = view.bits;
        break;
      case 2:
        stat.value = std::bit_cast<double>(view.bits);
        break;
      default:
        stat.value = std::string(view.text);
    }
  }
  std::vector<Stat> stats;
};

void CheckVisits(const Trace& trace) {
  const std::unique_ptr<StatReader> reader = ReaderOf(trace), visits = ReaderOf(trace);
  for (uint32_t row = 0; row < trace.set.rows; ++row) {
    const Result<std::vector<Stat>> read = reader->Read(EventRow(row));
    REQUIRE(read.ok());
    Told told;
    REQUIRE(visits->Visit(EventRow(row), &told).ok());
    REQUIRE(told.stats.size() == read->size());
    for (size_t i = 0; i < read->size(); ++i) {
      const Stat &a = (*read)[i], &b = told.stats[i];
      const bool same_bits = ViewOf(a).bits == ViewOf(b).bits && ViewOf(a).text == ViewOf(b).text;
      REQUIRE((a.name == b.name && a.value.index() == b.value.index() && same_bits &&
               a.from_metadata == b.from_metadata));
    }
  }
}

TEST_CASE("A visitor is told what is read, whatever the form of the stats") {
  CheckVisits(*LoadSpace(Sample()));
  XSpaceBuilder space;
  auto& plane = space.Plane("/host:CPU");
  plane.EventMetadata("op").Stat("tf_op", "from metadata");
  auto& line = plane.Line(1, "main");
  std::mt19937 random(1);
  for (int i = 0; i < 3000; ++i) {
    std::string stat;
    test::PutInt(&stat, 1, 1 + i % 4);
    if (i % 5 == 0) test::PutDouble(&stat, 2, i * 0.25);
    if (i % 5 == 1) test::PutUint(&stat, 3, ~uint64_t{0} >> (i % 64));
    if (i % 5 == 2) test::PutInt(&stat, 4, -i);
    if (i % 5 == 3) test::PutBytes(&stat, 5, std::string(static_cast<size_t>(i % 90) * 60, 'x'));
    if (i % 5 == 4) test::PutUint(&stat, 7, static_cast<uint64_t>(i % 6));
    if (i % 3 == 0) stat[random() % stat.size()] = static_cast<char>(random());
    if (i % 7 == 0) stat.resize(random() % (stat.size() + 1));
    if (i % 11 == 0) test::PutInt(&stat, 4, i);  // a second value
    std::string field;
    test::PutBytes(&field, 4, stat);
    if (i % 13 == 0) field[random() % field.size()] = static_cast<char>(random());
    line.Event(i % 2 == 0 ? "op" : "other", i * 10, 5)
        .Stat("first", int64_t{i})
        .Stat("second", test::Ref{"a text"})
        .Stat("third", "\xc3\xa9")
        .Raw(field);
  }
  auto& many = line.Event("many", 40'000, 5);
  for (int i = 0; i < 6000; ++i) many.Stat("first", int64_t{i});
  CheckVisits(*LoadSpace(space.Bytes()));
}

TEST_CASE("Typed columns: kinds, metadata under own, memory shapes apart") {
  const TracePtr trace = LoadSpace(Sample());
  const auto result = trace->source->LoadTyped(*trace, {});
  REQUIRE(result.ok());
  const StatTable& table = **result;
  const EventRow first = RowNamed(*trace, "kernel"), second(first.value + 1),
                 memory = RowNamed(*trace, "MemoryAllocation");
  const auto text = [&](StringStat s, EventRow row) {
    const auto id = table.Text(s).Find(row);
    return id ? std::string(table.strings->View(*id)) : std::string("none");
  };
  CHECK(table.Int(IntStat::kCorrelationId).Find(first) == 7);
  CHECK(!table.Int(IntStat::kCorrelationId).Find(second));
  CHECK(table.Int(IntStat::kSymbolId).Find(first) == 1'000);
  CHECK(table.Int(IntStat::kSymbolId).Find(second) == 1'000);
  CHECK(table.Int(IntStat::kStepNum).Find(second) == 17);
  CHECK(text(StringStat::kHloCategory, second) == "convolution");
  CHECK(text(StringStat::kTfOp, first) == "from metadata");
  CHECK(text(StringStat::kTfOp, second) == "own");
  CHECK(text(StringStat::kKernelDetails, first) == "regs:32 grid:1,1,1");
  CHECK(text(StringStat::kShape, first) == "(f32[8])");
  CHECK(text(StringStat::kShape, memory) == "none");
  CHECK(text(StringStat::kTensorShape, memory) == "[2,3]");
  CHECK(table.Real(RealStat::kOccupancyPct).Find(second) == 62.5);
  CHECK(table.Real(RealStat::kFragmentation).Find(memory) == 0.25);
  CHECK(table.Int(IntStat::kBytesReserved).Find(memory) == -3);
  CHECK(table.Int(IntStat::kId).Find(RowNamed(*trace, "twice")) == 2);
  CHECK(table.Int(IntStat::kId).size() == 1);
}

// Ids may be unsigned 64-bit hashes: the columns hold the same bits.
bool IsNumber(const std::string& text, int64_t value) {
  return text == std::to_string(value) || text == std::to_string(static_cast<uint64_t>(value));
}

// Checks that the columns hold exactly what Decode says about these stats.
void CompareWithDecode(const Trace& trace, uint32_t every) {
  const auto result = trace.source->LoadTyped(trace, {});
  REQUIRE(result.ok());
  const StatTable& table = **result;
  const std::pair<const char*, IntStat> ints[] = {{"correlation_id", IntStat::kCorrelationId},
                                                  {"_c", IntStat::kConsumerId},
                                                  {"step_num", IntStat::kStepNum},
                                                  {"bytes_available", IntStat::kBytesAvailable},
                                                  {"device_id", IntStat::kDeviceId}};
  const std::pair<const char*, StringStat> texts[] = {
      {"tf_op", StringStat::kTfOp},
      {"kernel_details", StringStat::kKernelDetails},
      {"hlo_op", StringStat::kHloOp},
      {"allocator_name", StringStat::kAllocatorName}};
  uint64_t different = 0, seen = 0;
  for (uint32_t r = 0; r < trace.set.rows; r += every) {
    const EventRow row(r);
    std::map<std::string, std::string> decoded;
    const auto stats = trace.source->Decode(trace, row);
    REQUIRE(stats.ok());
    for (const Stat& s : *stats) decoded[s.name] = ToText(s);
    for (const auto& [name, stat] : ints) {
      const auto value = table.Int(stat).Find(row);
      const auto it = decoded.find(name);
      different +=
          value.has_value() != (it != decoded.end()) || (value && !IsNumber(it->second, *value));
      seen += value.has_value();
    }
    for (const auto& [name, stat] : texts) {
      const auto value = table.Text(stat).Find(row);
      const auto it = decoded.find(name);
      different += value.has_value() != (it != decoded.end()) ||
                   (value && table.strings->View(*value) != it->second);
      seen += value.has_value();
    }
  }
  CHECK(different == 0);
  CHECK(seen > 0);
  for (const auto& column : table.ints) CHECK(IsAscending(column));
  for (const auto& column : table.texts) CHECK(IsAscending(column));
}

TEST_CASE("Events of one name have stats of any number, order and kind") {
  XSpaceBuilder space;
  auto& line = space.Plane("/host:CPU").Line(1, "main");
  int64_t at = 0;
  const auto event = [&]() -> auto& { return line.Event("x", at += 10, 5); };
  event()
      .Stat("id", int64_t{1})
      .Stat("correlation_id", uint64_t{11})
      .Stat("step_num", int64_t{300});
  event().Stat("id", int64_t{2}).Stat("correlation_id", uint64_t{12}).Stat("step_num", int64_t{-4});
  event().Stat("id", int64_t{3});
  event().Stat("correlation_id", uint64_t{14}).Stat("id", int64_t{4});
  event().Stat("id", int64_t{5}).Stat("id", int64_t{50}).Stat("correlation_id", uint64_t{15});
  event().Stat("id", int64_t{6}).Stat("id", int64_t{60}).Stat("correlation_id", uint64_t{16});
  event().Stat("id", int64_t{7}).Stat("tf_op", "a:B").Stat("correlation_id", uint64_t{17});
  event().Stat("id", int64_t{8}).Stat("tf_op", "c:D").Stat("correlation_id", uint64_t{18});
  event().Stat("id", uint64_t{9}).Stat("correlation_id", 19.0);
  auto& many = event();
  for (int i = 0; i < 20; ++i) many.Stat("other " + std::to_string(i), int64_t{i});
  many.Stat("id", int64_t{10}).Stat("correlation_id", uint64_t{20});
  event().Stat("id", int64_t{11}).Stat("correlation_id", uint64_t{21}).Stat("step_num", int64_t{7});
  const TracePtr trace = LoadSpace(space.Bytes());
  const auto table = trace->source->LoadTyped(*trace, {});
  REQUIRE(table.ok());
  std::vector<int64_t> ids, correlations, steps;
  (*table)->Int(IntStat::kId).ForAll([&](uint32_t, int64_t v) { ids.push_back(v); });
  (*table)->Int(IntStat::kCorrelationId).ForAll([&](uint32_t, int64_t v) {
    correlations.push_back(v);
  });
  (*table)->Int(IntStat::kStepNum).ForAll([&](uint32_t, int64_t v) { steps.push_back(v); });
  CHECK(ids == std::vector<int64_t>{1, 2, 3, 4, 50, 60, 7, 8, 9, 10, 11});
  CHECK(correlations == std::vector<int64_t>{11, 12, 14, 15, 16, 17, 18, 19, 20, 21});
  CHECK(steps == std::vector<int64_t>{300, -4, 7});
  CHECK((*table)->Text(StringStat::kTfOp).size() == 2);
}

TEST_CASE("Columns and decoded stats agree, from memory and from files") {
  test::GpuProfileOptions options;
  options.steps = 4;
  options.layers = 10;
  const std::string bytes = test::MakeGpuProfile(options);
  CompareWithDecode(*LoadSpace(bytes), 7);
  const std::string path = (std::filesystem::temp_directory_path() /
                            ("stepscope_stats_" + std::to_string(getpid()) + ".xplane.pb"))
                               .string();
  std::ofstream(path, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  Progress progress;
  const auto trace = LoadPath(path, {}, {}, progress);
  REQUIRE(trace.ok());
  CHECK((*trace)->source->resident_bytes() == 0);
  CompareWithDecode(**trace, 11);
  // The file is overwritten while it is open: that is an error, not wrong stats.
  std::ofstream(path, std::ios::binary | std::ios::trunc) << "something else";
  CHECK((*trace)->source->Decode(**trace, EventRow(0)).status().code() == ErrorCode::kIo);
  CHECK((*trace)->source->LoadTyped(**trace, {}).status().code() == ErrorCode::kIo);
  std::filesystem::remove(path);
  for (const char* sample : {"tf_graph", "jax_cpu"}) {
    const auto packed =
        LoadPath(test::SourcePath("tests/data/") + sample + ".xplane.pb.zst", {}, {}, progress);
    REQUIRE(packed.ok());
    CHECK((*packed)->source->resident_bytes() == (*packed)->inflated_bytes);
    CompareWithDecode(**packed, 13);
  }
}

TEST_CASE("Typed stats stop when asked to") {
  const TracePtr trace = LoadSpace(Sample());
  std::stop_source stop;
  stop.request_stop();
  CHECK(trace->source->LoadTyped(*trace, stop.get_token()).status().code() ==
        ErrorCode::kCancelled);
}

TEST_CASE("Odd stats: fields out of order, unknown types, compressed text") {
  XSpaceBuilder space;
  auto& plane = space.Plane("/host:CPU");
  plane.StatMetadata(1, "correlation_id").StatMetadata(2, "tf_op");
  std::string reversed, reversed_stat, unknown, unknown_stat;
  test::PutUint(&reversed, 3, 5);
  test::PutUint(&reversed, 1, 1);
  test::PutBytes(&reversed_stat, 4, reversed);
  test::PutUint(&unknown, 1, 2);
  test::PutUint(&unknown, 14, 3);
  test::PutBytes(&unknown, 5, "op:Type");
  test::PutBytes(&unknown_stat, 4, unknown);
  test::PutUint(&unknown_stat, 12, 1);
  plane.Line(1, "a").Event("x", 0, 5).Raw(reversed_stat + unknown_stat);
  const TracePtr trace = LoadSpace(space.Bytes());
  const auto table = trace->source->LoadTyped(*trace, {});
  REQUIRE(table.ok());
  CHECK((*table)->Int(IntStat::kCorrelationId).Find(EventRow(0)) == 5);
  const auto id = (*table)->Text(StringStat::kTfOp).Find(EventRow(0));
  REQUIRE(id);
  CHECK((*table)->strings->View(*id) == "op:Type");
}

}  // namespace
}  // namespace stepscope
