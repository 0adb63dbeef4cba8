// Which device events are collectives, by their names: the one rule that classes of time, types of
// ops, categories of kernels and the overlap share. Pure, thread-safe, O(length).
#pragma once

#include <string_view>

namespace stepscope {

// NCCL, RCCL, oneCCL, NVSHMEM, DeepEP, and the all-reduce kernels that frameworks bring along:
// multimem, one-shot and two-shot, vLLM's and TensorRT-LLM's custom ones.
bool IsCollective(std::string_view device_event);

}  // namespace stepscope
