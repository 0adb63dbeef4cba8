// Highlight: events drawn bright while the rest is dimmed. Plain data, by run and set.
#pragma once

#include <cstdint>
#include <vector>

namespace stepscope {

// Events shown bright while the rest is dimmed: search hits, or what a panel's row links to.
struct Highlight {
  uint64_t version = 0;  // 0: none
  struct Rows {
    uint32_t run = 0, set = 0;
    std::vector<uint32_t> rows;
  };  // sorted
  std::vector<Rows> rows;
  const std::vector<uint32_t>* Find(uint32_t run, uint32_t set) const;
};

}  // namespace stepscope
