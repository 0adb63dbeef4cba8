#include "loaders/common/json_brackets.h"

#include <algorithm>
#include <bit>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace stepscope::json {
namespace {

// The characters that matter in 64 bytes of text: a bit for each byte.
struct Marks {
  uint64_t quote = 0, backslash = 0, open = 0, close = 0;
};

#if defined(__x86_64__)
Marks MarksIn(const char* text) {
  Marks m;
  for (int i = 0; i < 4; ++i) {
    const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text + 16 * i));
    const auto equal = [](__m128i a, char c) {
      return static_cast<uint64_t>(
          static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(a, _mm_set1_epi8(c)))));
    };
    // '[' and '{', ']' and '}' differ in bit 0x20 only.
    const __m128i folded = _mm_or_si128(v, _mm_set1_epi8(0x20));
    m.quote |= equal(v, '"') << (16 * i);
    m.backslash |= equal(v, '\\') << (16 * i);
    m.open |= equal(folded, '{') << (16 * i);
    m.close |= equal(folded, '}') << (16 * i);
  }
  return m;
}
#else
Marks MarksIn(const char* text) {
  Marks m;
  for (int i = 0; i < 64; ++i) {
    const uint64_t bit = uint64_t{1} << i;
    const char c = text[i];
    if (c == '"') m.quote |= bit;
    if (c == '\\') m.backslash |= bit;
    if (c == '[' || c == '{') m.open |= bit;
    if (c == ']' || c == '}') m.close |= bit;
  }
  return m;
}
#endif

// A loop, because a block has few brackets, and without a popcnt instruction std::popcount is a
// call.
int CountBits(uint64_t bits) {
  int n = 0;
  for (; bits != 0; bits &= bits - 1) ++n;
  return n;
}

// Bits of characters that a backslash escapes. `carry` says whether the block's first character is
// escaped, and gets the same for the next block.
uint64_t Escaped(uint64_t backslash, bool* carry) {
  uint64_t escaped = *carry ? 1 : 0;
  if (backslash == 0) {
    *carry = false;
    return escaped;
  }
  backslash &= ~escaped;
  bool next = false;
  while (backslash != 0) {
    const int i = std::countr_zero(backslash);
    if (i == 63) {
      next = true;
      break;
    }
    const uint64_t bit = uint64_t{2} << i;
    escaped |= bit;
    backslash &= ~(bit | bit >> 1);
  }
  *carry = next;
  return escaped;
}

// Each bit becomes the xor of itself and all lower ones. Given the quotes, it is set from an
// opening quote up to the closing one.
uint64_t PrefixXor(uint64_t x) {
  x ^= x << 1;
  x ^= x << 2;
  x ^= x << 4;
  x ^= x << 8;
  x ^= x << 16;
  x ^= x << 32;
  return x;
}

void FindBracketsPortable(const char* text, size_t blocks, BracketState* state, BracketMasks* out) {
  for (size_t i = 0; i < blocks; ++i) {
    const Marks m = MarksIn(text + 64 * i);
    const uint64_t quotes = m.quote & ~Escaped(m.backslash, &state->escaped);
    const uint64_t strings = PrefixXor(quotes) ^ (state->in_string ? ~uint64_t{0} : 0);
    state->stray_escape = state->stray_escape || (m.backslash & ~strings) != 0;
    state->in_string = (strings >> 63) != 0;
    out[i].open = m.open & ~strings;
    out[i].close = m.close & ~strings;
    out[i].opens = CountBits(out[i].open);
    out[i].closes = CountBits(out[i].close);
  }
}

#if defined(__x86_64__)
#define STEPSCOPE_AVX2 __attribute__((target("avx2,pclmul,popcnt")))

STEPSCOPE_AVX2 uint64_t Equal(__m256i low, __m256i high, char c) {
  const __m256i wanted = _mm256_set1_epi8(c);
  const auto bits = [wanted](__m256i v) STEPSCOPE_AVX2 {
    return static_cast<uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(v, wanted)));
  };
  return uint64_t{bits(high)} << 32 | bits(low);
}

// PrefixXor as one instruction: it is a carry-less multiplication by all ones.
STEPSCOPE_AVX2 uint64_t PrefixXorAvx2(uint64_t x) {
  const __m128i product = _mm_clmulepi64_si128(_mm_set_epi64x(0, static_cast<int64_t>(x)),
                                               _mm_set1_epi8(static_cast<char>(0xff)), 0);
  return static_cast<uint64_t>(_mm_cvtsi128_si64(product));
}

