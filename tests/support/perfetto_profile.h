// A Perfetto trace of training, of any size: what clients of Perfetto's library and CUPTI's
// monitors write for ops, calls and kernels with their arguments.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace stepscope::test {

struct PerfettoProfileOptions {
  uint32_t steps = 2;
  uint32_t ranks = 2;         // a process, its thread, its GPU and its counter each
  uint32_t launches = 50;     // of a rank in a step: an op, in it a call, on the GPU a kernel
  uint32_t clear_every = 64;  // steps between two beginnings of a sequence's state
};
// Events: 3 slices and an arrow a launch, a sample of a counter for each 8. Gives the packets of a
// step of a rank at a time to `write`.
void WritePerfettoProfile(const PerfettoProfileOptions& options,
                          const std::function<void(std::string_view)>& write);

}  // namespace stepscope::test
