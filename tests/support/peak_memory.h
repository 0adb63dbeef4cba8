#pragma once

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>

namespace stepscope::test {

// The bytes in one line of /proc/self/status: "VmRSS:" or "VmHWM:".
inline uint64_t StatusBytes(std::string_view line_begin) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(line_begin))
      return std::strtoull(line.c_str() + line_begin.size(), nullptr, 10) << 10;
  }
  return 0;
}

// How much memory `work()` adds at its peak, in bytes. Memory that earlier work left in the heap
// and `work()` uses again does not count.
template <typename Work>
uint64_t PeakGrowth(Work&& work) {
  std::ofstream("/proc/self/clear_refs") << "5";  // the peak begins anew
  const uint64_t before = StatusBytes("VmRSS:");
  std::forward<Work>(work)();
  const uint64_t peak = StatusBytes("VmHWM:");
  return peak > before ? peak - before : 0;
}

}  // namespace stepscope::test
