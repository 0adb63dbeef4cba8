// Fnv: FNV-1a, a 64-bit hash that is the same on every machine. Anyone can make texts that collide,
// so do not use it where that would hurt (number_hash.h).
#pragma once

#include <cstdint>
#include <string_view>

namespace stepscope {

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
