// Launches and groups of device work, by correlation ids that are dense or far apart.
#include "model/analysis/grouping/launch_index.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>

#include "loaders/loader.h"
#include "model/analysis/analysis.h"
#include "model/analysis/grouping/grouping.h"
#include "tests/support/xspace_builder.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

// By name of the work: the name of its call ("" if unknown) and of its group.
using Found = std::map<std::string, std::pair<std::string, std::string>>;

Found FindIn(const std::shared_ptr<const Trace>& trace) {
  const TrackSet& set = trace->set;
  AnalysisContext context(trace, Definitions::kStepscope);
  const Grouping& grouping = context.Get<Grouping>();
  Found found;
  for (uint32_t row = 0; row < set.rows; ++row) {
    const EventRow call = grouping.LaunchOf(row);
    const EventGroup* group = grouping.GroupOf(EventRow(row));
    found[std::string(set.Name(EventRow(row)))] = {call.valid() ? std::string(set.Name(call)) : "",
                                                   group != nullptr ? group->name : ""};
  }
  return found;
}

Found FindAll(const test::XSpaceBuilder& b) {
  auto trace = LoadBytes("h.xplane.pb", b.Bytes(), {});
  REQUIRE(trace.ok());
  return FindIn(*trace);
}

// Two threads, each with a step. Where calls have one id, that of the last thread counts, and of a
// thread's calls the last in time, on whichever lane it lies.
test::XSpaceBuilder TwoThreads(uint64_t scale) {
  test::XSpaceBuilder b;
  auto& kernels = b.Plane("/device:GPU:0").Line(14, "Stream #14");
  auto& host = b.Plane("/host:CPU");
  auto& one = host.Line(1, "one");
  auto& two = host.Line(2, "two");
  const auto call = [scale](test::LineBuilder& line, const char* name, int64_t at, uint64_t id) {
    line.Event(name, at, 10).Stat("correlation_id", id * scale);
  };
  one.Event("train", 0, 1'000).Stat("_r", int64_t{1}).Stat("step_num", 3);
  call(one, "first", 100, 1);
  call(one, "early", 200, 2);
  call(one, "late", 300, 2);
  call(one, "overtaken", 900, 3);
  two.Event("train", 2'000, 1'000).Stat("_r", int64_t{1}).Stat("step_num", 4);
  call(two, "overtakes", 2'100, 3);
  int64_t at = 4'000;
  for (const uint64_t id : {1, 2, 3, 4}) {
    kernels.Event("k" + std::to_string(id), at, 50).Stat("correlation_id", id * scale);
    at += 100;
  }
  return b;
}

TEST_CASE("launches: the last call of an id counts, whether ids are dense or not") {
  for (const uint64_t scale : {uint64_t{1}, uint64_t{1} << 40}) {
    CAPTURE(scale);
    Found found = FindAll(TwoThreads(scale));
    CHECK(found["k1"] == std::pair<std::string, std::string>("first", "train 3"));
    CHECK(found["k2"] == std::pair<std::string, std::string>("late", "train 3"));
    CHECK(found["k3"] == std::pair<std::string, std::string>("overtakes", "train 4"));
    CHECK(found["k4"].first.empty());
  }
}

TEST_CASE("launches: each host's work belongs to that host's calls and contexts") {
  const fs::path folder = fs::temp_directory_path() / fmt::format("stepscope_hosts_{}", getpid());
  fs::create_directories(folder / "plugins/profile/run");
  for (const std::string host : {"a", "b", "c"}) {
    test::XSpaceBuilder b;
    b.Hostname(host);
    auto& threads = b.Plane("/host:CPU");
    threads.Line(1, "one")
        .Event("train " + host, 0, 1'000)
        .Stat("_r", int64_t{1})
        .Stat("step_num", 3)
        .Event("call " + host, 100, 10)
        .Stat("correlation_id", uint64_t{7})
        .Event("sends " + host, 200, 10)
        .Stat("_pt", int64_t{2})
        .Stat("_p", uint64_t{77});
    threads.Line(2, "two")
        .Event("gets " + host, 2'000, 500)
        .Stat("_ct", int64_t{2})
        .Stat("_c", uint64_t{77});
    b.Plane("/device:GPU:0")
        .Line(14, "Stream #14")
        .Event("work " + host, 4'000, 50)
        .Stat("correlation_id", uint64_t{7});
    std::ofstream(folder / "plugins/profile/run" / (host + ".xplane.pb")) << b.Bytes();
  }
  Progress progress;
  auto trace = LoadPath(folder.string(), {}, {}, progress);
  fs::remove_all(folder);
  REQUIRE(trace.ok());
  Found found = FindIn(*trace);
  for (const std::string host : {"a", "b", "c"}) {
    CAPTURE(host);
    const std::string step = "train " + host + " 3";
    CHECK(found["work " + host] == std::pair("call " + host, step));
    CHECK(found["gets " + host].second == step);
  }
}

TEST_CASE("launches: work inside of work joins the group of the first step that reaches it") {
  test::XSpaceBuilder b;
  auto& work = b.Plane("/device:GPU:0").Line(14, "Stream #14");
  auto& host = b.Plane("/host:CPU").Line(1, "one");
  for (const int64_t step : {0, 1}) {
    host.Event("train", step * 1'000, 900).Stat("_r", int64_t{1}).Stat("step_num", step);
    host.Event("call", step * 1'000 + 100, 10).Stat("correlation_id", uint64_t(step) + 1);
  }
  // The second step's call queued the outer event, and the first step's what lies inside of it.
  work.Event("outer", 5'000, 500).Stat("correlation_id", uint64_t{2});
  work.Event("inner", 5'100, 100).Stat("correlation_id", uint64_t{1});
  work.Event("inside", 5'300, 100);
  work.Event("apart", 6'000, 100).Stat("correlation_id", uint64_t{2});
  Found found = FindAll(b);
  CHECK(found["outer"].second == "train 1");
  CHECK(found["inner"].second == "train 0");
  CHECK(found["inside"].second == "train 1");
  CHECK(found["apart"].second == "train 1");
}

}  // namespace
}  // namespace stepscope
