// A line in pieces is the line as a whole.
#include "loaders/xplane/lines/line_set.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <stop_token>
#include <string>
#include <vector>

#include "model/base/column.h"
#include "tests/loaders/xplane/lines/line_of_bytes.h"
#include "tests/support/wire.h"

namespace stepscope::xplane {
namespace {

constexpr int64_t kKnownIds = LineOfBytes::kIds;

std::string EventBytes(int64_t id, int64_t begin, int64_t duration, size_t text) {
  std::string event, stat, bytes;
  test::PutInt(&event, 1, id);
  test::PutInt(&event, 2, begin);
  if (duration > 0) test::PutInt(&event, 3, duration);
  test::PutInt(&stat, 1, 7);
  test::PutBytes(&stat, 5, std::string(text, '"'));  // each byte could be the tag of an event
  test::PutBytes(&event, 4, stat);
  test::PutBytes(&bytes, 4, event);
  return bytes;
}

struct TestLine : LineOfBytes {
  using LineOfBytes::LineOfBytes;
  void ParseWhole() { REQUIRE(ParseLine(task.job, &buffer, {}, nullptr, &parsed).ok()); }
  // Returns the number of pieces; 0 if they did not fit together.
  size_t ParseInPieces(uint64_t target) {
    SplitLine split(task);
    REQUIRE(split.Cut(target, &buffer, {}).ok());
    for (size_t p = 0; p < split.pieces(); ++p)
      REQUIRE(ParseLine(split.JobOf(p), &buffer, {}, nullptr, split.parsed(p)).ok());
    in_rooms = 0;
    for (size_t p = 0; p < split.pieces(); ++p)
      in_rooms += split.parsed(p)->slices_in_room + split.parsed(p)->instants_in_room;
    const size_t pieces = split.pieces();
    if (split.Join()) return pieces;
    CHECK(parsed.slices.start.empty());
    ParseWhole();
    return 0;
  }

