// Walks the common fields of protobuf messages, for hot paths. A field that goes past the end, or
// is neither a varint nor eight bytes nor a text, ends the walk; then proto::FieldReader must be
// used. Inline; pure.
#pragma once

#include <cstdint>
#include <cstring>

#include "loaders/common/wire.h"

namespace stepscope::perfetto {

// Tags of fields.
constexpr uint32_t Varint(uint32_t field) { return field << 3 | proto::kVarint; }
constexpr uint32_t Fixed(uint32_t field) { return field << 3 | proto::kFixed64; }
constexpr uint32_t Text(uint32_t field) { return field << 3 | proto::kLen; }

// A tag and what follows.
struct Wire {
  uint64_t tag = 0, value = 0;   // the value of a text is its length
  proto::Bytes begin = nullptr;  // only for a text
};

// Reads a field and returns where the next one begins; null where FieldReader must be used.
inline proto::Bytes NextField(proto::Bytes p, proto::Bytes end, Wire* wire) {
  p = proto::ReadVarint(p, end, &wire->tag);
  if (p == nullptr) return nullptr;
  const auto left = static_cast<uint64_t>(end - p);
  switch (wire->tag & 7) {
    case proto::kVarint:
      return proto::ReadVarint(p, end, &wire->value);
    case proto::kFixed64:
      if (left < 8) return nullptr;
      std::memcpy(&wire->value, p, 8);
      return p + 8;
    case proto::kLen:
      p = proto::ReadVarint(p, end, &wire->value);
      if (p == nullptr || wire->value > static_cast<uint64_t>(end - p)) return nullptr;
      wire->begin = p;
      return p + wire->value;
    default:
      return nullptr;
  }
}

}  // namespace stepscope::perfetto
