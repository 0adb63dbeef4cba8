// What was recorded, by whom, and what no sentence may claim without it.
#include "model/analysis/recording/recording.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <memory>
#include <string>

#include "loaders/loader.h"
#include "model/analysis/memory/memory_profile.h"
#include "model/analysis/pages/overview.h"

namespace stepscope {
namespace {

// The events of a JSON trace in the order of their calls. Times are µs.
class Json {
 public:
  Json& Slice(const char* name, const char* cat, double begin, double length, int thread = 1,
              const std::string& args = "") {
    const std::string category = *cat != 0 ? fmt::format(R"("cat":"{}",)", cat) : "";
    return Add(fmt::format(R"({{"ph":"X",{}"name":"{}","pid":1,"tid":{},"ts":{},"dur":{}{}}})",
                           category, name, thread, begin, length,
                           args.empty() ? "" : R"(,"args":{)" + args + "}"));
  }
  Json& Memory(double at, int64_t bytes, int type, int64_t total) {
    const std::string totals =
        total < 0 ? "" : fmt::format(R"(,"Total Allocated":{},"Total Reserved":{})", total, total);
    return Add(fmt::format(
        R"({{"ph":"i","s":"t","name":"[memory]","pid":1,"tid":1,"ts":{},"args":{{"Device Type":{},"Device Id":0,"Bytes":{}{}}}}})",
        at, type, bytes, totals));
  }
  Json& Process(int pid, const char* name) {
    return Add(fmt::format(R"({{"ph":"M","name":"process_name","pid":{},"args":{{"name":"{}"}}}})",
                           pid, name));
  }
  Json& Add(const std::string& event) {
    events_ += (events_.empty() ? "" : ",\n") + event;
    return *this;
  }
  Json& Head(const std::string& member) {
    head_ += member + ",";
    return *this;
  }
  std::shared_ptr<const Trace> Load(const char* name = "a.json") const {
    auto trace = LoadBytes(name, "{" + head_ + R"("traceEvents":[)" + events_ + "]}", {});
    REQUIRE(trace.ok());
    return *trace;
  }

