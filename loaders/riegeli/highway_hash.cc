#include "loaders/riegeli/highway_hash.h"

#include <bit>
#include <cstring>

namespace stepscope::riegeli {
namespace {

constexpr size_t kPacket = 32;
using Lanes = std::array<uint64_t, 4>;
// Four lanes, which the compiler puts into the widest registers there are.
using Vector = uint64_t __attribute__((vector_size(kPacket)));
using VectorBytes = uint8_t __attribute__((vector_size(kPacket)));

struct State {
  Vector v0, v1, mul0, mul1;
};

// Adds the bytes of each pair of lanes to another, in an order that mixes the bits that
// multiplications leave weak.
[[gnu::always_inline]] inline void ZipperMergeAdd(const Vector& from, Vector* to) {
  const VectorBytes b = reinterpret_cast<VectorBytes>(from);
  const VectorBytes mixed =
      __builtin_shufflevector(b, b, 3, 12, 2, 5, 14, 1, 15, 0, 11, 4, 10, 13, 9, 6, 8, 7,  //
                              19, 28, 18, 21, 30, 17, 31, 16, 27, 20, 26, 29, 25, 22, 24, 23);
  *to += reinterpret_cast<Vector>(mixed);
}

[[gnu::always_inline]] inline void Update(const Vector& packet, State* s) {
  s->v1 += s->mul0 + packet;
  s->mul0 ^= (s->v1 & 0xffffffff) * (s->v0 >> 32);
  s->v0 += s->mul1;
  s->mul1 ^= (s->v0 & 0xffffffff) * (s->v1 >> 32);
  ZipperMergeAdd(s->v1, &s->v0);
  ZipperMergeAdd(s->v0, &s->v1);
}

[[gnu::always_inline]] inline void UpdateAll(const std::byte* p, size_t packets, State* state) {
  State s = *state;  // in registers
  for (; packets > 0; --packets, p += kPacket) {
    Vector packet;
    std::memcpy(&packet, p, kPacket);
    Update(packet, &s);
  }
  *state = s;
}

void UpdatePlain(const std::byte* p, size_t packets, State* state) { UpdateAll(p, packets, state); }

#if defined(__x86_64__)
__attribute__((target("avx2"))) void UpdateAvx2(const std::byte* p, size_t packets, State* state) {
  UpdateAll(p, packets, state);
}
bool HasAvx2() { return __builtin_cpu_supports("avx2") != 0; }
#else
void UpdateAvx2(const std::byte* p, size_t packets, State* state) { UpdateAll(p, packets, state); }
bool HasAvx2() { return false; }
#endif

void Update(const Lanes& packet, State* state) {
  UpdatePlain(reinterpret_cast<const std::byte*>(packet.data()), 1, state);
}

void Init(const HighwayKey& key, State* s) {
  // Fractional digits of pi, as the paper gives them.
  s->mul0 = Vector{0xdbe6d5d5fe4cce2f, 0xa4093822299f31d0, 0x13198a2e03707344, 0x243f6a8885a308d3};
  s->mul1 = Vector{0x3bd39e10cb0ef593, 0xc0acf169b5f18a8c, 0xbe5466cf34e90c6c, 0x452821e638d01377};
  for (size_t i = 0; i < 4; ++i) {
    s->v0[i] = s->mul0[i] ^ key[i];
    s->v1[i] = s->mul1[i] ^ std::rotl(key[i], 32);
  }
}

// Hashes the last 1 to 31 bytes.
void UpdateRest(const std::byte* bytes, size_t n, State* s) {
  const int turn = static_cast<int>(n);
  for (size_t i = 0; i < 4; ++i) {
    s->v0[i] += (uint64_t{n} << 32) + n;
    const uint64_t v = s->v1[i];
    const uint32_t low = static_cast<uint32_t>(v), high = static_cast<uint32_t>(v >> 32);
    s->v1[i] = uint64_t{std::rotl(high, turn)} << 32 | std::rotl(low, turn);
  }
  std::array<std::byte, kPacket> packet{};
  const size_t whole = n & ~size_t{3}, left = n & 3;
  std::memcpy(packet.data(), bytes, whole);
  if ((n & 16) != 0) {
    std::memcpy(&packet[28], bytes + n - 4, 4);
  } else if (left != 0) {
    packet[16] = bytes[whole];
    packet[17] = bytes[whole + left / 2];
    packet[18] = bytes[n - 1];
  }
  Update(std::bit_cast<Lanes>(packet), s);
}

uint64_t Finish(State* s) {
  for (int round = 0; round < 4; ++round) {
    Update(Lanes{std::rotl(s->v0[2], 32), std::rotl(s->v0[3], 32), std::rotl(s->v0[0], 32),
                 std::rotl(s->v0[1], 32)},
           s);
  }
  return s->v0[0] + s->v1[0] + s->mul0[0] + s->mul1[0];
}

}  // namespace

uint64_t HighwayHash64(const HighwayKey& key, std::span<const std::byte> bytes) {
  State state;
  Init(key, &state);
  const size_t packets = bytes.size() / kPacket, left = bytes.size() % kPacket;
  (HasAvx2() ? UpdateAvx2 : UpdatePlain)(bytes.data(), packets, &state);
  if (left > 0) UpdateRest(bytes.data() + packets * kPacket, left, &state);
  return Finish(&state);
}

uint64_t RiegeliHash(std::span<const std::byte> bytes) {
  constexpr uint64_t kName = 0x2f696c6567656952, kRecords = 0x0a7364726f636572;
  return HighwayHash64({kName, kRecords, kName, kRecords}, bytes);
}

}  // namespace stepscope::riegeli
