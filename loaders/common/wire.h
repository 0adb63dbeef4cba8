// Reads the protobuf wire format of messages in memory. No read goes past `end`, no length is
// trusted, nothing is copied; O(bytes). Pure.
//
// How protobuf is parsed in loaders/: this file reads messages of recordings, because generated
// code copies each message, and gives up a whole one for a damaged byte. Generated code reads and
// writes messages of our own formats, which are few (store/store.proto, remote/*.proto).
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

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

// A varint and where it ends.
struct VarintEnd {
  Bytes end;  // null: it is none
  uint64_t value;
};
// ReadVarint for more than one byte. Out of line, and without pointers to what its callers hold in
// registers.
[[gnu::noinline]] inline VarintEnd ReadLongVarint(Bytes p, Bytes end) {
  uint64_t v = 0;
  for (uint32_t shift = 0; p < end && shift < 70; shift += 7) {
    const uint8_t b = *p++;
    v |= shift < 64 ? uint64_t{b & 0x7fu} << shift : 0;
    if (b < 0x80) return {p, v};
  }
  return {nullptr, 0};
}

// Reads a varint in [p, end). Returns where it ends; null when it does not end before `end` or is
// longer than 10 bytes.
[[gnu::always_inline]] inline Bytes ReadVarint(Bytes p, Bytes end, uint64_t* value) {
  if (p < end && *p < 0x80) {
    *value = *p;
    return p + 1;
  }
  const VarintEnd varint = ReadLongVarint(p, end);
  *value = varint.value;
  return varint.end;
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
  std::string_view bytes() const { return text(static_cast<size_t>(end - begin)); }
  int64_t Int() const { return static_cast<int64_t>(value); }
  double Double() const { return std::bit_cast<double>(value); }
};

// Reads the tag of a field, and its number or its length. Returns where the next field, or the
// payload of this length, begins; null for garbage. Inline, as the loops over fields are hot.
[[gnu::always_inline]] inline Bytes ReadFieldHead(Bytes p, Bytes end, Field* f) {
  uint64_t tag = 0;
  p = ReadVarint(p, end, &tag);
  if (p == nullptr || tag < 8 || tag >> 32 != 0) [[unlikely]]
    return nullptr;
  f->number = static_cast<uint32_t>(tag >> 3);
  f->wire = static_cast<uint32_t>(tag & 7);
  f->clamped = false;
  if (f->wire == kVarint || f->wire == kLen) return ReadVarint(p, end, &f->value);
  if (f->wire == kGroup || f->wire == kEndGroup) return p;
  if (f->wire != kFixed64 && f->wire != kFixed32) return nullptr;
  const ptrdiff_t size = f->wire == kFixed64 ? 8 : 4;
  if (end - p < size) return nullptr;
  f->value = 0;
  std::memcpy(&f->value, p, static_cast<size_t>(size));
  return p + size;
}

// The groups around the fields of a walk. Fields inside a group get number 0, which matches no
// known field.
class OpenGroups {
 public:
  // Counts a field of the walk. False where a group ends that did not begin, or for too many.
  [[gnu::always_inline]] bool Pass(Field* f) {
    if (depth_ == 0 && f->wire != kGroup && f->wire != kEndGroup) return true;
    depth_ = NextDepth(f->wire, depth_);
    f->number = 0;
    return depth_ >= 0;
  }
  bool any() const { return depth_ > 0; }

 private:
  // -1 where no group may begin or end.
  [[gnu::noinline]] static int NextDepth(uint32_t wire, int depth) {
    if (wire == kGroup) return depth < kMaxGroupDepth ? depth + 1 : -1;
    return wire == kEndGroup ? depth - 1 : depth;
  }

  int depth_ = 0;
};

// Walks the fields of a message in memory. When Next() returns false, bad() says that it stopped at
// garbage and not at the end.
class FieldReader {
 public:
  FieldReader(Bytes begin, Bytes end) : p_(begin), end_(end) {}
  explicit FieldReader(std::string_view s)
      : FieldReader(reinterpret_cast<Bytes>(s.data()),
                    reinterpret_cast<Bytes>(s.data() + s.size())) {}

