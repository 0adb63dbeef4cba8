// Collectives that a rank without GPUs carries out on its host
// (docs/rules.md#ranks). Pure; any thread.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/trace.h"

namespace stepscope {

// A collective from its call until it is done, on the thread that carries it out. Calls, unlike
// events of a stream, do not wait for the one before: `begin` is the call, or the end of earlier
// collectives if that is later, so that a rank that waits in two waits once.
struct HostCollective {
  uint32_t row = 0, meta = 0;
  TrackId track;
  Ps call = 0, begin = 0, end = 0;
};

// Whether PyTorch's backends for CPUs record events of that name: "gloo:all_reduce".
bool IsHostCollective(std::string_view event);
// By MetaId, whether the name is a host collective's. O(names).
std::vector<uint8_t> HostCollectiveMetas(const NameTable& names);

// In order of their calls. Those that take time are disjoint; one that ends before an earlier one
// takes no time. `metas`: HostCollectiveMetas(). O(host events + n log n).
std::vector<HostCollective> CollectivesOfHost(const Trace& trace, HostId host,
                                              const std::vector<uint8_t>& metas);

}  // namespace stepscope
