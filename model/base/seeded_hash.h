// SeededHash: a hash of numbers that come from a file, for hash tables. Each table has a random
// seed, so that nobody can choose numbers that all fall into one bucket. The order of iteration
// therefore differs from run to run: sort whatever becomes visible.
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
