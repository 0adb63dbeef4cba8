#include "loaders/chrome_json/splitter.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "loaders/common/json_cursor.h"
#include "loaders/common/json_number.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace stepscope::chrome {

using namespace json;

namespace {

using Masks = SplitterMasks;

// The characters that matter in 64 bytes of text: a bit for each byte.
struct Marks {
  uint64_t quote = 0, backslash = 0, open = 0, close = 0;
};

#if defined(__x86_64__)
Marks MarksOf(const char* text) {
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
Marks MarksOf(const char* text) {
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

void ClassifyPortable(const char* text, size_t blocks, SplitterState* state, Masks* out) {
  for (size_t i = 0; i < blocks; ++i) {
    const Marks m = MarksOf(text + 64 * i);
    const uint64_t quotes = m.quote & ~Escaped(m.backslash, &state->escaped);
    const uint64_t strings = PrefixXor(quotes) ^ (state->in_string ? ~uint64_t{0} : 0);
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

STEPSCOPE_AVX2 void ClassifyAvx2(const char* text, size_t blocks, SplitterState* state,
                                 Masks* out) {
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
    before = static_cast<uint64_t>(static_cast<int64_t>(strings) >> 63);
    out[i].open = Equal(low_folded, high_folded, '{') & ~strings;
    out[i].close = Equal(low_folded, high_folded, '}') & ~strings;
    out[i].opens = __builtin_popcountll(out[i].open);
    out[i].closes = __builtin_popcountll(out[i].close);
  }
  state->in_string = before != 0;
}
#endif

SplitterClassify PickClassify() {
#if defined(__x86_64__)
  const bool fast = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("pclmul") &&
                    __builtin_cpu_supports("popcnt");
  if (fast) return ClassifyAvx2;
#endif
  return ClassifyPortable;
}

}  // namespace

Splitter::Splitter(const char* text, OnBatch on_batch)
    : text_(text), on_batch_(std::move(on_batch)), classify_(PickClassify()) {}

void Splitter::Advance(uint64_t size, bool eof) {
  bool going = true;
  while (going && !lost_) {
    switch (place_) {
      case Place::kStart:
        going = Start(size, eof);
        break;
      case Place::kMember:
        going = Member(size, eof);
        break;
      case Place::kValue:
        going = Value(size, eof);
        break;
      case Place::kEvents:
        going = Events(size, eof);
        break;
      case Place::kEnd:
      case Place::kBad:
        going = false;
        break;
    }
  }
}

void Splitter::BeginWalk() {
  state_ = {};
  depth_ = 0;
}

bool Splitter::Start(uint64_t size, bool eof) {
  if (at_ == 0) {
    if (size < 3 && !eof) return false;
    if (size >= 3 && std::memcmp(text_, "\xef\xbb\xbf", 3) == 0) at_ = 3;
  }
  while (at_ < size && IsSpace(text_[at_])) ++at_;
  if (at_ >= size) return false;
  if (text_[at_] == '[') {
    bare_array_ = saw_events_ = true;
    place_ = Place::kEvents;
    batch_begin_ = ++at_;
    BeginWalk();
  } else {
    place_ = text_[at_] == '{' ? Place::kMember : Place::kBad;
    if (place_ == Place::kMember) ++at_;
  }
  return true;
}

// Reads what comes between members of the outer object: a key and its colon, or the end.
bool Splitter::Member(uint64_t size, bool eof) {
  while (at_ < size && (IsSpace(text_[at_]) || text_[at_] == ',')) ++at_;
  if (at_ >= size) return false;
  if (text_[at_] == '}') {
    ++at_;
    place_ = Place::kEnd;
    return true;
  }
  if (text_[at_] != '"') {
    place_ = Place::kBad;
    return true;
  }
  Cursor cursor(text_ + at_, text_ + size);
  std::string_view key;
  if (!cursor.String(&key)) {
    if (eof || key.size() > (size_t{1} << 20)) place_ = Place::kBad;
    return place_ == Place::kBad;
  }
  cursor.SkipSpace();
  if (cursor.done() && !eof) return false;
  if (cursor.peek() != ':') {
    place_ = Place::kBad;
    return true;
  }
  cursor.Advance();
  cursor.SkipSpace();
  if (cursor.done() && !eof) return false;
  at_ = static_cast<uint64_t>(cursor.at() - text_);
  key_ = StripQuotes(key);
  if (key_ == "traceEvents" && cursor.peek() == '[') {
    saw_events_ = true;
    place_ = Place::kEvents;
    batch_begin_ = ++at_;
  } else {
    value_begin_ = retry_at_ = at_;
    place_ = Place::kValue;
  }
  BeginWalk();
  return true;
}

bool Splitter::Value(uint64_t size, bool eof) {
  const char first = value_begin_ < size ? text_[value_begin_] : '\0';
  if (first == '{' || first == '[') {
    if (!Walk(size, eof, false)) return false;
  } else {
    if (size < retry_at_ && !eof) return false;
    Cursor cursor(text_ + value_begin_, text_ + size);
    std::string_view token;
    if (!cursor.Value(&token) && !eof) {
      retry_at_ =
          value_begin_ + 2 * (size - value_begin_);  // a long string is not walked again and again
      return false;
    }
    at_ = value_begin_ + token.size();
    if (token.empty() && at_ < size && text_[at_] != ',' && text_[at_] != '}') {
      place_ = Place::kBad;
      return true;
    }
  }
  const auto length = static_cast<size_t>(at_ - value_begin_);
  if (length <= kMaxMember) members_.push_back({key_, std::string(text_ + value_begin_, length)});
  place_ = Place::kMember;
  return true;
}

uint64_t Splitter::keep_from() const {
  if (place_ == Place::kEvents) return batch_begin_;
  return place_ == Place::kValue ? value_begin_ : at_;
}

bool Splitter::Events(uint64_t size, bool eof) {
  const bool more = Walk(size, eof, true);
  if (!more && at_ - batch_begin_ > kMaxBatch) lost_ = true;
  return more;
}

void Splitter::Cut(uint64_t end) {
  uint64_t begin = batch_begin_;
  batch_begin_ = end;
  while (begin < end && (IsSpace(text_[begin]) || text_[begin] == ',')) ++begin;
  while (begin < end && (IsSpace(text_[end - 1]) || text_[end - 1] == ',')) --end;
  if (begin < end) on_batch_(begin, end);
}

void Splitter::EndEvents(uint64_t bracket) {
  Cut(bracket);
  at_ = bracket + 1;
  place_ = bare_array_ ? Place::kEnd : Place::kMember;
}

void Splitter::EventsEndedAt(uint64_t offset) {
  lost_ = false;
  at_ = offset;
  place_ = bare_array_ ? Place::kEnd : Place::kMember;
}

// Walks blocks of 64 bytes (the last one of the text is padded) to the closing bracket of the event
// list, which it cuts into batches, or without `batches` to the end of one container. True when
// that end was found.
bool Splitter::Walk(uint64_t size, bool eof, bool batches) {
  constexpr size_t kAhead = 32;  // blocks classified at once
  Masks ahead[kAhead];
  size_t next = 0, known = 0;
  while (at_ < size) {
    const uint64_t n = std::min<uint64_t>(64, size - at_);
    if (n < 64) {
      if (!eof) return false;
      char padded[64];
      std::memset(padded, ' ', sizeof padded);
      std::memcpy(padded, text_ + at_, n);
      next = 0;
      SplitterState state = state_;  // a copy: when more text comes, the block is classified again
      ClassifyPortable(padded, 1, &state, ahead);
    } else if (next == known) {
      next = 0;
      known = static_cast<size_t>(std::min<uint64_t>(kAhead, (size - at_) / 64));
      classify_(text_ + at_, known, &state_, ahead);
    }
    const Masks m = ahead[next++];
    const bool wanted = !batches || at_ + 64 - batch_begin_ >= kTargetBatch;
    int64_t depth = depth_;
    if (depth - m.closes < (wanted ? 1 : 0)) {
      for (uint64_t bits = m.open | m.close; bits != 0; bits &= bits - 1) {
        const int i = std::countr_zero(bits);
        if ((m.open >> i & 1) != 0) {
          ++depth;
          continue;
        }
        --depth;
        const uint64_t here = at_ + static_cast<uint64_t>(i);
        if (batches && depth < 0) {
          EndEvents(here);
          return true;
        }
        if (depth > 0) continue;
        if (!batches) {
          at_ = here + 1;
          return true;
        }
        if (here + 1 - batch_begin_ >= kTargetBatch) Cut(here + 1);
      }
    } else {
      depth += m.opens - m.closes;
    }
    if (n < 64) return false;
    depth_ = depth;
    at_ += 64;
    if (batches && at_ - batch_begin_ > kMaxBatch) return false;
  }
  return false;
}

}  // namespace stepscope::chrome
