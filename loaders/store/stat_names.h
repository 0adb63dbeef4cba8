// The names of typed stats in a store. They never change: a column of another name is not read.
#pragma once

#include <iterator>

#include "model/stats.h"

namespace stepscope::store {

inline constexpr const char* kIntStatNames[] = {"correlation_id",
                                                "group_id",
                                                "step_num",
                                                "iter_num",
                                                "id",
                                                "root_level",
                                                "producer_type",
                                                "producer_id",
                                                "consumer_type",
                                                "consumer_id",
                                                "is_async",
                                                "is_eager",
                                                "is_func",
                                                "device_id",
                                                "program_id",
                                                "symbol_id",
                                                "scope_range_id",
                                                "cuda_graph_exec_id",
                                                "ipl_stage_id",
                                                "bytes_reserved",
                                                "bytes_allocated",
                                                "bytes_available",
                                                "peak_bytes_in_use",
                                                "requested_bytes",
                                                "allocation_bytes",
                                                "address",
                                                "data_type",
                                                "index_on_host",
                                                "device_ordinal",
                                                "registers",
                                                "static_shared",
                                                "dynamic_shared",
                                                "grid_x",
                                                "grid_y",
                                                "grid_z",
                                                "block_x",
                                                "block_y",
                                                "block_z",
                                                "bytes",
                                                "external_id",
                                                "run_id",
                                                "queue_id",
                                                "core_type",
                                                "request_id",
                                                "queue_addr",
                                                "collective_seq",
                                                "in_elements",
                                                "out_elements",
                                                "group_size",
                                                "source_rank",
                                                "target_rank",
                                                "device_offset_ps",
                                                "device_duration_ps",
                                                "dma_stall_ps",
                                                "flops",
                                                "model_flops",
                                                "bytes_accessed"};
static_assert(std::size(kIntStatNames) == static_cast<size_t>(IntStat::kCount));

inline constexpr const char* kTextStatNames[] = {
    "tf_op",           "hlo_op",        "hlo_module",  "hlo_category",      "kernel_details",
    "memcpy_details",  "step_name",     "graph_type",  "allocator_name",    "region_type",
    "tensor_shape",    "shape",         "equation",    "ipl_stage_name",    "ipl_stage_category",
    "source",          "device",        "input_types", "eager_op",          "collective_name",
    "element_type",    "process_group", "group_ranks", "deduplicated_name", "source_stack",
    "memory_breakdown"};
static_assert(std::size(kTextStatNames) == static_cast<size_t>(StringStat::kCount));

inline constexpr const char* kRealStatNames[] = {"fragmentation", "occupancy_pct", "time_scale"};
static_assert(std::size(kRealStatNames) == static_cast<size_t>(RealStat::kCount));

}  // namespace stepscope::store
