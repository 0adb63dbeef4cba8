// A small TPU profile whose times are known: two cores that run a program several times. In each
// run a core waits for a copy from the host's memory, computes, and waits for a copy back.
#pragma once

#include <cstdint>
#include <string>

namespace stepscope::test {

struct TpuProfileOptions {
  int64_t runs = 6;
  bool steps_line = false;
  bool async_line = false;  // with the asynchronous copies, which overlap
  // Every third run the session's clock says that the first wait takes this much longer, and later
  // ops that much shorter.
  int64_t bend_ps = 0;
  bool late_names = false;  // the names of lines follow their events
};

// On the core's own clock a run takes 10 ms and begins 10 ms after the one before:
//   copy-start and copy-start.2 (from the host's memory, 8 MiB each) 1 ns each at its begin,
//   copy-done until 4 ms, fusion until 6 ms, copy-start.1 (to the host's memory) for 1 ns,
//   copy-done.2 until 7 ms, copy-done.1 until 9 ms, idle until 10 ms.
// Before the first run, jit_init runs an all-reduce of 2 ms from -5 ms on; a barrier of 1 ms lies
// before it. The session's clock is 3 ms ahead.
std::string MakeTpuProfile(const TpuProfileOptions& options);

}  // namespace stepscope::test
