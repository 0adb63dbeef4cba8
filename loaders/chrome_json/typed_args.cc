#include "loaders/chrome_json/typed_args.h"

#include <array>
#include <optional>

#include "loaders/common/json_cursor.h"
#include "loaders/common/json_number.h"
#include "model/base/key_table.h"

namespace stepscope::chrome {

using namespace json;

namespace {

using IntRow = KeyRow<IntStat>;
constexpr std::array kInts = {
    IntRow{"Addr", IntStat::kAddress},
    IntRow{"Bytes", IntStat::kAllocationBytes},
    IntRow{"Device Id", IntStat::kDeviceOrdinal},
    IntRow{"Dst Rank", IntStat::kTargetRank},
    IntRow{"External id", IntStat::kExternalId},
    IntRow{"Group size", IntStat::kGroupSize},
    IntRow{"In msg nelems", IntStat::kInElements},
    IntRow{"Out msg nelems", IntStat::kOutElements},
    IntRow{"Seq", IntStat::kCollectiveSeq},
    IntRow{"Src Rank", IntStat::kSourceRank},
    IntRow{"Total Allocated", IntStat::kBytesAllocated},
    IntRow{"Total Reserved", IntStat::kBytesReserved},
    IntRow{"_c", IntStat::kConsumerId},
    IntRow{"_ct", IntStat::kConsumerType},
    IntRow{"_p", IntStat::kProducerId},
    IntRow{"_pt", IntStat::kProducerType},
    IntRow{"_r", IntStat::kRootLevel},
    IntRow{"bytes", IntStat::kBytes},
    IntRow{"consumer_id", IntStat::kConsumerId},
    IntRow{"consumer_type", IntStat::kConsumerType},
    IntRow{"correlation", IntStat::kCorrelationId},
    IntRow{"correlationId", IntStat::kCorrelationId},
    IntRow{"correlation_id", IntStat::kCorrelationId},
    IntRow{"device", IntStat::kDeviceId},
    IntRow{"device_id", IntStat::kDeviceId},
    IntRow{"device_ordinal", IntStat::kDeviceOrdinal},
    IntRow{"dynamic shared memory", IntStat::kDynamicShared},
    IntRow{"external id", IntStat::kExternalId},
    IntRow{"group_id", IntStat::kGroupId},
    IntRow{"id", IntStat::kId},
    IntRow{"is_func", IntStat::kIsFunc},
    IntRow{"iter_num", IntStat::kIterNum},
    IntRow{"producer_id", IntStat::kProducerId},
    IntRow{"producer_type", IntStat::kProducerType},
    IntRow{"program_id", IntStat::kProgramId},
    IntRow{"queue_id", IntStat::kQueueId},
    IntRow{"registers per thread", IntStat::kRegisters},
    IntRow{"run_id", IntStat::kRunId},
    IntRow{"shared memory", IntStat::kStaticShared},
    IntRow{"step_num", IntStat::kStepNum},
    IntRow{"symbol_id", IntStat::kSymbolId},
};
static_assert(IsSortedByKey(kInts));

using TextRow = KeyRow<StringStat>;
constexpr std::array kTextRows = {
    TextRow{"Collective name", StringStat::kCollectiveName},
    TextRow{"Input Dims", StringStat::kShape},
    TextRow{"Input type", StringStat::kInputTypes},
    TextRow{"Process Group Name", StringStat::kProcessGroup},
    TextRow{"Process Group Ranks", StringStat::kGroupRanks},
    TextRow{"_src", StringStat::kSource},
    TextRow{"dtype", StringStat::kElementType},
    TextRow{"eager_op", StringStat::kEagerOp},
    TextRow{"equation", StringStat::kEquation},
    TextRow{"hlo_category", StringStat::kHloCategory},
    TextRow{"hlo_module", StringStat::kHloModule},
    TextRow{"hlo_op", StringStat::kHloOp},
    TextRow{"kernel_details", StringStat::kKernelDetails},
    TextRow{"long_name", StringStat::kTfOp},
    TextRow{"memcpy_details", StringStat::kMemcpyDetails},
    TextRow{"shape_with_layout", StringStat::kShape},
    TextRow{"source", StringStat::kSource},
    TextRow{"step_name", StringStat::kStepName},
    TextRow{"tf_op", StringStat::kTfOp},
};
static_assert(IsSortedByKey(kTextRows));

// A whole number; also as "0x1f", which HIP writes for streams and addresses.
std::optional<int64_t> Integer(std::string_view token) {
  if (const auto hex = ParseHex(StripQuotes(token))) return static_cast<int64_t>(*hex);
  return ParseInt(token);
}

void ReadTriple(std::string_view value, std::array<IntStat, 3> stats, TypedArgs* out) {
  size_t i = 0;
  ForEachElement(value, [&](std::string_view element) {
    if (const auto number = Integer(element)) out->ints.emplace_back(stats[i], *number);
    return ++i < stats.size();
  });
}

void ReadAllocator(std::string_view args, TypedArgs* out) {
  int64_t type = 0, id = -1;
  ForEachMember(args, [&](std::string_view key, std::string_view value) {
    if (key == "Device Type") type = Integer(value).value_or(0);
    if (key == "Device Id") id = Integer(value).value_or(-1);
    return true;
  });
  const std::string name = type == 0 ? "CPU"
                           : type == 1 || type == 6
                               ? "GPU " + std::to_string(id)
                               : "Device " + std::to_string(type) + ":" + std::to_string(id);
  out->texts.emplace_back(StringStat::kAllocatorName, name);
}

}  // namespace

void ReadTypedArgs(std::string_view args, bool memory, TypedArgs* out) {
  out->Clear();
  ForEachMember(args, [&](std::string_view key, std::string_view value) {
    if (const IntStat* whole = FindKey(kInts, key)) {
      if (const auto number = Integer(value)) out->ints.emplace_back(*whole, *number);
    } else if (const StringStat* text = FindKey(kTextRows, key)) {
      std::string decoded;
      if (!value.empty() && value.front() == '"') {
        Unescape(value, &decoded);
      } else {
        decoded = Compact(value);
      }
      out->texts.emplace_back(*text, std::move(decoded));
    } else if (key == "grid") {
      ReadTriple(value, {IntStat::kGridX, IntStat::kGridY, IntStat::kGridZ}, out);
    } else if (key == "block") {
      ReadTriple(value, {IntStat::kBlockX, IntStat::kBlockY, IntStat::kBlockZ}, out);
    } else if (key == "est. achieved occupancy %") {
      if (const auto number = ParseReal(value))
        out->reals.emplace_back(RealStat::kOccupancyPct, *number);
    }
    return true;
  });
  if (memory) ReadAllocator(args, out);
}

}  // namespace stepscope::chrome
