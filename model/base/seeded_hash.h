// SeededHash: a hash of numbers that come from a file, for tables. Each table has a random number
// of its own, so that nobody can choose numbers that all meet in one bucket. Iterating such a table
// gives another order each time: sort what becomes visible.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

namespace stepscope {

inline uint64_t RandomSeed() {
  std::random_device device;
  return uint64_t{device()} << 32 | device();
}

class SeededHash {
 public:
  SeededHash() : seed_(RandomSeed()) {}
  size_t operator()(uint64_t number) const {
    uint64_t h = (number ^ seed_) * 0x9e3779b97f4a7c15ull;
    h = (h ^ h >> 32 ^ seed_) * 0xff51afd7ed558ccdull;
    return static_cast<size_t>(h ^ h >> 29);
  }

 private:
  uint64_t seed_;
};

}  // namespace stepscope
