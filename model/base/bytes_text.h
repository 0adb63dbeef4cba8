// Sizes of files and memory for people.
#pragma once

#include <cstdint>
#include <string>

namespace stepscope {

// "5 B", "2.0 kB", "12.3 MB", "2.50 GB": powers of 1000.
std::string BytesText(uint64_t bytes);

}  // namespace stepscope