  ParseBuffer buffer;
  size_t in_rooms = 0;  // events of all pieces
};

template <typename T>
bool Same(const Column<T>& a, const Column<T>& b) {
  return std::ranges::equal(a.span(), b.span());
}

// Metadata, and ids that have none as negative numbers.
std::vector<int64_t> IdsOf(const ParsedLine& line, const RawEvents& events) {
  std::vector<int64_t> out;
  for (const uint32_t meta : events.meta.span())
    out.push_back(meta >= kMissingMeta ? -line.missing[meta - kMissingMeta] : meta);
  return out;
}

bool Same(const RawEvents& a, const RawEvents& b) {
  return Same(a.start, b.start) && Same(a.dur, b.dur) && Same(a.ref, b.ref) &&
         (a.start.empty() || a.ref_base == b.ref_base);
}

void CheckSame(const ParsedLine& a, const ParsedLine& b) {
  CHECK(Same(a.slices, b.slices));
  CHECK(Same(a.instants, b.instants));
  CHECK(a.events == b.events);
  CHECK(a.aggregated == b.aggregated);
  CHECK(a.cut == b.cut);
  CHECK(a.timestamp_after_events == b.timestamp_after_events);
  CHECK(a.timestamp_ns == b.timestamp_ns);
  CHECK(a.display_id == b.display_id);
  CHECK(a.late_id == b.late_id);
  CHECK(a.late_name == b.late_name);
  CHECK(IdsOf(a, a.slices) == IdsOf(b, b.slices));
  CHECK(IdsOf(a, a.instants) == IdsOf(b, b.instants));
  for (size_t k = 0; k < static_cast<size_t>(XspaceDiagnostic::kCount); ++k) {
    const auto kind = static_cast<XspaceDiagnostic>(k);
    CHECK(a.diagnostics.count(kind) == b.diagnostics.count(kind));
  }
}

TEST_CASE("split line: pieces of any size put together are the line") {
  std::mt19937 random(1);
  std::string bytes;
  for (int i = 0; i < 3000; ++i) {
    const int64_t duration = random() % 3 == 0 ? 0 : 900;
    const int64_t id = random() % kKnownIds;
    bytes += EventBytes(id, i * 1000, duration, random() % 60);
  }
  TestLine whole(bytes);
  whole.ParseWhole();
  for (const uint64_t target : {5'000u, 7'919u, 20'000u, 100'000u, 10'000'000u}) {
    CAPTURE(target);
    TestLine line(bytes);
    const size_t pieces = line.ParseInPieces(target);
    CHECK(pieces >= bytes.size() / (target + 1000));
    CHECK(pieces <= bytes.size() / target + 1);
    CHECK(line.in_rooms == (pieces > 1 ? 3000 : 0));
    CheckSame(whole.parsed, line.parsed);
  }
}

TEST_CASE("split line: events that are more than their room are kept all the same") {
  // Wherever the line is cut, its events are large; between there are many small ones.
  constexpr size_t kTarget = 200'000;
  std::string bytes;
  int64_t events = 0;
  for (int piece = 0; piece < 4; ++piece) {
    while (bytes.size() < (piece + 1) * kTarget - 20'000)
      ++events, bytes += EventBytes(1, events * 1000, events % 2 == 0 ? 0 : 500, 0);
    while (bytes.size() < (piece + 1) * kTarget + 40'000)
      ++events, bytes += EventBytes(2, events * 1000, 500, 3'000);
  }
  TestLine whole(bytes), line(bytes);
  whole.ParseWhole();
  CHECK(line.ParseInPieces(kTarget) >= 4);
  CHECK(line.in_rooms < whole.parsed.events / 2);
  CheckSame(whole.parsed, line.parsed);
}

TEST_CASE("split line: some pieces have more events than room, with any ids") {
  std::mt19937 random(3);
  for (int round = 0; round < 20; ++round) {
    CAPTURE(round);
    constexpr size_t kTarget = 100'000;
    std::string bytes;
    int64_t events = 0;
    for (int piece = 0; piece < 5; ++piece) {
      const bool dense = random() % 2 == 0;
      while (bytes.size() < (piece + 1) * kTarget + 40'000) {
        const bool middle =
            bytes.size() > piece * kTarget + 40'000 && bytes.size() < (piece + 1) * kTarget - 5'000;
        const int64_t id = events % 400 == 7 ? 90 + events % 5 : events % kKnownIds;
        const int64_t duration = random() % 3 == 0 ? 0 : 500;
        ++events, bytes += EventBytes(id, events * 1000, duration, dense && middle ? 0 : 150);
      }
    }
    TestLine whole(bytes), line(bytes);
    whole.ParseWhole();
    CHECK(line.ParseInPieces(kTarget) >= 4);
    CheckSame(whole.parsed, line.parsed);
  }
}

TEST_CASE("split line: groups and fields of the line among the events count as in the whole line") {
  std::string bytes;
  for (int i = 0; i < 3000; ++i) {
    bytes += EventBytes(i % kKnownIds, i * 1000, 700, 20);
    if (i % 500 == 100) {
      bytes.push_back('\x7b');  // a group that begins, 15
      bytes += EventBytes(1, 0, 5, 9);
      bytes.push_back('\x7c');  // and ends
    }
    if (i == 400) test::PutInt(&bytes, 10, 6);         // its display id
    if (i == 1700) test::PutInt(&bytes, 3, 12345);     // its time
    if (i == 2500) test::PutBytes(&bytes, 2, "late");  // its name
    if (i == 2600) test::PutInt(&bytes, 1, 77);
  }
  TestLine whole(bytes), line(bytes);
  whole.ParseWhole();
  CHECK(whole.parsed.events == 3000);
  CHECK(whole.parsed.late_name == "late");
  CHECK(line.ParseInPieces(10'000) > 5);
  CheckSame(whole.parsed, line.parsed);
}

TEST_CASE("split line: events keep ids that have no metadata") {
  std::string bytes;
  for (int i = 0; i < 2000; ++i) {
    const bool odd = i % 90 == 50;
    bytes += EventBytes(odd ? 100 + i % 7 : i % kKnownIds, i * 1000, i % 4 == 0 ? 0 : 700, 20);
  }
  TestLine whole(bytes), line(bytes);
  whole.ParseWhole();
  CHECK(line.ParseInPieces(9'000) > 5);
  CHECK(whole.parsed.missing.size() > 1);
  CheckSame(whole.parsed, line.parsed);
}

TEST_CASE("split line: cutting stops when asked, also where no event is found") {
  std::string bytes;
  for (int i = 0; i < 40; ++i) bytes += EventBytes(1, i * 1000, 700, 60'000);
  TestLine line(bytes);
  SplitLine split(line.task);
  std::stop_source stop;
  stop.request_stop();
  CHECK(split.Cut(200'000, &line.buffer, stop.get_token()).code() == ErrorCode::kCancelled);
  CHECK(TestLine(bytes).ParseInPieces(200'000) == 1);
}

TEST_CASE("split line: damaged bytes, which may look like events, change nothing") {
  std::mt19937 random(2);
  int in_pieces = 0, whole_again = 0;
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    std::string bytes;
    std::string fakes;
    for (int i = 0; i < 40; ++i) fakes += EventBytes(1, i, 2, 3);
    for (int i = 0; i < 300; ++i) {
      const int64_t id = random() % kKnownIds;
      bytes += EventBytes(id, i * 1000, i % 3 == 0 ? 0 : 700, random() % 40);
      std::string unknown;
      if (round % 4 == 0 && random() % 20 == 0) test::PutBytes(&unknown, 15, fakes);
      bytes += unknown;
    }
    for (size_t flips = random() % 4; flips > 0; --flips)
      bytes[random() % bytes.size()] ^= static_cast<char>(1 << random() % 8);
    if (random() % 5 == 0) bytes.resize(bytes.size() - random() % 50);
    TestLine whole(bytes), line(bytes);
    whole.ParseWhole();
    const size_t pieces = line.ParseInPieces(1'000 + random() % 5'000);
    in_pieces += pieces > 1;
    whole_again += pieces == 0;
    CheckSame(whole.parsed, line.parsed);
  }
  CHECK(in_pieces > 20);
  CHECK(whole_again > 20);
}

}  // namespace
}  // namespace stepscope::xplane
