// Pairs the collectives of all ranks by their facts (docs/rules.md#ranks). Times are in ps. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/analysis/ranks/rank_facts.h"

namespace stepscope {

// The kind of a collective by its name, and what follows for its bandwidth. Pure functions,
// O(length).

enum class CollectiveKind : uint8_t {
  kAllReduce,
  kReduceScatter,
  kAllGather,
  kAllToAll,
  kBroadcast,
  kSendRecv,  // a message between two ranks
  kBarrier,
  kGather,
  kScatter,
  kReduce,
  kOther
};

// The kind by PyTorch's argument "Collective name" or by the name of a kernel.
CollectiveKind KindOfCollective(std::string_view name);
const char* NameOf(CollectiveKind kind);  // "AllReduce"; "" for kOther
// Whether no participant can end before all have begun.
bool EndsTogether(CollectiveKind kind);
// Bus bandwidth / algorithm bandwidth for n participants. Source: the guide to performance of
// NVIDIA/nccl-tests: all-reduce 2 (n - 1) / n; all-gather, reduce-scatter, all-to-all, gather and
// scatter (n - 1) / n; broadcast, reduce, send and receive 1.
double BusFactor(CollectiveKind kind, int64_t n);
// Bytes of an element of the type that c10::toString(ScalarType) names, as "BFloat16"; 0 if
// unknown.
int64_t ElementBytes(std::string_view dtype);

// One rank's part in a collective.
struct CollectiveCall {
  static constexpr uint32_t kNone = 0xffffffffu;
  uint32_t rank = 0;       // index in the list of ranks
  uint32_t at = 0;         // in RankFacts::calls of the rank
  uint32_t row = 0;        // its device event, or host event
  Ps begin = 0, end = 0;   // on the rank's own clock
  uint32_t group = kNone;  // in CollectiveCalls::groups; kNone: its participants are not known
  uint32_t name = 0;       // index in CollectiveCalls::names
  int64_t order = 0;       // `Seq`, else the step's number
  uint32_t nth = 0;        // number among its rank's calls of equal group, name and order
  bool in_step = false;    // `step` is known
  int64_t step = 0;
};

struct CollectiveGroup {
  std::string name;               // name of the process group; may be empty
  bool has_order = false;         // `Seq` is recorded
  bool has_ranks = false;         // its members are recorded
  int64_t from = -1, to = -1;     // numbers of the two ends of a message
  std::vector<uint32_t> members;  // indices of ranks, ascending
};

// The calls of one collective: [first, first + count) of CollectiveCalls::calls, by rank.
struct PairedCollective {
  uint32_t first = 0, count = 0;
};

struct CollectiveCalls {
  struct Name {
    std::string text;
    CollectiveKind kind;
  };
  std::vector<CollectiveCall> calls;  // by collective; calls without a group last
  std::vector<CollectiveGroup> groups;
  std::vector<Name> names;
  std::vector<PairedCollective> paired;  // collectives of a group, with at least one call

  std::span<const CollectiveCall> Of(const PairedCollective& c) const {
    return std::span(calls).subspan(c.first, c.count);
  }
};

// Keeps the collectives whose first participant's call counts, whole, and of the calls without a
// group those that count. O(calls)
void KeepCalls(const std::function<bool(const CollectiveCall&)>& counts, CollectiveCalls* calls);

// O(n log n) in the number of calls. The ranks must have distinct numbers.
CollectiveCalls PairCollectives(std::span<const RankFacts> facts);

}  // namespace stepscope
