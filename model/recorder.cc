#include "model/recorder.h"

#include <array>

#include "model/base/ascii.h"

namespace stepscope {
namespace {

constexpr std::array<const char*, static_cast<size_t>(Recorder::kCount)> kNames = {
    "an unknown program",
    "torch.profiler",
    "TensorFlow's and JAX's profiler",
    "TensorFlow 1's timeline",
    "Ascend's profiler",
    "Nsight Systems",
    "ROCm's profiler",
    "PyTorch's memory snapshot",
    "VizTracer",
    "Ray",
    "Horovod's timeline",
    "ONNX Runtime",
    "a browser",
    "py-spy",
    "Perfetto",
    "an unknown program"};

}  // namespace

const char* NameOf(Recorder recorder) {
  const auto i = static_cast<size_t>(recorder);
  return i < kNames.size() ? kNames[i] : kNames[0];
}

// JAX calls its runtime by names that TensorFlow does not have; the reverse does not hold.
// PyTorch's ops have PyTorch's names in every format.
Framework FrameworkOfName(std::string_view name) {
  static constexpr std::array<std::string_view, 3> kTorch = {"aten::", "ProfilerStep#", "c10d::"};
  static constexpr std::array<std::string_view, 2> kJax = {"PjitFunction", "jit_"};
  static constexpr std::array<std::string_view, 5> kTensorFlow = {
      "FunctionRun", "SessionRun", "EagerExecute", "ExecutorState::Process", "Iterator::"};
  if (BeginsWithAny(name, kTorch)) return Framework::kTorch;
  if (BeginsWithAny(name, kJax)) return Framework::kJax;
  return BeginsWithAny(name, kTensorFlow) ? Framework::kTensorFlow : Framework::kUnknown;
}

}  // namespace stepscope
