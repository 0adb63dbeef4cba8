#include "loaders/xplane/plain_event.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <variant>

#include "loaders/common/wire.h"

namespace stepscope::xplane {

using namespace proto;

namespace {

constexpr uint64_t kMaxPlainBytes = 4096;  // of an event
constexpr uint32_t kEventStats = 4, kEventOccurrences = 5;
constexpr uint8_t kIdTag = 1 << 3 | kVarint;
constexpr uint8_t kSignedKind = 0, kUnsignedKind = 1, kRealKind = 2, kTextKind = 3;

// Generated code refuses texts that are no UTF-8.
bool IsAscii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<int8_t>(c) >= 0; });
}

// The value after an id: one field, which ends the message.
bool ReadPlainValue(Bytes p, Bytes end, const PlaneTables& tables, StatView* out) {
  const uint8_t tag = *p++;
  switch (tag) {
    case 2 << 3 | kFixed64:
      out->kind = kRealKind;
      if (end - p != 8) return false;
      std::memcpy(&out->bits, p, 8);
      return true;
    case 3 << 3 | kVarint:
      out->kind = kUnsignedKind;
      return ReadVarint(p, end, &out->bits) == end;
    case 4 << 3 | kVarint:
      out->kind = kSignedKind;
      return ReadVarint(p, end, &out->bits) == end;
    case 5 << 3 | kLen: {
      uint64_t size = 0;
      p = ReadVarint(p, end, &size);
      if (p == nullptr || size != static_cast<uint64_t>(end - p)) return false;
      out->kind = kTextKind;
      out->text = {reinterpret_cast<const char*>(p), static_cast<size_t>(size)};
      return IsAscii(out->text);
    }
    case 7 << 3 | kVarint: {
      uint64_t id = 0;
      if (ReadVarint(p, end, &id) != end) return false;
      const std::string* text = tables.StatName(static_cast<int64_t>(id));
      if (text == nullptr) return false;
      out->kind = kTextKind;
      out->text = *text;
      out->lasting = true;
      return true;
    }
    default:
      return false;
  }
}

bool ReadPlainStat(const Field& field, const PlaneTables& tables, StatView* out) {
  Bytes p = field.begin;
  if (p == field.end || *p != kIdTag) return false;
  uint64_t id = 0;
  p = ReadVarint(p + 1, field.end, &id);
  if (p == nullptr || p == field.end) return false;
  const std::string* name = tables.StatName(static_cast<int64_t>(id));
  if (name == nullptr) return false;
  out->name = *name;
  return ReadPlainValue(p, field.end, tables, out);
}

}  // namespace

bool ReadPlainEvent(WindowReader* reader, uint64_t at, const PlaneTables& tables, size_t most,
                    std::vector<StatView>* out) {
  SourceField event;
  if (!MessageAt(reader, at, &event) || event.size() > kMaxPlainBytes) return false;
  FieldReader fields(reader->Fetch(event.begin, static_cast<size_t>(event.size())));
  Field f;
  while (fields.Next(&f)) {
    if (f.clamped || f.number == 0) return false;
    const bool occurrences = f.number == kEventOccurrences && f.wire == kVarint;
    if (!occurrences && (f.number != kEventStats || f.wire != kLen)) continue;
    if (out->size() == most) return false;
    StatView& stat = out->emplace_back();
    if (occurrences) {
      stat.name = "num_occurrences";
      stat.bits = f.value;
    } else if (!ReadPlainStat(f, tables, &stat)) {
      return false;
    }
  }
  return !fields.bad();
}

}  // namespace stepscope::xplane
