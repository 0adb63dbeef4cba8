// The kind of a collective by its name, and what follows for its bandwidth. Pure functions,
// O(length).
#pragma once

#include <cstdint>
#include <string_view>

namespace stepscope {

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

}  // namespace stepscope
