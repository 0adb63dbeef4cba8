#include "loaders/xplane/stat_columns.h"

#include <algorithm>
#include <array>

namespace stepscope::xplane {
namespace {

struct Row {
  std::string_view name;
  StatColumn column;
};

constexpr Row Int(std::string_view name, IntStat s) {
  return {name, {StatColumn::Kind::kInt, static_cast<uint8_t>(s)}};
}
constexpr Row Text(std::string_view name, StringStat s) {
  return {name, {StatColumn::Kind::kText, static_cast<uint8_t>(s)}};
}
constexpr Row Real(std::string_view name, RealStat s) {
  return {name, {StatColumn::Kind::kReal, static_cast<uint8_t>(s)}};
}

constexpr std::array kRows = {
    Int("correlation_id", IntStat::kCorrelationId),
    Int("group_id", IntStat::kGroupId),
    Int("step_num", IntStat::kStepNum),
    Int("iter_num", IntStat::kIterNum),
    Int("id", IntStat::kId),
    Int("_r", IntStat::kRootLevel),
    Int("_pt", IntStat::kProducerType),
    Int("_p", IntStat::kProducerId),
    Int("_ct", IntStat::kConsumerType),
    Int("_c", IntStat::kConsumerId),
    Int("_a", IntStat::kIsAsync),
    Int("is_eager", IntStat::kIsEager),
    Int("is_func", IntStat::kIsFunc),
    Int("device_id", IntStat::kDeviceId),
    Int("program_id", IntStat::kProgramId),
    Int("symbol_id", IntStat::kSymbolId),
    Int("scope_range_id", IntStat::kScopeRangeId),
    Int("cuda_graph_exec_id", IntStat::kCudaGraphExecId),
    Int("_ipl_stage_id", IntStat::kIplStageId),
    Int("bytes_reserved", IntStat::kBytesReserved),
    Int("bytes_allocated", IntStat::kBytesAllocated),
    Int("bytes_available", IntStat::kBytesAvailable),
    Int("peak_bytes_in_use", IntStat::kPeakBytesInUse),
    Int("requested_bytes", IntStat::kRequestedBytes),
    Int("allocation_bytes", IntStat::kAllocationBytes),
    Int("addr", IntStat::kAddress),
    Int("data_type", IntStat::kDataType),
    Int("index_on_host", IntStat::kIndexOnHost),
    Int("device_ordinal", IntStat::kDeviceOrdinal),
    Int("run_id", IntStat::kRunId),
    Int("queue_id", IntStat::kQueueId),
    Int("core_type", IntStat::kCoreType),
    Int("request_id", IntStat::kRequestId),
    Int("queue_addr", IntStat::kQueueAddr),
    Int("device_offset_ps", IntStat::kDeviceOffset),
    Int("device_duration_ps", IntStat::kDeviceDuration),
    Int("dma_stall_duration_ps", IntStat::kDmaStall),
    Int("flops", IntStat::kFlops),
    Int("model_flops", IntStat::kModelFlops),
    Int("bytes_accessed", IntStat::kBytesAccessed),
    Text("tf_op", StringStat::kTfOp),
    Text("hlo_op", StringStat::kHloOp),
    Text("hlo_module", StringStat::kHloModule),
    Text("hlo_category", StringStat::kHloCategory),
    Text("kernel_details", StringStat::kKernelDetails),
    Text("memcpy_details", StringStat::kMemcpyDetails),
    Text("step_name", StringStat::kStepName),
    Text("graph_type", StringStat::kGraphType),
    Text("allocator_name", StringStat::kAllocatorName),
    Text("region_type", StringStat::kRegionType),
    Text("tensor_shapes", StringStat::kShape),
    Text("equation", StringStat::kEquation),
    Text("_ipl_stage_name", StringStat::kIplStageName),
    Text("_ipl_stage_cat", StringStat::kIplStageCategory),
    Text("source", StringStat::kSource),
    Text("device", StringStat::kDevice),
    Text("eager_op", StringStat::kEagerOp),
    Text("deduplicated_name", StringStat::kDeduplicatedName),
    Text("source_stack", StringStat::kSourceStack),
    Text("memory_access_breakdown", StringStat::kMemoryBreakdown),
    Row{"shape", {StatColumn::Kind::kText, static_cast<uint8_t>(StringStat::kShape), true}},
    Real("fragmentation", RealStat::kFragmentation),
    Real("theoretical_occupancy_pct", RealStat::kOccupancyPct),
    Real("Time Scale Multiplier", RealStat::kTimeScale),
};

}  // namespace

StatColumn ColumnOf(std::string_view stat_name) {
  const auto it =
      std::find_if(kRows.begin(), kRows.end(), [&](const Row& r) { return r.name == stat_name; });
  return it == kRows.end() ? StatColumn{} : it->column;
}

}  // namespace stepscope::xplane
