// The first sentence about our own samples and about generated profiles with planted losses.
#include "model/analysis/steps/verdict.h"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <string>
#include <string_view>

#include "loaders/loader.h"
#include "model/jobs/job.h"
#include "tests/support/gpu_profile.h"
#include "tests/support/judged.h"
#include "tests/support/kineto_text.h"
#include "tests/support/planted_losses.h"
#include "tests/support/source_paths.h"
#include "tests/support/table_cells.h"
#include "tests/support/table_rows.h"
#include "tests/support/xspace_builder.h"

namespace stepscope {
namespace {

using test::GpuScenario;

struct Facts {
  std::string verdict;
  double percent = 0, median_ms = 0, busy = 0;
};

Facts FactsOf(const std::shared_ptr<const Trace>& trace) {
  AnalysisContext context(trace, Definitions::kStepscope);
  const AnalysisResult page = FindAnalysis("overview")->run(context, {});
  const auto number = [&](const char* id) {
    const Property* p = page.Find(id);
    REQUIRE(p != nullptr);
    return std::holds_alternative<double>(p->value) ? std::get<double>(p->value) : -1;
  };
  REQUIRE(page.Find("verdict") != nullptr);
  return {std::get<SharedText>(page.Find("verdict")->value).str(), number("verdict_percent"),
          number("step_ms_median"), number("device_busy_percent")};
}

struct Planted {
  const char* what;
  test::GpuProfileOptions options;
  const char* verdict;
  // The planted share of the period in one step; null: not checked.
  std::function<double(const test::StepTruth&)> share;
};

double Share(int64_t part, const test::StepTruth& step) {
  return 100.0 * static_cast<double>(part) / static_cast<double>(step.period_ps);
}

std::vector<Planted> AllPlanted() {
  std::vector<Planted> all;
  const auto add = [&](const char* what, const char* verdict, auto set, auto share) {
    test::GpuProfileOptions options;
    options.steps = 6;
    options.layers = 20;
    set(&options);
    all.push_back({what, options, verdict, share});
  };
  using O = test::GpuProfileOptions;
  using T = const test::StepTruth&;
  const std::function<double(T)> none;
  add(
      "healthy", "device", [](O*) {}, none);
  add(
      "inputbound", "input", [](O* o) { o->scenario = GpuScenario::kInputBound; },
      [](T s) { return Share(s.input_wait_ps, s); });
  add(
      "launchbound", "launch", [](O* o) { o->scenario = GpuScenario::kLaunchBound; }, none);
  add(
      "queued", "queued", [](O* o) { o->gap_us = 15; }, none);
  add(
      "copies", "copies", [](O* o) { o->scenario = GpuScenario::kCopies; }, none);
  add(
      "staggered", "collective_wait", [](O* o) { o->scenario = GpuScenario::kStaggered; },
      [](T s) { return Share(s.gpus[0].collective_wait_ps, s); });
  add(
      "after-input", "input",
      [](O* o) {
        o->marker_after_input = true;
        o->input_wait_us = 2000;
      },
      [](T s) { return Share(s.input_wait_ps, s); });
  add(
      "between", "between_steps", [](O* o) { o->between_us = 2500; },
      [](T s) { return Share(s.between_ps, s); });
  return all;
}

}  // namespace

TEST_CASE("Planted losses lead, with their share of the step, whatever size and seed") {
  for (Planted& planted : AllPlanted()) {
    for (const int variant : {0, 1}) {
      CAPTURE(planted.what);
      CAPTURE(variant);
      if (variant == 1) {
        planted.options.seed = 5;
        planted.options.layers = 31;
        planted.options.gpus = 4;
      }
      std::vector<test::StepTruth> truth;
      auto trace = LoadBytes("h.xplane.pb", test::MakeGpuProfile(planted.options, &truth), {});
      REQUIRE(trace.ok());
      const Facts facts = FactsOf(*trace);
      CHECK(facts.verdict == planted.verdict);
      const double period = static_cast<double>(truth[2].period_ps) / static_cast<double>(kPsPerMs);
      CHECK(facts.median_ms == doctest::Approx(period).epsilon(0.02));
      if (planted.share) CHECK(std::abs(facts.percent - planted.share(truth[2])) <= 2);
    }
  }
}

TEST_CASE("Copies and collectives that lead are named by their kinds") {
  test::GpuProfileOptions options;
  options.steps = 6;
  options.layers = 20;
  options.scenario = GpuScenario::kCopies;
  const AnalysisResult copies =
      test::Analyse("h.xplane.pb", test::MakeGpuProfile(options), "overview");
  CHECK(test::PropertyText(copies, "verdict") == "copies");
  CHECK(test::PropertyText(copies, "verdict_causes").starts_with("MemcpyD2H 9"));
  CHECK(copies.findings.front().text.find(" of that in MemcpyD2H") != std::string::npos);
  CHECK(test::Text(copies, "losses", 0, "causes").starts_with("MemcpyD2H 9"));
}

// Steps of 100 us: a kernel of 40 us, a send of 40 us that the kernel hides for 30 us, and a
// reduction of 40 us. Steps that are cut do not count.
TEST_CASE("Kinds of collectives share the time that nothing hides") {
  test::KinetoText t;
  for (int s = 0; s < 5; ++s) {
    const double at = 100 * s;
    const int id = 3 * s;
    t.Host("user_annotation", "ProfilerStep#" + std::to_string(s), at, 99);
    t.Launch(id + 1, at, 1).Launch(id + 2, at + 2, 1).Launch(id + 3, at + 4, 1);
    t.On(0, 7).Kernel("gemm", id + 1, at + 10, 40);
    t.On(0, 20).Kernel("ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", id + 2, at + 20,
                       40);
    t.Kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgs)", id + 3, at + 60, 40);
  }
  const AnalysisResult page = test::Analyse("t.json", t.Text(test::kH100), "overview");
  CHECK(test::PropertyText(page, "verdict") == "collectives");
  CHECK(test::PropertyText(page, "verdict_causes") ==
        "ncclDevKernel_AllReduce_Sum_f32 80 %, ncclDevKernel_SendRecv 20 %");
  CHECK(page.findings.front().text.find("; 80 % of that in ncclDevKernel_AllReduce_Sum_f32") !=
        std::string::npos);
}

