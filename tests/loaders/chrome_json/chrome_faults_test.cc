// What profilers lose or write wrongly: ends, times, events beyond a limit, clocks that differ.
#include <doctest/doctest.h>

#include <string>

#include "tests/loaders/chrome_json/chrome_support.h"
#include "tests/support/kineto_text.h"
#include "tests/support/sanitized.h"

namespace stepscope {
namespace {

std::string Slice(const std::string& name, const std::string& ts, const std::string& dur,
                  int pid = 1, int tid = 1) {
  return R"({"ph":"X","pid":)" + std::to_string(pid) + R"(,"tid":)" + std::to_string(tid) +
         R"(,"ts":)" + ts + R"(,"dur":)" + dur + R"(,"name":")" + name + "\"}";
}

std::string PlaceOf(const Trace& trace, RecordingLoss loss) {
  return FirstPlace(trace, IdOf(loss));
}

uint64_t CountOf(const Trace& trace, RecordingLoss loss) {
  return DiagnosticCount(trace, IdOf(loss));
}

// 200 kernels of 10 us, one each 12 us, with launches. `lost(n)` is the duration of the n-th kernel
// where it is not 0, `category(n)` its category.
template <typename Lost>
test::KinetoText Queue(Lost lost, const char* of_lost = "kernel", const char* name = "gemm") {
  test::KinetoText t;
  for (int n = 0; n < 200; ++n) {
    const double at = 1000 + 12 * n, dur = lost(n);
    t.Launch(n + 1, at - 5, 2);
    t.On(0, 7).Device(dur > 0 ? of_lost : "kernel", dur > 0 ? name : "gemm", n + 1, at,
                      dur > 0 ? dur : 10);
  }
  return t;
}

Ps BusyOf(const Trace& trace) {
  Ps busy = 0;
  for (const Track& track : trace.set.tracks)
    if (track.kind == TrackKind::kStream) busy += track.busy;
  return busy;
}

TEST_CASE("chrome faults: kernels that outlast the recording are cut at the next one's begin") {
  const auto lost = [](int n) { return n == 60 ? 3.4e6 : n == 120 ? 3.15e6 : 0; };
  for (const char* category : {"kernel", "gpu_memcpy"}) {
    CAPTURE(category);
    const TracePtr trace = Chrome(Queue(lost, category).Text());
    CHECK(CountOf(*trace, RecordingLoss::kImpossibleDuration) == 2);
    CHECK(PlaceOf(*trace, RecordingLoss::kImpossibleDuration) ==
          "test.json: 'gemm' on 'Stream #7' lasts 3.400 s, cut to 12.00 \u00b5s");
    CHECK(BusyOf(*trace) == (198 * 10 + 2 * 12) * kPsPerUs);
    CHECK(trace->span.length() == 2'403 * kPsPerUs);
    CHECK(DiagnosticCount(*trace, "track.partial_overlap") == 0);
  }
}

TEST_CASE(
    "chrome faults: a kernel that passes 100 others of its stream is cut within a recording") {
  const auto lost = [](int n) { return n == 60 ? 12.0 * 100 + 5 : 0; };
  const auto cut = [](const test::KinetoText& t) {
    return CountOf(*Chrome(t.Text()), RecordingLoss::kImpossibleDuration);
  };
  CHECK(cut(Queue(lost)) == 1);
  // A collective waits for other ranks, and a copy engine works beside the stream.
  CHECK(cut(Queue(lost, "kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL")) == 0);
  CHECK(cut(Queue(lost, "gpu_memcpy")) == 0);
}

TEST_CASE("chrome faults: streams whose events overlap in earnest stay as they are") {
  const auto unchanged = [](const test::KinetoText& t) {
    const TracePtr trace = Chrome(t.Text());
    return trace->diagnostics.Find(RecordingLoss::kImpossibleDuration) == nullptr;
  };
  // A branch of a CUDA graph beside twenty short kernels, in each replay.
  CHECK(unchanged(Queue([](int n) { return n % 20 == 0 ? 230.0 : 0; })));
  // Begins before the end of the kernel before, by programmatic launches or by rounding.
  CHECK(unchanged(Queue([](int) { return 12.5; })));
  // A long kernel at the end of the recording, which the host waits for.
  CHECK(unchanged(Queue([](int n) {
                    return n == 199 ? 50'000.0 : 0;
                  }).Host("cuda_runtime", "sync", 3400, 60'000)));
  // Ranges around kernels, in a file that is not PyTorch's.
  std::string nested =
      R"([{"ph":"M","name":"process_name","pid":1,"args":{"name":"/device:GPU:0"}},)"
      R"({"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"Stream #1"}},)" +
      Slice("all", "0", "100000");
  for (int i = 0; i < 200; ++i) nested += "," + Slice("k", std::to_string(10 * i), "9");
  CHECK(Chrome(nested + "]")->diagnostics.Find(RecordingLoss::kImpossibleDuration) == nullptr);
  // Threads of the host nest.
  std::string host = "[" + Slice("main", "1", "1e7");
  for (int i = 0; i < 200; ++i) host += "," + Slice("f", std::to_string(10 * i), "9");
  CHECK(Chrome(host + "]")->diagnostics.Find(RecordingLoss::kImpossibleDuration) == nullptr);
}

TEST_CASE("chrome faults: events with time 0 and length 0 far from the others are left out") {
  for (const char* base : {"5000000", "1690000000000"}) {  // ms: five hours, and Unix time
    CAPTURE(base);
    std::string text = "[";
    for (int i = 0; i < 20; ++i) {
      const std::string ts = base + std::to_string(100 + i) + "00";
      text += Slice("aten::mm", ts, "80") + "," + Slice("aten::add", "0", "0") + ",";
    }
    const TracePtr trace = Chrome(text + Slice("last", std::string(base) + "20000", "80") + "]");
    CHECK(trace->counts.slices == 21);
    CHECK(trace->span.length() < 11 * kPsPerMs);
    CHECK(CountOf(*trace, RecordingLoss::kLostTime) == 20);
    CHECK(PlaceOf(*trace, RecordingLoss::kLostTime) ==
          "test.json: 20 of 41 events have time 0 and length 0");
    CHECK(DiagnosticCount(*trace, "chrome.time_out_of_range") == 0);
  }
}

TEST_CASE("chrome faults: lost times at the begin of a file do not hide the others") {
  constexpr int kLost = 30'000;  // several batches
  std::string text = "[";
  for (int i = 0; i < kLost; ++i) text += Slice("aten::add", "0", "0") + ",";
  const TracePtr trace = Chrome(text + Slice("a", "1690000000000100", "80") + "," +
                                Slice("b", "1690000000000200", "80") + "]");
  CHECK(trace->counts.slices == 2);
  CHECK(trace->span.length() == 180 * kPsPerUs);
  CHECK(CountOf(*trace, RecordingLoss::kLostTime) == kLost);
  CHECK(DiagnosticCount(*trace, "chrome.time_out_of_range") == 0);
}

TEST_CASE("chrome faults: time 0 counts where the others are near, or the event has a length") {
  const auto slices = [](const std::string& first, const std::string& ts) {
    const TracePtr trace = Chrome("[" + first + "," + Slice("b", ts, "80") + "]");
    CHECK(CountOf(*trace, RecordingLoss::kLostTime) == 0);
    return trace->counts.slices;
  };
  CHECK(slices(Slice("a", "0", "0"), "900") == 2);
  CHECK(slices(Slice("a", "0", "5"), "5000000000") == 2);
}

TEST_CASE("chrome faults: arrows and counters survive the events that are left out") {
  const TracePtr trace = Chrome(
      "[" + Slice("lost", "0", "0") + "," +
      R"({"ph":"C","pid":1,"ts":0,"name":"n","args":{"v":1}},{"ph":"C","pid":1,"ts":5e9,"name":"n","args":{"v":2}},)"
      R"({"ph":"X","pid":1,"tid":1,"ts":5e9,"dur":1,"name":"a","bind_id":"0x7","flow_out":true},)"
      R"({"ph":"i","pid":1,"tid":1,"ts":0,"name":"mark"},)"
      R"({"ph":"X","pid":1,"tid":1,"ts":5000000003,"dur":1,"name":"b","bind_id":7,"flow_in":true}])");
  const std::string dump = Dump(*trace);
  CHECK(dump.find("flow a -> b id 7") != std::string::npos);
  CHECK(dump.find("lost") == std::string::npos);
  CHECK(trace->counts.instants == 0);
  CHECK(trace->span.length() == 4 * kPsPerUs);
}

TEST_CASE("chrome faults: a file with exactly 1,000,000 events ends at its writer's limit") {
  constexpr int kLimit = 1'000'000;
  const auto at_limit = [](int events, const char* end) {
    std::string text = "[";
    for (int i = 0; i < events; ++i)
      text += R"({"ph":"X","pid":1,"tid":1,"dur":1,"ts":)" + std::to_string(2 * i) + "},";
    const TracePtr trace = Chrome(text + end + "]");
    CHECK(trace->counts.slices >= static_cast<uint64_t>(events));
    return CountOf(*trace, RecordingLoss::kWriterLimit);
  };
  CHECK(at_limit(10, "{}") == 0);
  if (kSanitized) return;  // a minute
  CHECK(at_limit(kLimit, "{}") == 1);
  CHECK(at_limit(kLimit - 1, "{}") == 0);
  CHECK(at_limit(kLimit - 1, Slice("a", "1", "1").c_str()) == 0);  // not TensorFlow's
}

TEST_CASE("chrome faults: a child that ends two nanoseconds late stays inside its parent") {
  const auto dump = [](const char* ts, const char* dur) {
    return Dump(
        *Chrome("[" + Slice("main", "1000.001", "50.002") + "," + Slice("f", ts, dur) + "]"));
  };
  const std::string main = "Process 1 / Thread 1 | 0 | 1000001000+50002000 main\n";
  CHECK(dump("1040.5", "9.504") == main + "Process 1 / Thread 1 | 1 | 1040500000+9503000 f\n");
  CHECK(dump("1040.5", "9.505") == main + "Process 1 / Thread 1 | 1 | 1040500000+9503000 f\n");
  // More is no rounding, and an event that hardly begins inside comes after.
  CHECK(dump("1040.5", "9.506").find("| o1 | 1040500000+9506000 f") != std::string::npos);
  CHECK(dump("1050.0025", "0.0015").find("| o1 | ") != std::string::npos);
}

TEST_CASE("chrome faults: an arrow may end before it starts, by the clock of a device") {
  const auto flow = [](const char* ph, int id, int ts, int pid) {
    return R"({"ph":")" + std::string(ph) + R"(","bp":"e","cat":"a","name":"f","id":)" +
           std::to_string(id) + R"(,"pid":)" + std::to_string(pid) + R"(,"tid":1,"ts":)" +
           std::to_string(ts) + "}";
  };
  const std::string work = Slice("launch", "100", "10") + "," + Slice("work", "95", "20", 2);
  const TracePtr early =
      Chrome("[" + work + "," + flow("s", 1, 100, 1) + "," + flow("f", 1, 95, 2) + "]");
  CHECK(Dump(*early).find("flow launch -> work id 1 a") == std::string::npos);
  CHECK(Dump(*early).find("flow launch -> work id 1") != std::string::npos);
  CHECK(early->diagnostics.rows().empty());
  // An id that is used again: the first end's start is not in the trace.
  const TracePtr again =
      Chrome("[" + work + "," + Slice("more", "130", "20", 2) + "," + flow("f", 1, 95, 2) + "," +
             flow("s", 1, 100, 1) + "," + flow("f", 1, 130, 2) + "]");
  CHECK(again->counts.flows == 1);
  CHECK(DiagnosticCount(*again, "chrome.flow_without_start") == 1);
}

TEST_CASE("chrome faults: a damaged event does not take the next one with it") {
  for (const char* damage : {"{\"ph\":\"E\",\"ts\":2\x01\n", "{\"ph\":\"E\",\"ts\":2\n",
                             "{\"ph\":\"E\",\"ts\n", "{\"ph\":\"E\",\"ts\":2;"}) {
    CAPTURE(damage);
    const TracePtr trace = Chrome(
        std::string(R"([{"ph":"B","name":"outer","ts":1,"pid":1,"tid":1},)"
                    R"({"ph":"B","name":"inner","ts":10,"pid":1,"tid":1},)") +
        damage + R"({"ph":"E","ts":300,"pid":1,"tid":1},{"ph":"E","ts":301,"pid":1,"tid":1},)" +
        Slice("after", "400", "5") + "]");
    CHECK(Dump(*trace) ==
          "Process 1 / Thread 1 | 0 | 1000000+300000000 outer\n"
          "Process 1 / Thread 1 | 0 | 400000000+5000000 after\n"
          "Process 1 / Thread 1 | 1 | 10000000+290000000 inner\n");
    CHECK(DiagnosticCount(*trace, "chrome.damaged_event") == 1);
    CHECK(trace->diagnostics.rows().size() == 1);
  }
}

TEST_CASE("chrome faults: lists beside the event list are named") {
  const TracePtr trace =
      Chrome(R"({"traceEvents":[)" + Slice("a", "1", "1") +
             R"(],"samples":[{"ts":"1"},{"ts":"2"},{}],)"
             R"("stackFrames":{"1":{"name":"root"}},"empty":[],"otherData":{"x":[1]},)"
             R"("systemTraceEvents":"# tracer: nop","displayTimeUnit":"ns"})");
  const Diagnostic* unread = trace->diagnostics.Find(RecordingLoss::kUnreadMember);
  REQUIRE(unread != nullptr);
  CHECK(unread->count == 5);
  CHECK(unread->first ==
        std::vector<std::string>{"test.json: 3 samples in `samples` are not read",
                                 "test.json: 1 entry in `stackFrames` is not read",
                                 "test.json: 1 entry in `systemTraceEvents` is not read"});
}

TEST_CASE("chrome faults: a begin before the end of another at one time is paired by name") {
  const auto event = [](const char* ph, const char* name, int ts) {
    return R"({"ph":")" + std::string(ph) + R"(","name":")" + name + R"(","pid":1,"tid":1,"ts":)" +
           std::to_string(ts) + "}";
  };
  const TracePtr trace = Chrome("[" + event("B", "A", 0) + "," + event("B", "B", 100) + "," +
                                event("E", "A", 100) + "," + event("E", "B", 150) + "]");
  CHECK(Dump(*trace) ==
        "Process 1 / Thread 1 | 0 | 0+100000000 A\n"
        "Process 1 / Thread 1 | 0 | 100000000+50000000 B\n");
  // Other ends close the innermost begin, whatever their names.
  const TracePtr position = Chrome("[" + event("B", "A", 0) + "," + event("B", "B", 50) + "," +
                                   event("E", "A", 100) + "," + event("E", "B", 150) + "]");
  CHECK(Dump(*position).find("50000000+50000000 B") != std::string::npos);
}

TEST_CASE("chrome faults: many begins and ends at one time take no quadratic time") {
  std::string text = "[";
  for (int i = 0; i < 100'000; ++i) text += R"({"ph":"B","name":"b","pid":1,"tid":1,"ts":5},)";
  for (int i = 0; i < 100'000; ++i) text += R"({"ph":"E","name":"e","pid":1,"tid":1,"ts":5},)";
  CHECK(Chrome(text + "]")->counts.slices == 100'000);
}

}  // namespace
}  // namespace stepscope
