#include "loaders/chrome_json/typed_args.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "loaders/common/json_cursor.h"
#include "loaders/common/json_number.h"

namespace stepscope::chrome {

using namespace json;

// An argument goes into one column, or into three from this one on.
struct Arg {
  enum class ArgKind : uint8_t { kInt, kText, kReal, kTriple };
  std::string_view key;
  ArgKind kind;
  uint8_t stat;
};

namespace {

constexpr Arg Int(std::string_view key, IntStat stat) {
  return {key, Arg::ArgKind::kInt, static_cast<uint8_t>(stat)};
}
constexpr Arg Text(std::string_view key, StringStat stat) {
  return {key, Arg::ArgKind::kText, static_cast<uint8_t>(stat)};
}
constexpr Arg Real(std::string_view key, RealStat stat) {
  return {key, Arg::ArgKind::kReal, static_cast<uint8_t>(stat)};
}
constexpr Arg Triple(std::string_view key, IntStat first) {
  return {key, Arg::ArgKind::kTriple, static_cast<uint8_t>(first)};
}

// By length: most keys of a trace are none of these, and few of these have the same length.
constexpr std::array kArgs = {
    Int("_c", IntStat::kConsumerId),
    Int("_p", IntStat::kProducerId),
    Int("_r", IntStat::kRootLevel),
    Int("id", IntStat::kId),
    Int("Seq", IntStat::kCollectiveSeq),
    Int("_ct", IntStat::kConsumerType),
    Int("_pt", IntStat::kProducerType),
    Int("Addr", IntStat::kAddress),
    Text("_src", StringStat::kSource),
    Triple("grid", IntStat::kGridX),
    Int("Bytes", IntStat::kAllocationBytes),
    Triple("block", IntStat::kBlockX),
    Int("bytes", IntStat::kBytes),
    Text("dtype", StringStat::kElementType),
    Text("tf_op", StringStat::kTfOp),
    Int("device", IntStat::kDeviceId),
    Text("hlo_op", StringStat::kHloOp),
    Int("run_id", IntStat::kRunId),
    Text("source", StringStat::kSource),
    Int("is_func", IntStat::kIsFunc),
    Int("Dst Rank", IntStat::kTargetRank),
    Int("Src Rank", IntStat::kSourceRank),
    Text("eager_op", StringStat::kEagerOp),
    Text("equation", StringStat::kEquation),
    Int("group_id", IntStat::kGroupId),
    Int("iter_num", IntStat::kIterNum),
    Int("queue_id", IntStat::kQueueId),
    Int("step_num", IntStat::kStepNum),
    Int("Device Id", IntStat::kDeviceOrdinal),
    Int("device_id", IntStat::kDeviceId),
    Text("long_name", StringStat::kTfOp),
    Text("step_name", StringStat::kStepName),
    Int("symbol_id", IntStat::kSymbolId),
    Int("Group size", IntStat::kGroupSize),
    Text("Input Dims", StringStat::kShape),
    Text("Input type", StringStat::kInputTypes),
    Text("hlo_module", StringStat::kHloModule),
    Int("program_id", IntStat::kProgramId),
    Int("External id", IntStat::kExternalId),
    Int("consumer_id", IntStat::kConsumerId),
    Int("correlation", IntStat::kCorrelationId),
    Int("external id", IntStat::kExternalId),
    Int("producer_id", IntStat::kProducerId),
    Text("hlo_category", StringStat::kHloCategory),
    Int("In msg nelems", IntStat::kInElements),
    Int("consumer_type", IntStat::kConsumerType),
    Int("correlationId", IntStat::kCorrelationId),
    Int("producer_type", IntStat::kProducerType),
    Int("shared memory", IntStat::kStaticShared),
    Int("Out msg nelems", IntStat::kOutElements),
    Int("Total Reserved", IntStat::kBytesReserved),
    Int("correlation_id", IntStat::kCorrelationId),
    Int("device_ordinal", IntStat::kDeviceOrdinal),
    Text("kernel_details", StringStat::kKernelDetails),
    Text("memcpy_details", StringStat::kMemcpyDetails),
    Text("Collective name", StringStat::kCollectiveName),
    Int("Total Allocated", IntStat::kBytesAllocated),
    Text("shape_with_layout", StringStat::kShape),
    Text("Process Group Name", StringStat::kProcessGroup),
    Text("Process Group Ranks", StringStat::kGroupRanks),
    Int("registers per thread", IntStat::kRegisters),
    Int("dynamic shared memory", IntStat::kDynamicShared),
    Real("est. achieved occupancy %", RealStat::kOccupancyPct),
};
static_assert(std::is_sorted(kArgs.begin(), kArgs.end(), [](const Arg& a, const Arg& b) {
  return a.key.size() < b.key.size();
}));

// By length of the key: the first argument that is not shorter.
constexpr auto kFirstOfLength = [] {
  std::array<uint8_t, kArgs.back().key.size() + 2> first{};
  for (size_t n = 0; n < first.size(); ++n) {
    while (first[n] < kArgs.size() && kArgs[first[n]].key.size() < n) ++first[n];
  }
  return first;
}();

}  // namespace

const Arg* FindArg(std::string_view key) {
  if (key.size() + 1 >= kFirstOfLength.size()) return nullptr;
  for (size_t i = kFirstOfLength[key.size()]; i < kFirstOfLength[key.size() + 1]; ++i) {
    if (kArgs[i].key.front() == key.front() && kArgs[i].key == key) return &kArgs[i];
  }
  return nullptr;
}

namespace {

// A whole number; also as "0x1f", which HIP writes for streams and addresses.
std::optional<int64_t> Integer(std::string_view token) {
  if (token.starts_with('"') || token.starts_with('0')) {
    if (const auto hex = ParseHex(StripQuotes(token))) return static_cast<int64_t>(*hex);
  }
  return ParseInt(token);
}

void ReadTriple(std::string_view value, uint8_t first, TypedArgs* out) {
  uint8_t i = 0;
  ForEachElement(value, [&](std::string_view element) {
    if (const auto number = Integer(element))
      out->ints.emplace_back(static_cast<IntStat>(first + i), *number);
    return ++i < 3;
  });
}

void ReadAllocator(std::string_view args, TypedArgs* out) {
  int64_t type = 0, id = -1;
  ForEachMember(args, [&](std::string_view key, std::string_view value) {
    if (key == "Device Type") type = Integer(value).value_or(0);
    if (key == "Device Id") id = Integer(value).value_or(-1);
    return true;
  });
  out->allocator = type == 0 ? "CPU"
                   : type == 1 || type == 6
                       ? "GPU " + std::to_string(id)
                       : "Device " + std::to_string(type) + ":" + std::to_string(id);
}

}  // namespace

void ReadArg(const Arg& arg, std::string_view value, TypedArgs* out, uint32_t* memo) {
  switch (arg.kind) {
    case Arg::ArgKind::kInt:
      if (const auto number = Integer(value))
        out->ints.emplace_back(static_cast<IntStat>(arg.stat), *number);
      return;
    case Arg::ArgKind::kText:
      out->tokens.push_back({static_cast<StringStat>(arg.stat), value, memo});
      return;
    case Arg::ArgKind::kReal:
      if (const auto number = ParseReal(value))
        out->reals.emplace_back(static_cast<RealStat>(arg.stat), *number);
      return;
    case Arg::ArgKind::kTriple:
      return ReadTriple(value, arg.stat, out);
  }
}

bool PassWhole(const Arg& arg, json::Cursor* c, TypedArgs* out) {
  int64_t number = 0;
  if (arg.kind != Arg::ArgKind::kInt || !c->Whole(&number)) return false;
  out->ints.emplace_back(static_cast<IntStat>(arg.stat), number);
  return true;
}

std::string TextOfToken(std::string_view token) {
  if (token.empty() || token.front() != '"') return Compact(token);
  std::string text;
  Unescape(token, &text);
  return text;
}

void ReadTypedArgs(std::string_view args, bool memory, TypedArgs* out) {
  out->Clear();
  ForEachMember(args, [&](std::string_view key, std::string_view value) {
    if (const Arg* arg = FindArg(key)) ReadArg(*arg, value, out);
    return true;
  });
  if (memory) ReadAllocator(args, out);
}

bool ReadArgsOfEvent(std::string_view text, bool memory, TypedArgs* out) {
  out->Clear();
  std::string_view args;
  Cursor event(text.data(), text.data() + text.size());
  const bool whole =
      PassEvent(&event, &args, [&](std::string_view key, std::string_view value, bool in_args) {
        if (!in_args) return;
        if (const Arg* arg = FindArg(key)) ReadArg(*arg, value, out);
      });
  if (whole && memory && !args.empty()) ReadAllocator(args, out);
  return whole;
}

}  // namespace stepscope::chrome
