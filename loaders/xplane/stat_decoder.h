// Parses XStats and finds the typed column that each goes to (docs/xspace.md#stats). Nearly all
// stats have one form, which is read without loops over fields; the others are read with every
// check. One thread at a time for a decoder; the actions may be shared.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "loaders/common/wire.h"
#include "loaders/xplane/plane_tables.h"
#include "loaders/xplane/slice_values.h"
#include "loaders/xplane/stat_columns.h"
#include "model/string_pool.h"
#include "model/track.h"

namespace stepscope::xplane {

// Bytes that must be readable past the end of a message that is read in the fast ways.
inline constexpr size_t kSlack = 16;

// The way to deal with a stat of a plane, by index in PlaneTables::stat_names.
struct StatAction {
  StatColumn column;
  StringId name_as_value{0};  // the stat's name in the table's pool, for references to it
};

// Tags of an XStat's values that the fast ways read.
inline constexpr uint32_t kDoubleTag = 2 << 3 | proto::kFixed64, kUintTag = 3 << 3 | proto::kVarint,
                          kIntTag = 4 << 3 | proto::kVarint, kRefTag = 7 << 3 | proto::kVarint;
constexpr uint64_t TagBit(uint32_t tag) { return uint64_t{1} << tag; }

// The way of a stat in its common form, by id: the column, kStatColumns for none, and the tags of
// the values that go there as they are, a bit for each. Without tags every value is read with every
// check.
struct StatRoute {
  uint64_t tags = 0;
  uint32_t column = kStatColumns;
};

// The actions for the stats in one message of a plane.
struct PlaneActions {
  const PlaneTables* tables = nullptr;
  std::vector<StatAction> actions;      // by index of the stat name
  std::vector<StatAction> by_id;        // by metadata id, while ids are small
  std::array<StatRoute, 128> routes{};  // by metadata id; ids of one byte
  const StatAction* Find(uint64_t stat_id) const {
    if (stat_id < by_id.size()) [[likely]]
      return &by_id[stat_id];
    const uint32_t i = tables->stat_ids.Find(static_cast<int64_t>(stat_id));
    return i == IdMap::kNone ? nullptr : &actions[i];
  }
};

// A decoded typed value: the bits of an int64 or a double, or a string id.
struct StatBits {
  uint32_t column = 0;  // ints, then texts, then reals
  uint64_t bits = 0;
};

// The actions for the tables' stats, whose names become texts of the pool. The tables must outlive
// them. O(stats)
PlaneActions ActionsOf(const PlaneTables& tables, StringPool* pool);

// Reads the value behind a tag. kSlack bytes must be readable there.
inline proto::Bytes ReadNumber(proto::Bytes p, uint32_t tag, uint64_t* value) {
  if (tag != kDoubleTag) return proto::ReadVarintPadded(p, value);
  std::memcpy(value, p, 8);
  return p + 8;
}

// Parses XStats and finds the column that each goes to.
class StatDecoder {
 public:
  StatDecoder(const PlaneActions* plane, const std::vector<EventMeta>& metas, StringPool* pool,
              uint32_t local_mark)
      : plane_(plane), metas_(&metas), pool_(pool), mark_(local_mark) {}

  // Sets the message that the next stats are in.
  void Use(const PlaneActions* plane) { plane_ = plane; }

  // Parses the kind of stat that nearly all are, an id of one byte and a number or reference in a
  // message shorter than 128 bytes, and puts it into its column. `p` is at the stat's tag; kSlack
  // bytes must be readable after the event. Null: it is another kind; else its end.
  inline proto::Bytes PutCommon(proto::Bytes p, proto::Bytes event_end, uint32_t row,
                                SliceValues* out) const {
    constexpr uint64_t kMask = 0x80ff80ff,
                       kHead = 4u << 3 | proto::kLen | (1u << 3 | proto::kVarint) << 16;
    uint64_t head = 0;
    std::memcpy(&head, p, 8);
    if ((head & kMask) != kHead) return nullptr;
    const StatRoute& route = plane_->routes[head >> 24 & 0x7f];
    const uint32_t tag = head >> 32 & 0xff;
    if (tag >= 64 || (route.tags & TagBit(tag)) == 0) return nullptr;
    const proto::Bytes end = p + 2 + (head >> 8 & 0x7f);
    uint64_t value = 0;
    if (ReadNumber(p + 5, tag, &value) != end || end > event_end) return nullptr;
    if (route.column == kStatColumns) return end;
    if (tag == kRefTag) {
      if (value >= plane_->by_id.size()) return nullptr;
      value = plane_->by_id[value].name_as_value.value;
    }
    out->Put(route.column, row, value, true);
    return end;
  }

  // Parses the common form: an id, then one value, both known. kSlack bytes must be readable at
  // `end`. False: DecodeCarefully must parse it.
  inline bool DecodeFast(proto::Bytes p, proto::Bytes end, proto::Field* value,
                         const StatAction** action) const {
    if (*p != (1 << 3 | proto::kVarint)) return false;
    uint64_t id = 0;
    p = proto::ReadVarintPadded(p + 1, &id);
    if (p == nullptr || p >= end) return false;
    *action = plane_->Find(id);
    value->number = *p >> 3;
    value->wire = *p & 7;
    switch (*p++) {
      case 3 << 3 | proto::kVarint:
      case 4 << 3 | proto::kVarint:
      case 7 << 3 | proto::kVarint:
        return proto::ReadVarintPadded(p, &value->value) == end;
      case 2 << 3 | proto::kFixed64:
        std::memcpy(&value->value, p, 8);
        return p + 8 == end;
      case 5 << 3 | proto::kLen: {
        uint64_t n = 0;
        value->begin = proto::ReadVarintPadded(p, &n);
        value->end = end;
        return value->begin != nullptr && value->begin <= end &&
               n == static_cast<uint64_t>(end - value->begin);
      }
      default:
        return false;
    }
  }

  // Parses any form, with every check.
  void DecodeCarefully(proto::Bytes p, proto::Bytes end, proto::Field* value,
                       const StatAction** action) const;

  // Turns a value into what its column holds. False when it goes to no column.
  bool ToValue(const proto::Field& value, const StatAction* action, uint32_t meta, StatBits* out);

 private:
  bool Breakdown(const proto::Field& f, uint64_t* bits);
  std::string_view TextOf(const proto::Field& f) const;
  bool Int(const proto::Field& f, uint64_t* bits) const;
  bool Real(const proto::Field& f, uint64_t* bits) const;
  bool Text(const proto::Field& f, uint64_t* bits);
  uint64_t Own(std::string_view text) {
    return text.empty() ? 0 : pool_->Intern(text).value | mark_;
  }

  bool IsMemoryEvent(uint32_t meta) const {
    return meta < metas_->size() && (*metas_)[meta].category == EventCategory::kMemoryEvent;
  }

  const PlaneActions* plane_;
  const std::vector<EventMeta>* metas_;
  StringPool* pool_;
  uint32_t mark_;
};

}  // namespace stepscope::xplane
