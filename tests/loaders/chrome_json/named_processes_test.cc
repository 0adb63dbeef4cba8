// Chrome traces of profilers whose processes say by their names what they are: torch_npu and
// msprof, rocprof and rpd2tracing, and TensorFlow 1's Timeline.
#include "loaders/chrome_json/named_processes.h"

#include <string>

#include "model/analysis/analysis.h"
#include "model/analysis/naming/device_type.h"
#include "model/analysis/ops/op_database.h"
#include "tests/loaders/chrome_json/chrome_support.h"
#include "tests/support/has_text.h"
#include "tests/support/table_cells.h"

namespace stepscope {
namespace {

using test::Has;

// The events of a trace as text.
class Events {
 public:
  Events& Process(int pid, const std::string& name) {
    return Raw(R"({"ph":"M","name":"process_name","pid":)" + std::to_string(pid) +
               R"(,"args":{"name":")" + name + "\"}}");
  }
  Events& Thread(int pid, int tid, const std::string& name) {
    return Raw(R"({"ph":"M","name":"thread_name","pid":)" + std::to_string(pid) +
               ",\"tid\":" + std::to_string(tid) + R"(,"args":{"name":")" + name + "\"}}");
  }
  Events& Slice(int pid, int tid, const std::string& name, int ts, int dur,
                const std::string& args = "", const std::string& more = "") {
    return Raw(R"({"ph":"X","name":")" + name + "\"" + Place(pid, tid, ts) +
               ",\"dur\":" + std::to_string(dur) + ",\"args\":{" + args + "}" + more + "}");
  }
  Events& Arrow(int id, int from_pid, int from_ts, int to_pid, int to_tid, int to_ts) {
    const std::string flow = R"(,"cat":"async_npu","name":"torch_to_npu","id":)";
    Raw(R"({"ph":"s")" + flow + std::to_string(id) + Place(from_pid, 1, from_ts) + "}");
    return Raw(R"({"ph":"f","bp":"e")" + flow + std::to_string(id) + Place(to_pid, to_tid, to_ts) +
               "}");
  }
  std::string Text() const { return "[" + events_ + "]"; }

 private:
  static std::string Place(int pid, int tid, int ts) {
    return ",\"pid\":" + std::to_string(pid) + ",\"tid\":" + std::to_string(tid) +
           ",\"ts\":" + std::to_string(ts);
  }
  Events& Raw(const std::string& event) {
    events_ += (events_.empty() ? "" : ",\n") + event;
    return *this;
  }
  std::string events_;
};

// 20 ops of 20 us and their kernels of 90 us, then a collective of 3000 us, all in one step of
// 6000.
std::string AscendText(const std::string& collectives = "Communication") {
  Events e;
  e.Process(1, "Python").Process(2, "CANN").Process(3, "Ascend Hardware").Process(4, collectives);
  e.Process(5, "Overlap Analysis").Thread(3, 2, "Stream 2").Thread(4, 0, "Group 0 Communication");
  e.Thread(3, 70001, "Step Trace(Model ID:1)").Thread(4, 1, "Plane 0").Thread(5, 0, "Computing");
  e.Slice(1, 1, "ProfilerStep#5", 0, 6000, "", R"(,"cat":"cpu_op")");
  for (int i = 0; i < 20; ++i) {
    const int at = 100 * i;
    e.Slice(1, 1, "aten::add", at, 20, "", R"(,"cat":"cpu_op")");
    e.Slice(3, 2, "aclnnAdd_AddAiCore_Add", at + 5, 90, R"("Task Type":"AI_VECTOR_CORE")");
    e.Arrow(i, 1, at + 1, 3, 2, at + 5).Slice(5, 0, "Computing", at + 5, 90);
  }
  e.Slice(4, 0, "hcom_allReduce__674_0_1", 2500, 3000).Slice(4, 1, "Notify_Wait", 2500, 1500);
  e.Slice(3, 2, "EVENT_WAIT", 2500, 3000).Slice(3, 70001, "Iteration 1", 0, 6000);
  e.Slice(1, 1, "aten::item", 2400, 3200, "", R"(,"cat":"cpu_op")");
  e.Slice(2, 1, "AscendCL@aclrtSynchronizeStream", 2410, 3180);
  return e.Text();
}

struct Page {
  explicit Page(std::string text)
      : trace(Chrome(std::move(text))), context(trace, Definitions::kStepscope) {}
  std::shared_ptr<const AnalysisResult> Of(const char* page) { return context.Get(page); }
  TracePtr trace;
  AnalysisContext context;
};

const Plane* PlaneCalled(const Trace& trace, std::string_view name) {
  for (const Plane& plane : trace.planes) {
    if (plane.display_name == name) return &plane;
  }
  return nullptr;
}

