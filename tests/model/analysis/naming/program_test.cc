#include "model/analysis/naming/program.h"

#include <doctest/doctest.h>

#include <string>

#include "loaders/loader.h"
#include "tests/support/kineto_text.h"
#include "tests/support/source_paths.h"
#include "tests/support/xspace_builder.h"

namespace stepscope {
namespace {

Program OfFile(const std::string& name) {
  Progress progress;
  auto trace = LoadPath(test::SourcePath("tests/data/") + name, {}, {}, progress, nullptr);
  REQUIRE(trace.ok());
  return ProgramOf(**trace);
}

Program OfText(const test::KinetoText& text, const std::string& device = "") {
  auto trace = LoadBytes("t.json", text.Text(device), {});
  REQUIRE_MESSAGE(trace.ok(), trace.status().message());
  return ProgramOf(**trace);
}

test::KinetoText OneKernel(const char* runtime = "cuda_runtime") {
  test::KinetoText t;
  t.Host("cpu_op", "aten::mm", 0, 10).Host(runtime, "launch", 2, 3, "\"correlation\":1");
  return t.Kernel("gemm", 1, 20, 5);
}

}  // namespace

TEST_CASE("Recordings tell their framework, and how far the program is compiled") {
  const struct {
    const char* file;
    Framework framework;
    Build build;
    bool python;
  } rows[] = {{"jax_cpu.xplane.pb.zst", Framework::kJax, Build::kCompiled, true},
              {"jax_cpu.trace.json.gz", Framework::kJax, Build::kCompiled, true},
              {"tf_eagerpy.xplane.pb.zst", Framework::kTensorFlow, Build::kEager, false},
              {"tf_graph.xplane.pb.zst", Framework::kTensorFlow, Build::kCompiled, false},
              {"tf_keras.xplane.pb.zst", Framework::kTensorFlow, Build::kCompiled, false},
              {"torch_cpu.json.gz", Framework::kTorch, Build::kEager, false},
              {"torch_cpu_stack.json.gz", Framework::kTorch, Build::kEager, true}};
  for (const auto& row : rows) {
    CAPTURE(row.file);
    const Program program = OfFile(row.file);
    CHECK(program.framework == row.framework);
    CHECK(program.build == row.build);
    CHECK(program.python == row.python);
    CHECK(program.host_events);
    CHECK(program.processor == Processor::kCpu);
    CHECK(DeviceWord(program) == "CPU");
  }
}

TEST_CASE("Code that torch.compile or XLA made is compiled, ops beside it are not") {
  CHECK(OfText(OneKernel()).build == Build::kEager);
  CHECK(OfText(OneKernel().Host("cpu_op", "Torch-Compiled Region: 0/0", 30, 5)).build ==
        Build::kCompiled);
  // An op of PyTorch that is called like a function of JAX or TensorFlow.
  CHECK(OfText(OneKernel().Host("cpu_op", "jit_fn", 30, 5)).build == Build::kEager);
  CHECK(OfText(OneKernel().Host("cpu_op", "XlaLaunch", 30, 5)).framework == Framework::kTorch);
  test::XSpaceBuilder b;
  auto& host = b.Plane("/host:CPU").Line(1, "python");
  host.Event("EagerExecute", 0, 10);
  host.Event("XlaLaunch:XlaLaunch", 20, 10);
  auto trace = LoadBytes("h.xplane.pb", b.Bytes(), {});
  REQUIRE(trace.ok());
  CHECK(ProgramOf(**trace).framework == Framework::kTensorFlow);
  CHECK(ProgramOf(**trace).build == Build::kXla);
}

TEST_CASE("Only GPUs are called GPUs") {
  const Program gpu = OfText(OneKernel());
  CHECK(gpu.processor == Processor::kGpu);
  CHECK(DeviceWord(gpu) == "GPU");
  CHECK(DeviceWord(OfText(OneKernel().On(1, 7).Kernel("gemm", 2, 30, 5))) == "GPUs");
  const Program mtia = OfText(OneKernel("mtia_runtime"));
  CHECK(mtia.processor == Processor::kOther);
  CHECK(DeviceWord(mtia) == "MTIA");
  CHECK(DeviceWord(OfText(OneKernel("xpu_runtime"))) == "XPU");
  test::XSpaceBuilder b;
  b.Plane("/device:TPU:0").Line(1, "XLA Ops").Event("fusion", 0, 10);
  b.Plane("/device:TPU:1").Line(1, "XLA Ops").Event("fusion", 0, 10);
  auto trace = LoadBytes("h.xplane.pb", b.Bytes(), {});
  REQUIRE(trace.ok());
  CHECK(DeviceWord(ProgramOf(**trace)) == "TPUs");
  CHECK_FALSE(ProgramOf(**trace).host_events);
}

TEST_CASE("Volta and Turing have neither TF32 nor bfloat16") {
  const auto on = [](const char* name, int major) {
    return OfText(OneKernel(), R"({"id":0,"name":")" + std::string(name) + R"(","computeMajor":)" +
                                   std::to_string(major) + "}")
        .volta;
  };
  CHECK(on("Tesla V100-SXM2-16GB", 7));
  CHECK_FALSE(on("NVIDIA A100-SXM4-40GB", 8));
  CHECK_FALSE(on("AMD Instinct MI50", 7));
}

}  // namespace stepscope
