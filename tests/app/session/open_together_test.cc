#include "app/session/open_together.h"

#include <doctest/doctest.h>

#include <fstream>

#include "tests/app/temp_dir.h"

namespace stepscope {
namespace {

bool SameJob(const char* a, const char* b) {
  const bool one_way = AreOfOneJob({a, -1, -1}, {b, -1, -1});
  CHECK(one_way == AreOfOneJob({b, -1, -1}, {a, -1, -1}));
  return one_way;
}

TEST_CASE("open together: ranks and hosts are recognised by their paths") {
  for (const auto& [a, b] :
       {std::pair{"/x/rank0.json", "/x/rank1.json"},
        {"/x/rank_9.json.gz", "/x/rank_10.json.gz"},
        {"/job/worker-1/trace.json", "/job/worker-2/trace.json"},
        {"/job/node0/gpu3.json", "/job/node1/gpu0.json"},
        {"/x/MyHost7.xplane.pb", "/x/MyHost8.xplane.pb"},
        {"/l/plugins/profile/r1/alpha.xplane.pb", "/l/plugins/profile/r1/beta.xplane.pb"}}) {
    CAPTURE(a);
    CHECK(SameJob(a, b));
  }
}

TEST_CASE("open together: other pairs of paths are not of one job") {
  for (const auto& [a, b] :
       {std::pair{"/x/before.json", "/x/after.json"},
        {"/x/run1.json", "/x/run2.json"},
        {"/x/trace1.json", "/x/trace2.json"},
        {"/x/rank0.json", "/y/rank1.json"},
        {"/x/rank0.json", "/x/rank1.json.gz"},
        {"/x/rank0.json", "/x/rank.json"},
        {"/x/rank0.json", "/x/rank0.json"},
        {"/l/plugins/profile/r1/a.xplane.pb", "/l/plugins/profile/r2/a.xplane.pb"},
        {"/l/plugins/profile/r1", "/l/plugins/profile/r2"},
        {"/frank1/a.json", "/x/a.json"},
        {"/x", "/x/a.json"}}) {
    CAPTURE(a);
    CHECK_FALSE(SameJob(a, b));
  }
}

TEST_CASE("open together: the rank in a file counts before its name") {
  const ProfileHint zero{"/x/a.json", 0, 8}, one{"/y/b.json", 1, 8}, other{"/y/c.json", 1, 4},
      again{"/x/rank1.json", 0, 8};
  CHECK(AreOfOneJob(zero, one));
  CHECK_FALSE(AreOfOneJob(zero, other));
  CHECK_FALSE(AreOfOneJob(zero, again));
}

TEST_CASE("open together: a rank is read from the head of a file") {
  const TempDir dir;
  const auto write = [&](const char* name, const std::string& text) {
    const std::string path = (dir.path() / name).string();
    std::ofstream(path) << text;
    return path;
  };
  const ProfileHint hint = ReadProfileHint(
      write("a.json", R"({"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": 3,
        "world_size": 16, "pg_count": 1}, "traceEvents": [{"args": {"rank": 9}}]})"));
  CHECK(hint.rank == 3);
  CHECK(hint.world_size == 16);
  CHECK(ReadProfileHint(write("b.json", R"({"distributedInfo": {"backend": "none"}, "rank": 5})"))
            .rank == -1);
  CHECK(ReadProfileHint(write("c.json", R"({"distributedInfo": {"rank": )")).rank == -1);
  CHECK(ReadProfileHint(write("d.json", "")).rank == -1);
  CHECK(ReadProfileHint((dir.path() / "absent").string()).rank == -1);
  CHECK(ReadProfileHint(dir.path().string() + "/./x/..").path == dir.path().string() + "/");
}

}  // namespace
}  // namespace stepscope
