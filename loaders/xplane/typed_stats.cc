#include "loaders/xplane/typed_stats.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "loaders/common/workers.h"
#include "loaders/xplane/limits.h"
#include "loaders/xplane/stat_columns.h"
#include "model/base/column.h"
#include "model/base/task.h"

namespace stepscope::xplane {

using namespace proto;

namespace {

constexpr size_t kInts = static_cast<size_t>(IntStat::kCount);
constexpr size_t kTextStats = static_cast<size_t>(StringStat::kCount);
constexpr size_t kReals = static_cast<size_t>(RealStat::kCount);
constexpr size_t kColumns = kInts + kTextStats + kReals;
constexpr uint32_t kRowsPerPart = 2 << 10;
constexpr size_t kPartsPerWave = 256;  // parts that are parsed in parallel and then put in order
constexpr uint32_t kLocalText =
    0x80000000u;                     // marks a string of the item's pool, not of the table's
constexpr size_t kFirstFetch = 512;  // nearly all events are shorter
constexpr size_t kSlack = 16;        // bytes that may be read past the end of a message

// The way to deal with a stat of a plane, by index in PlaneTables::stat_names.
struct Action {
  StatColumn column;
  StringId name_as_value{0};  // the stat's name in the table's pool, for references to it
};

// Writes a memory_access_breakdown, in which each field 1 has an operation, a memory and bytes.
std::string BreakdownText(std::string_view message) {
  std::string text;
  FieldReader accesses(message);
  Field access, part;
  while (accesses.Next(&access)) {
    if (access.number != 1 || access.wire != kLen) continue;
    std::array<int64_t, 3> values{};
    FieldReader parts(access.begin, access.end);
    while (parts.Next(&part)) {
      if (part.wire == kVarint && part.number >= 1 && part.number <= 3)
        values[part.number - 1] = part.Int();
    }
    if (!text.empty()) text += ';';
    text += fmt::format("{} {} {}", values[0], values[1], values[2]);
  }
  return text;
}

// The actions for the stats in one message of a plane.
struct PlaneActions {
  const PlaneTables* tables = nullptr;
  std::vector<Action> actions;  // by index of the stat name
  std::vector<Action> by_id;    // by metadata id, while ids are small
  const Action* Find(uint64_t stat_id) const {
    if (stat_id < by_id.size()) [[likely]]
      return &by_id[stat_id];
    const uint32_t i = tables->stat_ids.Find(static_cast<int64_t>(stat_id));
    return i == IdMap::kNone ? nullptr : &actions[i];
  }
};

// A decoded typed value: the bits of an int64 or a double, or a string id.
struct Value {
  uint32_t column = 0;  // ints, then texts, then reals
  uint64_t bits = 0;
};

// The values of a part by column, while it is parsed: at most one value a row. It is used again for
// the next part, so it stays in the cache.
class Scratch {
 public:
  // `own`: the value comes from the event itself. It wins over the metadata's; of several own
  // values the last one wins.
  void Put(uint32_t column, uint32_t row, uint64_t bits, bool own) {
    Entries& e = columns_[column];
    if (e.rows == nullptr) [[unlikely]] {
      e.rows = std::make_unique_for_overwrite<uint32_t[]>(kRowsPerPart);
      e.bits = std::make_unique_for_overwrite<uint64_t[]>(kRowsPerPart);
    }
    const bool again = e.size > 0 && e.rows[e.size - 1] == row;
    if (again && !own) return;
    if (again) --e.size;
    e.rows[e.size] = row;
    e.bits[e.size++] = bits;
  }
  // Packs all columns into the table and empties them.
  void MoveTo(StatTable* table) {
    for (size_t c = 0; c < kColumns; ++c) {
      if (columns_[c].size == 0) continue;
      if (c < kInts) {
        columns_[c].MoveTo(&table->ints[c]);
      } else if (c < kInts + kTextStats) {
        columns_[c].MoveTo(&table->texts[c - kInts]);
      } else {
        columns_[c].MoveTo(&table->reals[c - kInts - kTextStats]);
      }
    }
  }

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
  std::array<Entries, kColumns> columns_;
};

// A part of a lane, of at most kRowsPerPart rows.
struct Part {
  const Lane* lane = nullptr;
  uint32_t first = 0, last = 0;  // within the lane
  std::span<const PlaneActions> plane;
  const ByteSource* source = nullptr;
};

// A part of the wave and its values. table.strings holds texts of its own events; text columns
// refer to them with kLocalText.
struct Item {
  Part part;
  StatTable table;
};

// Parses XStats and finds the column that each goes to.
class StatDecoder {
 public:
  StatDecoder(const PlaneActions* plane, const std::vector<EventMeta>& metas, StringPool* pool,
              uint32_t local_mark)
      : plane_(plane), metas_(&metas), pool_(pool), mark_(local_mark) {}