TEST_CASE("What a device copies for itself is its own work, and is not called computing") {
  test::KinetoText t;
  for (int s = 0; s < 5; ++s) {
    const double at = 100 * s;
    t.Host("user_annotation", "ProfilerStep#" + std::to_string(s), at, 99);
    t.Launch(2 * s + 1, at, 1).Launch(2 * s + 2, at + 2, 1);
    t.On(0, 7).Kernel("gemm", 2 * s + 1, at + 5, 76);
    t.Device("gpu_memcpy", "Memcpy DtoD (Device -> Device)", 2 * s + 2, at + 85, 20);
  }
  const AnalysisResult page = test::Analyse("t.json", t.Text(test::kH100), "overview");
  CHECK(test::PropertyText(page, "verdict") == "device");
  const std::string& text = page.findings.front().text;
  CAPTURE(text);
  CHECK(text.find(" and copies and fills its own memory 20 %. Next largest: ") !=
        std::string::npos);
  // The table beside the sentence has the same two numbers.
  CHECK(test::Real(page, "step_losses", 1, "device") == doctest::Approx(0.076));
  CHECK(test::Real(page, "step_losses", 1, "on_device") == doctest::Approx(0.020));
}

TEST_CASE("What a device does not compute is no bound of what a step could save") {
  test::KinetoText t;
  for (int s = 0; s < 5; ++s) {
    const double at = 100 * s;
    t.Host("user_annotation", "ProfilerStep#" + std::to_string(s), at, 99);
    t.Launch(s + 1, at, 1).On(0, 7).Kernel("gemm", s + 1, at + 5, 95);
  }
  const AnalysisResult page = test::Analyse("t.json", t.Text(test::kH100), "overview");
  const std::string& text = page.findings.front().text;
  CAPTURE(text);
  CHECK(text.find("of each step; of the rest, most is ") != std::string::npos);
  CHECK(text.find("largest loss") == std::string::npos);
}

