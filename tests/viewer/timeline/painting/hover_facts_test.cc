#include "viewer/timeline/painting/timeline_painter.h"

#include <doctest/doctest.h>

#include <string_view>

#include "loaders/loader.h"
#include "tests/support/kineto_text.h"
#include "tests/viewer/open_trace.h"

namespace stepscope {
namespace {

EventRef Named(const Profile& profile, std::string_view name) {
  const TrackSet& set = profile.trace->set;
  for (uint32_t row = 0; row < set.rows; ++row)
    if (set.Name(EventRow(row)) == name) return {profile.id, 0, EventRow(row)};
  return {};
}

TEST_CASE("hover facts: a kernel's op, queue, grid and block; host events have none") {
  test::KinetoText text;
  text.Host("cpu_op", "aten::mm", 0, 30).Launch(1, 2, 3).Launch(2, 8, 2);
  text.Kernel("first", 1, 20, 10);
  text.Kernel("gemm", 2, 32, 5, "\"grid\":[8,2,1],\"block\":[128,1,1]");
  const auto trace = LoadBytes("t.json", text.Text(), {});
  REQUIRE(trace.ok());
  const Profile profile = ProfileOf(ProfileId(3), *trace);
  HoverFacts facts;
  const std::vector<std::string> gemm = facts.Of(profile, Named(profile, "gemm"));
  REQUIRE(gemm.size() == 3);
  CHECK(gemm[0] == "launched in aten::mm");
  CHECK(gemm[1] == "began 22 \u00b5s after its launch, behind 1 queued event");
  CHECK(gemm[2] == "grid 8 \u00d7 2 \u00d7 1, block 128 \u00d7 1 \u00d7 1");
  CHECK(facts.Of(profile, Named(profile, "aten::mm")).empty());
  CHECK(facts.Of(profile, Named(profile, "gemm")) == gemm);
}

}  // namespace
}  // namespace stepscope
