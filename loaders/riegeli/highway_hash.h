// HighwayHash-64 (Alakuijala, Cox, Wassenberg, arXiv 1612.06257), as the checksums of Riegeli files
// use it. Pure; O(bytes): about 1 GB/s with AVX2, which is looked for at run time, else 0.1 GB/s.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace stepscope::riegeli {

using HighwayKey = std::array<uint64_t, 4>;

uint64_t HighwayHash64(const HighwayKey& key, std::span<const std::byte> bytes);

// The hash that Riegeli files use: its key is the text "Riegeli/records\n", twice.
uint64_t RiegeliHash(std::span<const std::byte> bytes);

}  // namespace stepscope::riegeli
