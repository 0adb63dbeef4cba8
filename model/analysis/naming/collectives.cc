#include "model/analysis/naming/collectives.h"

#include <string>

#include "model/base/ascii.h"
#include "model/base/word_set.h"

namespace stepscope {

namespace {

constexpr std::string_view kLibraryWords[] = {
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
constexpr WordSet kLibraryWordSet(kLibraryWords);

}  // namespace

bool IsCollective(std::string_view device_event) {
  // Inductor names a fused kernel after all ops that it replaces; it computes even if one of them
  // is a collective's.
  if (device_event.starts_with("triton_")) return false;
  return kLibraryWordSet.AnyIn(Lower(device_event));
}

}  // namespace stepscope
