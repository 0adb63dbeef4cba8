// Hostile XSpaces: cut anywhere, with flipped bits, or built to do harm. Each gives one clear error
// or a trace of what could be read, and never a crash, a hang or a need for much memory. Each is
// loaded by one thread, so that a failure repeats.
#include <doctest/doctest.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <random>
#include <string>

#include "loaders/files/byte_source.h"
#include "loaders/loader.h"
#include "model/jobs/job.h"
#include "model/string_pool.h"
#include "tests/loaders/compress.h"
#include "tests/support/gpu_profile.h"
#include "tests/support/sanitized.h"
#include "tests/support/source_paths.h"
#include "tests/support/wire.h"
#include "tests/support/xspace_builder.h"

namespace stepscope {
namespace {

using test::XSpaceBuilder;

LoadOptions OneThread() {
  LoadOptions options;
  options.threads = 1;
  options.max_inflated_bytes = uint64_t{256} << 20;
  return options;
}

constexpr size_t kVariants = kSanitized ? 200 : 2'000;  // damaged files a sample
constexpr size_t kPrefixStep = kSanitized ? 11 : 1;

struct Outcome {
  uint64_t events = 0, problems = 0;
  bool ok = false;
  std::string message;
};

// Loads, and reads some stats back: that code meets the same bytes.
Outcome Try(std::string bytes, bool typed) {
  const auto result = LoadBytes("hostile.xplane.pb", std::move(bytes), OneThread());
  Outcome outcome;
  outcome.ok = result.ok();
  if (!result.ok()) {
    outcome.message = result.status().message();
    return outcome;
  }
  const Trace& trace = **result;
  outcome.events = trace.counts.events();
  outcome.problems = trace.diagnostics.problems();
  for (const Diagnostic& d : trace.diagnostics.rows()) outcome.message += d.id + " ";
  for (uint32_t row = 0; row < trace.set.rows; row += trace.set.rows / 3 + 1)
    (void)trace.source->Decode(trace, EventRow(row));
  if (typed) (void)trace.source->LoadTyped(trace, {});
  return outcome;
}

std::string Small() {
  XSpaceBuilder space;
  auto& gpu = space.Plane("/device:GPU:0").Id(3).Stat("gpu_device_name", "A100");
  auto& stream = gpu.Line(14, "Stream #14(Compute)").TimestampNs(1'700'000'000'000'000'000);
  for (int i = 0; i < 20; ++i) {
    stream.Event(i % 2 == 0 ? "kernel" : "copy", i * 1'000, 900)
        .Stat("correlation_id", uint64_t{1} << i)
        .Stat("kernel_details", test::Ref{"regs:3"});
  }
  space.Plane("/host:CPU")
      .Line(-5, "main")
      .TimestampNs(1'700'000'000'000'000'010)
      .Event("call", 0, 50)
      .Event("sum", 0, 5)
      .Occurrences(3);
  space.Plane("/host:metadata")
      .EventMetadata(7, "m(7)")
      .Stat("Hlo Proto", test::Bytes{"\x0a\x05\x0a\x03"
                                     "abc"});
  space.Plane("Task Environment").Stat("profile_start_time", uint64_t{1'700'000'000'000'000'000});
  space.Plane("/device:TPU:0")
      .Line(1, "_counters_")
      .TimestampNs(1'700'000'000'000'000'020)
      .Event("HBM", 0, 0)
      .Stat("value", 1.5);
  space.Error("error").Warning("warning").Hostname("host");
  return space.Bytes();
}

TEST_CASE("Every prefix of a small file") {
  const std::string bytes = Small();
  REQUIRE(bytes.size() <= 32 << 10);
  const Outcome whole = Try(bytes, true);
  REQUIRE(whole.ok);
  INFO(whole.message);
  CHECK(whole.problems == 0);
  uint64_t before = 0, loaded = 0, silent = 0, shrunk = 0;
  for (size_t n = 0; n <= bytes.size(); n += kPrefixStep) {
    const Outcome o = Try(bytes.substr(0, n), n % 16 == 0);
    loaded += o.ok;
    // A cut between two fields of the space is not damage; any other cut must be reported.
    silent += o.ok && o.problems == 0 && n < bytes.size();
    shrunk += o.ok && o.events < before;
    if (o.ok) before = o.events;
    if (!o.ok) CHECK(o.message.find("hostile.xplane.pb") != std::string::npos);
  }
  CHECK(loaded > bytes.size() / kPrefixStep / 2);
  CHECK(silent <= 9);
  CHECK(shrunk == 0);  // more bytes never give fewer events
  CHECK(before <= whole.events);
  if (kPrefixStep == 1) CHECK(before == whole.events);
}

std::string Flip(std::string bytes, std::mt19937* random) {
  for (uint32_t k = 0, n = (*random)() % 8; k <= n; ++k) {
    // Most heads of messages are in the first KB, so it is hit more often.
    const size_t span = (*random)() % 4 == 0 ? std::min<size_t>(1'024, bytes.size()) : bytes.size();
    const size_t at = (*random)() % span;
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << (*random)() % 8));
  }
  return bytes;
}

// Loads 1,000 prefixes and 1,000 files with a few flipped bits, the same ones on every machine.
// Each has a seed of its own, so they may run in parallel.
void Mangle(const std::string& bytes, uint32_t seed) {
  std::atomic<int> salvaged{0};
  ParallelFor(kVariants, [&](size_t i) {
    std::mt19937 random(seed * 10'000 + static_cast<uint32_t>(i));
    std::string text = i % 2 == 0 ? bytes.substr(0, random() % bytes.size()) : Flip(bytes, &random);
    if (Try(std::move(text), i % 50 < 2).ok) ++salvaged;
  });
  CHECK(salvaged > 0);
}

TEST_CASE("Seeded prefixes and bit flips of the samples, within a minute") {
  const auto begin = std::chrono::steady_clock::now();
  Mangle(Small(), 1);
  const std::filesystem::path data = test::SourcePath("tests/data");
  uint32_t seed = 2;
  for (const auto& entry : std::filesystem::directory_iterator(data)) {
    const std::string path = entry.path().string();
    if (path.find(".xplane.pb") == std::string::npos) continue;
    CAPTURE(path);
    const auto source = OpenByteSource(path, uint64_t{1} << 30, {}, nullptr);
    REQUIRE(source.ok());
    const auto bytes = (*source)->bytes();
    Mangle({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, seed++);
  }
  MESSAGE(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), " s");
}

TEST_CASE("Lengths beyond the end are cut there and counted") {
  for (const int depth : {1, 2, 3, 4}) {
    // A plane, a line, an event and a stat with wrong lengths.
    std::string inner;
    test::PutUint(&inner, 1, 1);
    if (depth == 1) test::PutBytes(&inner, 2, "/host:CPU");
    std::string bytes = inner;
    for (int d = depth; d >= 1; --d) {
      const uint32_t field = d == 1 ? 1 : d == 2 ? 3 : 4;
      std::string outer;
      test::PutTag(&outer, field, test::WireType::kBytes);
      test::PutVarint(&outer, d == depth ? 0xfffffffffffffffful : bytes.size());
      bytes = outer + bytes;
    }
    const Outcome o = Try(bytes, true);
    CHECK(o.ok);
    CHECK(o.problems >= 1);
    CHECK(o.events == (depth >= 3 ? 1 : 0));
  }
}

TEST_CASE("Wire types, groups, tags and varints in wrong places are skipped") {
  const auto with_event_bytes = [](const std::string& event) {
    XSpaceBuilder space;
    auto& line = space.Plane("/host:CPU").Line(1, "a");
    line.Event("before", 0, 5).Raw(event);
    line.Event("after", 10, 5);
    return Try(space.Bytes(), true);
  };
  std::string overlong(11, '\xff'), group, fixed, reserved = "\x0f", zero_tag("\0\0", 2);
  test::PutVarint(&group, 7 << 3 | 3);
  test::PutUint(&group, 1, 77);
  test::PutVarint(&group, 7 << 3 | 4);
  test::PutFixed64(&fixed, 1, 5);
  for (const std::string& garbage :
       {overlong, reserved, zero_tag, std::string("\x08"), std::string("\x22\x7f")}) {
    const Outcome o = with_event_bytes(garbage);
    CHECK(o.events == 2);
    CHECK(o.problems == 1);
  }
  CHECK(with_event_bytes(group).problems == 0);  // an unknown group is legal
  CHECK(with_event_bytes(fixed).problems == 1);  // a known field of another type
  std::string deep;
  for (int i = 0; i < 100'000; ++i) test::PutVarint(&deep, 7 << 3 | 3);
  CHECK(with_event_bytes(deep).problems == 1);
}

TEST_CASE("A million planes, lines and metadata entries stay within bounds") {
  std::string planes, lines, line_plane, metas, meta_plane;
  for (int i = 0; i < 1'000'000; ++i) {
    test::PutBytes(&planes, 1, "");
    test::PutBytes(&lines, 3, "");
    test::PutBytes(&metas, 4, "");
  }
  test::PutBytes(&line_plane, 1, lines);
  test::PutBytes(&meta_plane, 1, metas);
  const Outcome many_planes = Try(planes, true), many_lines = Try(line_plane, true),
                many_metas = Try(meta_plane, true);
  CHECK(many_planes.problems == 900'000);
  CHECK(many_lines.problems == 500'000);
  CHECK(many_metas.problems == 999'999);  // all of one id
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  // KiB, of this whole test program. A sanitizer keeps what was freed, so its memory is not the
  // program's.
  if (!kSanitized) CHECK(usage.ru_maxrss < 1'000'000);
}

TEST_CASE("Sparse ids do not make dense tables") {
  XSpaceBuilder space;
  auto& plane = space.Plane("/host:CPU");
  auto& line = plane.Line(1, "a");
  for (int i = 0; i < 1'000; ++i) {
    const int64_t id = static_cast<int64_t>(0x9e3779b97f4a7c15ull * static_cast<uint64_t>(i + 1));
    plane.EventMetadata(id, "e" + std::to_string(i));
    line.EventById(id, i * 10, 5);
  }
  const Outcome o = Try(space.Bytes(), true);
  CHECK(o.events == 1'000);
  CHECK(o.problems == 0);
}

TEST_CASE("Thousands of nested and of overlapping events") {
  XSpaceBuilder space;
  auto& plane = space.Plane("/host:CPU");
  auto& nested = plane.Line(1, "nested");
  for (int i = 0; i < 1'000; ++i) nested.Event("n", i, 2'000'000 - 2 * i);
  auto& overlapping = plane.Line(2, "overlapping");
  for (int i = 0; i < 10'000; ++i) overlapping.Event("o", i * 10, 1'000'000);
  const Outcome o = Try(space.Bytes(), true);
  CHECK(o.events == 11'000);
}

// An XSpace of one plane with a name of `size` zeros: a thousandth of that when compressed.
std::string Bomb(size_t size) {
  std::string plane, space;
  test::PutBytes(&plane, 2, std::string(size, '\0'));
  test::PutBytes(&space, 1, plane);
  return space;
}

TEST_CASE("A gzip or zstd bomb stops at the limit, which the error names") {
  const std::string bomb = Bomb(size_t{300} << 20);  // the limit of these tests is 256 MiB
  for (const std::string& file : {Gzip(bomb), Zstd(bomb)}) {
    CHECK(file.size() < bomb.size() / 100);
    const Result<std::shared_ptr<const Trace>> result =
        LoadBytes("bomb.xplane.pb", file, OneThread());
    REQUIRE(!result.ok());
    CHECK(result.status().code() == ErrorCode::kLimit);
    CHECK(result.status().message().find("256") != std::string::npos);
    LoadOptions more = OneThread();
    more.max_inflated_bytes = uint64_t{512} << 20;
    CHECK(LoadBytes("bomb.xplane.pb", file, more).ok());
  }
}

TEST_CASE("Any number of duplicate and missing metadata entries is handled") {
  XSpaceBuilder space;
  auto& plane = space.Plane("/host:CPU");
  auto& line = plane.Line(1, "a");
  for (int i = 0; i < 1'000; ++i) {
    plane.EventMetadata(1 + i % 10, "e" + std::to_string(i));
    line.EventById(1 + i % 20, i * 10, 5).StatById(i, 7);
  }
  const Outcome o = Try(space.Bytes(), true);
  CHECK(o.events == 1'000);
  CHECK(o.problems > 0);
  CHECK(o.message.find("duplicate") != std::string::npos);
  CHECK(o.message.find("missing") != std::string::npos);
}

TEST_CASE("Empty files and text are errors that say so") {
  CHECK(Try("", false).message.find("empty") != std::string::npos);
  CHECK(!Try(std::string(1'000, '\0'), false).ok);
  CHECK(!Try(std::string(1'000, '\xff'), false).ok);
  CHECK(!Try("hello, this is text", false).ok);
  // Text conversion has replaced the binary bytes, so nothing is worth showing.
  std::string mangled = "\x0a";
  for (int i = 0; i < 100; ++i) mangled += "\xef\xbf\xbd\x06\x08\x02\x12\x0a/device:TPU";
  const Outcome text = Try(mangled, false);
  CHECK(!text.ok);
  CHECK(text.message.find("text conversion") != std::string::npos);
  const std::string corrupt = test::SharedPath("profiles/corrupt_tpu");
  if (!std::filesystem::exists(corrupt)) {
    MESSAGE("SKIPPED: no " << corrupt);
    return;
  }
  Progress progress;
  const Status status = LoadPath(corrupt, OneThread(), {}, progress).status();
  CHECK(status.code() == ErrorCode::kFormat);
  CHECK(status.message().find("text conversion") != std::string::npos);
}

}  // namespace
}  // namespace stepscope
