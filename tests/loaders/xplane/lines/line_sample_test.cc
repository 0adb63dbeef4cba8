#include "loaders/xplane/lines/line_sample.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "tests/loaders/xplane/lines/line_of_bytes.h"
#include "tests/support/wire.h"
#include "tests/support/xspace_builder.h"

namespace stepscope::xplane {
namespace {

// A line of events, one each 1000 ps, which run for 700 ps.
std::string LineBytes(int events) {
  test::XSpaceBuilder space;
  auto& line = space.Plane("p").Line(1, "l");
  std::string bytes;
  for (int i = 0; i < events; ++i)
    test::PutBytes(&bytes, 4, line.EventById(i % 5, i * 1000, 700).Stat("s", uint64_t{9}).Encode());
  return bytes;
}

struct OneLine : LineOfBytes {
  explicit OneLine(const std::string& bytes) : LineOfBytes(bytes) {
    line.task = task;
    limits.both_ends = limits.rest = std::chrono::hours(1);
  }
  Status Run(const std::stop_token& stop = {}) { return SampleLines({&line, 1}, limits, 1, stop); }

  SampledLine line;
  SampleLimits limits;
};

TEST_CASE("line sample: a long line becomes a slice for each place, a short one is whole") {
  OneLine small(LineBytes(1000));
  REQUIRE(small.Run().ok());
  CHECK(small.parsed.slices.start.size() == 1000);

  OneLine large(LineBytes(100'000));
  REQUIRE(large.Run().ok());
  const RawEvents& slices = large.parsed.slices;
  REQUIRE(slices.start.size() >= 250);
  CHECK(slices.start.size() <= 258);
  CHECK(slices.start[0] == 0);
  CHECK(slices.start[slices.start.size() - 1] > 99'700 * 1000);
  Ps busy = 0;
  for (size_t i = 0; i < slices.start.size(); ++i) {
    CHECK(slices.start[i] % 1000 == 0);
    CHECK(slices.meta[i] >= 10);
    busy += slices.dur[i];
    if (i > 0) CHECK(slices.start[i - 1] + slices.dur[i - 1] <= slices.start[i]);
  }
  CHECK(busy == large.parsed.busy);
  CHECK(static_cast<double>(busy) == doctest::Approx(0.7e8).epsilon(0.01));
}

TEST_CASE("line sample: events that are kept as they are have their places in the file") {
  const std::string bytes = LineBytes(100'000);
  OneLine line(bytes);
  line.line.as_read = true;
  REQUIRE(line.Run().ok());
  const RawEvents& slices = line.parsed.slices;
  CHECK(slices.start.size() > 4000);
  for (size_t i = 0; i < slices.start.size(); ++i) {
    CHECK(slices.dur[i] == 700);
    CHECK(bytes[slices.ref[i] - 1] == '\x22');
  }
}

TEST_CASE("line sample: long events are found, too, and a line without events is empty") {
  test::XSpaceBuilder space;
  auto& built = space.Plane("p").Line(1, "l");
  std::string bytes;
  for (int i = 0; i < 200; ++i) {
    auto& event = built.EventById(1, i * 1000, 900).Stat("text", std::string(5000, 'x'));
    test::PutBytes(&bytes, 4, event.Encode());
  }
  OneLine line(bytes);
  REQUIRE(line.Run().ok());
  CHECK(line.parsed.slices.start.size() >= 8);
  CHECK(line.parsed.diagnostics.any() == false);
  OneLine noise(std::string(1 << 20, '\x7f'));
  REQUIRE(noise.Run().ok());
  CHECK(noise.parsed.slices.start.empty());
}

TEST_CASE("line sample: without the time for both ends, or with too many lines, there is none") {
  OneLine line(LineBytes(100'000));
  line.limits.both_ends = std::chrono::milliseconds(-1);
  CHECK(line.Run().code() == ErrorCode::kLimit);
  OneLine ends(LineBytes(100'000));
  ends.limits.rest = std::chrono::milliseconds(-1);
  REQUIRE(ends.Run().ok());
  CHECK(ends.parsed.slices.start.size() >= 2);
  CHECK(ends.parsed.slices.start.size() <= 3);
  OneLine few(LineBytes(100'000));
  few.limits.places = 3;
  CHECK(few.Run().code() == ErrorCode::kLimit);
  std::stop_source stop;
  stop.request_stop();
  OneLine stopped(LineBytes(100'000));
  CHECK(stopped.Run(stop.get_token()).code() == ErrorCode::kCancelled);
}

}  // namespace
}  // namespace stepscope::xplane