STEPSCOPE_AVX2 void FindBracketsAvx2(const char* text, size_t blocks, BracketState* state,
                                     BracketMasks* out) {
  const __m256i fold = _mm256_set1_epi8(0x20);
  uint64_t before = state->in_string ? ~uint64_t{0} : 0;
  for (size_t i = 0; i < blocks; ++i) {
    const auto* at = reinterpret_cast<const __m256i*>(text + 64 * i);
    const __m256i low = _mm256_loadu_si256(at), high = _mm256_loadu_si256(at + 1);
    const __m256i low_folded = _mm256_or_si256(low, fold),
                  high_folded = _mm256_or_si256(high, fold);
    const uint64_t backslash = Equal(low, high, '\\');
    uint64_t quotes = Equal(low, high, '"');
    if (backslash != 0 || state->escaped) quotes &= ~Escaped(backslash, &state->escaped);
    const uint64_t strings = PrefixXorAvx2(quotes) ^ before;
    if ((backslash & ~strings) != 0) [[unlikely]]
      state->stray_escape = true;
    before = static_cast<uint64_t>(static_cast<int64_t>(strings) >> 63);
    out[i].open = Equal(low_folded, high_folded, '{') & ~strings;
    out[i].close = Equal(low_folded, high_folded, '}') & ~strings;
    out[i].opens = __builtin_popcountll(out[i].open);
    out[i].closes = __builtin_popcountll(out[i].close);
  }
  state->in_string = before != 0;
}
#endif

using FindBracketsFn = void(const char*, size_t, BracketState*, BracketMasks*);

// The fastest function that the processor can run.
FindBracketsFn* FastestFindBrackets() {
#if defined(__x86_64__)
  const bool fast = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("pclmul") &&
                    __builtin_cpu_supports("popcnt");
  if (fast) return FindBracketsAvx2;
#endif
  return FindBracketsPortable;
}

// Follows the brackets of a block. Returns the place of the one that closes the outermost, or -1.
int FollowBrackets(const BracketMasks& masks, int64_t* depth) {
  if (*depth > masks.closes) {
    *depth += masks.opens - masks.closes;
    return -1;
  }
  for (uint64_t bits = masks.open | masks.close; bits != 0; bits &= bits - 1) {
    const int i = std::countr_zero(bits);
    *depth += (masks.open >> i & 1) != 0 ? 1 : -1;
    if (*depth == 0) return i;
  }
  return -1;
}

FindBracketsFn* const kFastest = FastestFindBrackets();

}  // namespace

void FindBrackets(const char* text, size_t blocks, BracketState* state, BracketMasks* out) {
  kFastest(text, blocks, state, out);
}

BracketMasks FindLastBrackets(const char* text, size_t bytes, BracketState* state) {
  char padded[kBracketBlock];
  std::memset(padded, ' ', sizeof padded);
  std::memcpy(padded, text, bytes);
  BracketMasks masks;
  FindBracketsPortable(padded, 1, state, &masks);
  return masks;
}

const char* EndOfContainer(const char* at, const char* end, bool* stray_escape) {
  constexpr size_t kFirst = 2, kMost = 8;  // blocks at once; most containers end in the first ones
  BracketMasks masks[kMost];
  BracketState state;
  int64_t depth = 0;
  for (size_t wanted = kFirst; at < end; wanted = std::min(2 * wanted, kMost)) {
    const size_t left = static_cast<size_t>(end - at);
    const size_t blocks = std::min(wanted, left / kBracketBlock);
    if (blocks > 0) {
      FindBrackets(at, blocks, &state, masks);
    } else {
      masks[0] = FindLastBrackets(at, left, &state);
    }
    *stray_escape = state.stray_escape;
    for (size_t i = 0; i < std::max<size_t>(blocks, 1); ++i) {
      const int closing = FollowBrackets(masks[i], &depth);
      if (closing >= 0) return at + i * kBracketBlock + closing + 1;
    }
    at += std::min(left, std::max<size_t>(blocks, 1) * kBracketBlock);
  }
  return nullptr;
}

}  // namespace stepscope::json
