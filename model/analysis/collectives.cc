#include "model/analysis/collectives.h"

#include <array>
#include <string>

#include "model/base/lower.h"
#include "model/base/text_parts.h"

namespace stepscope {

bool IsCollective(std::string_view device_event) {
  // Inductor names a fused kernel after all ops it replaces: it computes, whatever they were.
  if (device_event.starts_with("triton_")) return false;
  static constexpr std::array<std::string_view, 16> kParts = {
      "nccl",
      "rccl",
      "oneccl",
      "nvshmem",
      "deep_ep",
      "deepep::",
      "multimem_",
      "one_shot_all_reduce",
      "two_shot_all_reduce",
      "oneshotallreduce",
      "twoshotallreduce",
      "cross_device_reduce",
      "custom_all_reduce",
      "customallreduce",
      "all_reduce_kernel",
      "allreducekernel",
  };
  return ContainsAny(Lower(device_event), kParts);
}

}  // namespace stepscope