  // Sets the message that the next stats are in.
  void Use(const PlaneActions* plane) { plane_ = plane; }

  // Parses the kind of stat that nearly all are, an id and a number or reference, and puts it into
  // its column. kSlack bytes must be readable at `end`. False: it is another kind.
  inline bool PutCommon(Bytes p, Bytes end, uint32_t row, Scratch* out) const {
    constexpr uint8_t kUint = 3 << 3 | kVarint, kInt = 4 << 3 | kVarint, kRef = 7 << 3 | kVarint;
    if (*p != (1 << 3 | kVarint)) return false;
    uint64_t id = 0, value = 0;
    p = ReadVarintPadded(p + 1, &id);
    if (p == nullptr || p >= end || id >= plane_->by_id.size()) return false;
    const Action& action = plane_->by_id[id];
    const uint8_t tag = *p;
    if (tag != kUint && tag != kInt && tag != kRef) return false;
    if (ReadVarintPadded(p + 1, &value) != end) return false;
    const StatColumn& column = action.column;
    if (column.kind == StatColumn::Kind::kNone) return true;
    if (tag != kRef) {
      if (column.kind != StatColumn::Kind::kInt) return false;
      out->Put(column.column, row, value, true);
      return true;
    }
    if (column.kind != StatColumn::Kind::kText || column.memory_shape) return false;
    if (value >= plane_->by_id.size()) return false;
    out->Put(static_cast<uint32_t>(kInts) + column.column, row,
             plane_->by_id[value].name_as_value.value, true);
    return true;
  }

  // Parses the common form: an id, then one value, both known. kSlack bytes must be readable at
  // `end`. False: DecodeCarefully must parse it.
  inline bool DecodeFast(Bytes p, Bytes end, Field* value, const Action** action) const {
    if (*p != (1 << 3 | kVarint)) return false;
    uint64_t id = 0;
    p = ReadVarintPadded(p + 1, &id);
    if (p == nullptr || p >= end) return false;
    *action = plane_->Find(id);
    value->number = *p >> 3;
    value->wire = *p & 7;
    switch (*p++) {
      case 3 << 3 | kVarint:
      case 4 << 3 | kVarint:
      case 7 << 3 | kVarint:
        return ReadVarintPadded(p, &value->value) == end;
      case 2 << 3 | kFixed64:
        std::memcpy(&value->value, p, 8);
        return p + 8 == end;
      case 5 << 3 | kLen: {
        uint64_t n = 0;
        value->begin = ReadVarintPadded(p, &n);
        value->end = end;
        return value->begin != nullptr && value->begin <= end &&
               n == static_cast<uint64_t>(end - value->begin);
      }
      default:
        return false;
    }
  }

  // Parses any form, with every check.
  void DecodeCarefully(Bytes p, Bytes end, Field* value, const Action** action) const {
    FieldReader fields(p, end);
    Field f;
    uint64_t id = 0;
    *value = {};
    while (fields.Next(&f)) {
      if (f.number == 1 && f.wire == kVarint) {
        id = f.value;
      } else if (f.number >= 2 && f.number <= 8) {
        *value = f;
      }
    }
    *action = plane_->Find(id);
  }