 private:
  std::string head_, events_;
};

constexpr const char* kA100 =
    R"("schemaVersion":1,"with_stack":0,"deviceProperties":[{"id":0,"name":"NVIDIA A100","totalGlobalMem":84990623744,"computeMajor":8,"numSms":108}])";

Json TorchOps(int count, bool launches) {
  Json json;
  for (int i = 0; i < count; ++i) {
    json.Slice("aten::mm", "cpu_op", 1000 + 100 * i, 40);
    if (launches)
      json.Slice("cudaLaunchKernel", "cuda_runtime", 1010 + 100 * i, 10, 1,
                 fmt::format(R"("correlation":{})", i));
  }
  return json;
}

struct Judged {
  explicit Judged(std::shared_ptr<const Trace> of)
      : trace(std::move(of)), context(trace, Definitions::kStepscope) {}
  const Recording& recording() { return context.Get<Recording>(); }
  std::string Sentence() { return context.Get<Overview>({})->first.text; }
  std::string NextStep() { return context.Get<Overview>({})->first.next_step; }
  std::shared_ptr<const Trace> trace;
  AnalysisContext context;
};

bool Says(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("Launches without a kernel: the GPU part was not recorded") {
  Judged p(TorchOps(40, true).Head(kA100).Load());
  CHECK(p.recording().devices.part_missing);
  CHECK(p.recording().devices.launches == 40);
  CHECK(p.recording().DevicesText() == "NVIDIA A100, no event");
  CHECK(p.Sentence().starts_with(
      "The GPU part was not recorded: 40 launches have no kernel. So nothing is said"));
  CHECK(Says(p.NextStep(), "ProfilerActivity.CUDA"));
  CHECK_FALSE(p.context.Get<Overview>({})->busy_percent);
  CHECK(p.context.Get<Overview>({})->device_type == "NVIDIA A100, no event");
}

TEST_CASE("Memory of a GPU without its work: the GPU part was not recorded") {
  Json json = TorchOps(40, false);
  for (int i = 0; i < 4; ++i) json.Memory(1010 + 100 * i, 1 << 20, 1, 1 << 20);
  Judged p(json.Load());
  CHECK(p.recording().devices.memory);
  CHECK(p.Sentence().starts_with("The GPU part was not recorded: memory of a device"));
}

TEST_CASE("A GPU that is only named does not make a program of the CPU one of the GPU") {
  Judged p(TorchOps(40, false).Head(kA100).Load());
  CHECK_FALSE(p.recording().devices.part_missing);
  CHECK(p.recording().devices.named == 1);
  CHECK(Says(p.Sentence(), "ramework ops take 4"));
}

TEST_CASE("GPUs that are named and have no event, where hardly anything was recorded") {
  Json json;
  for (int g = 0; g < 8; ++g) json.Process(g + 1, fmt::format("/device:GPU:{}", g).c_str());
  json.Process(49, "/host:CPU");
  for (int i = 0; i < 30; ++i)
    json.Add(fmt::format(
        R"({{"ph":"X","name":"EagerExecute: __inference_f_1","pid":49,"tid":5,"ts":{},"dur":8}})",
        100 + 10 * i));
  Judged p(json.Load());
  CHECK(p.recording().devices.named == 8);
  CHECK(p.Sentence().starts_with("No event of the 8 GPUs was recorded."));
  CHECK(p.context.Get<Overview>({})->devices == 8);
}

TEST_CASE("The profiler's own stop is no work of the program") {
  Json json;
  json.Slice("train.py(5): <module>", "python_function", 990, 10100);
  for (int i = 0; i < 70; ++i) json.Slice("aten::mm", "cpu_op", 1000 + 100 * i, 99);
  SUBCASE("with its Python functions") {
    json.Slice("torch/profiler/profiler.py(698): __exit__", "python_function", 8010, 3000);
    json.Slice("cudaDeviceSynchronize", "cuda_runtime", 8040, 2940);
  }
  SUBCASE("without them") {
    Json other;
    for (int i = 0; i < 70; ++i) other.Slice("aten::mm", "cpu_op", 1000 + 100 * i, 99);
    json = other.Slice("cudaDeviceSynchronize", "cuda_runtime", 8010, 2940);
  }
  Judged p(json.Head(kA100).Load());
  CHECK(p.Sentence().starts_with("CPU-bound: framework ops take 99 % of the recording"));
  REQUIRE(p.recording().windows.size() == 1);
  CHECK(p.recording().windows[0].length() < 7100 * kPsPerUs);
}

TEST_CASE("A wait for the device inside the program stays the program's") {
  Json json;
  for (int i = 0; i < 20; ++i) {
    json.Slice("aten::mm", "cpu_op", 1000 + 100 * i, 40);
    json.Slice("cudaDeviceSynchronize", "cuda_runtime", 1045 + 100 * i, 50);
  }
  json.Slice("aten::mm", "cpu_op", 3000, 40);
  Judged p(json.Load());
  CHECK(p.recording().windows[0] == p.trace->span);
  CHECK(p.Sentence().starts_with("Synchronisation-bound"));
}

TEST_CASE("A trace of another kind of program is not judged") {
  Json json;
  for (int i = 0; i < 30; ++i) json.Slice("task:execute", "task", 12000.0 * i, 11000, i % 4);
  Judged p(json.Load());
  CHECK(p.recording().foreign());
  CHECK(p.recording().header.recorder == Recorder::kRay);
  CHECK(p.Sentence().starts_with("No trace of TensorFlow, JAX or PyTorch"));
  CHECK_FALSE(AppliesTo(*FindAnalysis("kernel_stats"), *p.trace));
  CHECK(AppliesTo(*FindAnalysis("diagnostics"), *p.trace));
  CHECK(p.context.Get("kernel_stats")->empty_reason.starts_with("No trace of TensorFlow"));
}

TEST_CASE("Recorders are found by their signs") {
  const auto recorder = [](const char* process, const char* name, const char* category) {
    Json json;
    if (*process != 0) json.Process(1, process);
    for (int i = 0; i < 3; ++i) json.Slice(name, category, 10.0 * i, 5);
    return json.Load()->recording.recorder;
  };
  CHECK(recorder("", "aten::mm", "cpu_op") == Recorder::kTorch);
  CHECK(recorder("", "aten::mm", "") == Recorder::kTorch);
  CHECK(recorder("/host:CPU", "f", "") == Recorder::kXla);
  CHECK(recorder("", "NEGOTIATE_ALLREDUCE", "") == Recorder::kHorovod);
  CHECK(recorder("", "f (/home/me/train.py:12)", "FEE") == Recorder::kVizTracer);
  CHECK(recorder("", "f (train.py:12)", "py-spy") == Recorder::kPySpy);
  CHECK(recorder("", "SequentialExecutor::Execute", "Session") == Recorder::kOnnxRuntime);
  CHECK(recorder("", "something", "") == Recorder::kOther);
}

TEST_CASE("Findings say the sentence of the overview") {
  Json json;
  for (int s = 0; s < 3; ++s) {
    const double t = 100000 + 10000 * s;
    json.Slice(fmt::format("ProfilerStep#{}", s).c_str(), "user_annotation", t, 9900);
    json.Slice("aten::normal_", "cpu_op", t + 10, 9000);
    for (int k = 0; k < 20; ++k) {
      const int id = 100 * s + k + 1;
      json.Slice("aten::add", "cpu_op", t + 9100 + 20 * k, 15, 1,
                 fmt::format(R"("External id":{})", id));
      json.Slice("cudaLaunchKernel", "cuda_runtime", t + 9105 + 20 * k, 5, 1,
                 fmt::format(R"("correlation":{})", id));
      json.Add(fmt::format(
          R"({{"ph":"X","cat":"kernel","name":"add","pid":0,"tid":7,"ts":{},"dur":10,"args":{{"device":0,"stream":7,"correlation":{},"External id":{}}}}})",
          t + 9115 + 20 * k, id, id));
    }
  }
  Judged p(json.Load());
  CHECK(Says(p.Sentence(), "ops that run on the host"));
  CHECK(p.context.Get("findings")->findings.front().text == p.Sentence());
}

TEST_CASE("Memory events without totals: the sum of bytes, and no word about room") {
  Json json = TorchOps(20, false);
  for (int i = 0; i < 10; ++i) json.Memory(1005 + 100 * i, 100, 0, -1);
  for (int i = 0; i < 4; ++i) json.Memory(2005 + 10 * i, -100, 0, -1);
  Judged p(json.Load());
  const auto memory = p.context.Get<MemoryProfile>({});
  REQUIRE(memory->allocators.size() == 1);
  const AllocatorProfile& allocator = memory->allocators.front();
  CHECK_FALSE(allocator.has_totals);
  CHECK(allocator.snapshots[allocator.peak].in_use == 1000);
  CHECK(allocator.snapshots.back().in_use == 600);
}

TEST_CASE("A program on the CPU whose ops take most is bound by them, whatever else is unknown") {
  Json json;
  for (int i = 0; i < 20; ++i) json.Slice("aten::mm", "cpu_op", 1000 + 100 * i, 75);
  Judged p(json.Load());
  CHECK(p.Sentence().starts_with("CPU-bound: framework ops take 7"));
}

TEST_CASE("Marked steps with nothing inside are not judged") {
  Json json;
  json.Process(1, "Step:TRAIN");
  for (int i = 0; i < 10; ++i)
    json.Slice("train", "", 1000 + 1000 * i, 990, 1, fmt::format(R"("step_num":{})", i));
  Judged p(json.Load());
  CHECK(p.Sentence().starts_with(
      "Too little was recorded to judge: nothing inside the 10 steps was recorded."));
}

TEST_CASE("What a recording lost is said beside the first sentence") {
  Json json;
  for (int i = 0; i < 20; ++i) json.Slice("aten::mm", "cpu_op", 5e9 + 100 * i, 80);
  for (int i = 0; i < 20; ++i) json.Slice("aten::add", "cpu_op", 0, 0);
  Judged p(json.Head(R"("baseTimeNanoseconds":1690000000000000000)").Load());
  const auto findings = p.context.Get("overview")->findings;
  REQUIRE(findings.size() > 1);
  CHECK(findings[1].text.starts_with("Incomplete: events have time 0 and length 0"));
  REQUIRE(p.recording().losses.size() == 1);
  CHECK(p.recording().losses[0].count == 20);
}

TEST_CASE("Calls of HIP are recorded by ROCm's profiler") {
  Json rocm;
  rocm.Process(1, "CPU HIP API");
  for (int i = 0; i < 5; ++i) rocm.Slice("hipLaunchKernel", "", 10 * i, 5);
  CHECK(rocm.Load()->recording.recorder == Recorder::kRocprof);
}

TEST_CASE("Layers that are absent are named with how to record them") {
  Judged p(TorchOps(40, true).Head(kA100).Load());
  const Recording& recording = p.recording();
  CHECK(recording.RecorderText() == "torch.profiler (Kineto, schema 1)");
  CHECK(recording.Has(Layer::kOps));
  CHECK(recording.Has(Layer::kRuntimeCalls));
  CHECK_FALSE(recording.Has(Layer::kPython));
  CHECK(recording.At(Layer::kPython).evidence == "with_stack was off");
  CHECK(Says(recording.HowToRecord(Layer::kPython), "with_stack=True"));
  CHECK(Says(recording.AbsentText(), "Not recorded: work of devices, Python functions"));
}

}  // namespace stepscope
