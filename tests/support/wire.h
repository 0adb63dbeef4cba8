// Writes the protobuf wire format, so that tests can make XSpaces, also broken ones, byte by byte.
// Every function appends to `out` without checks.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace stepscope::test {

enum class WireType : std::uint32_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

inline void PutVarint(std::string* out, std::uint64_t value) {
  for (; value > 127; value >>= 7) out->push_back(static_cast<char>((value & 127) | 128));
  out->push_back(static_cast<char>(value));
}

inline void PutTag(std::string* out, std::uint32_t field, WireType type) {
  PutVarint(out, std::uint64_t{field} << 3 | static_cast<std::uint32_t>(type));
}

inline void PutUint(std::string* out, std::uint32_t field, std::uint64_t value) {
  PutTag(out, field, WireType::kVarint);
  PutVarint(out, value);
}

// int64, not sint64: a negative number takes ten bytes.
inline void PutInt(std::string* out, std::uint32_t field, std::int64_t value) {
  PutUint(out, field, static_cast<std::uint64_t>(value));
}

inline void PutFixed64(std::string* out, std::uint32_t field, std::uint64_t value) {
  PutTag(out, field, WireType::kFixed64);
  for (int shift = 0; shift < 64; shift += 8) out->push_back(static_cast<char>(value >> shift));
}

inline void PutDouble(std::string* out, std::uint32_t field, double value) {
  PutFixed64(out, field, std::bit_cast<std::uint64_t>(value));
}

// A string, bytes or submessage.
inline void PutBytes(std::string* out, std::uint32_t field, std::string_view value) {
  PutTag(out, field, WireType::kBytes);
  PutVarint(out, value.size());
  out->append(value);
}

// One entry of a map<int64, message>.
inline void PutMapEntry(std::string* out, std::uint32_t field, std::int64_t key,
                        std::string_view message) {
  std::string entry;
  PutInt(&entry, 1, key);
  PutBytes(&entry, 2, message);
  PutBytes(out, field, entry);
}

}  // namespace stepscope::test
