#include "model/analysis/naming/collectives.h"

#include <charconv>
#include <string>

#include "model/base/ascii.h"
#include "model/base/word_set.h"

namespace stepscope {

namespace {

constexpr std::string_view kLibraryWords[] = {
    "nccl",
    "rccl",
    "oneccl",
    "hccl",
    "hcom_",
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

std::optional<HcclCall> ParseHcclCall(std::string_view name) {
  if (!name.starts_with("hcom_")) return std::nullopt;
  const size_t end_of_op = name.find("__");
  if (end_of_op == name.npos) return std::nullopt;
  HcclCall call{name.substr(0, end_of_op + 1), {}, 0};
  const std::string_view rest = name.substr(end_of_op + 2);
  const size_t end_of_group = rest.find('_');
  if (end_of_group == 0 || end_of_group == rest.npos) return std::nullopt;
  call.group = rest.substr(0, end_of_group);
  const char* end = rest.data() + rest.size();
  const auto [p, error] = std::from_chars(rest.data() + end_of_group + 1, end, call.order);
  if (error != std::errc() || (p != end && *p != '_')) return std::nullopt;
  return call;
}

}  // namespace stepscope
