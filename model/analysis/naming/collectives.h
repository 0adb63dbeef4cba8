// The one rule that says by its name whether a device event is a collective
// (docs/rules.md#collectives). Time classes, types of ops, categories of kernels and the overlap
// share it. Pure; any thread; O(length).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace stepscope {

// Knows NCCL, RCCL, oneCCL, HCCL, NVSHMEM, DeepEP, and all-reduce kernels of frameworks: multimem,
// one-shot and two-shot, vLLM's and TensorRT-LLM's own.
bool IsCollective(std::string_view device_event);

// Ascend's name of one call: "hcom_allReduce__674_3_1" is the call 3 of the group 674, which has
// the same number on all ranks.
struct HcclCall {
  std::string_view op;     // "hcom_allReduce_"
  std::string_view group;  // "674"
  int64_t order = 0;
};
// Nothing for other names. O(length).
std::optional<HcclCall> ParseHcclCall(std::string_view name);

}  // namespace stepscope