  // Turns a value into what its column holds. False when it goes to no column.
  bool ToValue(const Field& value, const Action* action, uint32_t meta, Value* out) {
    if (action == nullptr || value.number == 0) return false;
    const StatColumn& column = action->column;
    switch (column.kind) {
      case StatColumn::Kind::kNone:
        return false;
      case StatColumn::Kind::kInt:
        out->column = column.column;
        return Int(value, &out->bits);
      case StatColumn::Kind::kReal:
        out->column = static_cast<uint32_t>(kInts + kTextStats) + column.column;
        return Real(value, &out->bits);
      case StatColumn::Kind::kText:
        out->column = static_cast<uint32_t>(kInts) + column.column;
        if (column.memory_shape && IsMemoryEvent(meta)) {
          out->column =
              static_cast<uint32_t>(kInts) + static_cast<uint32_t>(StringStat::kTensorShape);
        }
        if (column.column == static_cast<uint8_t>(StringStat::kMemoryBreakdown))
          return Breakdown(value, &out->bits);
        return Text(value, &out->bits);
    }
    return false;
  }

 private:
  bool Breakdown(const Field& f, uint64_t* bits) {
    if (f.wire != kLen || f.number != 6) return false;
    *bits = Own(BreakdownText(f.text()));
    return true;
  }

  std::string_view TextOf(const Field& f) const {
    if (f.number == 7 && f.wire == kVarint) {
      const std::string* name = plane_->tables->StatName(f.Int());
      return name == nullptr ? std::string_view() : *name;
    }
    return f.number == 5 && f.wire == kLen ? f.text() : std::string_view();
  }

  bool Int(const Field& f, uint64_t* bits) const {
    if (f.wire == kVarint && (f.number == 3 || f.number == 4)) {
      *bits = f.value;
      return true;
    }
    int64_t number = 0;
    if (f.number == 2 && f.wire == kFixed64) {
      const double d = f.Double();
      if (!(d > -9.2e18 && d < 9.2e18)) return false;
      number = static_cast<int64_t>(d);
    } else {
      const std::string_view text = TextOf(f);
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
      if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return false;
    }
    *bits = static_cast<uint64_t>(number);
    return true;
  }

  bool Real(const Field& f, uint64_t* bits) const {
    double d = 0;
    if (f.number == 2 && f.wire == kFixed64) {
      d = f.Double();
    } else if (f.wire == kVarint && f.number == 3) {
      d = static_cast<double>(f.value);
    } else if (f.wire == kVarint && f.number == 4) {
      d = static_cast<double>(f.Int());
    } else {
      return false;
    }
    *bits = std::bit_cast<uint64_t>(d);
    return true;
  }

  bool Text(const Field& f, uint64_t* bits) {
    if (f.number == 7 && f.wire == kVarint) {
      const Action* named = plane_->Find(f.value);
      *bits = named == nullptr ? 0 : named->name_as_value.value;
      return true;
    }
    if (f.number == 5 && f.wire == kLen) {
      *bits = Own(f.text());
    } else if (f.wire == kVarint && f.number == 3) {
      *bits = Own(std::to_string(f.value));
    } else if (f.wire == kVarint && f.number == 4) {
      *bits = Own(std::to_string(f.Int()));
    } else {
      return false;
    }
    return true;
  }

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

// Typed stats of event metadata, which count for every event with it. values[first[m]..first[m +
// 1]) belong to MetaId m.
struct MetaStats {
  std::vector<uint32_t> first;
  std::vector<Value> values;
  std::span<const Value> Of(uint32_t meta) const {
    if (meta + 1 >= first.size()) return {};
    return std::span(values).subspan(first[meta], first[meta + 1] - first[meta]);
  }
};

class TypedReader {
 public:
  TypedReader(const Trace& trace, std::span<const std::shared_ptr<const ByteSource>> files,
              std::span<const PlaneParts> planes, std::stop_token stop)
      : trace_(trace), files_(files), planes_(planes), stop_(std::move(stop)) {}