const Track* TrackCalled(const Trace& trace, std::string_view name) {
  for (const Track& track : trace.set.tracks) {
    if (trace.names().strings.View(track.name) == name) return &track;
  }
  return nullptr;
}

}  // namespace

TEST_CASE("Ascend: the hardware is a device with streams and collectives") {
  for (const char* collectives : {"Communication", "HCCL"}) {
    CAPTURE(collectives);
    Page page(AscendText(collectives));
    const Trace& trace = *page.trace;
    const Plane* npu = PlaneCalled(trace, "NPU 0");
    REQUIRE(npu != nullptr);
    CHECK(npu->kind == PlaneKind::kGpu);
    CHECK(npu->tracks.size() == 4);
    for (const char* name : {"Stream 2", "Group 0 Communication"}) {
      REQUIRE(TrackCalled(trace, name) != nullptr);
      CHECK(TrackCalled(trace, name)->kind == TrackKind::kStream);
    }
    for (const char* name : {"Plane 0", "Step Trace(Model ID:1)", "Computing"}) {
      REQUIRE(TrackCalled(trace, name) != nullptr);
      CHECK(TrackCalled(trace, name)->derived_in_file);
    }
    CHECK(trace.flows.size() == 20);
    CHECK(DeviceTypeOf(trace) == "NPU");
    const auto overview = page.Of("overview");
    CHECK(test::PropertyReal(*overview, "verdict_percent") == doctest::Approx(50));
    REQUIRE(!overview->findings.empty());
    CHECK(Has(overview->findings[0].text, "Collective-bound: 50 % of the step"));
    CHECK(Has(overview->findings[0].text, "llReduce"));
  }
}

TEST_CASE("Ascend: arrows are launches, so that an op has the time of its kernels") {
  Page page(AscendText());
  const auto ops = page.context.Get<OpDatabase>(AnalysisParams());
  Ps add = 0;
  for (const OpRow& op : ops->hosts.at(0).device_side.ops) {
    if (op.name == "aten::add") add = op.time;
  }
  CHECK(add == 20 * 90 * kPsPerUs);
}

TEST_CASE("Ascend: its names mean nothing where there is no NPU") {
  const TracePtr trace = Chrome(Events()
                                    .Process(1, "Communication")
                                    .Process(2, "Overlap Analysis")
                                    .Slice(1, 1, "send", 0, 10)
                                    .Slice(2, 1, "Comm", 0, 10)
                                    .Text());
  for (const Plane& plane : trace->planes) CHECK(plane.kind == PlaneKind::kOther);
  for (const Track& track : trace->set.tracks) CHECK_FALSE(track.derived_in_file);
}

TEST_CASE("rocprof: GPU2 is a device, and APIs are threads of the host") {
  Events e;
  e.Process(1, "COPY").Process(2, "CPU HIP API").Process(8, "GPU2").Process(9, "GPU 3");
  for (int i = 0; i < 60; ++i) {
    const int at = 1000 + 100 * i;
    e.Slice(2, 894, "hipLaunchKernel", at, 5).Slice(8, 0, "Cijk_Ailk_Bljk_SB", at + 10, 90);
  }
  e.Slice(8, 0, R"(\"<barrier packet>\")", 7010, 1000).Slice(1, 0, "CopyHostToDevice", 900, 50);
  Page page(e.Text());
  REQUIRE(PlaneCalled(*page.trace, "GPU 2") != nullptr);
  CHECK(PlaneCalled(*page.trace, "GPU 2")->kind == PlaneKind::kGpu);
  CHECK(PlaneCalled(*page.trace, "GPU 3") == nullptr);  // it has no event
  CHECK(PlaneCalled(*page.trace, "Host threads") != nullptr);
  const auto kernels = page.Of("kernel_stats");
  REQUIRE(test::TableOf(*kernels, "kernels").size() == 1);
  CHECK(test::Int(*kernels, "kernels", 0, "occurrences") == 60);
}

TEST_CASE("rpd2tracing: ranges around kernels are no kernels") {
  Events e;
  e.Process(0, "GPU0").Thread(77, 77, "Hip 77").Slice(77, 77, "forward", 1000, 400);
  e.Slice(0, 0, "forward", 1099, 301).Slice(0, 0, "Graph 12", 1500, 200);
  for (int i = 0; i < 3; ++i) {
    e.Slice(77, 77, "hipLaunchKernel", 1010 + 20 * i, 10);
    e.Slice(0, 0, "gemm", 1100 + 100 * i, 100).Slice(0, 0, "in_graph", 1500 + 50 * i, 50);
  }
  Page page(e.Text());
  CHECK(PlaneCalled(*page.trace, "Host threads") != nullptr);
  const auto kernels = page.Of("kernel_stats");
  CHECK(test::TableOf(*kernels, "kernels").size() == 2);
}

