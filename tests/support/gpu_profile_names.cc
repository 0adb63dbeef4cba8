#include "tests/support/gpu_profile_names.h"

#include <string_view>

namespace stepscope::test {
namespace {

constexpr std::string_view kNcclAllReduce = "ncclKernel_AllReduce_RING_LL_Sum_half(ncclWorkElem)";

}  // namespace

GpuProfileNames::GpuProfileNames(SymbolTable* t)
    : correlation_id(t->Add("correlation_id")),
      device_id(t->Add("device_id")),
      context_id(t->Add("context_id")),
      context(t->Add("$$1")),
      kernel_details(t->Add("kernel_details")),
      memcpy_details(t->Add("memcpy_details")),
      tf_op(t->Add("tf_op")),
      id(t->Add("id")),
      parent_id(t->Add("parent_id")),
      step_num(t->Add("step_num")),
      root(t->Add("_r")),
      step_name(t->Add("step_name")),
      producer_type(t->Add("_pt")),
      producer(t->Add("_p")),
      consumer_type(t->Add("_ct")),
      consumer(t->Add("_c")),
      iter_num(t->Add("iter_num")),
      allocator_name(t->Add("allocator_name")),
      bytes_reserved(t->Add("bytes_reserved")),
      bytes_allocated(t->Add("bytes_allocated")),
      bytes_available(t->Add("bytes_available")),
      fragmentation(t->Add("fragmentation")),
      peak_bytes_in_use(t->Add("peak_bytes_in_use")),
      requested_bytes(t->Add("requested_bytes")),
      allocation_bytes(t->Add("allocation_bytes")),
      addr(t->Add("addr")),
      step_id(t->Add("step_id")),
      region_type(t->Add("region_type")),
      data_type(t->Add("data_type")),
      shape(t->Add("shape")),
      output(t->Add("output")),
      temp(t->Add("temp")),
      allocation(t->Add("MemoryAllocation")),
      deallocation(t->Add("MemoryDeallocation")),
      launch_kernel(t->Add("cuLaunchKernel")),
      h2d(t->Add("MemcpyH2D")),
      d2h(t->Add("MemcpyD2H")),
      d2d(t->Add("MemcpyD2D")),
      d2h_details(t->Add("kind_src:device kind_dst:pageable size:655360 dest:0 async:0")),
      d2h_async_details(t->Add("kind_src:device kind_dst:pinned size:655360 dest:0 async:1")),
      all_reduce(t->Add(kNcclAllReduce)),
      all_reduce_op(t->Add("CollectiveReduceV2:CollectiveReduceV2")),
      all_reduce_details(
          t->Add("regs:96 static_shared:0 dynamic_shared:0 grid:8,1,1 block:512,1,1 occ_pct:25")),
      train(t->Add("train")),
      function_run(t->Add("FunctionRun")),
      process(t->Add("ExecutorState::Process")),
      iterator(t->Add("Iterator::Root::Prefetch::BatchV2::Map")),
      get_next(t->Add("IteratorGetNext:IteratorGetNext")),
      write_metrics(t->Add("WriteMetrics")) {}

}  // namespace stepscope::test