  Result<std::shared_ptr<const StatTable>> Run() {
    PrepareActions();
    if (Status s = ReadMetaStats(); !s.ok()) return s;
    std::vector<Part> parts = MakeParts();
    items_ = std::vector<Item>(std::min(parts.size(), kPartsPerWave));
    for (size_t first = 0; first < parts.size(); first += kPartsPerWave) {
      ReadWave(std::span(parts).subspan(first, std::min(kPartsPerWave, parts.size() - first)));
      if (stop_.stop_requested()) return Status(ErrorCode::kCancelled, "cancelled");
      if (error_.any()) return error_.Take();
    }
    table_->ShrinkToFit();
    return std::shared_ptr<const StatTable>(std::move(table_));
  }

 private:
  void PrepareActions() {
    for (const PlaneParts& parts : planes_) {
      std::vector<PlaneActions>& plane = actions_.emplace_back();
      plane.reserve(parts.size());
      for (const auto& tables : parts) plane.push_back(ActionsOf(*tables));
    }
  }

  PlaneActions ActionsOf(const PlaneTables& tables) {
    PlaneActions plane;
    plane.tables = &tables;
    plane.actions.reserve(tables.stat_names.size());
    for (const std::string& name : tables.stat_names) {
      plane.actions.push_back({ColumnOf(name), table_->strings->Intern(name)});
    }
    for (size_t id = 0; id < tables.stat_ids.dense_size(); ++id) {
      const uint32_t index = tables.stat_ids.Find(static_cast<int64_t>(id));
      plane.by_id.push_back(index == IdMap::kNone ? Action{} : plane.actions[index]);
    }
    return plane;
  }

  // The actions of the message that has these tables.
  static const PlaneActions* Of(std::span<const PlaneActions> plane, const PlaneTables& tables) {
    const auto at = std::partition_point(plane.begin(), plane.end(), [&](const PlaneActions& a) {
      return a.tables->begin < tables.begin;
    });
    return &*at;
  }

  Status ReadMetaStats() {
    const auto& metas = trace_.names().metas;
    std::vector<WindowReader> readers;
    for (const auto& file : files_) readers.emplace_back(*file);
    for (size_t m = 0; m < metas.size(); ++m) {
      meta_stats_.first.push_back(static_cast<uint32_t>(meta_stats_.values.size()));
      const uint32_t plane = metas[m].plane.value;
      if (plane >= actions_.size()) continue;
      const PlaneTables* made_of = TablesOfMeta(planes_[plane], static_cast<uint32_t>(m));
      if (made_of == nullptr) continue;
      const PlaneTables& tables = *made_of;
      const uint32_t index = tables.event_ids.Find(metas[m].source_id);
      if (index == IdMap::kNone || !tables.event_metas[index].has_stats) continue;
      if ((m & 1023) == 0 && stop_.stop_requested()) break;
      ReadMeta(&readers[tables.file], *Of(actions_[plane], tables), tables.event_metas[index],
               static_cast<uint32_t>(m));
      if (!readers[tables.file].status().ok()) return readers[tables.file].status();
    }
    meta_stats_.first.push_back(static_cast<uint32_t>(meta_stats_.values.size()));
    return {};
  }

  void ReadMeta(WindowReader* reader, const PlaneActions& plane, const EventMetaScan& scan,
                uint32_t meta) {
    StatDecoder decoder(&plane, trace_.names().metas, table_->strings.get(), 0);
    SourceFieldReader fields(reader, scan.begin, scan.end);
    SourceField f;
    while (fields.Next(&f)) {
      if (f.number != 5 || f.wire != kLen || f.size() > kMaxStatBytes) continue;
      const std::string_view bytes = reader->Fetch(f.begin, static_cast<size_t>(f.size()));
      const Bytes p = reinterpret_cast<Bytes>(bytes.data());
      Field field;
      const Action* action = nullptr;
      Value value;
      decoder.DecodeCarefully(p, p + bytes.size(), &field, &action);
      if (decoder.ToValue(field, action, meta, &value)) meta_stats_.values.push_back(value);
    }
  }