std::string TimelineText(bool numbered) {
  Events e;
  const std::string job = "/job:localhost/replica:0/task:0";
  e.Process(1, "/device:GPU:0/stream:13 Compute").Process(3, "/device:GPU:0/stream:all Compute");
  e.Process(5, job + "/device:GPU:0 Compute").Process(7, job + "/device:CPU:0 Compute");
  e.Process(9, "/device:GPU:0/memcpy Compute").Process(8, job + "/device:CPU:0 Tensors");
  for (int i = 0; i < 30; ++i) {
    const std::string op = R"("name":"net/MatMul_)" + std::to_string(i) + R"(","op":"MatMul")";
    for (const int pid : {1, 3}) {
      if (pid == 3 || numbered) e.Slice(pid, 0, "MatMul", 3000 + 100 * i, 80, op);
    }
    e.Slice(5, 0, "MatMul", 2900 + 100 * i, 15, op);
  }
  e.Slice(9, 0, "MEMCPYHtoD", 2800, 50, R"("name":"edge","op":"MEMCPYHtoD")");
  if (numbered) e.Slice(1, 0, "MEMCPYHtoD", 2800, 50, R"("name":"edge","op":"MEMCPYHtoD")");
  for (const char* op : {"IteratorGetNext", "QueueDequeueManyV2"}) {
    const int at = op[0] == 'I' ? 0 : 1400;
    e.Slice(7, 0, op, at, 1400, std::string(R"("name":"in","op":")") + op + "\"");
  }
  return e.Text();
}

TEST_CASE("TensorFlow 1: streams are of one GPU, and their copies count nowhere") {
  for (const bool numbered : {true, false}) {
    CAPTURE(numbered);
    Page page(TimelineText(numbered));
    size_t gpus = 0;
    for (const Plane& plane : page.trace->planes) gpus += plane.kind == PlaneKind::kGpu;
    CHECK(gpus == 1);
    const auto ops = page.context.Get<OpDatabase>(AnalysisParams());
    const OpSide& device = ops->hosts.at(0).device_side;
    Ps all = 0;
    for (const OpRow& op : device.ops) {
      if (op.name.starts_with("net/MatMul_")) {
        CHECK(op.type == "MatMul");
        CHECK(op.occurrences == 1);
        all += op.time;
      }
    }
    CHECK(all == 30 * 80 * kPsPerUs);
  }
}

TEST_CASE("TensorFlow 1: ops on the CPU have their names and types, and compute") {
  Events e;
  e.Process(1, "/job:localhost/replica:0/task:0/device:CPU:0 Compute");
  for (int i = 0; i < 40; ++i) {
    e.Slice(1, 0, "Conv3D", 1000 * i, 990,
            R"("name":"net/conv_)" + std::to_string(i) + R"(","op":"Conv3D")");
  }
  Page page(e.Text());
  const auto overview = page.Of("overview");
  REQUIRE(!overview->findings.empty());
  CHECK(Has(overview->findings[0].text, "CPU-bound"));
  CHECK(Has(overview->findings[0].text, "99 %"));
  const auto ops = page.context.Get<OpDatabase>(AnalysisParams());
  const OpSide& host = ops->hosts.at(0).host_side;
  REQUIRE(host.ops.size() == 40);
  CHECK(host.ops[0].name.starts_with("net/conv_"));
  CHECK(host.ops[0].type == "Conv3D");
}

TEST_CASE("Names of processes: what each profiler writes") {
  using chrome::ParseProcessName;
  using chrome::ProcessKind;
  CHECK(ParseProcessName("GPU12").ordinal == 12);
  CHECK(ParseProcessName("GPU 0").kind == ProcessKind::kRocmGpu);
  CHECK(ParseProcessName("/gpu:1/stream:7 Compute").ordinal == 1);
  CHECK(ParseProcessName("/gpu:1/stream:7 Compute").stream == "7");
  CHECK(ParseProcessName("/device:GPU:0/stream:all Compute").kind == ProcessKind::kStreamCopy);
  CHECK(ParseProcessName("/job:a/task:0/cpu:0 Compute").kind == ProcessKind::kHostCpu);
  CHECK(ParseProcessName("/job:a/task:0/device:GPU:0 Tensors").kind == ProcessKind::kAside);
  for (const char* other : {"GPU", "GPU Process", "GPU0x", "/device:GPU:0", "/host:CPU", "python",
                            "Compute", "/device:TPU:0 Compute", ""}) {
    CAPTURE(other);
    CHECK(ParseProcessName(other).kind == ProcessKind::kUnknown);
  }
}

}  // namespace stepscope
