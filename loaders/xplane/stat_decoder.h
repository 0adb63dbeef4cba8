// Parses XStats and finds the typed column that each goes to (docs/xspace.md#stats). Nearly all
// stats have one form, which is read without loops over fields; the others are read with every
// check. One thread at a time for a decoder; the actions may be shared.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "loaders/common/row_values.h"
#include "loaders/common/wire.h"
#include "loaders/xplane/scan/plane_tables.h"
#include "model/base/column.h"
#include "model/stats.h"
#include "model/string_pool.h"
#include "model/track.h"

namespace stepscope::xplane {

// The typed stats of a few thousand rows, by column, while they are parsed, and how such pieces
// become one table. One thread at a time.
inline constexpr uint32_t kRowsPerSlice = 2 << 10;

// The bit in the id of a text that marks one of the piece's own pool; the others are of the pool of
// the table that is made.
inline constexpr uint32_t kLocalText = 0x80000000u;

// The values of at most kRowsPerSlice rows, at most one for a row and column. It is used again for
// the next rows, so that it stays in the cache.
class SliceValues {
 public:
  // `own`: the value comes from the event itself. It wins over the metadata's; of several own
  // values the last one wins.
  void Put(uint32_t column, uint32_t row, uint64_t bits, bool own) {
    Entries& e = columns_[column];
    if (e.rows == nullptr) [[unlikely]]
      MakeRoom(column);
    const bool again = e.size > 0 && e.rows[e.size - 1] == row;
    if (again && !own) return;
    if (again) --e.size;
    e.rows[e.size] = row;
    e.bits[e.size++] = bits;
  }
  // The same for the first value of the row in a column with room.
  void PutNew(uint32_t column, uint32_t row, uint64_t bits) {
    Entries& e = columns_[column];
    e.rows[e.size] = row;
    e.bits[e.size++] = bits;
  }
  void MakeRoom(uint32_t column);
  // Packs all columns into the table and empties them.
  void MoveTo(StatTable* table);

 private:
  struct Entries {
    uint32_t size = 0;
    std::unique_ptr<uint32_t[]> rows;
    std::unique_ptr<uint64_t[]> bits;
    template <typename T>
    void MoveTo(SparseColumn<T>* out) {
      out->AppendBits({rows.get(), size}, {bits.get(), size});
      size = 0;
    }
  };
  std::array<Entries, kStatColumns> columns_;
};

// Appends the columns of pieces to the table, in their order, and empties the pieces. Texts that
// kLocalText marks become texts of the table. Uses all cores. O(values + texts)
void AppendPieces(std::span<StatTable* const> pieces, StatTable* table);

// Finds the typed column (model/stats.h) of a stat by its name (docs/xspace.md#stats). Pure.
struct StatColumn {
  enum class Kind : uint8_t { kNone, kInt, kText, kReal };
  Kind kind = Kind::kNone;
  uint8_t column = 0;  // an IntStat, StringStat or RealStat
  // "shape": a tensor's on memory events, a kernel's operands' on others
  bool memory_shape = false;
};
StatColumn ColumnOf(std::string_view stat_name);

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

// The actions for the tables' stats, if only the stats of such rows are read. The stats' names
// become texts of the pool. The tables must outlive the actions. O(stats)
PlaneActions ActionsOf(const PlaneTables& tables, StringPool* pool, StatRows rows);

// How the value of a stat in the common form is read.
enum class StatKind : uint8_t { kNumber, kReference, kDouble, kIgnored };

// A stat in the common form: tag and length in the event, tag and id of one byte, tag of the value.
struct CommonStat {
  uint64_t head;  // these bytes but for the length
  uint32_t column;
  StatKind kind;
};
// The bytes of a stat that CommonStat::head has, and the bit that a length of two bytes has.
inline constexpr uint64_t kHeadMask = 0xffffff80ff;

// The first stats of an event, up to one that is in no common form or in a column that an earlier
// one has.
struct StatForm {
  static constexpr size_t kMost = 16;
  uint32_t size = 0;
  bool cut = false;                     // the event has more stats
  std::array<CommonStat, kMost> stats;  // those from `size` on mean nothing
};

// Parses XStats and finds the column that each goes to.
class StatDecoder {
 public:
  StatDecoder(const PlaneActions* plane, const std::vector<EventMeta>& metas, StringPool* pool,
              uint32_t local_mark)
      : plane_(plane), metas_(&metas), pool_(pool), mark_(local_mark) {}

  // Sets the message that the next stats are in.
  void Use(const PlaneActions* plane) {
    if (plane != plane_) forms_ = {};
    plane_ = plane;
  }