  std::vector<Part> MakeParts() const {
    std::vector<Part> parts;
    for (const Lane& lane : trace_.set.lanes) {
      const Track& track = trace_.set.tracks[lane.track.value];
      if (track.plane.value >= actions_.size() || track.source >= files_.size()) continue;
      for (uint32_t first = 0; first < lane.size(); first += kRowsPerPart) {
        parts.push_back({&lane, first, std::min(lane.size(), first + kRowsPerPart),
                         actions_[track.plane.value], files_[track.source].get()});
      }
    }
    return parts;
  }

  // Parses the parts in parallel and appends their values to the table.
  void ReadWave(std::span<const Part> parts) {
    for (size_t i = 0; i < parts.size(); ++i) items_[i].part = parts[i];
    ParallelFor(parts.size(), [&](size_t i) {
      if (!stop_.stop_requested() && !error_.any()) ReadItem(&items_[i]);
    });
    if (!stop_.stop_requested() && !error_.any()) Merge(std::span(items_).first(parts.size()));
  }

  void ReadItem(Item* item) {
    const Part& part = item->part;
    std::unique_ptr<Scratch> scratch = scratches_.Take();
    StatDecoder decoder(&part.plane.front(), trace_.names().metas, item->table.strings.get(),
                        kLocalText);
    WindowReader reader(*part.source);
    for (uint32_t i = part.first; i < part.last; ++i) {
      const uint32_t row = part.lane->first_row + i, meta = part.lane->meta[i];
      const uint64_t at = part.lane->SourceOffset(i);
      if (part.plane.size() > 1 && at != ~uint64_t{0}) decoder.Use(ActionsAt(part.plane, at));
      if (at != ~uint64_t{0}) ReadEvent(&reader, at, row, meta, &decoder, scratch.get());
      for (const Value& v : meta_stats_.Of(meta)) scratch->Put(v.column, row, v.bits, false);
    }
    scratch->MoveTo(&item->table);
    scratches_.Give(std::move(scratch));
    error_.Set(reader.status());
  }

  static const PlaneActions* ActionsAt(std::span<const PlaneActions> plane, uint64_t offset) {
    const auto next =
        std::upper_bound(plane.begin() + 1, plane.end(), offset,
                         [](uint64_t at, const PlaneActions& a) { return at < a.tables->begin; });
    return &*(next - 1);
  }

  static void ReadEvent(WindowReader* reader, uint64_t at, uint32_t row, uint32_t meta,
                        StatDecoder* decoder, Scratch* out) {
    const std::string_view view = reader->Fetch(at, kFirstFetch);
    const Bytes begin = reinterpret_cast<Bytes>(view.data());
    uint64_t size = 0;
    const Bytes p = ReadVarint(begin, begin + view.size(), &size);
    if (p == nullptr) return;
    const size_t used = static_cast<size_t>(p - begin);
    if (view.size() >= used + kSlack && size <= view.size() - used - kSlack) [[likely]] {
      if (ReadEventFast(p, p + size, row, meta, decoder, out)) return;
    }
    FieldReader fields(FetchEvent(reader, at));
    Field f;
    while (fields.Next(&f)) {
      if (f.number == 4 && f.wire == kLen) {
        ReadStat(f.begin, f.end, false, row, meta, decoder, out);
      }
    }
  }

  // Reads an event of known fields. kSlack bytes must be readable at `end`. False when it met
  // something else: the event must be read again with every check.
  static bool ReadEventFast(Bytes p, Bytes end, uint32_t row, uint32_t meta, StatDecoder* decoder,
                            Scratch* out) {
    while (p < end) {
      uint64_t value = 0;
      const uint8_t tag = *p;
      p = ReadVarintPadded(p + 1, &value);
      if (p == nullptr) return false;
      if (tag == (4 << 3 | kLen)) {
        if (p > end || value > static_cast<uint64_t>(end - p)) return false;
        if (!decoder->PutCommon(p, p + value, row, out)) [[unlikely]]
          ReadStat(p, p + value, true, row, meta, decoder, out);
        p += value;
      } else if ((tag & 7) != kVarint || tag < 8 || tag > (5 << 3 | kVarint) ||
                 tag == (4 << 3 | kVarint)) {
        return false;
      }
    }
    return p == end;
  }

