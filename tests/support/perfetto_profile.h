// Generates Perfetto traces of training, of any size: ops, calls and kernels with their
// arguments, as clients of Perfetto's library and monitors that use CUPTI write them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace stepscope::test {

struct PerfettoProfileOptions {
  uint32_t steps = 2;
  uint32_t ranks = 2;  // each is a process with a thread, a GPU and a counter
  // Launches of a rank in a step; each is an op, a call inside it and a kernel on the GPU.
  uint32_t launches = 50;
  uint32_t clear_every = 64;  // steps after which a sequence's state begins anew
};
// Each launch has 3 slices and an arrow, every 8 launches a sample of a counter. `write` gets the
// packets of one step of one rank at a time.
void WritePerfettoProfile(const PerfettoProfileOptions& options,
                          const std::function<void(std::string_view)>& write);

}  // namespace stepscope::test