  // Parses the kind of stat that nearly all are, an id of one byte and a number or reference in a
  // message shorter than 128 bytes, and puts it into its column. `p` is at the stat's tag; kSlack
  // bytes must be readable after the event. Null: it is another kind; else its end.
  inline proto::Bytes PutCommon(proto::Bytes p, proto::Bytes event_end, uint32_t row,
                                SliceValues* out) const {
    CommonStat stat;
    if (!IsCommon(p, &stat)) return nullptr;
    uint64_t value = 0;
    const proto::Bytes end = ReadCommon(p, event_end, stat.kind, &value);
    if (end == nullptr || stat.kind == StatKind::kIgnored) return end;
    out->Put(stat.column, row, value, true);
    return end;
  }

  // Puts the stats that the event of a name has in the order and kinds of the one before, which
  // most events have. `p` is at the event's first stat. Returns where it met another kind, or the
  // event's end. `learn`: LearnForm would find more.
  inline proto::Bytes PutAlike(proto::Bytes p, proto::Bytes event_end, uint32_t row, uint32_t meta,
                               SliceValues* out, bool* learn) const {
    const StatForm& form = forms_[meta % kForms];
    *learn = true;
    for (size_t i = 0; i < form.size && p < event_end; ++i) {
      const CommonStat& stat = form.stats[i];
      uint64_t head = 0, value = 0;
      std::memcpy(&head, p, 8);
      if ((head & kHeadMask) != stat.head) return p;
      const proto::Bytes end = ReadCommon(p, event_end, stat.kind, &value);
      if (end == nullptr) return p;
      if (stat.kind != StatKind::kIgnored) out->PutNew(stat.column, row, value);
      p = end;
    }
    *learn = !form.cut;
    return p;
  }

  // Keeps the order and kinds of the stats of an event for PutAlike. `p` is at its first stat;
  // kSlack bytes must be readable after the event.
  void LearnForm(proto::Bytes p, proto::Bytes event_end, uint32_t meta, SliceValues* out);

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
  void DecodeCarefully(std::string_view message, proto::Field* value,
                       const StatAction** action) const {
    const XStat stat = ReadXStat(message);
    *value = stat.value;
    *action = plane_->Find(static_cast<uint64_t>(stat.id));
  }

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

  // Whether a stat has the common form, by its first 8 bytes.
  inline bool IsCommon(proto::Bytes p, CommonStat* stat) const {
    constexpr uint64_t kMask = 0x80ff80ff,
                       kHead = 4u << 3 | proto::kLen | (1u << 3 | proto::kVarint) << 16;
    uint64_t head = 0;
    std::memcpy(&head, p, 8);
    if ((head & kMask) != kHead) return false;
    const StatRoute& route = plane_->routes[head >> 24 & 0x7f];
    const uint32_t tag = head >> 32 & 0xff;
    if (tag >= 64 || (route.tags & TagBit(tag)) == 0) return false;
    stat->head = head & kHeadMask;
    stat->column = route.column;
    stat->kind = route.column == kStatColumns ? StatKind::kIgnored
                 : tag == kRefTag             ? StatKind::kReference
                 : tag == kDoubleTag          ? StatKind::kDouble
                                              : StatKind::kNumber;
    return true;
  }

  // Reads the value of a stat in the common form; `p` is at the stat's tag. Returns the stat's end;
  // null where the value does not end there, or the stat not within the event.
  inline proto::Bytes ReadCommon(proto::Bytes p, proto::Bytes event_end, StatKind kind,
                                 uint64_t* value) const {
    const proto::Bytes end = p + 2 + p[1];
    if (end > event_end) return nullptr;
    if (p[4] == kDoubleTag) {
      std::memcpy(value, p + 5, 8);
      return p + 13 == end ? end : nullptr;
    }
    if (proto::ReadVarintPadded(p + 5, value) != end) return nullptr;
    if (kind == StatKind::kReference) {
      if (*value >= plane_->by_id.size()) return nullptr;
      *value = plane_->by_id[*value].name_as_value.value;
    }
    return end;
  }

  bool IsMemoryEvent(uint32_t meta) const {
    return meta < metas_->size() && (*metas_)[meta].category == EventCategory::kMemoryEvent;
  }

  const PlaneActions* plane_;
  const std::vector<EventMeta>* metas_;
  StringPool* pool_;
  uint32_t mark_;
  static constexpr size_t kForms = 64;
  std::array<StatForm, kForms> forms_;  // of the latest event, by the last bits of its MetaId
};

}  // namespace stepscope::xplane
