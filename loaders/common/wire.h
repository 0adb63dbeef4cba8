// Reads the protobuf wire format of messages in memory. No read goes past `end`, no length is
// trusted, nothing is copied; O(bytes). Pure.
//
// How protobuf is parsed in loaders/: what a file has millions of, and what contains it (planes,
// lines, events, packets), is read with this file. Generated code would copy each message, and give
// up a whole one for a damaged byte. Five small messages are parsed by generated code
// (xplane/xplane.proto, xplane/hlo.proto): metadata entries, single stats of a plane or of an event
// that was asked for, HLO instructions. Use generated code for a new message, unless a measurement
// says otherwise.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace stepscope::proto {

using Bytes = const uint8_t*;

inline constexpr size_t kMaxNameBytes = 1 << 20;  // longer names are cut
inline constexpr int kMaxGroupDepth = 32;  // deepest nesting of (deprecated) groups that is skipped

enum WireType : uint32_t {
  kVarint = 0,
  kFixed64 = 1,
  kLen = 2,
  kGroup = 3,
  kEndGroup = 4,
  kFixed32 = 5
};

// Reads a varint in [p, end). Returns where it ends; null when it does not end before `end` or is
// longer than 10 bytes.
inline Bytes ReadVarint(Bytes p, Bytes end, uint64_t* value) {
  if (p < end && *p < 0x80) {
    *value = *p;
    return p + 1;
  }
  uint64_t v = 0;
  for (uint32_t shift = 0; p < end && shift < 70; shift += 7) {
    const uint8_t b = *p++;
    v |= shift < 64 ? uint64_t{b & 0x7fu} << shift : 0;
    if (b < 0x80) {
      *value = v;
      return p;
    }
  }
  return nullptr;
}

// The same without checks of the end: at least 10 bytes must be readable at p, whatever they hold.
// Null when the varint is longer than 10 bytes. Up to eight bytes are read as one word, whose
// groups of seven bits are pushed together in three steps: lengths vary from value to value, so a
// loop would be mispredicted.
inline Bytes ReadVarintPadded(Bytes p, uint64_t* value) {
  if (*p < 0x80) {
    *value = *p;
    return p + 1;
  }
  if constexpr (std::endian::native == std::endian::little) {
    uint64_t word = 0;
    std::memcpy(&word, p, 8);
    const uint64_t ends = ~word & 0x8080808080808080u;
    if (ends != 0) [[likely]] {
      const int last = std::countr_zero(ends);  // the highest bit of the last byte
      word &= ends ^ (ends - 1);
      word = (word & 0x007f007f007f007fu) | (word & 0x7f007f007f007f00u) >> 1;
      word = (word & 0x00003fff00003fffu) | (word & 0x3fff00003fff0000u) >> 2;
      *value = (word & 0x000000000fffffffu) | (word & 0x0fffffff00000000u) >> 4;
      return p + (last >> 3) + 1;
    }
  }
  return ReadVarint(p, p + 10, value);
}

// Reads the length of a message in the same way and returns where the message begins. Null where it
// does not end within `end`.
inline Bytes ReadLengthPadded(Bytes p, Bytes end, uint64_t* size) {
  p = ReadVarintPadded(p, size);
  return p != nullptr && p <= end && *size <= static_cast<uint64_t>(end - p) ? p : nullptr;
}

// A field of a message in memory.
struct Field {
  uint32_t number = 0;
  uint32_t wire = 0;
  uint64_t value = 0;     // varint and fixed; the stated length of kLen
  Bytes begin = nullptr;  // kLen
  Bytes end = nullptr;
  bool clamped = false;  // the length went past the end of the message and was cut

  std::string_view text(size_t limit = kMaxNameBytes) const {
    const size_t n = static_cast<size_t>(end - begin);
    return {reinterpret_cast<const char*>(begin), n < limit ? n : limit};
  }
  int64_t Int() const { return static_cast<int64_t>(value); }
  double Double() const { return std::bit_cast<double>(value); }
};

// Walks the fields of a message in memory. Fields inside a group get number 0. When Next() returns
// false, bad() says that it stopped at garbage and not at the end.
class FieldReader {
 public:
  FieldReader(Bytes begin, Bytes end) : p_(begin), end_(end) {}
  explicit FieldReader(std::string_view s)
      : FieldReader(reinterpret_cast<Bytes>(s.data()),
                    reinterpret_cast<Bytes>(s.data() + s.size())) {}

  bool Next(Field* f) {
    if (p_ >= end_) return false;
    uint64_t tag = 0;
    Bytes p = ReadVarint(p_, end_, &tag);
    if (p == nullptr || tag < 8 || tag >> 32 != 0) return Fail();
    f->number = static_cast<uint32_t>(tag >> 3);
    f->wire = static_cast<uint32_t>(tag & 7);
    f->clamped = false;
    return ReadValue(p, f);
  }
  bool bad() const { return bad_; }
  Bytes position() const { return p_; }

 private:
  bool Fail() {
    bad_ = true;
    return false;
  }
  bool ReadValue(Bytes p, Field* f) {
    switch (f->wire) {
      case kVarint:
        p = ReadVarint(p, end_, &f->value);
        if (p == nullptr) return Fail();
        break;
      case kFixed64:
        if (end_ - p < 8) return Fail();
        std::memcpy(&f->value, p, 8);
        p += 8;
        break;
      case kFixed32: {
        if (end_ - p < 4) return Fail();
        uint32_t v = 0;
        std::memcpy(&v, p, 4);
        f->value = v;
        p += 4;
        break;
      }
      case kLen: {
        uint64_t n = 0;
        p = ReadVarint(p, end_, &n);
        if (p == nullptr) return Fail();
        f->value = n;
        if (n > static_cast<uint64_t>(end_ - p)) {
          n = static_cast<uint64_t>(end_ - p);
          f->clamped = true;
          clamped_ = true;
        }
        f->begin = p;
        p += n;
        f->end = p;
        break;
      }
      case kGroup:
        if (++depth_ > kMaxGroupDepth) return Fail();
        break;  // its fields come as if they were this message's: their numbers are hidden below
      case kEndGroup:
        if (depth_ == 0) return Fail();
        --depth_;
        break;
      default:
        return Fail();
    }
    p_ = p;
    if (depth_ > 0 || f->wire == kEndGroup)
      f->number = 0;  // inside a group: matches no known field
    return true;
  }

 public:
  bool clamped() const { return clamped_; }

 private:
  Bytes p_, end_;
  int depth_ = 0;
  bool bad_ = false, clamped_ = false;
};

}  // namespace stepscope::proto
