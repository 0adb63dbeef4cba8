// Compares the two readers of varints, for values of every length.
#include "loaders/common/wire.h"

#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <random>
#include <string>

#include "tests/support/wire.h"

namespace stepscope::proto {
namespace {

// Whether both readers give this value and its end, whatever follows.
bool BothRead(uint64_t wanted, uint8_t after) {
  std::string bytes;
  test::PutVarint(&bytes, wanted);
  const size_t size = bytes.size();
  bytes.append(16, static_cast<char>(after));
  const Bytes begin = reinterpret_cast<Bytes>(bytes.data());
  uint64_t checked = ~wanted, padded = ~wanted;
  const Bytes end = begin + size;
  return ReadVarint(begin, end, &checked) == end && ReadVarintPadded(begin, &padded) == end &&
         checked == wanted && padded == wanted;
}

TEST_CASE("varints: both readers agree on every length") {
  constexpr std::array<uint8_t, 4> kAfter = {0x00, 0x7f, 0x80, 0xff};
  std::mt19937_64 random(3);
  size_t wrong = 0;
  for (int bits = 0; bits <= 64; ++bits) {
    for (int i = 0; i < 50; ++i) {
      const uint64_t low = bits == 0 ? 0 : random() >> (64 - bits);
      const uint64_t value = bits == 0 ? 0 : low | uint64_t{1} << (bits - 1);
      for (const uint8_t after : kAfter) wrong += BothRead(value, after) ? 0 : 1;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("varints: one of more than ten bytes, or that is not minimal") {
  std::array<uint8_t, 26> bytes{};
  bytes.fill(0x80);
  uint64_t value = 0;
  CHECK(ReadVarintPadded(bytes.data(), &value) == nullptr);
  bytes[0] = 0x85;
  bytes[6] = 0;  // five, written in seven bytes
  CHECK(ReadVarintPadded(bytes.data(), &value) == bytes.data() + 7);
  CHECK(value == 5);
}

}  // namespace
}  // namespace stepscope::proto
