#include "loaders/common/json_cursor.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "loaders/common/json_brackets.h"
#include "loaders/common/json_number.h"
#include "model/base/ascii.h"
#include "model/base/terminal_text.h"

namespace stepscope::json {
namespace {

constexpr std::string_view kEscapes = "ntrbf\"\\/", kEscaped = "\n\t\r\b\f\"\\/";
constexpr std::string_view kReplacement = "\xef\xbf\xbd";

void AppendUtf8(uint32_t c, std::string* out) {
  const auto put = [out](uint32_t byte) { out->push_back(static_cast<char>(byte)); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xc0 | c >> 6), put(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    put(0xe0 | c >> 12), put(0x80 | (c >> 6 & 0x3f)), put(0x80 | (c & 0x3f));
  } else {
    put(0xf0 | c >> 18), put(0x80 | (c >> 12 & 0x3f)), put(0x80 | (c >> 6 & 0x3f));
    put(0x80 | (c & 0x3f));
  }
}

// Four hex digits at s; false if they are not there.
bool Hex4(std::string_view s, uint32_t* out) {
  if (s.size() < 4) return false;
  *out = 0;
  for (int i = 0; i < 4; ++i) {
    const char c = s[static_cast<size_t>(i)];
    uint32_t digit;
    if (c >= '0' && c <= '9') {
      digit = static_cast<uint32_t>(c - '0');
    } else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f') {
      digit = static_cast<uint32_t>((c | 0x20) - 'a' + 10);
    } else {
      return false;
    }
    *out = *out * 16 + digit;
  }
  return true;
}

// Decodes \uXXXX, with its low surrogate if it has one; `s` begins after the u. Returns the number
// of characters used.
size_t AppendUnicodeEscape(std::string_view s, std::string* out, bool* clean) {
  uint32_t c;
  if (!Hex4(s, &c)) {
    out->append(kReplacement);
    *clean = false;
    return 0;
  }
  if (c < 0xd800 || c >= 0xe000) {
    AppendUtf8(c, out);
    return 4;
  }
  uint32_t low;
  if (c < 0xdc00 && s.size() >= 10 && s[4] == '\\' && s[5] == 'u' && Hex4(s.substr(6), &low) &&
      low >= 0xdc00 && low < 0xe000) {
    AppendUtf8(0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00), out);
    return 10;
  }
  out->append(kReplacement);
  *clean = false;
  return 4;
}

}  // namespace

// Where traces are indented, a line's end and a run of blanks stand before each key.
void Cursor::PassSpace() {
  while (at_ < end_ && IsSpace(*at_)) {
    ++at_;
    if constexpr (std::endian::native != std::endian::little) continue;
    while (end_ - at_ >= 8) {
      uint64_t bytes;
      std::memcpy(&bytes, at_, sizeof bytes);
      bytes ^= 0x2020202020202020u;  // blanks become 0
      if (bytes != 0) {
        at_ += std::countr_zero(bytes) / 8;
        break;
      }
      at_ += 8;
    }
  }
}

namespace {

#if defined(__SSE2__)

// Bytes of text that are compared at once. A mask has a bit for each of them, the lowest for the
// first.
class Block {
 public:
  static constexpr ptrdiff_t kBytes = 16;
  explicit Block(const char* at) : bytes_(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at))) {}
  unsigned Are(char c) const {
    return static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes_, _mm_set1_epi8(c))));
  }
  // Marks the bytes that are not in [first, last], which are below 128.
  unsigned AreNot(char first, char last) const {
    const __m128i from_first = _mm_sub_epi8(bytes_, _mm_set1_epi8(first));
    const __m128i most = _mm_set1_epi8(static_cast<char>(last - first));
    const __m128i within = _mm_cmpeq_epi8(_mm_min_epu8(from_first, most), from_first);
    return static_cast<unsigned>(_mm_movemask_epi8(within)) ^ 0xffffu;
  }
  Block Folded() const { return Block(_mm_or_si128(bytes_, _mm_set1_epi8(' '))); }
  static int First(unsigned mask) { return std::countr_zero(mask); }

 private:
  explicit Block(__m128i bytes) : bytes_(bytes) {}
  __m128i bytes_;
};

