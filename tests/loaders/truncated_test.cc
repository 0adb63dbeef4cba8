// A file of any format that ends before it is complete says so once; an event that has lost its end
// does not span the trace.
#include <doctest/doctest.h>

#include <string>

#include "tests/loaders/chrome_json/chrome_support.h"
#include "tests/support/xspace_builder.h"

namespace stepscope {
namespace {

bool Truncated(const char* name, std::string bytes) {
  const auto trace = LoadBytes(name, std::move(bytes), {});
  REQUIRE_MESSAGE(trace.ok(), trace.status().message());
  return (*trace)->truncated();
}

constexpr const char* kEvent = R"({"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":5})";

TEST_CASE("A Chrome trace that is cut says so; a list without its bracket is whole") {
  const std::string event = kEvent, object = "{\"traceEvents\":[" + event + "," + event + "]}";
  CHECK(!Truncated("t.json", object));
  CHECK(!Truncated("t.json", "[" + event + "," + event + "]"));
  CHECK(!Truncated("t.json", "[" + event + "," + event));  // the format allows it
  CHECK(Truncated("t.json", object.substr(0, object.size() - 1)));
  CHECK(Truncated("t.json", object.substr(0, object.size() - 10)));
  CHECK(Truncated("t.json", "[" + event + "," + event.substr(0, 30)));
  const TracePtr trace = Chrome(object.substr(0, object.size() - 10));
  const Diagnostic* d = trace->diagnostics.Find(kTruncated);
  REQUIRE(d != nullptr);
  CHECK(d->count == 1);
  CHECK(d->severity == Severity::kWarning);
  CHECK(d->first.front() == "test.json byte " + std::to_string(object.size() - 10));
}

TEST_CASE("An XSpace that is cut says so") {
  test::XSpaceBuilder space;
  auto& line = space.Plane("/host:CPU").Line(1, "main");
  for (int i = 0; i < 50; ++i) line.Event("event", i * 100, 50);
  const std::string bytes = space.Bytes();
  CHECK(!Truncated("t.xplane.pb", bytes));
  for (const size_t n : {bytes.size() - 1, bytes.size() / 2, size_t{40}})
    CHECK(Truncated("t.xplane.pb", bytes.substr(0, n)));
  // The head of one more plane.
  CHECK(Truncated("t.xplane.pb", bytes + "\x0a"));
}

TEST_CASE(
    "A begin whose end is lost lasts to the last event of its thread, an async one's process") {
  const TracePtr trace = Chrome(R"([
{"ph":"B","name":"main","pid":1,"tid":1,"ts":0},
{"ph":"B","name":"inner","pid":1,"tid":1,"ts":5},
{"ph":"X","name":"last","pid":1,"tid":1,"ts":10,"dur":2},
{"ph":"b","name":"request","cat":"net","id":1,"pid":1,"tid":1,"ts":6},
{"ph":"S","name":"old","cat":"net","id":2,"pid":2,"tid":1,"ts":7},
{"ph":"X","name":"second","pid":2,"tid":1,"ts":9,"dur":1},
{"ph":"X","name":"other","pid":1,"tid":2,"ts":0,"dur":100},
{"ph":"X","name":"third","pid":3,"tid":1,"ts":0,"dur":1000}])");
  const auto end = [&](const char* name) {
    const EventRow row = FindEvent(*trace, name);
    return (trace->set.Start(row) + trace->set.Duration(row)) / kPsPerUs;
  };
  CHECK(end("main") == 12);
  CHECK(end("inner") == 12);
  CHECK(end("request") == 100);
  CHECK(end("old") == 10);
  CHECK(DiagnosticCount(*trace, "chrome.unmatched_begin") == 2);
  CHECK(DiagnosticCount(*trace, "chrome.unmatched_async_begin") == 2);
}

TEST_CASE("Slices that overlap are a note, not problems") {
  const TracePtr trace = Chrome(R"([
{"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":10},
{"ph":"X","name":"b","pid":1,"tid":1,"ts":5,"dur":10}])");
  CHECK(DiagnosticCount(*trace, "track.partial_overlap") == 1);
  CHECK(trace->diagnostics.problems() == 0);
}

TEST_CASE("A host's name says its rank once") {
  const auto host = [](const char* file, const char* rank) {
    const auto trace = LoadBytes(file,
                                 std::string("{\"distributedInfo\":{\"rank\":") + rank +
                                     "},\"traceEvents\":[" + kEvent + "]}",
                                 {});
    REQUIRE(trace.ok());
    return std::string((*trace)->HostName(HostId(0)));
  };
  CHECK(host("rank0.json", "0") == "rank 0");
  CHECK(host("rank_12.json", "12") == "rank 12");
  CHECK(host("Rank-007.json", "7") == "rank 7");
  CHECK(host("sampled_rank3.json", "3") == "sampled_rank3");
  CHECK(host("vm.json", "3") == "vm rank 3");
  CHECK(host("rank1.json", "12") == "rank1 rank 12");
  CHECK(host("rank12.json", "1") == "rank12 rank 1");
}

}  // namespace
}  // namespace stepscope
