// The XSpace loader on small files built here and on the recorded samples: times, names, tracks,
// order, counts.
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "loaders/files/byte_source.h"
#include "loaders/loader.h"
#include "loaders/xplane/lines/line_parser.h"
#include "tests/support/gpu_profile.h"
#include "tests/support/source_paths.h"
#include "tests/support/trace_lookup.h"
#include "tests/support/wire.h"
#include "tests/support/xspace_builder.h"

namespace stepscope {
namespace {

using test::CountOf;
using test::RowNamed;
using test::XSpaceBuilder;
using TracePtr = std::shared_ptr<const Trace>;

TracePtr LoadXSpace(const std::string& bytes, const LoadOptions& options = {}) {
  const auto result = LoadBytes("vm.xplane.pb", bytes, options);
  INFO(result.status().message());
  REQUIRE(result.ok());
  return *result;
}

std::string_view Text(const Trace& trace, StringId id) { return trace.names().strings.View(id); }

const Plane* FindPlane(const Trace& trace, std::string_view name) {
  for (const Plane& p : trace.planes) {
    if (Text(trace, p.name) == name) return &p;
  }
  return nullptr;
}

const Track& FindTrack(const Trace& trace, std::string_view name) {
  for (const Track& t : trace.set.tracks) {
    if (Text(trace, t.name) == name) return t;
  }
  FAIL("no track " << name);
  return trace.set.tracks.front();
}

// Counts the events of an XSpace by the wire format alone, without code of the loader.
uint64_t CountEvents(std::string_view bytes, int depth = 0) {
  constexpr uint64_t kPath[] = {1, 3, 4};
  uint64_t n = 0;
  size_t at = 0;
  const auto varint = [&] {
    uint64_t v = 0;
    for (unsigned shift = 0; at < bytes.size(); shift += 7) {
      const auto b = static_cast<unsigned char>(bytes[at++]);
      v |= uint64_t{b & 0x7fu} << shift;
      if (b < 128) break;
    }
    return v;
  };
  while (at < bytes.size()) {
    const uint64_t tag = varint();
    if ((tag & 7) == 0) varint();
    if ((tag & 7) == 1) at += 8;
    if ((tag & 7) == 5) at += 4;
    if ((tag & 7) != 2) continue;
    const uint64_t size = varint();
    if (tag >> 3 == kPath[depth])
      n += depth == 2 ? 1 : CountEvents(bytes.substr(at, size), depth + 1);
    at += size;
  }
  return n;
}

TEST_CASE("A small profile: times from the origin, slices and instants, names") {
  XSpaceBuilder space;
  auto& gpu = space.Plane("/device:GPU:0").Id(0);
  gpu.Line(14, "Stream #14(Compute)")
      .TimestampNs(2'000)
      .Event("kernel", 500, 3'000)
      .Event("point", 9'000, 0);
  space.Plane("/host:CPU")
      .Line(7, "main")
      .TimestampNs(1'000)
      .Event("call", 250, 10'000)
      .Event("inner", 300, 100);
  const TracePtr trace = LoadXSpace(space.Bytes());
  CHECK(trace->counts.slices == 3);
  CHECK(trace->counts.instants == 1);
  CHECK(trace->origin_unix_ns == 0);
  // The earliest line start is t = 0, not the first event.
  CHECK(trace->set.Start(RowNamed(*trace, "call")) == 250);
  const EventRow kernel = RowNamed(*trace, "kernel");
  CHECK(trace->set.Start(kernel) == 1'000'500);
  CHECK(trace->set.Duration(kernel) == 3'000);
  CHECK(trace->set.Start(RowNamed(*trace, "point")) == 1'009'000);
  const Track& stream = FindTrack(*trace, "Stream #14(Compute)");
  CHECK(stream.kind == TrackKind::kStream);
  CHECK(stream.id == 14);
  CHECK(stream.display_id == 14);
  CHECK(stream.line_start == 1'000'000);
  CHECK(stream.events == 2);
  CHECK(FindTrack(*trace, "main").kind == TrackKind::kThread);
  CHECK(FindTrack(*trace, "main").rows == 2);
  CHECK(trace->diagnostics.problems() == 0);
}

TEST_CASE("Epoch times do not overflow") {
  XSpaceBuilder space;
  constexpr int64_t kStart = 1'771'595'639'214'761'734;
  auto& plane = space.Plane("/host:CPU");
  plane.Line(1, "a").TimestampNs(kStart + 7).Event("x", 1, 5);
  plane.Line(2, "b").TimestampNs(kStart).Event("y", 2, 5);
  const TracePtr trace = LoadXSpace(space.Bytes());
  CHECK(trace->origin_unix_ns == kStart);
  CHECK(trace->set.Start(RowNamed(*trace, "x")) == 7'001);
  CHECK(trace->set.Start(RowNamed(*trace, "y")) == 2);
}

TEST_CASE("Zero-based lines have their place in time from the task environment") {
  XSpaceBuilder space;
  space.Plane("/host:CPU").Line(1, "a").TimestampNs(5).Event("x", 0, 5);
  space.Plane("Task Environment").Stat("profile_start_time", uint64_t{1'700'000'000'000'000'000});
  const TracePtr trace = LoadXSpace(space.Bytes());
  CHECK(trace->origin_unix_ns == 1'700'000'000'000'000'005);
  CHECK(trace->hosts[0].start_unix_ns == 1'700'000'000'000'000'000);
  CHECK(FindPlane(*trace, "Task Environment")->tracks.empty());
}

TEST_CASE("A zero-based line beside epoch ones is shifted and counted") {
  constexpr int64_t kStart = 1'700'000'000'000'000'000;
  for (const bool start_known : {true, false}) {
    CAPTURE(start_known);
    XSpaceBuilder space;
    auto& plane = space.Plane("/host:CPU");
    plane.Line(1, "epoch").TimestampNs(kStart + 100).Event("x", 0, 5);
    plane.Line(2, "zero").TimestampNs(40).Event("y", 0, 5);
    if (start_known) space.Plane("Task Environment").Stat("profile_start_time", uint64_t{kStart});
    const TracePtr trace = LoadXSpace(space.Bytes());
    CHECK(CountOf(*trace, "xplane.zero_based_line") == 1);
    CHECK(trace->set.Start(RowNamed(*trace, "y")) == 0);
    CHECK(trace->set.Start(RowNamed(*trace, "x")) == (start_known ? 60'000 : 0));
  }
}

TEST_CASE("One stray line neither moves the origin nor stretches time") {
  for (const int64_t stray :
       {int64_t{-9'000'000'000'000'000'000}, int64_t{9'200'000'000'000'000'000}}) {
    XSpaceBuilder space;
    auto& plane = space.Plane("/host:CPU");
    plane.Line(1, "a").TimestampNs(1'700'000'000'000'000'000).Event("x", 3, 5).Event("x2", 10, 5);
    plane.Line(2, "b").TimestampNs(stray).Event("y", 0, 5);
    const TracePtr trace = LoadXSpace(space.Bytes());
    CHECK(CountOf(*trace, "xplane.stray_line") == 1);
    CHECK(trace->set.Start(RowNamed(*trace, "x")) == 3);
    const Ps y = trace->set.Start(RowNamed(*trace, "y"));
    CHECK(std::abs(y) == xplane::kMaxTimePs);
  }
}

TEST_CASE("Overflowing offsets, durations and negative durations are clipped and counted") {
  XSpaceBuilder space;
  space.Plane("/host:CPU")
      .Line(1, "a")
      .TimestampNs(1'000)
      .Event("late", std::numeric_limits<int64_t>::max(), 10)
      .Event("early", std::numeric_limits<int64_t>::min(), 10)
      .Event("long", 5, std::numeric_limits<int64_t>::max())
      .Event("negative", 7, -3)
      .Event("fine", 8, 2);
  const TracePtr trace = LoadXSpace(space.Bytes());
  CHECK(trace->counts.events() == 5);
  CHECK(CountOf(*trace, "xplane.time_clipped") == 3);
  CHECK(CountOf(*trace, "xplane.negative_duration") == 1);
  CHECK(trace->set.Start(RowNamed(*trace, "early")) == -xplane::kMaxTimePs);
  const EventRow longest = RowNamed(*trace, "long");
  CHECK(trace->set.Start(longest) == 5);
  CHECK(trace->set.Duration(longest) == xplane::kMaxTimePs - 5);
  CHECK(trace->set.Duration(RowNamed(*trace, "negative")) == 0);
  CHECK(trace->set.Duration(RowNamed(*trace, "fine")) == 2);
  REQUIRE(!trace->diagnostics.rows().empty());
  CHECK(trace->diagnostics.rows()[0].first[0].find("vm.xplane.pb byte ") == 0);
  CHECK(trace->diagnostics.rows()[0].first[0].find("line 'a'") != std::string::npos);
}

TEST_CASE("A line's start, id and name may come after its events") {
  std::string late;
  test::PutInt(&late, 3, 5'000);
  test::PutInt(&late, 1, 99);
  test::PutBytes(&late, 2, "late name");
  XSpaceBuilder space;
  auto& plane = space.Plane("/host:CPU");
  plane.Line(1, "a").TimestampNs(2'000).Event("x", 1, 5);
  plane.Line(0, "").Event("y", 2, 5).Line().Raw(late);
  const TracePtr trace = LoadXSpace(space.Bytes());
  CHECK(trace->set.Start(RowNamed(*trace, "x")) == 1);
  CHECK(trace->set.Start(RowNamed(*trace, "y")) == 3'000'002);
  CHECK(FindTrack(*trace, "late name").id == 99);
}

TEST_CASE("Display id and name stand in for id and name") {
  XSpaceBuilder space;
  space.Plane("/host:CPU").Line(5, "name").DisplayId(77).DisplayName("shown").Event("x", 0, 5);
  const TracePtr trace = LoadXSpace(space.Bytes());
  CHECK(FindTrack(*trace, "shown").id == 5);
  CHECK(FindTrack(*trace, "shown").display_id == 77);
}

TEST_CASE("Missing and duplicate metadata are counted; no event is lost") {
  XSpaceBuilder space;
  auto& plane = space.Plane("/host:CPU");
  plane.EventMetadata(3, "first");
  plane.EventMetadata(3, "second");
  plane.EventMetadata(-5, "negative id");
  plane.EventMetadata(int64_t{1} << 40, "large id");
  plane.Line(1, "a").EventById(3, 0, 5);
  plane.Line(2, "b").EventById(999, 0, 5);
  auto& c = plane.Line(3, "c");
  c.EventById(999, 0, 5);
  c.EventById(-7, 10, 5);
  c.EventById(-5, 20, 5);
  c.EventById(int64_t{1} << 40, 30, 5);
  const TracePtr trace = LoadXSpace(space.Bytes());
  CHECK(trace->counts.events() == 6);
  CHECK(CountOf(*trace, "xplane.duplicate_metadata") == 1);
  CHECK(CountOf(*trace, "xplane.missing_metadata") == 3);
  CHECK(RowNamed(*trace, "second").valid());
  CHECK(trace->set.Start(RowNamed(*trace, "negative id")) == 20);
  CHECK(trace->set.Start(RowNamed(*trace, "large id")) == 30);
  // Events of one missing id share a meta, and those of another id share another.
  std::vector<uint32_t> nameless;
  for (uint32_t r = 0; r < trace->set.rows; ++r) {
    if (trace->set.Name(EventRow(r)).empty())
      nameless.push_back(trace->set.Meta(EventRow(r)).value);
  }
  REQUIRE(nameless.size() == 3);
  std::sort(nameless.begin(), nameless.end());
  CHECK(std::unique(nameless.begin(), nameless.end()) - nameless.begin() == 2);
}

TEST_CASE("Planes: kinds, names on screen, order") {
  XSpaceBuilder space;
  for (const char* name : {"/host:metadata", "/host:CPU", "/device:GPU:10", "/device:GPU:2",
                           "/device:TPU:0", "/device:TPU:0 SparseCore 1", "#Chip TPU 0",
                           "/device:CUSTOM:Megascale Trace", "Task Environment", "/device:GPU:3"}) {
    auto& plane = space.Plane(name);
    if (std::string_view(name) != "/device:GPU:3") plane.Line(1, "l").Event("e", 0, 1);
  }
  const TracePtr trace = LoadXSpace(space.Bytes());
  std::vector<std::string> shown;
  for (const Plane& p : trace->planes) shown.push_back(p.display_name);
  const std::vector<std::string> expected = {
      "GPU 2",           "GPU 10",       "TPU 0",    "TPU 0 SparseCore 1", "Chip TPU 0",
      "Megascale Trace", "Host threads", "Metadata", "Task environment",   "GPU 3"};
  CHECK(shown == expected);
  CHECK(FindPlane(*trace, "/device:GPU:10")->kind == PlaneKind::kGpu);
  CHECK(FindPlane(*trace, "/device:GPU:10")->device_ordinal == 10);
  CHECK(FindPlane(*trace, "/device:GPU:10")->file_order == 2);
  CHECK(FindPlane(*trace, "/device:TPU:0 SparseCore 1")->kind == PlaneKind::kTpuSparseCore);
  CHECK(FindPlane(*trace, "#Chip TPU 0")->kind == PlaneKind::kTpuChip);
  CHECK(FindPlane(*trace, "/device:CUSTOM:Megascale Trace")->kind == PlaneKind::kCustom);
}

TEST_CASE("Lines: kinds, derived ones, order on devices and by activity on hosts") {
  constexpr int64_t kDerived = -559038737;
  XSpaceBuilder space;
  auto& gpu = space.Plane("/device:GPU:0");
  gpu.Line(20, "Stream #20(MemcpyH2D)").Event("MemcpyH2D", 0, 1);
  gpu.Line(14, "Stream #14(Compute)").Event("k", 0, 1);
  gpu.Line(kDerived, "Steps").Event("0", 0, 1);
  gpu.Line(kDerived + 293, "XLA Ops - from #14").Event("op", 0, 1);
  gpu.Line((int64_t{1} << 32) + 5, "ranges").Event("range", 0, 1);
  gpu.Line(1000, "CUPTI overhead").Event("overhead", 0, 1);
  auto& host = space.Plane("/host:CPU");
  host.Line(1, "idle");
  host.Line(2, "some").Event("a", 0, 10).Event("b", 5, 5);
  host.Line(3, "busy").Event("c", 0, 8).Event("d", 10, 8);
  const TracePtr trace = LoadXSpace(space.Bytes());
  std::vector<std::string> order;
  for (const char* plane : {"/device:GPU:0", "/host:CPU"}) {
    for (const TrackId t : FindPlane(*trace, plane)->tracks)
      order.emplace_back(Text(*trace, trace->set.tracks[t.value].name));
  }
  const std::vector<std::string> expected = {"Steps",
                                             "XLA Ops - from #14",
                                             "Stream #14(Compute)",
                                             "Stream #20(MemcpyH2D)",
                                             "ranges",
                                             "CUPTI overhead",
                                             "busy",
                                             "some",
                                             "idle"};
  CHECK(order == expected);
  CHECK(FindTrack(*trace, "Steps").kind == TrackKind::kSteps);
  CHECK(FindTrack(*trace, "Steps").derived_in_file);
  CHECK(FindTrack(*trace, "XLA Ops - from #14").kind == TrackKind::kXlaOps);
  CHECK(FindTrack(*trace, "XLA Ops - from #14").derived_in_file);
  CHECK(FindTrack(*trace, "ranges").kind == TrackKind::kNvtx);
  CHECK(FindTrack(*trace, "CUPTI overhead").kind == TrackKind::kOverhead);
  CHECK(!FindTrack(*trace, "Stream #14(Compute)").derived_in_file);
  CHECK(FindTrack(*trace, "idle").events == 0);
}

TEST_CASE("Counter lines become series") {
  XSpaceBuilder space;
  auto& line = space.Plane("/device:TPU:0").Line(1, "_counters_");
  line.Event("HBM", 20, 0).Stat("value", 2.5);
  line.Event("HBM", 10, 0).Stat("value", int64_t{7});
  line.Event("clock", 5, 0).Stat("mhz", uint64_t{940});
  line.Event("broken", 6, 0);
  const TracePtr trace = LoadXSpace(space.Bytes());
  const Track& track = FindTrack(*trace, "_counters_");
  CHECK(track.kind == TrackKind::kCounter);
  CHECK(track.events == 4);
  REQUIRE(track.counters.size() == 2);
  CHECK(Text(*trace, track.counters[0].name) == "HBM");
  CHECK(track.counters[0].time == std::vector<Ps>{10, 20});
  CHECK(track.counters[0].value == std::vector<double>{7, 2.5});
  CHECK(track.counters[1].value == std::vector<double>{940});
  CHECK(CountOf(*trace, "xplane.bad_counter") == 1);
}

TEST_CASE("Aggregated events start with their line") {
  XSpaceBuilder space;
  space.Plane("/host:CPU")
      .Line(1, "a")
      .TimestampNs(50)
      .Event("sum", 123, 30)
      .Occurrences(4)
      .Line()
      .Event("x", 7, 1);
  const TracePtr trace = LoadXSpace(space.Bytes());
  const EventRow sum = RowNamed(*trace, "sum");
  CHECK(trace->set.Start(sum) == 0);
  CHECK(trace->set.Duration(sum) == 30);
}

TEST_CASE("Fields of an event count in any order, and the last of several wins") {
  XSpaceBuilder space;
  auto& line = space.Plane("/host:CPU").Line(1, "a").TimestampNs(50);
  line.Event("first", 0, 1);
  line.Event("offset again", 5, 9).Stat("x", int64_t{1}).Raw("\x10\x28");
  line.Event("aggregated", 6, 9).Raw("\x28\x03");
  line.Event("not aggregated", 7, 9).Occurrences(3).Raw("\x10\x32");
  line.Event("duration again", 8, 9).Raw("\x18\x04\x22\x02\x08\x01\x10\x09");
  const TracePtr trace = LoadXSpace(space.Bytes());
  const auto start = [&](const char* name) { return trace->set.Start(RowNamed(*trace, name)); };
  CHECK(start("offset again") == 40);
  CHECK(start("aggregated") == 0);
  CHECK(start("not aggregated") == 50);
  CHECK(start("duration again") == 9);
  CHECK(trace->set.Duration(RowNamed(*trace, "duration again")) == 4);
  CHECK(trace->set.Duration(RowNamed(*trace, "offset again")) == 9);
}

TEST_CASE("Errors, warnings and the subtitle of a device are kept") {
  XSpaceBuilder space;
  auto& gpu = space.Plane("/device:GPU:0")
                  .Stat("gpu_device_name", "A100-SXM4-80GB")
                  .Stat("core_count", int64_t{108});
  gpu.Line(1, "Stream #1").Event("k", 0, 1);
  space.Error("no CUPTI").Warning("dropped events").Hostname("worker-0");
  const TracePtr trace = LoadXSpace(space.Bytes());
  CHECK(trace->errors == std::vector<std::string>{"no CUPTI"});
  CHECK(trace->warnings == std::vector<std::string>{"dropped events"});
  CHECK(FindPlane(*trace, "/device:GPU:0")->subtitle == "A100-SXM4-80GB, 108 SMs");
  CHECK(trace->HostName(HostId(0)) == "vm");
  CHECK(CountOf(*trace, "xplane.no_device") == 0);
}

TEST_CASE("A trace without a device names the likely reason") {
  XSpaceBuilder space;
  space.Plane("/host:CPU").Line(1, "a").Event("x", 0, 5);
  const TracePtr trace = LoadXSpace(space.Bytes());
  CHECK(CountOf(*trace, "xplane.no_device") == 1);
  CHECK(trace->diagnostics.problems() == 0);  // not a defect of the file
}

std::string HostProfile(int64_t start_unix_ns, int64_t timestamp_ns, const char* event) {
  XSpaceBuilder space;
  space.Plane("/host:CPU").Line(1, "main").TimestampNs(timestamp_ns).Event(event, 0, 100);
  if (start_unix_ns != 0)
    space.Plane("Task Environment")
        .Stat("profile_start_time", static_cast<uint64_t>(start_unix_ns));
  return space.Bytes();
}

TEST_CASE("Hosts are aligned by their start times") {
  const auto folder =
      std::filesystem::temp_directory_path() / ("stepscope_hosts_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  constexpr int64_t kStart = 1'700'000'000'000'000'000;
  const auto write = [&](const char* name, const std::string& bytes) {
    std::ofstream(folder / name, std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  };
  write("a.xplane.pb", HostProfile(kStart + 1'000, 10, "on a"));
  write("b.xplane.pb", HostProfile(kStart, 50, "on b"));
  write("c.xplane.pb", HostProfile(0, 30, "on c"));
  write("d.xplane.pb", HostProfile(0, kStart + 70, "on d"));
  Progress progress;
  const auto result = LoadPath(folder.string(), {}, {}, progress);
  std::filesystem::remove_all(folder);
  REQUIRE(result.ok());
  const Trace& trace = **result;
  CHECK(trace.origin_unix_ns == kStart + 30);
  CHECK(trace.set.Start(RowNamed(trace, "on a")) == 980'000);
  CHECK(trace.set.Start(RowNamed(trace, "on b")) == 20'000);
  CHECK(trace.set.Start(RowNamed(trace, "on c")) == 0);  // nothing says where: with the first
  CHECK(trace.set.Start(RowNamed(trace, "on d")) == 40'000);
  CHECK(CountOf(trace, "xplane.unaligned_host") == 1);
}

TEST_CASE("The HLO table is filled from /host:metadata") {
  std::string op, instruction, computation, module, proto;
  test::PutBytes(&op, 1, "conv");
  test::PutBytes(&op, 2, "jit(f)/conv");
  test::PutBytes(&op, 3, "model.py");
  test::PutUint(&op, 4, 42);
  test::PutBytes(&instruction, 1, "fusion.3");
  test::PutBytes(&instruction, 2, "fusion");
  test::PutBytes(&instruction, 7, op);
  test::PutBytes(&instruction, 11, "kOutput");
  test::PutBytes(&computation, 1, "main");
  test::PutBytes(&computation, 2, instruction);
  test::PutBytes(&module, 1, "jit_f");
  test::PutBytes(&module, 3, computation);
  test::PutBytes(&proto, 1, module);
  XSpaceBuilder space;
  space.Plane("/host:CPU").Line(1, "a").Event("x", 0, 5);
  space.Plane("/host:metadata")
      .EventMetadata(77, "jit_f(77)")
      .Stat("Hlo Proto", test::Bytes{proto});
  const TracePtr trace = LoadXSpace(space.Bytes());
  const HloInstruction* found = trace->hlo.Find(77, "fusion.3");
  REQUIRE(found != nullptr);
  CHECK(trace->hlo.programs.at(77).module_name == "jit_f");
  CHECK(found->op_name == "jit(f)/conv");
  CHECK(found->op_type == "conv");
  CHECK(found->opcode == "fusion");
  CHECK(found->category == "kOutput");
  CHECK(found->source_file == "model.py");
  CHECK(found->source_line == 42);
}

TEST_CASE("An instruction that names a frame of the stack has the frame's file and line") {
  const auto number = [](uint32_t field, uint64_t value) {
    std::string bytes;
    test::PutUint(&bytes, field, value);
    return bytes;
  };
  const auto text = [](uint32_t field, std::string_view value) {
    std::string bytes;
    test::PutBytes(&bytes, field, value);
    return bytes;
  };
  const auto instruction = [&](std::string_view name, uint64_t frame) {
    return text(2, text(1, name) + text(2, "add") + text(7, number(15, frame)));
  };
  const std::string frames = text(1, "lib.py") + text(1, "model.py") +
                             text(3, number(1, 2) + number(3, 42)) +
                             text(3, number(1, 9) + number(3, 1)) + text(4, number(1, 1)) +
                             text(4, number(1, 2)) + text(4, number(1, 7));
  const std::string module =
      text(1, "jit_f") +
      text(3, instruction("add.1", 1) + instruction("no_file", 2) + instruction("no_place", 3) +
                  instruction("no_frame", 1'000'000'000)) +
      text(17, frames);
  XSpaceBuilder space;
  space.Plane("/host:CPU").Line(1, "a").Event("x", 0, 5);
  space.Plane("/host:metadata")
      .EventMetadata(77, "jit_f(77)")
      .Stat("Hlo Proto", test::Bytes{text(1, module)})
      .Stat("program_id", int64_t{5});
  const TracePtr trace = LoadXSpace(space.Bytes());
  CHECK(trace->hlo.Find(77, "add.1") == nullptr);  // the stat says what events name
  const HloInstruction* found = trace->hlo.Find(5, "add.1");
  REQUIRE(found != nullptr);
  CHECK(found->source_file == "model.py");
  CHECK(found->source_line == 42);
  for (const char* name : {"no_file", "no_place", "no_frame"}) {
    REQUIRE(trace->hlo.Find(5, name) != nullptr);
    CHECK(trace->hlo.Find(5, name)->source_file.empty());
  }
}

TEST_CASE("Event counts equal an independent count, also compressed") {
  test::GpuProfileOptions options;
  options.steps = 3;
  const std::string generated = test::MakeGpuProfile(options);
  CHECK(LoadXSpace(generated)->counts.events() == CountEvents(generated));
  const std::filesystem::path data = test::SourcePath("tests/data");
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(data)) {
    const std::string path = entry.path().string();
    if (path.find(".xplane.pb") == std::string::npos) continue;
    ++files;
    CAPTURE(path);
    const auto source = OpenByteSource(path, uint64_t{1} << 30, {}, nullptr);
    REQUIRE(source.ok());
    const auto bytes = (*source)->bytes();
    Progress progress;
    const auto trace = LoadPath(path, {}, {}, progress);
    REQUIRE(trace.ok());
    CHECK((*trace)->counts.events() ==
          CountEvents({reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
    CHECK((*trace)->inflated_bytes == bytes.size());
    CHECK((*trace)->file_bytes == std::filesystem::file_size(path));
    CHECK((*trace)->diagnostics.problems() <= 20);
  }
  CHECK(files >= 5);
}

TEST_CASE("The recorded MI300X profile shows its eight GPUs and 32 host threads") {
  const std::string path = test::SharedPath("profiles/jax_mi300x");
  if (!std::filesystem::exists(path)) {
    MESSAGE("SKIPPED: no " << path);
    return;
  }
  Progress progress;
  const auto trace = LoadPath(path, {}, {}, progress);
  REQUIRE(trace.ok());
  int gpus = 0;
  for (const Plane& p : (*trace)->planes) gpus += p.kind == PlaneKind::kGpu ? 1 : 0;
  CHECK(gpus == 8);
  CHECK(FindPlane(**trace, "/host:CPU")->tracks.size() == 32);
  CHECK((*trace)->hlo.programs.size() == 8);
  CHECK((*trace)->diagnostics.problems() == 0);
}

TEST_CASE("Loading stops when asked to, and says how far it is") {
  std::stop_source stop;
  stop.request_stop();
  test::GpuProfileOptions options;
  options.steps = 2;
  const std::string path = (std::filesystem::temp_directory_path() /
                            ("stepscope_stop_" + std::to_string(getpid()) + ".xplane.pb"))
                               .string();
  const std::string bytes = test::MakeGpuProfile(options);
  std::ofstream(path, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  Progress progress;
  CHECK(LoadPath(path, {}, stop.get_token(), progress).status().code() == ErrorCode::kCancelled);
  Progress full;
  const auto trace = LoadPath(path, {}, {}, full);
  std::filesystem::remove(path);
  REQUIRE(trace.ok());
  CHECK(full.events.load() == (*trace)->counts.events());
  CHECK(full.bytes_total.load() == bytes.size());
  CHECK(full.bytes_done.load() <= bytes.size());
  CHECK(full.bytes_done.load() > bytes.size() / 2);
}

}  // namespace
}  // namespace stepscope
