// Hashes of numbers, for hash tables. Pure but for a random seed; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <string_view>

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

// Fnv: FNV-1a, a 64-bit hash that is the same on every machine. Anyone can make texts that collide,
// so do not use it where that would hurt (SeededHash).
class Fnv {
 public:
  void Add(unsigned char byte) { value_ = (value_ ^ byte) * 0x100000001b3ull; }
  void Add(std::string_view bytes) {
    for (const char c : bytes) Add(static_cast<unsigned char>(c));
  }
  void Add(uint64_t number) {  // the lowest byte first
    for (int i = 0; i < 8; ++i, number >>= 8) Add(static_cast<unsigned char>(number & 0xff));
  }
  uint64_t value() const { return value_; }

 private:
  uint64_t value_ = 0xcbf29ce484222325ull;
};

}  // namespace stepscope