TEST_CASE("The running number of a step's mark does not split a cause") {
  test::KinetoText t;
  for (int s = 0; s < 6; ++s) {
    const double at = 1000 * s;
    t.Host("user_annotation", "ProfilerStep#" + std::to_string(s), at, 999);
    t.Launch(s + 1, at + 600, 5).On(0, 7).Kernel("gemm", s + 1, at + 610, 390);
  }
  const AnalysisResult page = test::Analyse("t.json", t.Text(test::kH100), "overview");
  CHECK(test::PropertyText(page, "verdict") == "host");
  CHECK(test::PropertyText(page, "verdict_causes") ==
        "Python functions that were not recorded 100 %");
  CHECK(test::Text(page, "idle_by_cause", 0, "cause") == "Python functions that were not recorded");
  CHECK(test::Int(page, "idle_by_cause", 0, "steps") == 6);
}

TEST_CASE("Kernels of one name alone are no steps, those of a repeated sequence are") {
  for (const bool sequence : {false, true}) {
    test::KinetoText t;
    for (int k = 0; k < 30; ++k)
      t.Kernel(sequence && k % 3 == 0 ? "gemm" : "relu", k + 1, 100.0 * k, 10);
    const AnalysisResult page = test::Analyse("t.json", t.Text(test::kH100), "overview");
    CAPTURE(sequence);
    CHECK(test::PropertyText(page, "step_count") == (sequence ? "10" : "0"));
    CHECK(test::PropertyText(page, "verdict") == "unknown");
    const std::string& text = page.findings.front().text;
    CHECK((text.find("of the recording") != std::string::npos) == !sequence);
  }
}

TEST_CASE("The samples' verdicts are what an expert says of them") {
  struct Sample {
    const char* file;
    const char* verdict;
    double percent, median_ms, busy;
  };
  // Each was looked at on the timeline; the numbers are what this code measured then.
  const Sample samples[] = {
      {"tf_inputbound.xplane.pb.zst", "input", 92.9, 69.85, 4.3},
      {"tf_graph.xplane.pb.zst", "host", 17.4, 7.07, 82.4},
      {"jax_cpu.xplane.pb.zst", "host", 16.3, 1.98, 83.3},
      {"torch_cpu.json.gz", "device", 90.2, 20.01, 90.2},
      {"torch_cpu_stack.json.gz", "device", 83.6, 11.62, 83.6},
  };
  for (const Sample& sample : samples) {
    CAPTURE(sample.file);
    Progress progress;
    auto trace = LoadPath(test::SourcePath("tests/data/") + sample.file, {}, {}, progress, nullptr);
    REQUIRE(trace.ok());
    const Facts facts = FactsOf(*trace);
    CHECK(facts.verdict == sample.verdict);
    CHECK(facts.percent == doctest::Approx(sample.percent).epsilon(0.01));
    CHECK(facts.median_ms == doctest::Approx(sample.median_ms).epsilon(0.01));
    CHECK(facts.busy == doctest::Approx(sample.busy).epsilon(0.01));
  }
}

TEST_CASE("Without steps the span of all device events is judged, if there are enough of them") {
  for (const int kernels : {10, 40}) {
    test::XSpaceBuilder b;
    auto& stream = b.Plane("/device:GPU:0").Line(14, "Stream #14");
    auto& host = b.Plane("/host:CPU").Line(1, "python");
    for (int k = 0; k < kernels; ++k) {  // all names differ, so there is no period
      const auto id = static_cast<uint64_t>(k + 1);
      const int64_t t = k * 100 * kPsPerUs;
      host.Event("op:MatMul", t, 60 * kPsPerUs);
      host.Event("cuLaunchKernel", t + 60 * kPsPerUs, 5 * kPsPerUs).Stat("correlation_id", id);
      stream.Event("kernel" + std::to_string(k), t + 70 * kPsPerUs, 30 * kPsPerUs)
          .Stat("correlation_id", id);
    }
    auto trace = LoadBytes("h.xplane.pb", b.Bytes(), {});
    REQUIRE(trace.ok());
    const Facts facts = FactsOf(*trace);
    CAPTURE(kernels);
    CHECK(facts.median_ms == -1);  // there is no step
    CHECK(facts.verdict == (kernels < 20 ? "too_little" : "host"));
    if (kernels >= 20) CHECK(facts.percent == doctest::Approx(60).epsilon(0.05));
  }
}

