// Draws the numbers of Python's random.Random(str). With them the generator of
// tests/support/gpu_profile.h writes byte for byte what the reference generator in Python wrote,
// from whose profiles the goldens in tests/golden were made. Not thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace stepscope::test {

class PythonRandom {
 public:
  // Seeds as random.Random(seed) does for a str (CPython 3.2 and later, seed version 2).
  explicit PythonRandom(std::string_view seed);

  // random.uniform(low, high).
  double Uniform(double low, double high);

 private:
  static constexpr std::size_t kWords = 624;  // MT19937

  void Refill();
  std::uint32_t Next32();

  std::array<std::uint32_t, kWords> state_{};
  std::size_t next_ = kWords;
};

}  // namespace stepscope::test
