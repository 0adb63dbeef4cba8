// Traces of a small model under a HIP graph, for tests. The capture says to which op and module
// each launch belongs; the replay has one launch for all kernels.
#pragma once

#include <string>
#include <vector>

#include "tests/support/kineto_text.h"

namespace stepscope::test {

struct LayerOp {
  const char *op, *module, *kernel;
};
// The ops of each layer, in this order.
inline constexpr LayerOp kLayerOps[] = {{"aiter::rmsnorm", "RMSNorm", "norm_kernel"},
                                        {"aten::mm", "Linear", "gemm_kernel"},
                                        {"aten::mm", "Linear", "gemm_kernel"},
                                        {"sgl::silu", "SiluAndMul", "act_kernel"}};

inline std::vector<std::string> GraphKernels(int layers) {
  std::vector<std::string> kernels = {"gather_kernel"};
  for (int layer = 0; layer < layers; ++layer) {
    for (const LayerOp& op : kLayerOps) kernels.emplace_back(op.kernel);
  }
  return kernels;
}

inline std::string KernelArg(const std::string& kernel) { return "\"kernel\":\"" + kernel + "\""; }

// Adds the capture of a graph on the host's thread, from `begin` us on, 10 us an op.
inline void AddCapture(int layers, int batch, double begin, KinetoText* t) {
  const std::string rows = std::to_string(batch);
  const auto op = [&](const char* name, const std::string& module, const std::string& kernel,
                      double at) {
    if (!module.empty()) t->Host("python_function", "nn.Module: " + module, at, 9);
    t->Host("cpu_op", name, at + 1, 7, "\"Input Dims\":[[" + rows + ",64],[]]");
    t->Host("cuda_runtime", "hipLaunchKernel", at + 2, 1, KernelArg(kernel));
  };
  t->Host("cuda_runtime", "hipStreamBeginCapture", begin, 1);
  const double end = begin + 20 + layers * 50;
  t->Host("python_function", "nn.Module: Model_0", begin + 2, end - begin - 4);
  double at = begin + 5;
  op("aten::embedding", "Embedding_0", "gather_kernel", at);
  int number = 0;
  for (int layer = 0; layer < layers; ++layer) {
    at = begin + 16 + layer * 50;
    t->Host("python_function", "nn.Module: DecoderLayer_" + std::to_string(layer), at, 48);
    for (const LayerOp& o : kLayerOps) {
      op(o.op, std::string(o.module) + "_" + std::to_string(number++), o.kernel, at + 2);
      at += 10;
    }
  }
  t->Host("cuda_runtime", "hipStreamEndCapture", end, 1);
}

inline std::string CaptureText(int layers, int batch = 32) {
  KinetoText t;
  // This op runs before the graph is recorded and is no part of it.
  t.Host("cpu_op", "aten::fill_", 0, 5);
  t.Host("cuda_runtime", "hipLaunchKernel", 1, 1, KernelArg("gemm_kernel"));
  AddCapture(layers, batch, 10, &t);
  return t.Text();
}

// Adds a launch of a graph with these kernels, 5 us each, from `begin` us on.
inline void AddReplay(const std::vector<std::string>& kernels, int correlation, double begin,
                      KinetoText* t, int stream = 3) {
  t->Host("user_annotation", "step[DECODE bs=32]", begin, 20);
  t->Launch(correlation, begin + 1, 10, "hipGraphLaunch");
  t->On(0, stream);
  double at = begin + 5;
  for (const std::string& kernel : kernels) t->Kernel(kernel, correlation, at += 6, 5);
}

inline std::string ReplayText(const std::vector<std::string>& kernels) {
  KinetoText t;
  AddReplay(kernels, 1, 0, &t);
  return t.Text();
}

}  // namespace stepscope::test
