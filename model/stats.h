// Stats (arguments) of events: decoded values for display, and typed columns for analyses. Both are
// read from the source on request, through the StatSource that the loader leaves in the Trace.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "model/base/status.h"
#include "model/ids.h"
#include "model/sparse_column.h"

namespace stepscope {

class Trace;

// One decoded stat, ready to show. Bytes are shown as "<opaque bytes>" with their length;
// references are resolved.
struct Stat {
  std::string name;
  std::variant<int64_t, uint64_t, double, std::string> value;
  bool from_metadata = false;  // the same for all events of the metadata
};
std::string ToText(
    const Stat& stat);  // as XProf prints it: integers decimal, doubles in 6 significant digits

// Typed stats, for analyses: a column for each kind of stat, with a value for every event that has
// one. What they mean: docs/xspace.md#stats. Columns of texts hold StringIds of StatTable::strings.
enum class IntStat : uint8_t {
  kCorrelationId,
  kGroupId,
  kStepNum,
  kIterNum,
  kId,
  kRootLevel,
  kProducerType,
  kProducerId,
  kConsumerType,
  kConsumerId,
  kIsAsync,
  kIsEager,
  kIsFunc,
  kDeviceId,
  kProgramId,
  kSymbolId,
  kScopeRangeId,
  kCudaGraphExecId,
  kIplStageId,
  // Memory events.
  kBytesReserved,
  kBytesAllocated,
  kBytesAvailable,
  kPeakBytesInUse,
  kRequestedBytes,
  kAllocationBytes,
  kAddress,
  kDataType,
  kIndexOnHost,
  kDeviceOrdinal,
  // Kernels and copies, if the source has numbers (Kineto); other sources have kernel_details.
  kRegisters,
  kStaticShared,
  kDynamicShared,
  kGridX,
  kGridY,
  kGridZ,
  kBlockX,
  kBlockY,
  kBlockZ,
  kBytes,
  kExternalId,
  kRunId,
  kQueueId,
  // They connect events of hosts and TPUs.
  kCoreType,
  kRequestId,
  kQueueAddr,
  // PyTorch's collectives.
  kCollectiveSeq,
  kInElements,
  kOutElements,
  kGroupSize,
  kSourceRank,
  kTargetRank,
  // An HLO op by the clock of its TPU core, and the costs of one execution.
  kDeviceOffset,    // ps
  kDeviceDuration,  // ps
  kDmaStall,        // ps
  kFlops,
  kModelFlops,
  kBytesAccessed,
  kCount
};
enum class StringStat : uint8_t {
  kTfOp,
  kHloOp,
  kHloModule,
  kHloCategory,
  kKernelDetails,
  kMemcpyDetails,
  kStepName,
  kGraphType,
  kAllocatorName,
  kRegionType,
  kTensorShape,
  kShape,
  kEquation,
  kIplStageName,
  kIplStageCategory,
  kSource,
  kDevice,
  kInputTypes,  // PyTorch's `Input type` of an op's tensors
  kEagerOp,     // the op that an EagerExecute event runs
  kCollectiveName,
  kElementType,  // type of a collective's elements: "BFloat16"
  kProcessGroup,
  kGroupRanks,  // "[0, 1]"
  kDeduplicatedName,
  kSourceStack,
  // Bytes of an HLO op by operation (1 reads, 2 writes) and memory: "1 1 4096;2 3 512"
  kMemoryBreakdown,
  kOpName,  // of TensorFlow 1's timelines; a loader joins both to kTfOp: "net/conv1:Conv2D"
  kOpType,
  kCount
};
enum class RealStat : uint8_t { kFragmentation, kOccupancyPct, kTimeScale, kCount };

class StringPool;
struct StatTable {
  StatTable();
  ~StatTable();
  std::unique_ptr<StringPool> strings;        // the values of `texts`
  std::vector<SparseColumn<int64_t>> ints;    // by IntStat
  std::vector<SparseColumn<StringId>> texts;  // by StringStat
  std::vector<SparseColumn<double>> reals;    // by RealStat
  const SparseColumn<int64_t>& Int(IntStat s) const { return ints[static_cast<size_t>(s)]; }
  const SparseColumn<StringId>& Text(StringStat s) const { return texts[static_cast<size_t>(s)]; }
  const SparseColumn<double>& Real(RealStat s) const { return reals[static_cast<size_t>(s)]; }
  void ShrinkToFit();  // call it after the last entry
  size_t bytes() const;
};

// The events whose typed stats are asked for. Allocations are most events of some profiles of
// TensorFlow, and what is computed first needs the others only.
enum class StatRows : uint8_t { kAll, kAllocations, kOthers };

// Reads the stats of a trace from its source. Implementations keep what that takes: an open file,
// which they read with pread and check to be the same, or inflated bytes. Thread-safe.
class StatSource {
 public:
  virtual ~StatSource() = default;
  // The stats of one event: those of its metadata, then its own.
  // Error: kIo if the file has changed.
  virtual Result<std::vector<Stat>> Decode(const Trace& trace, EventRow row) const = 0;
  // Reads all typed stats, on several threads. Stats of metadata are entered for every event of the
  // metadata that has none of its own. O(bytes of the source). Error: kIo, kCancelled.
  virtual Result<std::shared_ptr<const StatTable>> LoadTyped(const Trace& trace,
                                                             std::stop_token stop) const = 0;
  // Whether LoadTypedOf reads allocations (EventCategory::kMemoryEvent) and other events apart.
  virtual bool reads_allocations_apart() const { return false; }
  // Reads the typed stats of some events, as LoadTyped does; of all where they are not read apart.
  virtual Result<std::shared_ptr<const StatTable>> LoadTypedOf(const Trace& trace, StatRows,
                                                               std::stop_token stop) const {
    return LoadTyped(trace, std::move(stop));
  }
  virtual size_t resident_bytes() const { return 0; }  // inflated bytes kept
};

}  // namespace stepscope