#else

// The same with plain integers: the lowest bit of a mask is right, others may be too many.
class Block {
 public:
  static constexpr ptrdiff_t kBytes = std::endian::native == std::endian::little ? 8 : 1 << 30;
  explicit Block(const char* at) { std::memcpy(&bytes_, at, sizeof bytes_); }
  uint64_t Are(char c) const {
    const uint64_t zero = bytes_ ^ kOnes * static_cast<uint8_t>(c);
    return (zero - kOnes) & ~zero & (kOnes << 7);
  }
  uint64_t AreNot(char first, char last) const {
    const uint64_t low = bytes_ & kOnes * 0x7f;
    const uint64_t above = low + kOnes * static_cast<uint8_t>(0x7f - last);
    const uint64_t not_below = (low | kOnes << 7) - kOnes * static_cast<uint8_t>(first);
    return (bytes_ | above | ~not_below) & (kOnes << 7);
  }
  Block Folded() const { return Block(bytes_ | kOnes * ' '); }
  static int First(uint64_t mask) { return std::countr_zero(mask) / 8; }

 private:
  static constexpr uint64_t kOnes = 0x0101010101010101u;
  explicit Block(uint64_t bytes) : bytes_(bytes) {}
  uint64_t bytes_;
};

#endif

// The first character that is one of those that `stops(block)` marks and `is` knows, or the end.
// Most strings are so short that a call of memchr costs more.
template <typename Stops, typename Is>
const char* FindFirst(const char* at, const char* end, Stops stops, Is is) {
  for (; end - at >= Block::kBytes; at += Block::kBytes) {
    if (const auto mask = stops(Block(at))) return at + Block::First(mask);
  }
  while (at < end && !is(*at)) ++at;
  return at;
}

const char* FindQuoteOrSlash(const char* at, const char* end) {
  return FindFirst(
      at, end, [](Block block) { return block.Are('"') | block.Are('\\'); },
      [](char c) { return c == '"' || c == '\\'; });
}

// A bracket that is folded is a brace.
const char* FindQuoteOrBracket(const char* at, const char* end) {
  return FindFirst(
      at, end,
      [](Block block) {
        const Block folded = block.Folded();
        return folded.Are('{') | folded.Are('}') | block.Are('"');
      },
      [](char c) { return c == '"' || c == '{' || c == '[' || c == '}' || c == ']'; });
}

// Whether a number or a word ends before this character.
bool EndsWord(char c) {
  return IsSpace(c) || c == ',' || c == '}' || c == ']' || c == '{' || c == '[' || c == '"' ||
         c == ':';
}

// The end of a number or a word. Most numbers have digits and a point only, which one comparison
// passes.
const char* FindEndOfWord(const char* at, const char* end) {
  at = FindFirst(
      at, end, [](Block block) { return block.AreNot('-', '9'); },
      [](char c) { return c < '-' || c > '9'; });
  if (at >= end || EndsWord(*at)) return at;
  return FindFirst(
      at, end,
      [](Block block) {
        const Block folded = block.Folded();
        return block.Are(',') | block.Are('\n') | block.Are(' ') | block.Are('\r') |
               block.Are('\t') | folded.Are('{') | folded.Are('}') | block.Are('"') |
               block.Are(':');
      },
      EndsWord);
}

}  // namespace

bool Cursor::String(std::string_view* token) {
  const char* begin = at_++;
  for (;;) {
    at_ = FindQuoteOrSlash(at_, end_);
    if (at_ < end_ && *at_ == '"') {
      ++at_;
      *token = {begin, static_cast<size_t>(at_ - begin)};
      return true;
    }
    if (end_ - at_ < 2) break;
    at_ += 2;  // a backslash, and what it escapes
  }
  at_ = end_;
  *token = {begin, static_cast<size_t>(end_ - begin)};
  return false;
}

