// Repeated integers of protobuf, packed or not. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "loaders/common/wire.h"

namespace stepscope::xla {

// Appends what the field holds; stops at garbage.
inline void AppendInts(const proto::Field& f, std::vector<int64_t>* out) {
  if (f.wire == proto::kVarint) out->push_back(f.Int());
  if (f.wire != proto::kLen) return;
  uint64_t value = 0;
  for (proto::Bytes p = f.begin; p < f.end;) {
    p = proto::ReadVarint(p, f.end, &value);
    if (p == nullptr) return;
    out->push_back(static_cast<int64_t>(value));
  }
}

// Calls fn(field) for each field of the message in `f`. True: it ended without garbage.
template <typename Fn>
bool ForFields(proto::Bytes begin, proto::Bytes end, Fn fn) {
  proto::FieldReader fields(begin, end);
  proto::Field f;
  while (fields.Next(&f)) fn(f);
  return !fields.bad();
}

}  // namespace stepscope::xla
