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
        "tensorrt_llm::kernels::twoShotAllReduceKernel", "customAllReduceKernel",
        "hcom_allReduce__674_0_1"}) {
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

TEST_CASE("collectives: Ascend's calls say their group and their number") {
  const auto call = ParseHcclCall("hcom_reduceScatter__428_17_1");
  REQUIRE(call);
  CHECK(call->op == "hcom_reduceScatter_");
  CHECK(call->group == "428");
  CHECK(call->order == 17);
  for (const char* other :
       {"hcom_allReduce_", "hcom_allReduce__", "hcom_allReduce__674", "hcom_allReduce__674_x_1",
        "hcom_allReduce___0_1", "ncclKernel__1_2_3", "hcom_allReduce__1_99999999999999999999_1"}) {
    CAPTURE(other);
    CHECK_FALSE(ParseHcclCall(other));
  }
}

}  // namespace stepscope