bool Cursor::Container() {
  bool stray_escape = false;
  const char* const behind = EndOfContainer(at_, end_, &stray_escape);
  if (!stray_escape) {
    at_ = behind == nullptr ? end_ : behind;
    return behind != nullptr;
  }
  // A backslash outside of strings escapes nothing. This is damage, so it may take longer.
  uint64_t depth = 0;
  std::string_view ignored;
  for (;;) {
    at_ = FindQuoteOrBracket(at_, end_);
    if (at_ >= end_) return false;
    const char c = *at_;
    if (c == '"') {
      if (!String(&ignored)) return false;
      continue;
    }
    ++at_;
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && --depth == 0) return true;
  }
}

bool Cursor::Value(std::string_view* token) {
  const char* begin = at_;
  bool whole = true;
  if (peek() == '"') return String(token);
  if (peek() == '{' || peek() == '[') {
    whole = Container();
  } else {
    at_ = FindEndOfWord(at_, end_);
    whole = at_ < end_;
  }
  *token = {begin, static_cast<size_t>(at_ - begin)};
  return whole;
}

bool Cursor::Whole(int64_t* value) {
  constexpr std::ptrdiff_t kMostDigits = 18;
  const char* const most = at_ + std::min(end_ - at_, kMostDigits);
  const char* c = at_;
  int64_t sum = 0;
  for (; c < most && IsDigit(*c); ++c) sum = sum * 10 + (*c - '0');
  if (c == at_ || c == end_ || !EndsWord(*c)) return false;
  at_ = c;
  *value = sum;
  return true;
}

std::string_view ValueAt(const char* at, const char* end) {
  Cursor c(at, end);
  std::string_view token;
  c.Value(&token);
  return token;
}

bool Unescape(std::string_view token, std::string* out) {
  const std::string_view s = StripQuotes(token);
  out->clear();
  out->reserve(s.size());
  bool clean = true;
  for (size_t i = 0; i < s.size();) {
    if (s[i] != '\\') {
      const bool ascii = static_cast<unsigned char>(s[i]) < 0x80;
      const size_t n = ascii ? 1 : DecodeUtf8(s.substr(i)).bytes;
      if (n == 0) {
        out->append(kReplacement);
        clean = false;
        ++i;
      } else {
        out->append(s.substr(i, n));
        i += n;
      }
      continue;
    }
    if (i + 1 >= s.size()) {
      out->append(kReplacement);
      return false;
    }
    const char e = s[i + 1];
    i += 2;
    const size_t known = kEscapes.find(e);
    if (e == 'u') {
      i += AppendUnicodeEscape(s.substr(i), out, &clean);
    } else if (known != kEscapes.npos) {
      out->push_back(kEscaped[known]);
    } else {  // no escape of JSON: Windows paths written raw; keep both characters
      out->push_back('\\');
      --i;
      clean = false;
    }
  }
  return clean;
}

void Flatten(std::string_view object, const std::string& prefix, int depth,
             const std::function<void(std::string_view, std::string_view)>& fn) {
  ForEachMember(object, [&](std::string_view key, std::string_view value) {
    std::string name;
    Unescape(key, &name);
    if (!prefix.empty()) name = prefix + "." + name;
    if (!value.empty() && value.front() == '{' && depth > 1) {
      Flatten(value, name, depth - 1, fn);
    } else {
      fn(name, value);
    }
    return true;
  });
}

std::string Compact(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  bool string = false;
  for (size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (string && c == '\\' && i + 1 < json.size()) {
      out.append(json.substr(i, 2));
      ++i;
      continue;
    }
    if (c == '"') string = !string;
    if (string || !IsSpace(c)) out.push_back(c);
  }
  return out;
}

}  // namespace stepscope::json
