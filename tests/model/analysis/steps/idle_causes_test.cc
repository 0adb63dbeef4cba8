// The causes of idle time (docs/rules.md#losses), on profiles built here, and their names.
#include "model/analysis/steps/idle_causes.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "loaders/loader.h"
#include "model/analysis/grouping/host_activity.h"
#include "model/analysis/steps/cause_name.h"
#include "model/analysis/steps/steps.h"
#include "model/analysis/steps/verdict.h"
#include "tests/support/gpu_profile.h"
#include "tests/support/gpu_steps.h"
#include "tests/support/judged.h"
#include "tests/support/kineto_text.h"
#include "tests/support/loaded.h"
#include "tests/support/table_cells.h"
#include "tests/support/xspace_builder.h"

namespace stepscope {
namespace {

using test::XSpaceBuilder;

// Four steps of 5 ms, each with a launch call of 3 ms. `kernel` names the kernel of a step.
std::shared_ptr<const Trace> LongLaunches(const std::function<std::string(int64_t)>& kernel) {
  XSpaceBuilder b;
  auto& kernels = b.Plane("/device:GPU:0").Line(14, "Stream #14");
  auto& host = b.Plane("/host:CPU").Line(1, "python");
  for (int64_t s = 0; s < 4; ++s) {
    const int64_t t = s * 5000 * kPsPerUs;
    const auto id = static_cast<uint64_t>(s + 1);
    host.Event("train", t, 4900 * kPsPerUs).Stat("_r", int64_t{1}).Stat("step_num", s);
    host.Event("cuLaunchKernel", t + 100 * kPsPerUs, 3000 * kPsPerUs).Stat("correlation_id", id);
    kernels.Event(kernel(s), t + 3000 * kPsPerUs, 1900 * kPsPerUs).Stat("correlation_id", id);
  }
  return test::Loaded("h.xplane.pb", b.Bytes());
}

}  // namespace

TEST_CASE("A kernel's first launch of over a millisecond loads a module; its cause is named") {
  const auto trace = LongLaunches([](int64_t s) { return "kernel" + std::to_string(s); });
  AnalysisContext context(trace, Definitions::kStepscope);
  const StepDatabase& db = context.Get<StepDatabase>();
  CHECK(At(db.device_steps[2].class_times, StepTimeClass::kCompile) == 2900 * kPsPerUs);
  const Verdict verdict = test::JudgedAlone(*trace, db);
  CHECK(verdict.id() == "compile");
  CHECK(verdict.losses.front().CausesText() == "cuLaunchKernel 100 %");
  CHECK(verdict.InWords().text.find("58 % of each step") != std::string::npos);
}

TEST_CASE("A later launch of a kernel loads nothing, however long it takes") {
  const auto trace = LongLaunches([](int64_t) { return std::string("kernel"); });
  AnalysisContext context(trace, Definitions::kStepscope);
  const StepDatabase& db = context.Get<StepDatabase>();
  CHECK(At(db.device_steps[2].class_times, StepTimeClass::kCompile) == 0);
  CHECK(At(db.device_steps[2].class_times, StepTimeClass::kLaunch) == 2900 * kPsPerUs);
  CHECK(test::JudgedAlone(*trace, db).id() == "launch");
}

namespace {

// Four steps of 10 ms. The host launches 100 kernels, 10 us apart, and is then in `meanwhile` until
// 9 ms. The kernels take 60 us; each begins `lag_us` after its launch call at the earliest and
// 30 us after the kernel before it.
std::shared_ptr<const Trace> Ahead(int64_t lag_us, const char* meanwhile,
                                   const char* before = nullptr) {
  XSpaceBuilder b;
  auto& kernels = b.Plane("/device:GPU:0").Line(14, "Stream #14");
  auto& host = b.Plane("/host:CPU").Line(1, "python");
  uint64_t id = 0;
  for (int64_t s = 0; s < 4; ++s) {
    const int64_t t = s * 10'000;
    host.Event("train", t * kPsPerUs, 9'950 * kPsPerUs).Stat("_r", int64_t{1}).Stat("step_num", s);
    int64_t free = 0;
    for (int64_t k = 0; k < 100; ++k) {
      ++id;
      const int64_t call = t + 10 * k, begin = std::max(call + lag_us, free + 30);
      if (before != nullptr) host.Event(before, (call - 3) * kPsPerUs, 2 * kPsPerUs);
      host.Event("cuLaunchKernel", call * kPsPerUs, 5 * kPsPerUs).Stat("correlation_id", id);
      kernels.Event("kernel", begin * kPsPerUs, 60 * kPsPerUs).Stat("correlation_id", id);
      free = begin + 60;
    }
    host.Event(meanwhile, (t + 1'000) * kPsPerUs, 8'000 * kPsPerUs);
  }
  return test::Loaded("h.xplane.pb", b.Bytes());
}

// The causes of a class in the third step, by name.
std::map<std::string, Ps> CausesOf(const Trace& trace, const StepDatabase& db, StepTimeClass c) {
  std::map<std::string, Ps> causes;
  for (const IdleCause& cause : db.causes) {
    if (cause.step == 2 && cause.loss == c)
      causes[cause.event.valid() ? CauseName(trace, cause) : ""] += cause.time;
  }
  return causes;
}

}  // namespace

TEST_CASE("A gap before work that was launched before it is queued, never launch or host") {
  const auto trace = Ahead(300, "$model.py:7 call");
  AnalysisContext context(trace, Definitions::kStepscope);
  const StepDatabase& db = context.Get<StepDatabase>();
  const StepClassTimes& times = db.device_steps[2].class_times;
  CHECK(At(times, StepTimeClass::kCompute) == 6'000 * kPsPerUs);
  CHECK(At(times, StepTimeClass::kQueued) == 99 * 30 * kPsPerUs);
  // The first kernel was launched when the device was idle.
  CHECK(At(times, StepTimeClass::kLaunch) == 85 * kPsPerUs);
  test::CheckTilesAndSums(db);
  const Verdict verdict = test::JudgedAlone(*trace, db);
  CHECK(verdict.id() == "queued");
  CHECK(verdict.InWords().text.find("CUDA graph") == std::string::npos);
  // The host's own work is no cause.
  CHECK(CausesOf(*trace, db, StepTimeClass::kQueued) ==
        std::map<std::string, Ps>{{"", 99 * 30 * kPsPerUs}});
}

TEST_CASE("Queued work names the wait for another stream's event, if that precedes its launch") {
  for (const std::string call : {"cudaStreamWaitEvent", "cudaEventRecord"}) {
    CAPTURE(call);
    const auto trace = Ahead(300, "$model.py:7 call", call.c_str());
    AnalysisContext context(trace, Definitions::kStepscope);
    const auto causes = CausesOf(*trace, context.Get<StepDatabase>(), StepTimeClass::kQueued);
    CHECK(causes.contains("cudaStreamWaitEvent") == (call == "cudaStreamWaitEvent"));
  }
}

TEST_CASE("The call that blocks the host while the device does not begin queued work is named") {
  const auto trace = Ahead(300, "cuStreamSynchronize");
  AnalysisContext context(trace, Definitions::kStepscope);
  const auto causes = CausesOf(*trace, context.Get<StepDatabase>(), StepTimeClass::kQueued);
  REQUIRE(causes.contains("cuStreamSynchronize"));
  CHECK(causes.at("cuStreamSynchronize") > 2'500 * kPsPerUs);
}

TEST_CASE("Nodes behind the first of a running graph are queued, however long its launch takes") {
  for (const bool graph : {false, true}) {
    test::KinetoText t;
    for (int s = 0; s < 4; ++s) {
      const int begin = 1'000 * s;
      t.Host("user_annotation", "ProfilerStep#" + std::to_string(s), begin, 990);
      t.Launch(s + 1, begin, 980, graph ? "cudaGraphLaunch" : "cudaLaunchKernel");
      for (int k = 0; k < 30; ++k) t.Kernel("gemm", s + 1, begin + 100 + 30 * k, 20);
    }
    auto trace = LoadBytes("t.json", t.Text(test::kH100), {});
    REQUIRE(trace.ok());
    AnalysisContext context(*trace, Definitions::kStepscope);
    const StepClassTimes& times = context.Get<StepDatabase>().device_steps[2].class_times;
    CAPTURE(graph);
    CHECK(At(times, StepTimeClass::kQueued) == (graph ? 290 : 0) * kPsPerUs);
    // The device waits for the first node only.
    CHECK(At(times, StepTimeClass::kLaunch) == (graph ? 100 : 390) * kPsPerUs);
  }
}

TEST_CASE("Kernels shorter than the time between launches wait for launches, not in a queue") {
  XSpaceBuilder b;
  auto& kernels = b.Plane("/device:GPU:0").Line(14, "Stream #14");
  auto& host = b.Plane("/host:CPU").Line(1, "python");
  uint64_t id = 0;
  for (int64_t s = 0; s < 4; ++s) {
    const int64_t t = s * 1'000;
    host.Event("train", t * kPsPerUs, 1'000 * kPsPerUs).Stat("_r", int64_t{1}).Stat("step_num", s);
    for (int64_t k = 0; k < 100; ++k) {
      host.Event("cuLaunchKernel", (t + 10 * k) * kPsPerUs, 9 * kPsPerUs)
          .Stat("correlation_id", ++id);
      kernels.Event("kernel", (t + 10 * k + 11) * kPsPerUs, 4 * kPsPerUs)
          .Stat("correlation_id", id);
    }
  }
  auto loaded = LoadBytes("h.xplane.pb", b.Bytes(), {});
  REQUIRE(loaded.ok());
  AnalysisContext context(*loaded, Definitions::kStepscope);
  const StepClassTimes& times = context.Get<StepDatabase>().device_steps[2].class_times;
  CHECK(At(times, StepTimeClass::kQueued) == 0);
  CHECK(At(times, StepTimeClass::kLaunch) == 600 * kPsPerUs);
}

namespace {

// Four steps of 10 ms: a thread launches a kernel of 1 ms at 9 ms of each, the main thread awaits
// the results, and a thread of a pool is in `other` from 1 ms to 8 ms.
std::map<std::string, Ps> HostCausesBeside(const std::string& other) {
  test::KinetoText t;
  const auto on = [&t](int thread, const std::string& category, const std::string& name, int begin,
                       int us, int correlation) {
    t.Raw(fmt::format(R"({{"ph":"X","cat":"{}","name":"{}","pid":100,"tid":{},"ts":{},"dur":{},)"
                      R"("args":{{"correlation":{}}}}})",
                      category, name, thread, begin, us, correlation));
  };
  for (int s = 0; s < 4; ++s) {
    const int begin = s * 10'000;
    t.Host("user_annotation", "ProfilerStep#" + std::to_string(s), begin, 9'990);
    on(1, "cpu_op", "block_until_ready", begin + 10, 9'900, 0);
    on(3, "cpu_op", other, begin + 1'000, 7'000, 0);
    on(2, "cuda_runtime", "cudaLaunchKernel", begin + 8'990, 5, s + 1);
    t.Kernel("kernel", s + 1, begin + 9'000, 1'000);
  }
  auto trace = LoadBytes("t.json", t.Text(), {});
  REQUIRE(trace.ok());
  AnalysisContext context(*trace, Definitions::kStepscope);
  return CausesOf(**trace, context.Get<StepDatabase>(), StepTimeClass::kHost);
}

}  // namespace

TEST_CASE("A thread that blocks is the cause, not the main thread that awaits its results") {
  const auto causes = HostCausesBeside("BufferSequencingEvent::Execute");
  REQUIRE(causes.contains("BufferSequencingEvent::Execute"));
  CHECK(causes.at("BufferSequencingEvent::Execute") == 7'000 * kPsPerUs);
  CHECK(causes.at("block_until_ready") == 1'980 * kPsPerUs);
}

TEST_CASE("A thread that works beside a main thread that awaits results is no cause") {
  const auto causes = HostCausesBeside("MyMonitor::Run");
  CHECK_FALSE(causes.contains("MyMonitor::Run"));
  CHECK(causes.at("block_until_ready") == 8'980 * kPsPerUs);
}

TEST_CASE("Launches on a line of their own: what their executor's thread does is the cause") {
  XSpaceBuilder b;
  auto& kernels = b.Plane("/device:GPU:0").Line(14, "Stream #14");
  auto& cpu = b.Plane("/host:CPU");
  for (int64_t s = 0; s < 4; ++s) {
    const int64_t t = s * 1000 * kPsPerUs;
    const auto id = static_cast<uint64_t>(s + 1);
    cpu.Line(1, "python")
        .Event("PjitFunction(step)", t, 10 * kPsPerUs)
        .Event("$api.py:1 block_until_ready", t + 10 * kPsPerUs, 970 * kPsPerUs);
    cpu.Line(2, "worker")
        .Event("PjRtExecutable::ExecuteHelper", t + 100 * kPsPerUs, 720 * kPsPerUs)
        .Event("Build buffer allocations", t + 150 * kPsPerUs, 500 * kPsPerUs);
    cpu.Line(3, "API calls of worker")
        .Event("hipModuleLaunchKernel", t + 800 * kPsPerUs, 10 * kPsPerUs)
        .Stat("correlation_id", id);
    kernels.Event("kernel", t + 820 * kPsPerUs, 160 * kPsPerUs).Stat("correlation_id", id);
  }
  auto trace = LoadBytes("h.xplane.pb", b.Bytes(), {});
  REQUIRE(trace.ok());
  AnalysisContext context(*trace, Definitions::kStepscope);
  const Verdict verdict = test::JudgedAlone(**trace, context.Get<StepDatabase>());
  CHECK(verdict.id() == "host");
  CHECK(verdict.losses.front().CausesText().starts_with("Build buffer allocations"));
}

TEST_CASE("A main thread that waits for results does not dispatch ops: the work starts late") {
  test::KinetoText t;
  for (int s = 0; s < 4; ++s) {
    const int at = 1000 * s;
    t.Host("user_annotation", "ProfilerStep#" + std::to_string(s), at, 990);
    t.Host("python_function", "jax/api.py(3154): block_until_ready", at + 10, 970);
    const std::string id = std::to_string(s + 1), begin = std::to_string(at + 800);
    t.Raw(R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":100,"tid":2,"ts":)" +
          begin + R"(,"dur":10,"args":{"correlation":)" + id + "}}");
    t.Kernel("kernel", s + 1, at + 820, 160);
  }
  auto trace = LoadBytes("t.json", t.Text(test::kH100), {});
  REQUIRE(trace.ok());
  AnalysisContext context(*trace, Definitions::kStepscope);
  const Verdict verdict = test::JudgedAlone(**trace, context.Get<StepDatabase>());
  CHECK(verdict.id() == "host");
  CHECK(verdict.InWords().text.find("for the host to start work; ") != std::string::npos);
  CHECK(verdict.InWords().text.find("of that in block_until_ready") != std::string::npos);
  CHECK(verdict.InWords().next_step.find("jit") == std::string::npos);
  AnalysisContext of_findings(*trace, Definitions::kStepscope);
  const AnalysisResult findings = FindAnalysis("findings")->run(of_findings, {});
  bool found = false;
  for (const Finding& f : findings.findings) {
    CHECK(f.next_step.find("jit") == std::string::npos);
    found = found || f.text.find("for the host to start work") != std::string::npos;
  }
  CHECK(found);
}

// The kernel waits for something on the device that is not recorded.
TEST_CASE("Work that begins long after its launch is unexplained, and names what the host is in") {
  for (const bool recorded : {true, false}) {
    test::KinetoText t;
    for (int s = 0; s < 4; ++s) {
      const double at = 1000 * s;
      t.Host("user_annotation", "ProfilerStep#" + std::to_string(s), at, 990);
      t.Launch(s + 1, at, 5).Kernel("kernel", s + 1, at + 900, 50);
      if (!recorded) continue;
      t.Host("cpu_op", "aten::copy_", at + 20, 940);
      t.Host("cuda_runtime", "hipMemcpyWithStream", at + 25, 930);
    }
    auto trace = LoadBytes("t.json", t.Text(test::kH100), {});
    REQUIRE(trace.ok());
    AnalysisContext context(*trace, Definitions::kStepscope);
    const StepDatabase& db = context.Get<StepDatabase>();
    const Verdict verdict = test::JudgedAlone(**trace, db);
    CAPTURE(recorded);
    test::CheckTilesAndSums(db);
    CHECK(verdict.id() == "unknown");
    const auto says = [](const std::string& text, const char* part) {
      return text.find(part) != std::string::npos;
    };
    const std::string& text = verdict.InWords().text;
    CHECK(says(text, "something that was not recorded") == !recorded);
    CHECK(says(verdict.InWords().next_step, "Record Python functions") == !recorded);
    CHECK(says(text,
               "of that in hipMemcpyWithStream in aten::copy_, which was still open when the "
               "work began") == recorded);
  }
}

TEST_CASE("A copy that blocks the host is named with the op that asks for it") {
  test::KinetoText t;
  for (int s = 0; s < 4; ++s) {
    const double at = 10'000 * s;
    t.Host("user_annotation", "ProfilerStep#" + std::to_string(s), at, 9'990);
    t.Launch(2 * s + 1, at + 5, 5).Kernel("gemm", 2 * s + 1, at + 12, 2'000);
    t.Host("cpu_op", "aten::to", at + 2'500, 7'000);
    t.Launch(2 * s + 2, at + 2'510, 6'900, "cudaMemcpyAsync");
    t.Device("gpu_memcpy", "Memcpy DtoH (Device -> Pageable)", 2 * s + 2, at + 9'300, 90);
  }
  auto trace = LoadBytes("t.json", t.Text(test::kH100), {});
  REQUIRE(trace.ok());
  AnalysisContext context(*trace, Definitions::kStepscope);
  const Verdict verdict = test::JudgedAlone(**trace, context.Get<StepDatabase>());
  CHECK(verdict.id() == "sync");
  CAPTURE(verdict.InWords().text);
  CHECK(verdict.InWords().text.find("100 % of that in cudaMemcpyAsync in aten::to") !=
        std::string::npos);
}

TEST_CASE("The mark of a step on another thread is no cause of idle time") {
  test::KinetoText t;
  const auto on = [&](int tid, const std::string& category, const std::string& name, double ts,
                      double dur, int correlation) {
    t.Raw("{\"ph\":\"X\",\"cat\":\"" + category + "\",\"name\":\"" + name +
          "\",\"pid\":100,\"tid\":" + std::to_string(tid) + ",\"ts\":" + std::to_string(ts) +
          ",\"dur\":" + std::to_string(dur) +
          ",\"args\":{\"correlation\":" + std::to_string(correlation) + "}}");
  };
  for (int s = 0; s < 4; ++s) {
    const double at = 1000 * s;
    t.Host("user_annotation", "ProfilerStep#" + std::to_string(s), at, 990);
    on(2, "cuda_runtime", "cudaLaunchKernel", at + 500, 5, s + 1);
    t.Kernel("kernel", s + 1, at + 510, 200);
  }
  auto trace = LoadBytes("t.json", t.Text(test::kH100), {});
  REQUIRE(trace.ok());
  AnalysisContext context(*trace, Definitions::kStepscope);
  const StepDatabase& db = context.Get<StepDatabase>();
  CHECK(At(db.device_steps.at(2).class_times, StepTimeClass::kUnknown) > 700 * kPsPerUs);
  for (const IdleCause& cause : db.causes) {
    if (cause.loss == StepTimeClass::kUnknown) CHECK_FALSE(cause.event.valid());
  }
}

TEST_CASE("An event without a name is a cause too") {
  const auto trace = test::GpuSteps({{"", 100, 200}});
  AnalysisContext context(trace, Definitions::kStepscope);
  const AnalysisResult page = FindAnalysis("overview")->run(context, {});
  bool found = false;
  for (size_t r = 0; r < test::TableOf(page, "idle_causes").size(); ++r) {
    CHECK_FALSE(test::Text(page, "idle_causes", r, "cause").empty());
    found = found || test::Text(page, "idle_causes", r, "cause") == "(no name)";
  }
  CHECK(found);
}

TEST_CASE("Names of host events say what the host does") {
  const auto role = [](const char* name, EventCategory category = EventCategory::kHostEvent) {
    return RoleOfHostEvent(name, category);
  };
  CHECK(role("hipMemcpyWithStream") == HostRole::kSync);
  CHECK(role("cudaMemcpyAsync") == HostRole::kCopy);
  CHECK(role("cudaGraphLaunch") == HostRole::kGraph);
  CHECK(role("cudaLaunchKernelExC") == HostRole::kLaunch);
  CHECK(role("cudaDeviceSynchronize") == HostRole::kSync);
  CHECK(role("customStep") == HostRole::kWork);
  CHECK(role("transformers/pipelines/base.py(3): preprocess") == HostRole::kInput);
  CHECK(role("## sdd_preprocess_splits ##") == HostRole::kWork);
  CHECK(role("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__") == HostRole::kWait);
  CHECK(role("ProfilerStep#3") == HostRole::kNothing);
}

TEST_CASE("Causes are named as people call them") {
  CHECK(CauseName("transformers/pipelines/video.py(129): preprocess") ==
        "preprocess (video.py:129)");
  CHECK(CauseName("$api.py:3154 block_until_ready") == "block_until_ready (api.py:3154)");
  CHECK(CauseName("<built-in method to of Tensor object at 0x7f72809f2990>") == "to");
  CHECK(CauseName("aten::index") == "aten::index");
  CHECK(CauseName("IteratorGetNext:IteratorGetNext") == "IteratorGetNext");
}

TEST_CASE("A launch call that is named after its kernel is the op that launched it") {
  const std::string kernel = "void tensorflow::functor::ColumnReduceKernel<float const*, float*, " +
                             std::string(300, 'x') + ">(int)";
  XSpaceBuilder b;
  auto& kernels = b.Plane("/device:GPU:0").Line(14, "Stream #14");
  auto& host = b.Plane("/host:CPU").Line(1, "python");
  for (int64_t s = 0; s < 4; ++s) {
    const int64_t t = s * 1000 * kPsPerUs;
    const auto id = static_cast<uint64_t>(s + 1);
    host.Event("train", t, 950 * kPsPerUs).Stat("_r", int64_t{1}).Stat("step_num", s);
    host.Event("gradients/Sum:Sum", t + 100 * kPsPerUs, 700 * kPsPerUs);
    host.Event(kernel, t + 150 * kPsPerUs, 600 * kPsPerUs).Stat("correlation_id", id);
    kernels.Event("kernel", t + 751 * kPsPerUs, 200 * kPsPerUs).Stat("correlation_id", id);
  }
  auto trace = LoadBytes("h.xplane.pb", b.Bytes(), {});
  REQUIRE(trace.ok());
  AnalysisContext context(*trace, Definitions::kStepscope);
  const auto causes = CausesOf(**trace, context.Get<StepDatabase>(), StepTimeClass::kLaunch);
  REQUIRE(causes.size() == 1);
  CHECK(causes.begin()->first == "gradients/Sum:Sum");
  CHECK(test::JudgedAlone(**trace, context.Get<StepDatabase>()).InWords().text.size() < 150);
}

TEST_CASE("A launch call of a runtime that is named after its kernel is the op, too") {
  const auto cause = [](const std::string& call) {
    test::KinetoText t;
    for (int s = 0; s < 4; ++s) {
      const double at = 1'000 * s;
      t.Host("user_annotation", "ProfilerStep#" + std::to_string(s), at, 990);
      t.Host("cpu_op", "aten::mul", at + 100, 700);
      t.Launch(s + 1, at + 105, 690, call).Kernel("kernel", s + 1, at + 797, 100);
    }
    auto trace = LoadBytes("t.json", t.Text(test::kH100), {});
    REQUIRE(trace.ok());
    AnalysisContext context(*trace, Definitions::kStepscope);
    return CausesOf(**trace, context.Get<StepDatabase>(), StepTimeClass::kLaunch).begin()->first;
  };
  CHECK(cause("void at::native::vectorized_elementwise_kernel<4, LaunchFunctor>(int)") ==
        "aten::mul");
  CHECK(cause("fused_mul_kernel") == "aten::mul");
  CHECK(cause("urEnqueueKernelLaunch") == "urEnqueueKernelLaunch");
  CHECK(cause("cudaLaunchKernel") == "cudaLaunchKernel");
}

TEST_CASE("A cause of hundreds of characters is shortened") {
  const std::string name = "ns::Kernel<" + std::string(300, 'x') + ">(int)";
  const auto trace = test::GpuSteps({{name.c_str(), 100, 200}});
  AnalysisContext context(trace, Definitions::kStepscope);
  const auto causes = CausesOf(*trace, context.Get<StepDatabase>(), StepTimeClass::kHost);
  CHECK(causes.contains("Kernel"));
}

// By class and name of the cause, its time in one step on one device in us, rounded: equal steps of
// the generator differ by the accuracy of its clock.
using CausesOfStep = std::map<std::pair<StepTimeClass, std::string>, int64_t>;

CausesOfStep CausesIn(const Trace& trace, const StepDatabase& db, uint32_t step, PlaneId device) {
  CausesOfStep causes;
  for (const IdleCause& cause : db.causes) {
    if (cause.step == step && cause.device == device)
      causes[{cause.loss, CauseName(trace, cause)}] += cause.time;
  }
  for (auto& [cause, time] : causes) time = (time + kPsPerUs / 2) / kPsPerUs;
  return causes;
}

TEST_CASE("A call that runs a whole function is no op: it waits for the ops inside it") {
  for (const bool function : {true, false}) {
    XSpaceBuilder b;
    auto& python = b.Plane("/host:CPU").Line(1, "python");
    for (int64_t s = 0; s < 5; ++s) {
      const int64_t t = s * 1000 * kPsPerUs;
      python.Event("train", t, 1000 * kPsPerUs).Stat("_r", int64_t{1}).Stat("step_num", s);
      python.Event(
          function ? "EagerLocalExecute: __inference_train_7" : "EagerLocalExecute: MatMul",
          t + 100 * kPsPerUs, 800 * kPsPerUs);
      python.Event("train/Add:Add", t + 20 * kPsPerUs, 10 * kPsPerUs);
      python.Event("train/MatMul:MatMul", t + 200 * kPsPerUs, 300 * kPsPerUs);
    }
    auto trace = LoadBytes("h.xplane.pb", b.Bytes(), {});
    REQUIRE(trace.ok());
    AnalysisContext context(*trace, Definitions::kStepscope);
    REQUIRE(context.Get<StepDatabase>().steps.size() == 5);
    const double compute = context.Get<StepDatabase>().steps[2].class_times.front();
    CHECK(compute == (function ? 310 : 810) * kPsPerUs);
  }
}

TEST_CASE("Equal steps have equal causes") {
  using test::GpuScenario;
  for (const GpuScenario scenario : {GpuScenario::kHealthy, GpuScenario::kInputBound,
                                     GpuScenario::kCopies, GpuScenario::kStaggered}) {
    test::GpuProfileOptions options;
    options.scenario = scenario;
    options.steps = 8;
    options.layers = scenario == GpuScenario::kLaunchBound ? 12 : 20;
    options.seed = 1;
    auto trace = LoadBytes("h.xplane.pb", test::MakeGpuProfile(options), {});
    REQUIRE(trace.ok());
    AnalysisContext context(*trace, Definitions::kStepscope);
    const StepDatabase& db = context.Get<StepDatabase>();
    for (const DeviceStep& d : db.device_steps) {
      if (d.step < 2 || d.step + 1 == db.steps.size()) continue;  // their ends differ
      CAPTURE(static_cast<int>(scenario));
      CAPTURE(d.step);
      CHECK(CausesIn(**trace, db, d.step, d.device) == CausesIn(**trace, db, 1, d.device));
    }
  }
}

}  // namespace stepscope
