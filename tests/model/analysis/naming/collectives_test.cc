#include "model/analysis/naming/collectives.h"

#include <doctest/doctest.h>

#include "model/analysis/naming/op_name.h"
#include "model/analysis/naming/time_classes.h"

namespace stepscope {

TEST_CASE("collectives: one rule for classes of time and types of ops") {
  for (const char* name :
       {"ncclDevKernel_AllReduce_Sum_f16_RING_LL", "void rcclKernel", "oneccl_allreduce",
        "void multimem_all_reduce_kernel<c10::BFloat16, 16>", "one_shot_all_reduce_kernel<float>",
        "two_shot_all_reduce_kernel", "void deep_ep::internode::dispatch<8>",
        "nvshmemi_transfer_rma_nbi", "void vllm::cross_device_reduce_1stage<half, 8>",
        "tensorrt_llm::kernels::twoShotAllReduceKernel", "customAllReduceKernel"}) {
    CAPTURE(name);
    CHECK(IsCollective(name));
    CHECK(OwnDeviceClass(name, EventCategory::kKernel) == TimeClass::kCollectives);
    CHECK(TorchKernelType(name) == "Collective");
  }
  for (const char* name : {"reduce_kernel<512, 1>", "triton_poi_fused_all_reduce_kernel_0",
                           "gemm_bf16", "allocate", "ampere_sgemm"}) {
    CAPTURE(name);
    CHECK_FALSE(IsCollective(name));
    CHECK(OwnDeviceClass(name, EventCategory::kKernel) != TimeClass::kCollectives);
  }
}

}  // namespace stepscope