TEST_CASE("The input page says what the overview says of input") {
  test::GpuProfileOptions options;
  options.steps = 4;
  options.layers = 6;
  for (const bool waits : {true, false}) {
    options.scenario = waits ? GpuScenario::kInputBound : GpuScenario::kHealthy;
    auto trace = LoadBytes("h.xplane.pb", test::MakeGpuProfile(options), {});
    REQUIRE(trace.ok());
    AnalysisContext context(*trace, Definitions::kStepscope);
    const AnalysisResult overview = FindAnalysis("overview")->run(context, {});
    const AnalysisResult input = FindAnalysis("input_pipeline")->run(context, {});
    REQUIRE(!input.findings.empty());
    CHECK((input.findings.front().text == overview.findings.front().text) == waits);
    CHECK(input.findings.front().text.starts_with(waits ? "Input-bound" : "Not input-bound"));
  }
}

TEST_CASE("A program on the CPU waits for nobody, and is not advised to capture CUDA graphs") {
  for (const char* file : {"tf_graph.xplane.pb.zst", "tf_eagerpy.xplane.pb.zst"}) {
    CAPTURE(file);
    Progress progress;
    auto trace = LoadPath(test::SourcePath("tests/data/") + file, {}, {}, progress, nullptr);
    REQUIRE(trace.ok());
    AnalysisContext context(*trace, Definitions::kStepscope);
    const Verdict verdict = test::JudgedAlone(**trace, context.Get<StepDatabase>());
    REQUIRE(verdict.id() == "host");
    CHECK(verdict.InWords().text.starts_with("Host-bound: Python"));
    CHECK(verdict.InWords().text.find(" of each step") != std::string::npos);
    CHECK(verdict.InWords().text.find("Framework ops take ") != std::string::npos);
    CHECK(verdict.InWords().next_step.find("CUDA") == std::string::npos);
    const AnalysisResult found = FindAnalysis("findings")->run(context, {});
    for (const auto& row : test::RowsOf(test::TableOf(found, "findings"))) {
      for (const Value& cell : row) CHECK(RawValue(cell).find("CUDA graph") == std::string::npos);
    }
  }
}

TEST_CASE("Ops that run on the host are named, and verdict and finding advise the same") {
  for (const bool launches : {false, true}) {
    test::KinetoText t;
    for (int step = 0; step < 5; ++step) {
      const double at = 100 + 1000 * step;
      t.Host("user_annotation", "ProfilerStep#" + std::to_string(step), at, 999);
      t.Host("cpu_op", "aten::index", at + 1, 700);
      if (launches)
        t.Launch(10 * step + 1, at + 690, 5).Kernel("index", 10 * step + 1, at + 699, 9);
      t.Host("cpu_op", "aten::mm", at + 705, 10).Launch(10 * step + 2, at + 707, 3);
      t.Kernel("gemm", 10 * step + 2, at + 712, 270);
    }
    const AnalysisResult page = test::Analyse("t.json", t.Text(test::kH100), "overview");
    const AnalysisResult found = test::Analyse("t.json", t.Text(test::kH100), "findings");
    const Finding& verdict = page.findings.front();
    CAPTURE(verdict.text);
    CHECK((verdict.text.find("for ops that run on the host; ") != std::string::npos) == !launches);
    const int row = test::RowOfRule(found, "host-op");
    REQUIRE(row >= 0);
    CHECK(test::Text(found, "findings", static_cast<size_t>(row), "remedy") == verdict.next_step);
  }
}

