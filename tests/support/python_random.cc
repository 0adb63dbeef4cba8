#include "tests/support/python_random.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <span>

namespace stepscope::test {
namespace {

// The first 64 fractional bits of the square roots of the first 8 primes, and below those of the
// cube roots of the first 80 primes (FIPS 180-4).
constexpr std::array<std::uint64_t, 8> kShaStart = {
    0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
    0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
};
constexpr std::array<std::uint64_t, 80> kShaRound = {
    0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc,
    0x3956c25bf348b538, 0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118,
    0xd807aa98a3030242, 0x12835b0145706fbe, 0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2,
    0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235, 0xc19bf174cf692694,
    0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
    0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5,
    0x983e5152ee66dfab, 0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4,
    0xc6e00bf33da88fc2, 0xd5a79147930aa725, 0x06ca6351e003826f, 0x142929670a0e6e70,
    0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed, 0x53380d139d95b3df,
    0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
    0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30,
    0xd192e819d6ef5218, 0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8,
    0x19a4c116b8d2d0c8, 0x1e376c085141ab53, 0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8,
    0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373, 0x682e6ff3d6b2b8a3,
    0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
    0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b,
    0xca273eceea26619c, 0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178,
    0x06f067aa72176fba, 0x0a637dc5a2c898a6, 0x113f9804bef90dae, 0x1b710b35131c471b,
    0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc, 0x431d67c49c100d4c,
    0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817,
};

using Sha512Digest = std::array<std::uint8_t, 64>;

std::array<std::uint64_t, 80> ShaSchedule(std::span<const std::uint8_t, 128> block) {
  std::array<std::uint64_t, 80> w{};
  for (std::size_t i = 0; i < 128; ++i) w[i / 8] = w[i / 8] << 8 | block[i];
  for (std::size_t i = 16; i < 80; ++i) {
    const std::uint64_t a = w[i - 15], b = w[i - 2];
    const std::uint64_t s0 = std::rotr(a, 1) ^ std::rotr(a, 8) ^ (a >> 7);
    const std::uint64_t s1 = std::rotr(b, 19) ^ std::rotr(b, 61) ^ (b >> 6);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  return w;
}

void ShaCompress(std::array<std::uint64_t, 8>* hash, std::span<const std::uint8_t, 128> block) {
  const auto w = ShaSchedule(block);
  auto s = *hash;
  for (std::size_t i = 0; i < 80; ++i) {
    const std::uint64_t sum1 = std::rotr(s[4], 14) ^ std::rotr(s[4], 18) ^ std::rotr(s[4], 41);
    const std::uint64_t choose = (s[4] & s[5]) ^ (~s[4] & s[6]);
    const std::uint64_t t1 = s[7] + sum1 + choose + kShaRound[i] + w[i];
    const std::uint64_t sum0 = std::rotr(s[0], 28) ^ std::rotr(s[0], 34) ^ std::rotr(s[0], 39);
    const std::uint64_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
    std::rotate(s.begin(), s.end() - 1, s.end());
    s[4] += t1;
    s[0] = t1 + sum0 + majority;
  }
  for (std::size_t i = 0; i < 8; ++i) (*hash)[i] += s[i];
}

Sha512Digest Sha512(std::string_view text) {
  std::vector<std::uint8_t> data(text.begin(), text.end());
  data.push_back(0x80);
  while (data.size() % 128 != 112) data.push_back(0);
  data.insert(data.end(), 8, 0);  // the upper half of the 128-bit length
  const std::uint64_t bits = text.size() * 8;
  for (int shift = 56; shift >= 0; shift -= 8) {
    data.push_back(static_cast<std::uint8_t>(bits >> shift));
  }
  auto hash = kShaStart;
  for (std::size_t at = 0; at < data.size(); at += 128) {
    ShaCompress(&hash, std::span<const std::uint8_t, 128>(&data[at], 128));
  }
  Sha512Digest digest{};
  for (std::size_t i = 0; i < 64; ++i) {
    digest[i] = static_cast<std::uint8_t>(hash[i / 8] >> (56 - i % 8 * 8));
  }
  return digest;
}

// random.seed(str): the text and its SHA-512 as one big-endian number, in 32-bit words from its
// low end, without leading zero words.
std::vector<std::uint32_t> SeedWords(std::string_view seed) {
  std::vector<std::uint8_t> bytes(seed.begin(), seed.end());
  const Sha512Digest digest = Sha512(seed);
  bytes.insert(bytes.end(), digest.begin(), digest.end());
  std::vector<std::uint32_t> words((bytes.size() + 3) / 4);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const std::uint32_t byte = bytes[bytes.size() - 1 - i];
    words[i / 4] |= byte << (i % 4 * 8);
  }
  while (words.size() > 1 && words.back() == 0) words.pop_back();
  return words;
}

constexpr std::uint32_t Mix(std::uint32_t x) { return x ^ (x >> 30); }

}  // namespace

PythonRandom::PythonRandom(std::string_view seed) {
  state_[0] = 19650218;
  for (std::uint32_t i = 1; i < kWords; ++i) state_[i] = 1812433253U * Mix(state_[i - 1]) + i;
  const std::vector<std::uint32_t> key = SeedWords(seed);
  std::size_t i = 1;
  const auto next = [&] {
    if (++i < kWords) return;
    state_[0] = state_[kWords - 1];
    i = 1;
  };
  for (std::size_t k = 0, j = 0; k < std::max(kWords, key.size()); ++k) {
    state_[i] =
        (state_[i] ^ Mix(state_[i - 1]) * 1664525U) + key[j] + static_cast<std::uint32_t>(j);
    next();
    j = (j + 1) % key.size();
  }
  for (std::size_t k = 1; k < kWords; ++k) {
    state_[i] = (state_[i] ^ Mix(state_[i - 1]) * 1566083941U) - static_cast<std::uint32_t>(i);
    next();
  }
  state_[0] = 0x80000000U;
}

void PythonRandom::Refill() {
  for (std::size_t i = 0; i < kWords; ++i) {
    const std::uint32_t y = (state_[i] & 0x80000000U) | (state_[(i + 1) % kWords] & 0x7fffffffU);
    state_[i] = state_[(i + 397) % kWords] ^ (y >> 1) ^ ((y & 1) != 0 ? 0x9908b0dfU : 0U);
  }
  next_ = 0;
}

std::uint32_t PythonRandom::Next32() {
  if (next_ == kWords) Refill();
  std::uint32_t y = state_[next_++];
  y ^= y >> 11;
  y ^= (y << 7) & 0x9d2c5680U;
  y ^= (y << 15) & 0xefc60000U;
  return y ^ (y >> 18);
}

double PythonRandom::Uniform(double low, double high) {
  const double upper = Next32() >> 5;  // 27 bits, then 26: 53 in all
  const double lower = Next32() >> 6;
  return low + (high - low) * ((upper * 67108864.0 + lower) / 9007199254740992.0);
}

}  // namespace stepscope::test
