// The common fields of protobuf messages, for the hot paths. What goes past the end, or is neither
// a varint nor eight bytes nor a text, ends the walk: then the careful way (xplane/wire.h) is
// taken.
#pragma once

#include <cstdint>
#include <cstring>

#include "loaders/xplane/wire.h"

namespace stepscope::perfetto {

// Tags of fields.
constexpr uint32_t Varint(uint32_t field) { return field << 3 | xplane::kVarint; }
constexpr uint32_t Fixed(uint32_t field) { return field << 3 | xplane::kFixed64; }
constexpr uint32_t Text(uint32_t field) { return field << 3 | xplane::kLen; }

// A tag and what follows.
struct Wire {
  uint64_t tag = 0, value = 0;    // of a text its length
  xplane::Bytes begin = nullptr;  // of a text
};

// Where the next field begins; null where the careful way must be taken.
inline xplane::Bytes NextField(xplane::Bytes p, xplane::Bytes end, Wire* wire) {
  p = xplane::ReadVarint(p, end, &wire->tag);
  if (p == nullptr) return nullptr;
  const auto left = static_cast<uint64_t>(end - p);
  switch (wire->tag & 7) {
    case xplane::kVarint:
      return xplane::ReadVarint(p, end, &wire->value);
    case xplane::kFixed64:
      if (left < 8) return nullptr;
      std::memcpy(&wire->value, p, 8);
      return p + 8;
    case xplane::kLen:
      p = xplane::ReadVarint(p, end, &wire->value);
      if (p == nullptr || wire->value > static_cast<uint64_t>(end - p)) return nullptr;
      wire->begin = p;
      return p + wire->value;
    default:
      return nullptr;
  }
}

}  // namespace stepscope::perfetto
