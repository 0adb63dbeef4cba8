// The one rule that says by its name whether a device event is a collective
// (docs/rules.md#collectives). Time classes, types of ops, categories of kernels and the overlap
// share it. Pure; any thread; O(length).
#pragma once

#include <string_view>

namespace stepscope {

// Knows NCCL, RCCL, oneCCL, NVSHMEM, DeepEP, and all-reduce kernels of frameworks: multimem,
// one-shot and two-shot, vLLM's and TensorRT-LLM's own.
bool IsCollective(std::string_view device_event);

}  // namespace stepscope
