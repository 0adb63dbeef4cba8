// Damaged and unusual JSON: what the reader makes of it.
#include "loaders/chrome_json/event_reader.h"

#include <doctest/doctest.h>

#include <string>

#include "tests/loaders/chrome_json/chrome_support.h"

namespace stepscope {
namespace {

constexpr const char* kTwo =
    "Process 1 / Thread 2 | 0 | 1000000+3000000 a\n"
    "Process 1 / Thread 2 | 1 | 2000000+1000000 b\n";

std::string Event(const char* name, const char* ts, const char* dur) {
  return std::string(R"({"ph":"X","pid":1,"tid":2,"name":")") + name + R"(","ts":)" + ts +
         R"(,"dur":)" + dur + "}";
}

TEST_CASE("chrome reader: object and array form, spaces, byte order mark, trailing empty event") {
  const std::string a = Event("a", "1", "3"), b = Event("b", "2", "1");
  CHECK(Dump(*Chrome("[" + a + "," + b + "]")) == kTwo);
  CHECK(Dump(*Chrome("\xef\xbb\xbf {\n\"traceEvents\" : [ " + a + " ,\n" + b + " ]\n}\n")) == kTwo);
  const TracePtr trace =
      Chrome(R"({"displayTimeUnit":"ns","metadata":{"highres-ticks":true},"traceEvents":[)" + a +
             "," + b + ",{}]}");
  CHECK(Dump(*trace) == kTwo);
  CHECK(DiagnosticCount(*trace, "chrome.empty_event") == 1);
  CHECK(trace->diagnostics.problems() == 0);
}

TEST_CASE("chrome reader: numbers as strings, decimals and exponents") {
  const std::string text = R"([{"ph":"X","pid":"1","tid":"2","name":"a","ts":"1.0","dur":"3e0"},)" +
                           Event("b", "0.2e1", "1000000e-6") + "]";
  CHECK(Dump(*Chrome(text)) == kTwo);
}

TEST_CASE("chrome reader: defects that are repaired, each counted") {
  const std::string a = Event("a", "1", "3"), b = Event("b", "2", "1");
  struct Case {
    const char* what;
    std::string text;
  };
  const Case cases[] = {
      {"trailing comma", "[" + a + "," + b + ",]"},
      {"two commas", "[" + a + ",," + b + "]"},
      {"missing comma", "[" + a + " " + b + "]"},
      {"comma in the object",
       "[" + a + R"(,{"ph":"X","pid":1,"tid":2,,"name":"b","ts":2,"dur":1,}])"},
      {"missing comma in the object",
       "[" + a + R"(,{"ph":"X" "pid":1,"tid":2,"name":"b","ts":2,"dur":1}])"},
      {"missing value",
       "[" + a + R"(,{"ph":"X","pid":1,"tid":2,"id":,"name":"b","ts":2,"dur":1}])"},
      {"NaN in arguments",
       "[" + a +
           R"(,{"ph":"X","pid":1,"tid":2,"args":{"x":NaN,"y":-Infinity},"name":"b","ts":2,"dur":1}])"},
      {"NaN for an id",
       "[" + Event("a", "1", "3") +
           R"(,{"ph":"X","pid":1,"tid":2,"id":NaN,"name":"b","ts":2,"dur":1.0e0}])"},
      {"never closed", "[" + a + "," + b},
      {"never closed, comma", "[" + a + "," + b + ",\n"},
      {"object never closed", "{\"traceEvents\":[" + a + "," + b + "]"},
      {"cut in an event", "[" + a + "," + b + R"(,{"ph":"X","pid":1,"ti)"},
      {"cut in a string", "[" + a + "," + b + R"(,{"ph":"X","name":"abc\)"},
      {"no object", "[" + a + ",17,\"text\",null,[1]," + b + "]"},
      {"garbage between", "[" + a + ",}}:: \x01," + b + "]"},
      {"broken event between", "[" + a + R"(,{"ph":"X",17:"x","ts":5},)" + b + "]"},
      {"duplicate keys, the last counts",
       "[" + a +
           R"(,{"ph":"B","ph":"X","pid":1,"tid":2,"name":"x","name":"b","ts":9,"ts":2,"dur":1}])"},
      {"list ends early", "[" + a + "]," + b + "]"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.what);
    CHECK(Dump(*Chrome(c.text)) == kTwo);
  }
}

TEST_CASE("chrome reader: what is lost is counted with its first byte offset") {
  const std::string a = Event("a", "1", "3"), b = Event("b", "2", "1");
  const TracePtr cut = Chrome("[" + a + "," + b + R"(,{"ph":"X","pid":1)");
  CHECK(DiagnosticCount(*cut, "chrome.truncated_event") == 1);
  CHECK(FirstPlace(*cut, "chrome.truncated_event") ==
        "test.json byte " + std::to_string(1 + a.size() + 1 + b.size() + 1));
  CHECK(DiagnosticCount(*cut, "chrome.unterminated") == 1);

  const TracePtr unusable =
      Chrome("[" + a + "," + b + R"(,{"ph":"X","name":"no time"},{"name":"no phase","ts":1})" +
             R"(,{"ph":"?","ts":1},{"ph":"X","ts":NaN},{"ph":"c","ts":1},3])");
  CHECK(Dump(*unusable) == kTwo);
  CHECK(DiagnosticCount(*unusable, "chrome.no_timestamp") == 2);
  CHECK(FirstPlace(*unusable, "chrome.no_timestamp") ==
        "test.json byte " + std::to_string(a.size() + b.size() + 3));
  CHECK(DiagnosticCount(*unusable, "chrome.no_phase") == 1);
  CHECK(DiagnosticCount(*unusable, "chrome.unknown_phase") == 1);
  CHECK(DiagnosticCount(*unusable, "chrome.ignored_phase") == 1);
  CHECK(DiagnosticCount(*unusable, "chrome.not_an_object") == 1);

  // One event far away must not cost the others.
  const TracePtr far = Chrome("[" + Event("far", "1e19", "1") + "," + a + "," + b + "]");
  CHECK(Dump(*far) == kTwo);
  CHECK(DiagnosticCount(*far, "chrome.time_out_of_range") == 1);

  const TracePtr durations =
      Chrome(R"([{"ph":"X","ts":1,"name":"a","pid":1,"tid":2},)" + Event("b", "2", "-1") + "]");
  CHECK(Dump(*durations) ==
        "Process 1 / Thread 2 | 0 | 1000000+0 a\nProcess 1 / Thread 2 | 0 | 2000000+0 b\n");
  CHECK(DiagnosticCount(*durations, "chrome.no_duration") == 1);
  const TracePtr endless =
      Chrome("[" + Event("a", "1", "Infinity") + "," + Event("b", "2", "-Infinity") + "," +
             Event("c", "3", "NaN") + "]");
  CHECK(endless->counts.slices == 3);
  CHECK(DiagnosticCount(*endless, "chrome.no_duration") == 3);
  CHECK(DiagnosticCount(*durations, "chrome.negative_duration") == 1);
}

TEST_CASE("chrome reader: control characters, bad UTF-8 and odd escapes in names") {
  const auto name_of = [](const std::string& name) {
    const TracePtr trace =
        Chrome(R"([{"ph":"X","ts":1,"dur":1,"pid":1,"tid":1,"name":")" + name + "\"}]");
    REQUIRE(trace->set.rows == 1);
    return std::string(trace->set.Name(EventRow(0)));
  };
  CHECK(name_of("tab\there\nand line") == "tab\there\nand line");
  CHECK(name_of("caf\xe9!") == "caf\xef\xbf\xbd!");
  CHECK(name_of("\\u00e9 \\ud83d\\ude00 \\n \\/") == "\xc3\xa9 \xf0\x9f\x98\x80 \n /");
  CHECK(name_of("\\ud83d alone") == "\xef\xbf\xbd alone");
  CHECK(name_of("C:\\work\\x") == "C:\\work\\x");
  CHECK(name_of("nul\\u0000in") == std::string("nul\0in", 6));
  CHECK(DiagnosticCount(*Chrome("[{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"name\":\"\xff\"}]"),
                        "chrome.invalid_utf8") == 1);
}

TEST_CASE("chrome reader: nothing usable is an error that says so") {
  for (const char* text : {"{}", "{\"a\": 1}", "hello", "{\"traceEvents\": 5}", "\"text\"", "17"}) {
    CAPTURE(text);
    const Result<TracePtr> trace = TryChrome(text);
    REQUIRE(!trace.ok());
    CHECK(trace.status().code() == ErrorCode::kFormat);
    CHECK(trace.status().message().find("test.json") != std::string::npos);
  }
  const Result<TracePtr> empty = TryChrome("[]");
  CHECK(empty.status().message().ends_with("test.json: no events in it"));
  const Result<TracePtr> others = TryChrome(R"([{"cols":1},{"rows":2}])");
  CHECK(others.status().code() == ErrorCode::kUnsupported);
  const Result<TracePtr> phaseless = TryChrome(R"([{"a":1},{"b":2}])");
  CHECK(phaseless.status().message().ends_with("2 of its objects have no phase (\"ph\")"));
}

TEST_CASE("chrome reader: offsets count from the begin of the file's text") {
  chrome::WorkerNames names;
  chrome::BatchResult result;
  chrome::EventReader reader(R"({"ph":"i","ts":5},{"ph":"i","ts":6})", 100, false);
  CHECK(reader.Read(10, 0, &names, &result) == chrome::EventReader::State::kTextEnd);
  REQUIRE(result.events.size() == 2);
  CHECK(result.events[0].offset == 100);
  CHECK(result.events[1].offset == 100 + 18);
}

TEST_CASE("chrome reader: an event whose keys differ from those before it is read as alone") {
  const std::vector<std::string> events = {R"({"ph":"X", "ts":1, "dur":2, "name":"a"})",
                                           R"({"ph":"X", "ts":2, "name":"b", "dur":1})",
                                           R"({"ph":"X","ts":3, "name":"c" ,"dur":4})",
                                           R"({"ph":"X", "ts":4, "dur":2, "tid":7})",
                                           R"({"ts":5, "ph":"X", "dur":2, "name":"e"})",
                                           R"({"ph":"X", "ts":6, ,"dur":2})",
                                           R"({"ph":"X", "ts":7, "durable":9, "name":"g"})",
                                           R"({ })",
                                           R"({"ph":"X", "ts":8 "dur":5})"};
  std::string all = "[", separate;
  for (int round = 0; round < 3; ++round) {
    for (const std::string& event : events) all += (all.size() > 1 ? "," : "") + event;
  }
  uint64_t repaired = 0;
  std::vector<std::pair<int64_t, int64_t>> times;
  for (const std::string& event : events) {
    chrome::WorkerNames names;
    chrome::BatchResult one;
    chrome::EventReader(event, 0, false).Read(1, 0, &names, &one);
    for (const chrome::ParsedEvent& e : one.events) times.emplace_back(e.ts, e.dur);
    repaired += one.diagnostics.count(chrome::ChromeDiagnostic::kRepaired);
  }
  chrome::WorkerNames names;
  chrome::BatchResult result;
  chrome::EventReader(std::string_view(all).substr(1), 0, false).Read(100, 0, &names, &result);
  REQUIRE(result.events.size() == 3 * times.size());
  for (size_t i = 0; i < result.events.size(); ++i) {
    CHECK(result.events[i].ts == times[i % times.size()].first);
    CHECK(result.events[i].dur == times[i % times.size()].second);
  }
  CHECK(result.diagnostics.count(chrome::ChromeDiagnostic::kRepaired) == 3 * repaired);
  CHECK(repaired == 2);
}

TEST_CASE("chrome reader: nested brackets that never close do not cost a pass each") {
  std::string text = "[" + Event("a", "1", "3");
  for (int i = 0; i < 200'000; ++i) text += R"(,{"a":[)";
  const TracePtr trace = Chrome(text);
  CHECK(trace->counts.slices == 1);
  CHECK(DiagnosticCount(*trace, "chrome.unreadable_tail") == 1);
}

}  // namespace
}  // namespace stepscope
