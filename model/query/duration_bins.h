// DurationBins: bins for durations in ps, 2^kBits bins for each doubling. Durations below
// 2^(kBits + 1) ps have a bin each. Pure; O(1).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "model/time.h"

namespace stepscope {

template <unsigned kBits>
struct DurationBins {
  static constexpr size_t kPerDoubling = size_t{1} << kBits;

  // Monotone. Negative durations are in bin 0.
  static size_t BinOf(Ps duration) {
    if (duration < Ps{kPerDoubling}) return duration <= 0 ? 0 : static_cast<size_t>(duration);
    const auto d = static_cast<uint64_t>(duration);
    const auto exponent = static_cast<unsigned>(std::bit_width(d)) - (kBits + 1);
    return exponent * kPerDoubling + static_cast<size_t>(d >> exponent);
  }
  // The least duration of the bin; kMaxPs behind the last one.
  static Ps BinBegin(size_t bin) {
    if (bin < 2 * kPerDoubling) return static_cast<Ps>(bin);
    const size_t exponent = bin / kPerDoubling - 1;
    const uint64_t leading = uint64_t{bin % kPerDoubling} + kPerDoubling;
    return exponent > 62 - kBits ? kMaxPs : static_cast<Ps>(leading << exponent);
  }
};

}  // namespace stepscope