  [[gnu::always_inline]] bool Next(Field* f) {
    if (p_ >= end_) return false;
    const Bytes p = ReadFieldHead(p_, end_, f);
    if (p == nullptr || !groups_.Pass(f)) [[unlikely]] {
      bad_ = true;
      return false;
    }
    p_ = p;
    if (f->wire == kLen) SetPayload(f);
    return true;
  }
  bool bad() const { return bad_; }
  bool clamped() const { return clamped_; }  // a length went past the end
  bool in_group() const { return groups_.any(); }
  Bytes position() const { return p_; }
  // Passes over bytes that the caller has read itself: whole fields, outside of groups.
  void Skip(ptrdiff_t bytes) { p_ += bytes; }

 private:
  void SetPayload(Field* f) {
    f->begin = p_;
    f->clamped = f->value > static_cast<uint64_t>(end_ - p_);
    clamped_ = clamped_ || f->clamped;
    p_ = f->end = f->clamped ? end_ : p_ + f->value;
  }

  Bytes p_, end_;
  OpenGroups groups_;
  bool bad_ = false, clamped_ = false;
};

// A message that lies in `bytes`, as if it had been a field.
inline Field MessageIn(std::string_view bytes) {
  Field message;
  message.wire = kLen;
  message.begin = reinterpret_cast<Bytes>(bytes.data());
  message.end = message.begin + bytes.size();
  return message;
}

// Calls fn(field) for each field of the message. False where it stopped at garbage.
template <typename Fn>
bool ForFields(const Field& message, Fn fn) {
  FieldReader fields(message.begin, message.end);
  Field f;
  while (fields.Next(&f)) fn(f);
  return !fields.bad();
}

// Gives a field to the wanted fields of its number.
template <typename F, typename... Wanted>
void MatchField(const F& field, const Wanted&... wanted) {
  ((field.number == wanted.number ? wanted.use(field) : void()), ...);
}

// Reads the fields that a caller wants of a message and passes over all others:
//   ReadFields(message, Number(1, &id), Text(2, &name), Message(3, [&](const Field& f) { ... }));
// A field of another wire type than the wanted one is passed over, too. Of a number or text that
// stands there twice, the last one counts. False where the message ends with garbage: what came
// before it has been read.
template <typename... Wanted>
bool ReadFields(const Field& message, const Wanted&... wanted) {
  return ForFields(message, [&](const Field& f) { MatchField(f, wanted...); });
}

template <typename Fn>
struct WantedField {
  uint32_t number;
  Fn use;  // gets the field, of any wire type
};
template <typename Fn>
WantedField<Fn> AnyField(uint32_t number, Fn use) {
  return {number, std::move(use)};
}
// A varint, for an integer, an enum or a bool.
template <typename T>
auto Number(uint32_t number, T* out) {
  return AnyField(number, [out](const auto& f) {
    if (f.wire != kVarint) return;
    if constexpr (std::is_same_v<T, bool>) {
      *out = f.value != 0;
    } else {
      *out = static_cast<T>(f.value);
    }
  });
}
// Text or bytes, for a std::string or a std::string_view of the message. At most kMaxNameBytes.
template <typename T>
auto Text(uint32_t number, T* out) {
  return AnyField(number, [out](const Field& f) {
    if (f.wire == kLen) *out = f.text();
  });
}
// Calls use(field) for each message or text of that number.
template <typename Fn>
auto Message(uint32_t number, Fn use) {
  return AnyField(number, [use = std::move(use)](const auto& f) {
    if (f.wire == kLen) use(f);
  });
}

// Appends the integers of a repeated field, packed or not; stops at garbage.
inline void AppendNumbers(const Field& f, std::vector<int64_t>* out) {
  if (f.wire == kVarint) out->push_back(f.Int());
  if (f.wire != kLen) return;
  uint64_t value = 0;
  for (Bytes p = f.begin; p < f.end;) {
    p = ReadVarint(p, f.end, &value);
    if (p == nullptr) return;
    out->push_back(static_cast<int64_t>(value));
  }
}
inline auto Numbers(uint32_t number, std::vector<int64_t>* out) {
  return AnyField(number, [out](const Field& f) { AppendNumbers(f, out); });
}

}  // namespace stepscope::proto
