// Which file a code address lies in, for stacks in crash reports: from /proc/self/maps, with
// nothing that a signal handler must not call (dladdr and backtrace_symbols_fd take the loader's
// lock).
#pragma once

#include <cstdint>
#include <span>

namespace stepscope {

struct CodeAddress {
  uintptr_t address = 0;  // to be looked up
  uintptr_t offset = 0;   // from where the file's first byte is mapped: what addr2line takes
  char module[64] = "";   // the file's name without its folders; empty: no code is there
};

// Fills in the file of each address from the text of a maps file, which is read to its end. Only
// mappings of code count: profiles are mapped too, and their names stay out. Signal handlers may
// call it: it does not allocate. O(lines * addresses).
void FindCodeModules(int maps_fd, std::span<CodeAddress> addresses);

}  // namespace stepscope
