// Tests of the events that each phase of the format becomes.
#include <doctest/doctest.h>

#include <string>

#include "tests/loaders/chrome_json/chrome_support.h"

namespace stepscope {
namespace {

// Events of process 1, thread 2; `e` holds the members after these.
std::string List(std::initializer_list<const char*> events) {
  std::string text;
  for (const char* e : events)
    text += (text.empty() ? "[" : ",") + std::string(R"({"pid":1,"tid":2,)") + e + "}";
  return text + "]";
}
std::string Dumped(const std::string& text) { return Dump(*Chrome(text)); }
constexpr std::string_view kTrack = "Process 1 / Thread 2 | ";
std::string Lines(std::initializer_list<const char*> lines) {
  std::string text;
  for (const char* line : lines) text += std::string(kTrack) + line + "\n";
  return text;
}

TEST_CASE("chrome phases: B and E nest in order of time, whatever their order in the file") {
  CHECK(Dumped(List({R"("ph":"E","ts":9)", R"("ph":"B","ts":1,"name":"outer")",
                     R"("ph":"E","ts":5)", R"("ph":"B","ts":2,"name":"inner")"})) ==
        Lines({"0 | 1000000+8000000 outer", "1 | 2000000+3000000 inner"}));
  const TracePtr open =
      Chrome(List({R"("ph":"B","ts":1,"name":"open")", R"("ph":"X","ts":2,"dur":8,"name":"x")",
                   R"("ph":"E","ts":0.5)"}));
  CHECK(Dump(*open) == Lines({"0 | 1000000+9000000 open", "1 | 2000000+8000000 x"}));
  CHECK(DiagnosticCount(*open, "chrome.unmatched_begin") == 1);
  CHECK(DiagnosticCount(*open, "chrome.unmatched_end") == 1);
  CHECK(FirstPlace(*open, "chrome.unmatched_begin") == "test.json byte 1");
}

TEST_CASE("chrome phases: arguments of B and E both belong to the slice") {
  const TracePtr trace =
      Chrome(List({R"("ph":"B","ts":1,"name":"a","cat":"c","args":{"in":{"x":1,"y":[1, 2]}})",
                   R"("ph":"E","ts":5,"args":{"out":"done"})"}));
  const EventRow row = FindEvent(*trace, "a");
  CHECK(Arg(*trace, row, "in.x") == "1");
  CHECK(Arg(*trace, row, "in.y") == "[1,2]");
  CHECK(Arg(*trace, row, "out") == "done");
  CHECK(Arg(*trace, row, "cat") == "c");
  CHECK(Arg(*trace, row, "ph") == "B");
}

TEST_CASE("chrome phases: instants of all kinds") {
  CHECK(Dumped(List({R"("ph":"i","ts":1,"name":"i","s":"t")",
                     R"("ph":"I","ts":2,"name":"I","s":"g")", R"("ph":"R","ts":3,"name":"R")",
                     R"("ph":"P","ts":4,"name":"P")", R"("ph":"N","ts":5,"name":"N","id":1)",
                     R"("ph":"O","ts":6,"name":"O","id":1,"args":{"snapshot":{}})",
                     R"("ph":"D","ts":7,"name":"D","id":1)"})) ==
        Lines({"i | 1000000+0 i", "i | 2000000+0 I", "i | 3000000+0 R", "i | 4000000+0 P",
               "i | 5000000+0 N", "i | 6000000+0 O", "i | 7000000+0 D"}));
}

TEST_CASE("chrome phases: nestable asynchronous events nest by category, id and scope") {
  CHECK(Dumped(List({R"("ph":"b","ts":1,"cat":"net","id":"0x1","name":"request")",
                     R"("ph":"b","ts":2,"cat":"net","id":1,"name":"dns")",
                     R"("ph":"n","ts":3,"cat":"net","id":1,"name":"found")",
                     R"("ph":"b","ts":3,"cat":"net","id":2,"name":"other")",
                     R"("ph":"e","ts":4,"cat":"net","id":1,"name":"dns")",
                     R"("ph":"e","ts":6,"cat":"net","id":1,"name":"request")",
                     R"("ph":"e","ts":7,"cat":"net","id":2,"name":"other")"})) ==
        "Process 1 / net | 0 | 1000000+5000000 request\n"
        "Process 1 / net | 1 | 2000000+2000000 dns\n"
        "Process 1 / net | i | 3000000+0 found\n"
        "Process 1 / net (2) | 0 | 3000000+4000000 other\n");
  // Events of one id and different categories or scopes do not belong together.
  const TracePtr apart = Chrome(List({R"("ph":"b","ts":1,"cat":"a","id":1,"name":"x")",
                                      R"("ph":"e","ts":2,"cat":"b","id":1,"name":"x")",
                                      R"("ph":"b","ts":3,"cat":"a","id":2,"scope":"s","name":"x")",
                                      R"("ph":"e","ts":4,"cat":"a","id":2,"name":"x")"}));
  CHECK(DiagnosticCount(*apart, "chrome.unmatched_async_begin") == 2);
  CHECK(DiagnosticCount(*apart, "chrome.unmatched_async_end") == 2);
  CHECK(Dump(*apart) ==
        "Process 1 / a | 0 | 1000000+3000000 x\n"
        "Process 1 / a (2) | 0 | 3000000+1000000 x\n");
}

TEST_CASE("chrome phases: id2.local belongs to its process, id2.global to all") {
  const auto text = [](const char* kind) {
    const std::string id =
        std::string(R"("id2":{")") + kind + R"(":"7"},"cat":"c","name":"n","tid":1)";
    return R"([{"ph":"b","ts":1,"pid":1,)" + id + R"(},{"ph":"e","ts":2,"pid":2,)" + id + "}]";
  };
  CHECK(DiagnosticCount(*Chrome(text("local")), "chrome.unmatched_async_begin") == 1);
  CHECK(DiagnosticCount(*Chrome(text("global")), "chrome.unmatched_async_begin") == 0);
}

TEST_CASE("chrome phases: old asynchronous events") {
  CHECK(Dumped(List({R"("ph":"S","ts":1,"cat":"io","id":5,"name":"read")",
                     R"("ph":"T","ts":2,"cat":"io","id":5,"name":"read")",
                     R"("ph":"p","ts":3,"cat":"io","id":5,"name":"read")",
                     R"("ph":"F","ts":4,"cat":"io","id":5,"name":"read")"})) ==
        "Process 1 / io | 0 | 1000000+3000000 read\n"
        "Process 1 / io | i | 2000000+0 read\n"
        "Process 1 / io | i | 3000000+0 read\n");
  const TracePtr without_id =
      Chrome(List({R"("ph":"S","ts":1,"name":"x")", R"("ph":"X","ts":1,"dur":1,"name":"y")"}));
  CHECK(DiagnosticCount(*without_id, "chrome.no_id") == 1);
}

TEST_CASE("chrome phases: counters have one series for each argument") {
  CHECK(Dumped(List({R"("ph":"C","ts":2,"name":"mem","args":{"used":"2.5","free":7})",
                     R"("ph":"C","ts":1,"name":"mem","args":{"used":1})",
                     R"("ph":"C","ts":3,"name":"mem","id":4,"args":{"used":9})"})) ==
        "Process 1 / mem | used: 1000000=1.000000 2000000=2.500000\n"
        "Process 1 / mem | free: 2000000=7.000000\n"
        "Process 1 / mem [4] | used: 3000000=9.000000\n");
  const TracePtr none =
      Chrome(List({R"("ph":"C","ts":1,"name":"x","args":{"a":"text"})",
                   R"("ph":"C","ts":1,"name":"x")", R"("ph":"X","ts":1,"dur":1,"name":"y")"}));
  CHECK(DiagnosticCount(*none, "chrome.no_counter_value") == 2);
}

TEST_CASE("chrome phases: flows run from slice to slice") {
  const std::string slices = R"({"ph":"X","pid":1,"tid":1,"ts":0,"dur":10,"name":"outer"},)"
                             R"({"ph":"X","pid":1,"tid":1,"ts":2,"dur":3,"name":"launch"},)"
                             R"({"ph":"X","pid":2,"tid":7,"ts":6,"dur":2,"name":"kernel"},)"
                             R"({"ph":"X","pid":2,"tid":7,"ts":9,"dur":2,"name":"second"},)";
  // An arrow binds to the slice that begins there, or to the innermost one around it, or without bp
  // to the next one. One start has several ends.
  CHECK(Dump(*Chrome("[" + slices +
                     R"({"ph":"s","pid":1,"tid":1,"ts":2,"id":5,"name":"f","cat":"c"},)"
                     R"({"ph":"t","pid":2,"tid":7,"ts":6,"id":5,"name":"f","cat":"c"},)"
                     R"({"ph":"f","pid":2,"tid":7,"ts":10,"id":5,"name":"f","cat":"c","bp":"e"},)"
                     R"({"ph":"s","pid":1,"tid":1,"ts":4,"id":"x","name":"f","cat":"c"},)"
                     R"({"ph":"f","pid":2,"tid":7,"ts":6,"id":"x","name":"f","cat":"c","bp":"e"},)"
                     R"({"ph":"f","pid":2,"tid":7,"ts":8.5,"id":"x","name":"f","cat":"c"}])"))
            .find("flow launch -> kernel id 5 f\nflow kernel -> second id 5 f\n") !=
        std::string::npos);
  const TracePtr fan = Chrome("[" + slices +
                              R"({"ph":"s","pid":1,"tid":1,"ts":4,"id":9,"name":"f"},)"
                              R"({"ph":"f","pid":2,"tid":7,"ts":6,"id":9,"name":"f","bp":"e"},)"
                              R"({"ph":"f","pid":2,"tid":7,"ts":8.5,"id":9,"name":"f"},)"
                              R"({"ph":"f","pid":2,"tid":7,"ts":8.5,"id":10,"name":"f"},)"
                              R"({"ph":"s","pid":3,"tid":3,"ts":8.5,"id":11,"name":"f"},)"
                              R"({"ph":"s","pid":1,"tid":1,"ts":8.5,"id":12,"name":"f"}])");
  const std::string dump = Dump(*fan);
  CHECK(dump.find("flow launch -> kernel id 9 f\nflow launch -> second id 9 f\n") !=
        std::string::npos);
  CHECK(fan->counts.flows == 2);
  CHECK(DiagnosticCount(*fan, "chrome.flow_without_start") == 1);
  CHECK(DiagnosticCount(*fan, "chrome.flow_without_slice") == 1);
  CHECK(DiagnosticCount(*fan, "chrome.flow_without_end") == 1);
}

TEST_CASE("chrome phases: flows of version 2 are members of their slices") {
  const TracePtr trace = Chrome(
      R"([{"ph":"X","pid":1,"tid":1,"ts":1,"dur":1,"name":"a","bind_id":"0x7","flow_out":true},)"
      R"({"ph":"B","pid":1,"tid":2,"ts":3,"name":"b","bind_id":7,"flow_in":true,"flow_out":"true"},{"ph":"E","pid":1,"tid":2,"ts":4},)"
      R"({"ph":"X","pid":1,"tid":3,"ts":5,"dur":1,"name":"c","bind_id":7,"flow_in":1}])");
  const std::string dump = Dump(*trace);
  CHECK(dump.find("flow a -> b id 7 \nflow b -> c id 7 \n") != std::string::npos);
  CHECK(trace->counts.flows == 2);
}

TEST_CASE("chrome phases: metadata names and orders processes and threads") {
  const TracePtr trace = Chrome(
      R"([{"ph":"M","pid":5,"tid":1,"name":"process_name","args":{"name":"late"}},)"
      R"({"ph":"M","pid":5,"name":"process_sort_index","args":{"sort_index":-1}},)"
      R"({"ph":"M","pid":5,"tid":9,"name":"thread_name","args":{"name":"main \u00e9"}},)"
      R"({"ph":"M","pid":5,"tid":9,"name":"thread_sort_index","args":{"sort_index":-4}},)"
      R"({"ph":"M","pid":5,"tid":9,"name":"something","args":{"x":1}},)"
      R"({"ph":"X","pid":1,"tid":1,"ts":1,"dur":1,"name":"a"},{"ph":"X","pid":5,"tid":3,"ts":1,"dur":1,"name":"b"},)"
      R"({"ph":"X","pid":5,"tid":9,"ts":1,"dur":1,"name":"c"}])");
  CHECK(Dump(*trace) ==
        "late, process 5 / main \xc3\xa9 | 0 | 1000000+1000000 c\n"
        "late, process 5 / Thread 3 | 0 | 1000000+1000000 b\n"
        "Process 1 / Thread 1 | 0 | 1000000+1000000 a\n");
  CHECK(DiagnosticCount(*trace, "chrome.unknown_metadata") == 1);
}

TEST_CASE("chrome phases: events without process or thread, and with texts for them") {
  const TracePtr trace = Chrome(
      R"([{"ph":"X","ts":1,"dur":1,"name":"a"},{"ph":"X","ts":2,"dur":1,"pid":"Spans","tid":"Profiler","name":"b"},)"
      R"({"ph":"i","ts":3,"pid":"","tid":"","name":"c"}])");
  CHECK(Dump(*trace) ==
        "Process 0 / Thread 0 | 0 | 1000000+1000000 a\n"
        "Unnamed process / Unnamed thread | i | 3000000+0 c\n"
        "Spans / Profiler | 0 | 2000000+1000000 b\n");
  CHECK(DiagnosticCount(*trace, "chrome.no_process") == 1);
  CHECK(DiagnosticCount(*trace, "chrome.no_thread") == 1);
  const TracePtr process = Chrome(R"([{"ph":"X","name":"a","pid":7,"ts":1,"dur":5}])");
  CHECK(Dump(*process) == "Process 7 / Thread 0 | 0 | 1000000+5000000 a\n");
  CHECK(DiagnosticCount(*process, "chrome.no_process") == 0);
  REQUIRE(process->diagnostics.Find("chrome.no_thread") != nullptr);
  CHECK(process->diagnostics.Find("chrome.no_thread")->text ==
        "Events without a thread id, shown on thread 0 of their process");
}

TEST_CASE("chrome phases: times far from zero start at zero, exact to the picosecond") {
  const TracePtr trace =
      Chrome(R"([{"ph":"X","pid":1,"tid":2,"ts":4404423210930.779001,"dur":0.000001,"name":"a"},)"
             R"({"ph":"X","pid":1,"tid":2,"ts":4404423210931,"dur":2.5e-1,"name":"b"}])");
  CHECK(Dump(*trace) == Lines({"0 | 779001+1 a", "0 | 1000000+250000 b"}));
  CHECK(trace->origin_unix_ns == 0);
  const TracePtr unix_time =
      Chrome(R"([{"ph":"X","pid":1,"tid":2,"ts":1661203462598738,"dur":1,"name":"a"}])");
  CHECK(unix_time->origin_unix_ns == 1'661'203'462'598'738'000);
}

// Some writers give one id to everything. If each end searched all open begins, this would take
// minutes.
TEST_CASE("chrome async: 200,000 names open at once under one id, ended in order of beginning") {
  constexpr int kOpen = 200'000;
  std::string text = "[";
  for (const char ph : {'b', 'e'}) {
    for (int i = 0; i < kOpen; ++i) {
      text += std::string(text.size() == 1 ? "" : ",") + R"({"cat":"c","id":1,"pid":1,"ph":")" +
              ph + R"(","ts":)" + std::to_string(i + (ph == 'e' ? kOpen : 0)) + R"(,"name":"n)" +
              std::to_string(i) + "\"}";
    }
  }
  const TracePtr trace = Chrome(text + "]");
  CHECK(trace->counts.slices == kOpen);
  CHECK(DiagnosticCount(*trace, "chrome.unmatched_async_begin") == 0);
  CHECK(DiagnosticCount(*trace, "chrome.unmatched_async_end") == 0);
  uint64_t right = 0;
  for (const Lane& lane : trace->set.lanes) {
    for (uint32_t i = 0; i < lane.size(); ++i) right += lane.dur[i] == kOpen * kPsPerUs ? 1 : 0;
  }
  CHECK(right == kOpen);
}

}  // namespace
}  // namespace stepscope
