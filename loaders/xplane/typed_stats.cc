#include "loaders/xplane/typed_stats.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <memory>
#include <optional>
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
constexpr uint32_t kColumns = kInts + kTextStats + kReals;
constexpr uint32_t kRowsPerSlice = 2 << 10;
constexpr size_t kPartsPerWave = 256;  // parts that are parsed in parallel and then put in order
// A part whose events lie further apart is read piece by piece.
constexpr uint64_t kMostPartBytes = uint64_t{4} << 20;
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

// Tags of an XStat's values that the fast ways read.
constexpr uint32_t kDoubleTag = 2 << 3 | kFixed64, kUintTag = 3 << 3 | kVarint,
                   kIntTag = 4 << 3 | kVarint, kRefTag = 7 << 3 | kVarint;
constexpr uint64_t TagBit(uint32_t tag) { return uint64_t{1} << tag; }

// The way of a stat in its common form, by id: the column, kColumns for none, and the tags of the
// values that go there as they are, a bit for each. Without tags every value is read with every
// check.
struct Route {
  uint64_t tags = 0;
  uint32_t column = kColumns;
};

// The actions for the stats in one message of a plane.
struct PlaneActions {
  const PlaneTables* tables = nullptr;
  std::vector<Action> actions;      // by index of the stat name
  std::vector<Action> by_id;        // by metadata id, while ids are small
  std::array<Route, 128> routes{};  // by metadata id; ids of one byte
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

// The values of a slice by column, while it is parsed: at most one value a row; and the window
// through which its file is read. Both are used again for the next slices, so they stay in the
// cache.
class Scratch {
 public:
  WindowReader* ReaderOf(const ByteSource& source) {
    if (source_ != &source) reader_.emplace(source);
    source_ = &source;
    return &*reader_;
  }
  // `own`: the value comes from the event itself. It wins over the metadata's; of several own
  // values the last one wins.
  void Put(uint32_t column, uint32_t row, uint64_t bits, bool own) {
    Entries& e = columns_[column];
    if (e.rows == nullptr) [[unlikely]] {
      e.rows = std::make_unique_for_overwrite<uint32_t[]>(kRowsPerSlice);
      e.bits = std::make_unique_for_overwrite<uint64_t[]>(kRowsPerSlice);
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
  const ByteSource* source_ = nullptr;
  std::optional<WindowReader> reader_;
};

// At most kRowsPerSlice rows of a lane.
struct Slice {
  const Lane* lane = nullptr;
  uint32_t first = 0, last = 0;  // within the lane
};

// The events of a track in a piece of time, on all of its lanes. They lie near each other in the
// file, whose bytes are read once for all of them.
struct Part {
  std::vector<Slice> slices;
  std::span<const PlaneActions> plane;
  const ByteSource* source = nullptr;
};

// Where the events of the slices lie, if their order in the file is that in time; empty if they are
// far apart.
std::pair<uint64_t, uint64_t> BytesOf(std::span<const Slice> slices) {
  uint64_t begin = ~uint64_t{0}, end = 0;
  for (const Slice& slice : slices) {
    for (const uint32_t i : {slice.first, slice.last - 1}) {
      const uint64_t at = slice.lane->SourceOffset(i);
      if (at == ~uint64_t{0}) continue;
      begin = std::min(begin, at);
      end = std::max(end, at + kFirstFetch);
    }
  }
  return end > begin && end - begin <= kMostPartBytes ? std::pair{begin, end}
                                                      : std::pair{uint64_t{0}, uint64_t{0}};
}

// Divides a track at the times at which the slices of its largest lane begin.
class TrackCutter {
 public:
  explicit TrackCutter(std::span<const Lane> lanes) : lanes_(lanes), next_(lanes.size()) {
    const auto by_size = [](const Lane& a, const Lane& b) { return a.size() < b.size(); };
    largest_ = &*std::max_element(lanes.begin(), lanes.end(), by_size);
  }
  size_t count() const { return (largest_->size() + kRowsPerSlice - 1) / kRowsPerSlice; }
  // The slices of the next part.
  std::vector<Slice> Next() {
    std::vector<Slice> slices;
    const size_t next = ++part_ * kRowsPerSlice;
    const bool last = next >= largest_->size();
    for (size_t l = 0; l < lanes_.size(); ++l) {
      const Lane& lane = lanes_[l];
      const auto end = last ? lane.start.end()
                            : std::lower_bound(lane.start.begin() + next_[l], lane.start.end(),
                                               largest_->start[next]);
      Cut(lane, &next_[l], static_cast<uint32_t>(end - lane.start.begin()), &slices);
    }
    return slices;
  }

 private:
  static void Cut(const Lane& lane, uint32_t* from, uint32_t to, std::vector<Slice>* out) {
    while (*from < to) {
      const uint32_t first = std::exchange(*from, std::min(to, *from + kRowsPerSlice));
      out->push_back({&lane, first, *from});
    }
  }

  std::span<const Lane> lanes_;
  const Lane* largest_ = nullptr;
  std::vector<uint32_t> next_;  // by lane: its first row that is in no part
  size_t part_ = 0;
};

// A part of the wave and its values. table.strings holds texts of its own events; text columns
// refer to them with kLocalText.
struct Item {
  Part part;
  StatTable table;
};

// Reads the value behind a tag. kSlack bytes must be readable there.
inline Bytes ReadNumber(Bytes p, uint32_t tag, uint64_t* value) {
  if (tag != kDoubleTag) return ReadVarintPadded(p, value);
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
  inline Bytes PutCommon(Bytes p, Bytes event_end, uint32_t row, Scratch* out) const {
    constexpr uint64_t kMask = 0x80ff80ff, kHead = 4u << 3 | kLen | (1u << 3 | kVarint) << 16;
    uint64_t head = 0;
    std::memcpy(&head, p, 8);
    if ((head & kMask) != kHead) return nullptr;
    const Route& route = plane_->routes[head >> 24 & 0x7f];
    const uint32_t tag = head >> 32 & 0xff;
    if (tag >= 64 || (route.tags & TagBit(tag)) == 0) return nullptr;
    const Bytes end = p + 2 + (head >> 8 & 0x7f);
    uint64_t value = 0;
    if (ReadNumber(p + 5, tag, &value) != end || end > event_end) return nullptr;
    if (route.column == kColumns) return end;
    if (tag == kRefTag) {
      if (value >= plane_->by_id.size()) return nullptr;
      value = plane_->by_id[value].name_as_value.value;
    }
    out->Put(route.column, row, value, true);
    return end;
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
      if (id < plane.routes.size()) plane.routes[id] = RouteOf(plane.by_id.back().column);
    }
    return plane;
  }

  static Route RouteOf(const StatColumn& column) {
    const auto number = static_cast<uint32_t>(column.column);
    switch (column.kind) {
      case StatColumn::Kind::kNone:
        return {TagBit(kDoubleTag) | TagBit(kUintTag) | TagBit(kIntTag) | TagBit(kRefTag),
                kColumns};
      case StatColumn::Kind::kInt:
        return {TagBit(kUintTag) | TagBit(kIntTag), number};
      case StatColumn::Kind::kReal:
        return {TagBit(kDoubleTag), static_cast<uint32_t>(kInts + kTextStats) + number};
      case StatColumn::Kind::kText:
        return {column.memory_shape ? 0 : TagBit(kRefTag), static_cast<uint32_t>(kInts) + number};
    }
    return {};
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
    for (const Track& track : trace_.set.tracks) {
      const std::span<const Lane> lanes = trace_.set.LanesOf(track);
      if (track.plane.value >= actions_.size() || track.source >= files_.size() || lanes.empty())
        continue;
      TrackCutter cutter(lanes);
      for (size_t n = cutter.count(); n > 0; --n)
        parts.push_back({cutter.Next(), actions_[track.plane.value], files_[track.source].get()});
    }
    return parts;
  }

  // Parses the parts in parallel and appends their values to the table.
  void ReadWave(std::span<Part> parts) {
    for (size_t i = 0; i < parts.size(); ++i) items_[i].part = std::move(parts[i]);
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
    WindowReader* reader = scratch->ReaderOf(*part.source);
    const auto [begin, end] = BytesOf(part.slices);
    reader->Load(begin, end);
    for (const Slice& slice : part.slices) {
      ReadSlice(slice, part.plane, reader, &decoder, scratch.get());
      scratch->MoveTo(&item->table);
    }
    error_.Set(reader->status());
    scratches_.Give(std::move(scratch));
  }

  void ReadSlice(const Slice& slice, std::span<const PlaneActions> plane, WindowReader* reader,
                 StatDecoder* decoder, Scratch* out) const {
    for (uint32_t i = slice.first; i < slice.last; ++i) {
      const uint32_t row = slice.lane->first_row + i, meta = slice.lane->meta[i];
      const uint64_t at = slice.lane->SourceOffset(i);
      if (plane.size() > 1 && at != ~uint64_t{0}) decoder->Use(ActionsAt(plane, at));
      if (at != ~uint64_t{0}) ReadEvent(reader, at, row, meta, decoder, out);
      for (const Value& v : meta_stats_.Of(meta)) out->Put(v.column, row, v.bits, false);
    }
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
      const uint8_t tag = *p;
      if (tag == (4 << 3 | kLen)) {
        Bytes next = decoder->PutCommon(p, end, row, out);
        if (next == nullptr) next = ReadOther(p, end, row, meta, decoder, out);
        if (next == nullptr) return false;
        p = next;
        continue;
      }
      if ((tag & 7) != kVarint || tag < 8 || tag > (5 << 3 | kVarint) || tag == (4 << 3 | kVarint))
        return false;
      uint64_t value = 0;
      p = ReadVarintPadded(p + 1, &value);
      if (p == nullptr) return false;
    }
    return p == end;
  }

  // Reads a stat of any form; returns its end, or null where it does not end within the event.
  static Bytes ReadOther(Bytes p, Bytes event_end, uint32_t row, uint32_t meta,
                         StatDecoder* decoder, Scratch* out) {
    uint64_t size = 0;
    p = ReadVarintPadded(p + 1, &size);
    if (p == nullptr || p > event_end || size > static_cast<uint64_t>(event_end - p))
      return nullptr;
    ReadStat(p, p + size, true, row, meta, decoder, out);
    return p + size;
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

  // Appends the items' columns and empties the items.
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
    const auto flush = [&] {
      to->Append(rows, values);
      rows.clear(), values.clear();
    };
    from->ForAll([&](uint32_t row, StringId id) {
      if (!rows.empty() && row < rows.back()) flush();  // the next slice's
      rows.push_back(row);
      values.push_back((id.value & kLocalText) == 0 ? id : ids[id.value & ~kLocalText]);
    });
    flush();
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
