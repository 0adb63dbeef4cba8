// What a collective does, by its name, and what that means for its bandwidth. Pure. O(length).
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
  kSendRecv,  // between two
  kBarrier,
  kGather,
  kScatter,
  kReduce,
  kOther
};

// Of PyTorch's "Collective name" or the name of a kernel.
CollectiveKind KindOfCollective(std::string_view name);
const char* NameOf(CollectiveKind kind);  // "AllReduce"; "" for kOther
// None of the participants can be done before all have come.
bool EndsTogether(CollectiveKind kind);
// Bus bandwidth / algorithm bandwidth of n participants. Source: NVIDIA/nccl-tests,
// guide to performance: all-reduce 2 (n - 1) / n; all-gather, reduce-scatter, all-to-all, gather
// and scatter (n - 1) / n; broadcast, reduce, send and receive 1.
double BusFactor(CollectiveKind kind, int64_t n);
// Bytes of an element of c10::toString(ScalarType), "BFloat16"; 0 if not known.
int64_t ElementBytes(std::string_view dtype);

}  // namespace stepscope
