// Limits of what is read of an HLO program. What lies beyond one is left out and counted.
#pragma once

#include <cstddef>

namespace stepscope {

inline constexpr size_t kMaxHloModuleBytes = size_t{1} << 30;
inline constexpr size_t kMaxHloModuleInstructions = 4'000'000;  // what comes after them is left out
inline constexpr size_t kMaxHloShapeBytes = size_t{16} << 20;
inline constexpr int kMaxShapeDepth = 64;  // of tuples in tuples

}  // namespace stepscope
