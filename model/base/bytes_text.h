// Sizes of files and memory as people read them. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>

namespace stepscope {

// "5 B", "2.0 kB", "12.3 MB", "2.50 GB": units are powers of 1000.
std::string BytesText(uint64_t bytes);

}  // namespace stepscope
