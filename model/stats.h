// Stats (arguments) of events: decoded values for display, and typed columns for analyses.
// Both come from the source bytes on request, through a StatSource that the loader leaves in the
// Trace.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "model/base/status.h"
#include "model/ids.h"
#include "model/sparse_column.h"

namespace stepscope {

class Trace;

// One decoded stat, ready to show. Bytes are "<opaque bytes>" beside their length; references are
// resolved.
struct Stat {
  std::string name;
  std::variant<int64_t, uint64_t, double, std::string> value;
  bool from_metadata = false;  // constant for all events of the metadata
};
std::string ToText(
    const Stat& stat);  // as XProf prints it: integers decimal, doubles in 6 significant digits

// Typed stats of every event that carries one, for analyses. docs/xspace.md#stats tells
// what they mean. Int columns hold int64; string columns hold StringIds of StatTable::strings; real
// columns hold doubles.
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
  // memory events
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
  // kernels and copies, where a source has them as numbers (Kineto); else parsed from
  // kernel_details
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
  // what joins host and TPU events
  kCoreType,
  kRequestId,
  kQueueAddr,
  // collectives of PyTorch
  kCollectiveSeq,
  kInElements,
  kOutElements,
  kGroupSize,
  kSourceRank,
  kTargetRank,
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
  kEagerOp,     // of EagerExecute: the op that it runs
  kCollectiveName,
  kElementType,  // of a collective's elements: "BFloat16"
  kProcessGroup,
  kGroupRanks,  // "[0, 1]"
  kCount
};
enum class RealStat : uint8_t { kFragmentation, kOccupancyPct, kCount };

class StringPool;
struct StatTable {
  StatTable();
  ~StatTable();
  std::unique_ptr<StringPool> strings;        // values of the string columns
  std::vector<SparseColumn<int64_t>> ints;    // by IntStat
  std::vector<SparseColumn<StringId>> texts;  // by StringStat
  std::vector<SparseColumn<double>> reals;    // by RealStat
  const SparseColumn<int64_t>& Int(IntStat s) const { return ints[static_cast<size_t>(s)]; }
  const SparseColumn<StringId>& Text(StringStat s) const { return texts[static_cast<size_t>(s)]; }
  const SparseColumn<double>& Real(RealStat s) const { return reals[static_cast<size_t>(s)]; }
  void ShrinkToFit();  // when all is there
  size_t bytes() const;
};

// Where a trace's stats can be read again. Implementations keep what that needs: an open file read
// with pread and checked for identity, or inflated bytes. Thread-safe.
class StatSource {
 public:
  virtual ~StatSource() = default;
  // Stats of one event: those of its metadata first, then its own. kIo when the file changed.
  virtual Result<std::vector<Stat>> Decode(const Trace& trace, EventRow row) const = 0;
  // Reads all typed stats, in parallel. Metadata stats count for every event of the metadata (an
  // event's own stat wins).
  virtual Result<std::shared_ptr<const StatTable>> LoadTyped(const Trace& trace,
                                                             std::stop_token stop) const = 0;
  virtual size_t resident_bytes() const { return 0; }  // inflated bytes kept
};

}  // namespace stepscope
