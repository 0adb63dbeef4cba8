// Hashes of numbers, for hash tables. Pure but for a random seed; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <random>

namespace stepscope {

inline uint64_t RandomSeed() {
  std::random_device device;
  return uint64_t{device()} << 32 | device();
}

// A hash of numbers that come from a file. Each table has a random seed, so that nobody can choose
// numbers that all fall into one bucket. The order of iteration therefore differs from run to run:
// sort whatever becomes visible.
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

// A hash of a few numbers that no stranger chooses: indices, ids of a table, enumerators.
// O(numbers).
inline size_t HashOf(std::initializer_list<uint64_t> numbers) {
  uint64_t hash = 0;
  for (const uint64_t number : numbers) {
    hash = (hash ^ number) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  }
  return static_cast<size_t>(hash);
}

}  // namespace stepscope
