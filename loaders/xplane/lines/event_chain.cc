#include "loaders/xplane/lines/event_chain.h"

#include <algorithm>

#include "loaders/common/wire.h"

namespace stepscope::xplane {

using namespace proto;

namespace {

constexpr uint8_t kEventField = 4 << 3 | kLen;

bool IsPlacedEvent(Bytes begin, Bytes end, const IdMap& ids) {
  FieldReader fields(begin, end);
  Field f;
  int64_t id = 0;
  bool placed = false;
  while (fields.Next(&f)) {
    if (f.number < 1 || f.number > 5 || f.clamped || f.wire != (f.number == 4 ? kLen : kVarint))
      return false;
    if (f.number == 1) id = f.Int();
    placed = placed || f.number == 2 || f.number == 5;
  }
  return placed && !fields.bad() && ids.Find(id) != IdMap::kNone;
}

// The end of the event's field at p; null where there is none that is whole.
Bytes EndOfEvent(Bytes p, Bytes end, const IdMap& ids) {
  uint64_t size = 0;
  if (p == end || *p != kEventField) return nullptr;
  p = ReadVarint(p + 1, end, &size);
  if (p == nullptr || size > static_cast<uint64_t>(end - p)) return nullptr;
  return IsPlacedEvent(p, p + size, ids) ? p + size : nullptr;
}

}  // namespace

EventChain FindEventChain(std::span<const uint8_t> bytes, const IdMap& ids, size_t most) {
  const Bytes begin = bytes.data(), end = begin + bytes.size();
  for (Bytes p = std::find(begin, end, kEventField); p < end;
       p = std::find(p + 1, end, kEventField)) {
    EventChain chain{static_cast<size_t>(p - begin), 0, 0};
    Bytes at = p;
    for (; chain.events < most; ++chain.events) {
      const Bytes next = EndOfEvent(at, end, ids);
      if (next == nullptr) break;
      at = next;
    }
    chain.end = static_cast<size_t>(at - begin);
    if (chain.events >= kLeastChain) return chain;
  }
  return {};
}

}  // namespace stepscope::xplane