namespace {

// Steps of 1 ms of which 500 us are lost: `own` us of them in an event, the rest in another one of
// the same class.
Verdict LostTo(const char* category, const char* name, const char* other, double own,
               std::string* host_op) {
  test::KinetoText t;
  for (int step = 0; step < 5; ++step) {
    const double at = 100 + 1000 * step;
    t.Host("user_annotation", "ProfilerStep#" + std::to_string(step), at, 999);
    t.Host(category, name, at + 1, own).Host(category, other, at + 1 + own, 500 - own);
    t.Host("cpu_op", "aten::mm", at + 502, 10).Launch(step + 1, at + 504, 3);
    t.Kernel("gemm", step + 1, at + 510, 491);
  }
  auto trace = LoadBytes("t.json", t.Text(test::kH100), {});
  REQUIRE_MESSAGE(trace.ok(), trace.status().message());
  AnalysisContext context(*trace, Definitions::kStepscope);
  const AnalysisResult found = FindAnalysis("findings")->run(context, {});
  const int row = test::RowOfRule(found, "host-op");
  if (row >= 0) *host_op = test::Text(found, "findings", static_cast<size_t>(row), "title");
  return test::JudgedAlone(**trace, context.Get<StepDatabase>());
}

}  // namespace

TEST_CASE("A cause has its own words only where it is nearly all of the class") {
  for (const bool most : {false, true}) {
    CAPTURE(most);
    const double own = most ? 450 : 290;
    std::string title;
    const Verdict garbage = LostTo("python_function", "Python GC", "train.py(3): log", own, &title);
    CAPTURE(garbage.InWords().text);
    CHECK(garbage.id() == "host");
    const auto says = [](const std::string& text, const char* what) {
      return text.find(what) != std::string::npos;
    };
    CHECK(says(garbage.InWords().text, "to collect garbage") == most);
    CHECK(says(garbage.InWords().text, "of that in garbage collection") != most);
    CHECK(says(garbage.InWords().next_step, "gc.freeze()"));
    CAPTURE(title);
    CHECK(says(title, "to collect garbage") == most);
    CHECK(says(title, "of it in garbage collection") != most);
    const Verdict save = LostTo("python_function", "torch/serialization.py(944): save",
                                "train.py(3): log", own, &title);
    CHECK(says(save.InWords().text, "for checkpoints to be saved") == most);
    CHECK(says(save.InWords().next_step, "async_save"));
    CHECK(says(title, "for checkpoints to be saved") == most);
    const Verdict barrier =
        LostTo("cuda_runtime", "c10d::barrier", "cudaDeviceSynchronize", own, &title);
    CHECK(barrier.id() == "sync");
    CHECK(says(barrier.InWords().text, "for other ranks at a barrier") == most);
    CHECK(says(barrier.InWords().next_step, "among the ranks"));
  }
}

TEST_CASE("A call of Python that waits is no work of Python, and nobody is advised to compile") {
  const auto says = [](const std::string& text, const char* what) {
    return text.find(what) != std::string::npos;
  };
  constexpr const char* kItself = "the host, which waits itself";
  constexpr const char* kAnother = "another process";
  for (const auto& [name, whom] :
       {std::pair("<built-in method acquire of _thread.lock object at 0x7f>", kItself),
        std::pair("<built-in method poll of select.poll object at 0x7f>", kItself),
        std::pair("<built-in method recv of _socket.socket object at 0x7f>", kAnother),
        std::pair("<built-in function sleep>", kItself)}) {
    CAPTURE(name);
    std::string title;
    const Verdict waits = LostTo("python_function", name, "train.py(3): log", 450, &title);
    CAPTURE(waits.InWords().text);
    CHECK(waits.id() == "host");
    CHECK(says(waits.InWords().text, (std::string(" for ") + whom + "; ").c_str()));
    CHECK(says(waits.InWords().next_step, whom == kItself
                                              ? "which thread, process or host that call waits for"
                                              : "See in that process why its answer is late"));
    CHECK(says(title, (std::string(" for ") + whom + ", ").c_str()));
    const Verdict half = LostTo("python_function", name, "train.py(3): log", 290, &title);
    CHECK(says(half.InWords().text, "for Python and op dispatch"));
    CHECK_FALSE(says(half.InWords().next_step, "torch.compile"));
  }
  std::string title;
  const Verdict works =
      LostTo("python_function", "<built-in method acquire of Pool object at 0x7f>",
             "train.py(3): log", 450, &title);
  CHECK(says(works.InWords().text, "for Python and op dispatch"));
  CHECK(says(works.InWords().next_step, "torch.compile"));
}

