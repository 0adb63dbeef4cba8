#include "viewer/core/search/search.h"

#include <doctest/doctest.h>

#include "tests/support/stopped_job.h"
#include "tests/viewer/viewer_fixture.h"

namespace stepscope {
namespace {

TEST_CASE("first named: the one that begins first, on whatever track") {
  test::TraceMaker maker;
  const PlaneId plane = maker.Plane("GPU", PlaneKind::kGpu);
  maker.Track(plane, "1", TrackKind::kStream, {{"copy", 10, 5}, {"Gemm_b", 30, 5}});
  maker.Track(plane, "2", TrackKind::kStream, {{"gemm_a", 20, 5}, {"gemm", 40, 5}});
  const auto trace = maker.Finish();
  const auto name = [&](std::string_view text) {
    const EventRow row = FirstNamed(*trace, text);
    return row.valid() ? std::string(trace->set.Name(row)) : std::string("none");
  };
  CHECK(name("gemm") == "gemm_a");
  CHECK(name("GEMM_B") == "Gemm_b");
  CHECK(name("=gemm") == "gemm");
  CHECK(name("") == "copy");
  CHECK(name("absent") == "none");
  CHECK_THROWS_AS(test::RunStopped([&] { FirstNamed(*trace, "gemm"); }), Stopped);
}

TEST_CASE("first named: it may begin at the greatest time") {
  test::TraceMaker maker;
  const PlaneId plane = maker.Plane("GPU", PlaneKind::kGpu);
  maker.Track(plane, "1", TrackKind::kStream, {{"copy", 10, 5}, {"last", kMaxPs, 0}});
  const auto trace = maker.Finish();
  const EventRow row = FirstNamed(*trace, "last");
  REQUIRE(row.valid());
  CHECK(trace->set.Start(row) == kMaxPs);
}

}  // namespace
}  // namespace stepscope
