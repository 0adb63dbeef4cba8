// The names of the events and stats in the profiles of gpu_profile.h.
#pragma once

#include "tests/support/plane_stream.h"

namespace stepscope::test {

// The stat names and fixed strings that events use, interned once.
struct GpuProfileNames {
  explicit GpuProfileNames(SymbolTable* t);

  Symbol correlation_id, device_id, context_id, context, kernel_details, memcpy_details, tf_op;
  Symbol id, parent_id, step_num, root, step_name, producer_type, producer, consumer_type, consumer;
  Symbol iter_num;
  Symbol allocator_name, bytes_reserved, bytes_allocated, bytes_available, fragmentation;
  Symbol peak_bytes_in_use, requested_bytes, allocation_bytes, addr, step_id, region_type;
  Symbol data_type, shape, output, temp, allocation, deallocation;
  Symbol launch_kernel, h2d, d2h, d2d, d2h_details, d2h_async_details, all_reduce, all_reduce_op,
      all_reduce_details;
  Symbol train, function_run, process, iterator, get_next, write_metrics;
};

}  // namespace stepscope::test
