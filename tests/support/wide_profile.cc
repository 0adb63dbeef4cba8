#include "tests/support/wide_profile.h"

#include <algorithm>
#include <vector>

#include "tests/support/hlo_program.h"
#include "tests/support/plane_stream.h"
#include "tests/support/xspace_builder.h"

namespace stepscope::test {
namespace {

constexpr std::int64_t kMicrosecond = 1'000'000;     // ps
constexpr std::int64_t kPeriod = 10 * kMicrosecond;  // from one event to the next
constexpr std::int64_t kBaseNs = 1'000'000'000;      // begin of all lines
constexpr std::int64_t kBase = kBaseNs * 1000;       // the same in ps

std::string Numbered(const char* prefix, std::uint32_t i) { return prefix + std::to_string(i); }

class Writer {
 public:
  explicit Writer(const WideProfileOptions& options)
      : options_(options),
        gpu_(&symbols_, 1, "/device:GPU:0", kBaseNs),
        host_(&symbols_, 2, "/host:CPU", kBaseNs),
        stream_(gpu_.Line(14, "Stream #14(Compute)")) {}

  std::string Bytes() {
    AddKernels();
    AddSteps();
    AddHostOps();
    gpu_.StringStat(symbols_.Add("device_vendor"), "Nvidia");
    std::string bytes;
    const ByteSink sink = [&bytes](std::string_view part) { bytes += part; };
    gpu_.Write(sink);
    host_.Write(sink);
    return bytes;
  }

 private:
  void AddKernels() {
    const StatArg same_op = StatArg::Ref(tf_op_, symbols_.Add("model/dense/MatMul:MatMul"));
    for (std::uint32_t i = 0; i < options_.kernels; ++i) {
      StatArg op = same_op;
      if (options_.own_ops) {
        op = StatArg::Ref(tf_op_,
                          symbols_.Add(Numbered("model/block/dense_", i) + "/MatMul:MatMul"));
      }
      stream_->Event(symbols_.Add(Numbered("volta_sgemm_128x64_nn_variant_", i)), NextOnDevice(),
                     5 * kMicrosecond + i % 1000 * 1000, {details_, op});
    }
  }

  // In each step the host marks the step and launches its one kernel.
  void AddSteps() {
    LineStream* thread = host_.Line(1001, "python3");
    const Symbol train = symbols_.Add("train"), launch = symbols_.Add("cuLaunchKernel"),
                 kernel = symbols_.Add("volta_sgemm_128x64_nn"), number = symbols_.Add("step_num"),
                 root = symbols_.Add("_r"), correlation = symbols_.Add("correlation_id");
    for (std::uint32_t i = 0; i < options_.steps; ++i) {
      const std::int64_t begin = NextOnDevice();
      const StatArg id = StatArg::Uint(correlation, std::uint64_t{i} + 1);
      thread->Event(train, begin, 9 * kMicrosecond,
                    {StatArg::Int(number, i), StatArg::Int(root, 1)});
      thread->Event(launch, begin + kMicrosecond, kMicrosecond, {id});
      stream_->Event(kernel, begin + 3 * kMicrosecond, 4 * kMicrosecond, {id, details_});
    }
  }

  void AddHostOps() {
    LineStream* thread = host_.Line(1002, "tf_executor");
    for (std::uint32_t i = 0; i < options_.host_ops; ++i) {
      thread->Event(symbols_.Add(Numbered("model/layer_", i) + ":Relu"), kBase + i * kPeriod,
                    5 * kMicrosecond, {});
    }
  }

  std::int64_t NextOnDevice() { return kBase + device_events_++ * kPeriod; }

  const WideProfileOptions options_;
  SymbolTable symbols_;
  PlaneStream gpu_, host_;
  LineStream* stream_;
  std::int64_t device_events_ = 0;
  const Symbol tf_op_ = symbols_.Add("tf_op");
  const StatArg details_ = StatArg::Ref(
      symbols_.Add("kernel_details"),
      symbols_.Add("regs:32 static_shared:0 dynamic_shared:0 grid:64,1,1 block:128,1,1 "
                   "occ_pct:50"));
};

}  // namespace

std::string WideProgram(uint32_t instructions) {
  constexpr uint32_t kOfFusion = 8;
  const std::string shape = "f32[1024,4096]";
  HloProgram program("jit_step");
  std::vector<int64_t> fused;
  const auto op = [](uint32_t layer, const char* name) {
    return TextField(
        7, TextField(2, Numbered("jit(step)/transpose(jvp(block_", layer) + "))/" + name) +
               TextField(3, "train/model.py") + IntsField(4, {layer % 500}));
  };
  for (uint32_t i = 0; i < std::max(1u, instructions / (kOfFusion + 1)); ++i) {
    const std::string n = "." + std::to_string(i);
    fused.push_back(program.Computation("fused_computation" + n));
    const int64_t x = program.Add("param_0" + n, "parameter", shape);
    const int64_t y = program.Add("param_1" + n, "parameter", shape, {}, {}, IntsField(9, {1}));
    int64_t last = program.Add("multiply" + n, "multiply", shape, {x, y}, {}, op(i, "mul"));
    last = program.Add("add" + n, "add", shape, {last, x}, {}, op(i, "add"));
    last = program.Add("tanh" + n, "tanh", shape, {last}, {}, op(i, "tanh"));
    last = program.Add("subtract" + n, "subtract", shape, {last, y}, {}, op(i, "sub"));
    last = program.Add("exponential" + n, "exponential", shape, {last}, {}, op(i, "exp"));
    program.Add("divide" + n, "divide", shape, {last, x}, {}, op(i, "div"));
  }
  program.Computation("main");
  const int64_t weights = program.Add("weights", "parameter", shape);
  int64_t last = weights;
  for (uint32_t i = 0; i < fused.size(); ++i) {
    last = program.Add(Numbered("loop_fusion.", i), "fusion", shape, {last, weights}, {fused[i]},
                       TextField(11, "kLoop") + op(i, "div"));
  }
  return program.Bytes();
}

std::string WideProfile(const WideProfileOptions& options) {
  std::string bytes = Writer(options).Bytes();
  if (options.instructions == 0) return bytes;
  const std::string program = WideProgram(options.instructions);
  XSpaceBuilder space;
  space.Plane("/host:metadata")
      .EventMetadata(7, "jit_step(7)")
      .Stat("Hlo Proto", test::Bytes{program});
  space.Plane("/device:GPU:1")
      .Line(14, "Stream #14(Compute)")
      .TimestampNs(kBaseNs)
      .Event("loop_fusion", 0, kMicrosecond)
      .Stat("hlo_op", "loop_fusion.0")
      .Stat("hlo_module", "jit_step")
      .Stat("program_id", int64_t{7});
  return bytes + space.Bytes();
}

}  // namespace stepscope::test
