// Collectives that a rank without GPUs carries out on its host (docs/rules.md#collectives).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/trace.h"

namespace stepscope {

// From the call until it is done, on the thread that carries it out. Calls do not wait for the one
// before, as events of a stream do: `begin` is the call or the end of those before it, so that who
// waits in two of them waits once.
struct HostCollective {
  uint32_t row = 0, meta = 0;
  TrackId track;
  Ps call = 0, begin = 0, end = 0;
};

// What PyTorch's backends for CPUs record: "gloo:all_reduce".
bool IsHostCollective(std::string_view event);
// By MetaId. O(names).
std::vector<uint8_t> HostCollectiveMetas(const NameTable& names);

// By call. Those that take time are disjoint; a call that ends before an earlier one takes none.
// O(host events + n log n).
std::vector<HostCollective> CollectivesOfHost(const Trace& trace, HostId host,
                                              const std::vector<uint8_t>& metas);

}  // namespace stepscope