  static void ReadStat(Bytes p, Bytes end, bool slack, uint32_t row, uint32_t meta,
                       StatDecoder* decoder, Scratch* out) {
    Field field;
    const Action* action = nullptr;
    Value value;
    if (!slack || p == end || !decoder->DecodeFast(p, end, &field, &action)) {
      decoder->DecodeCarefully(p, end, &field, &action);
    }
    if (decoder->ToValue(field, action, meta, &value))
      out->Put(value.column, row, value.bits, true);
  }

  // Appends the items' columns, in order of rows, and empties the items.
  void Merge(std::span<Item> items) {
    std::vector<std::vector<StringId>> ids(items.size());
    for (size_t i = 0; i < items.size(); ++i) ids[i] = InternAll(*items[i].table.strings);
    ParallelFor(kColumns, [&](size_t c) {
      for (size_t i = 0; i < items.size(); ++i) {
        if (c < kInts) {
          Take(&items[i].table.ints[c], &table_->ints[c]);
        } else if (c < kInts + kTextStats) {
          TakeTexts(&items[i].table.texts[c - kInts], ids[i], &table_->texts[c - kInts]);
        } else {
          Take(&items[i].table.reals[c - kInts - kTextStats],
               &table_->reals[c - kInts - kTextStats]);
        }
      }
    });
    for (size_t i = 0; i < items.size(); ++i) {
      if (ids[i].size() > 1) items[i].table.strings = std::make_unique<StringPool>();
    }
  }

  std::vector<StringId> InternAll(const StringPool& pool) {
    std::vector<StringId> ids(pool.size());
    for (uint32_t s = 0; s < ids.size(); ++s)
      ids[s] = table_->strings->Intern(pool.View(StringId(s)));
    return ids;
  }

  template <typename T>
  static void Take(SparseColumn<T>* from, SparseColumn<T>* to) {
    to->Append(*from);
    from->Clear();
  }

  static void TakeTexts(SparseColumn<StringId>* from, const std::vector<StringId>& ids,
                        SparseColumn<StringId>* to) {
    if (ids.size() <= 1) return Take(from, to);  // there is only the empty string
    std::vector<uint32_t> rows;
    std::vector<StringId> values;
    from->ForAll([&](uint32_t row, StringId id) {
      rows.push_back(row);
      values.push_back((id.value & kLocalText) == 0 ? id : ids[id.value & ~kLocalText]);
    });
    to->Append(rows, values);
    from->Clear();
  }

  const Trace& trace_;
  std::span<const std::shared_ptr<const ByteSource>> files_;
  std::span<const PlaneParts> planes_;
  std::stop_token stop_;
  std::shared_ptr<StatTable> table_ = std::make_shared<StatTable>();
  std::vector<std::vector<PlaneActions>> actions_;  // by PlaneId, then by message
  MetaStats meta_stats_;
  std::vector<Item> items_;  // of the wave
  Pool<Scratch> scratches_;
  FirstError error_;
};

}  // namespace

std::string_view FetchEvent(WindowReader* reader, uint64_t at) {
  const std::string_view head = reader->Fetch(at, kFirstFetch);
  const Bytes begin = reinterpret_cast<Bytes>(head.data()), end = begin + head.size();
  uint64_t size = 0;
  const Bytes p = ReadVarint(begin, end, &size);
  if (p == nullptr) return {};
  const size_t used = static_cast<size_t>(p - begin);
  if (size <= head.size() - used) return head.substr(used, static_cast<size_t>(size));
  const uint64_t left = reader->size() - at - used;
  return reader->Fetch(at + used, static_cast<size_t>(std::min(size, left)));
}

Result<std::shared_ptr<const StatTable>> ReadTypedStats(
    const Trace& trace, std::span<const std::shared_ptr<const ByteSource>> files,
    std::span<const PlaneParts> planes, std::stop_token stop) {
  try {
    return TypedReader(trace, files, planes, std::move(stop)).Run();
  } catch (const std::bad_alloc&) {
    return Status(ErrorCode::kLimit,
                  trace.path + ": not enough memory for the stats of all events");
  }
}

}  // namespace stepscope::xplane