TEST_CASE("A program on the CPU that waits in Python is not said to run Python") {
  for (const bool waits : {true, false}) {
    test::KinetoText t;
    for (int step = 0; step < 6; ++step) {
      const double at = 10'000 * step;
      t.Host("user_annotation", "ProfilerStep#" + std::to_string(step), at, 9'990);
      t.Host("python_function", "train.py(171): get", at + 100, 6'000);
      t.Host(
          "python_function",
          waits ? "<built-in method acquire of _thread.lock object at 0x1>" : "my_queue.py(9): put",
          at + 102, 5'990);
      for (int op = 0; op < 10; ++op) t.Host("cpu_op", "aten::linear", at + 6'200 + 370 * op, 360);
    }
    const AnalysisResult page = test::Analyse("t.json", t.Text(), "overview");
    const std::string& text = page.findings.front().text;
    CAPTURE(text);
    CHECK(text.starts_with(waits ? "Host-bound: waiting for others takes "
                                 : "Host-bound: Python takes "));
  }
}

namespace {

// Five steps of 1 ms in which the host works for 600 us, then launches 20 kernels: `graph` in one
// graph, or each by itself.
Verdict AfterHostWork(bool graph, std::string* advice) {
  test::KinetoText t;
  for (int step = 0; step < 5; ++step) {
    const double at = 100 + 1000 * step;
    t.Host("user_annotation", "ProfilerStep#" + std::to_string(step), at, 999);
    t.Host("cpu_op", "aten::mm", at + 1, 600);
    if (graph) t.Launch(100 * step + 1, at + 602, 10, "cudaGraphLaunch");
    for (int k = 0; k < 20; ++k) {
      const int id = 100 * step + 1 + (graph ? 0 : k);
      if (!graph) t.Launch(id, at + 602 + 20 * k, 2);
      t.Kernel("gemm", id, at + 606 + 20 * k, 15);
    }
  }
  auto trace = LoadBytes("t.json", t.Text(test::kH100), {});
  REQUIRE_MESSAGE(trace.ok(), trace.status().message());
  AnalysisContext context(*trace, Definitions::kStepscope);
  const AnalysisResult found = FindAnalysis("findings")->run(context, {});
  for (size_t row = 0; row < test::TableOf(found, "findings").size(); ++row)
    *advice += test::Text(found, "findings", row, "remedy") + " ";
  return test::JudgedAlone(**trace, context.Get<StepDatabase>());
}

}  // namespace

TEST_CASE("A program whose kernels graphs launch is not advised to capture graphs or to compile") {
  for (const bool graph : {false, true}) {
    CAPTURE(graph);
    std::string advice;
    const Verdict verdict = AfterHostWork(graph, &advice);
    CHECK(verdict.id() == "host");
    advice += verdict.InWords().next_step;
    CAPTURE(advice);
    CHECK((advice.find("CUDA graph") == std::string::npos) == graph);
    CHECK((advice.find("torch.compile") == std::string::npos) == graph);
    CHECK((verdict.InWords().next_step.find("Graphs launch most kernels already") == 0) == graph);
  }
}

TEST_CASE("Garbage, checkpoints, barriers and events have causes of their own") {
  const struct {
    const char* category;
    const char* name;
    const char* verdict;
    const char* says;
    const char* remedy;
  } rows[] = {
      {"python_function", "Python GC", "host", "to collect garbage; 93 % of that time",
       "gc.freeze()"},
      {"python_function", "torch/serialization.py(944): save", "host",
       "for checkpoints to be saved; 93 % of that in checkpoint saving: save "
       "(serialization.py:944)",
       "async_save"},
      {"cpu_op", "c10d::barrier", "sync", "for other ranks at a barrier", "among the ranks"},
      {"cuda_runtime", "cudaEventSynchronize", "sync", "in cudaEventSynchronize",
       "stream.wait_event"},
      {"python_function", "<built-in method synchronize of Event object at 0x7f>", "sync",
       "of that in Event.synchronize", "stream.wait_event"},
      // These only look like the others.
      {"python_function", "/home/me/metrics.py(3): collect", "host", "for Python and op dispatch",
       "torch.compile"},
      {"python_function", "torch/utils/checkpoint.py(300): checkpoint", "host",
       "for Python and op dispatch", "torch.compile"},
      {"cuda_runtime", "cudaStreamSynchronize", "sync", "from blocking calls", ".item()"}};
  for (const auto& row : rows) {
    CAPTURE(row.name);
    test::KinetoText t;
    for (int step = 0; step < 5; ++step) {
      const double at = 100 + 1000 * step;
      t.Host("user_annotation", "ProfilerStep#" + std::to_string(step), at, 999);
      t.Host(row.category, row.name, at + 1, 500);
      t.Host("cpu_op", "aten::mm", at + 502, 10).Launch(step + 1, at + 504, 3);
      t.Kernel("gemm", step + 1, at + 510, 450);
    }
    auto trace = LoadBytes("t.json", t.Text(test::kH100), {});
    REQUIRE_MESSAGE(trace.ok(), trace.status().message());
    AnalysisContext context(*trace, Definitions::kStepscope);
    const Verdict verdict = test::JudgedAlone(**trace, context.Get<StepDatabase>());
    CHECK(verdict.id() == row.verdict);
    CAPTURE(verdict.InWords().text);
    CHECK(verdict.InWords().text.find(row.says) != std::string::npos);
    CHECK(verdict.InWords().next_step.find(row.remedy) != std::string::npos);
    const AnalysisResult found = FindAnalysis("findings")->run(context, {});
    const std::string rule = std::string_view(row.verdict) == "host" ? "host-op" : "sync";
    bool said = false;
    for (size_t r = 0; r < test::TableOf(found, "findings").size(); ++r) {
      if (test::Text(found, "findings", r, "rule") != rule) continue;
      said = test::Text(found, "findings", r, "remedy").find(row.remedy) != std::string::npos;
    }
    CHECK(said);
  }
}

TEST_CASE("words of a verdict: a late rank stands before the next losses and idle devices") {
  Verdict v;
  v.leads = StepPart::kCollectives;
  v.percent = 40;
  v.kind = DeviceKind::kGpu;
  v.devices = "the GPUs";
  v.losses.resize(2);
  v.losses[0].part = StepPart::kCollectives, v.losses[0].of_waiting = 40;
  v.losses[1].part = StepPart::kCopies, v.losses[1].of_waiting = 12;
  v.idle_devices = " GPU 1 is left out.";
  v.late_rank = {
      .rank = 3, .percent = 10, .of_loss = 0.3, .cause = "input", .remedy = "Read ahead."};
  const std::string others = ". Next largest: copies, 12 %.";
  const std::string begin = "Collective-bound: 40 % of each step goes to exposed collectives";
  CHECK(v.InWords().text == begin + "; 30 % of that waiting for rank 3" + others + v.idle_devices);
  v.late_rank->leads = true;
  CHECK(v.InWords().text ==
        "Waiting for rank 3: the other ranks wait 10.0 % of each step for it in collectives; all "
        "ranks together spend 40 % of their steps in them; the cause is input" +
            others);
  CHECK(v.InWords().next_step == "Read ahead.");
  v.late_rank.reset();
  v.recorded = Verdict::Recorded::kPart;
  v.lacks = "GPU 0 has no event";
  CHECK(
      v.InWords().text.starts_with("Recorded in part: GPU 0 has no event. The rest is collective"));
  CHECK(v.id() == "too_little");
}

}  // namespace stepscope
