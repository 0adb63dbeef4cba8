#include "loaders/xplane/typed_stats.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cstddef>
#include <mutex>
#include <string>
#include <utility>

#include "loaders/xplane/stat_columns.h"
#include "model/base/column.h"
#include "model/base/task.h"

namespace stepscope::xplane {
namespace {

constexpr size_t kInts = static_cast<size_t>(IntStat::kCount);
constexpr size_t kTexts = static_cast<size_t>(StringStat::kCount);
constexpr size_t kReals = static_cast<size_t>(RealStat::kCount);
constexpr size_t kColumns = kInts + kTexts + kReals;
constexpr uint32_t kRowsPerItem = 4 << 10;
constexpr size_t kItemsPerWave = 24;  // parsed side by side, then put together, then used again
constexpr uint32_t kLocalText =
    0x80000000u;                     // a string of the item's own pool, not yet of the table's
constexpr size_t kFirstFetch = 512;  // nearly all events are shorter
constexpr size_t kSlack = 16;  // a varint may be read past the end of its message by this much

// What to do with a stat of a plane, by index in PlaneTables::stat_names.
struct Action {
  StatColumn column;
  StringId name_as_value{0};  // in the table's pool: the name itself, for references to it
};

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

// What one item found for a column: at most one value a row, so room for all is made at once,
// uninitialised, and used again by the items of the next wave.
class LocalColumn {
 public:
  explicit LocalColumn(uint32_t column)
      : kind_(column < kInts            ? Kind::kInt
              : column < kInts + kTexts ? Kind::kText
                                        : Kind::kReal) {
    const size_t width = kind_ == Kind::kText ? sizeof(StringId) : sizeof(int64_t);
    block_.Resize(kRowsPerItem * (width + sizeof(uint32_t)));
    rows_ = reinterpret_cast<uint32_t*>(block_.data() + kRowsPerItem * width);
  }
  // `own`: of the event itself. It wins over its metadata's, and the last of several wins.
  void Put(uint32_t row, uint64_t bits, bool own) {
    const bool again = size_ > 0 && rows_[size_ - 1] == row;
    if (again && !own) return;
    if (again) --size_;
    rows_[size_] = row;
    if (kind_ == Kind::kInt) {
      As<int64_t>()[size_] = static_cast<int64_t>(bits);
    } else if (kind_ == Kind::kText) {
      As<StringId>()[size_] = StringId(static_cast<uint32_t>(bits));
    } else {
      As<double>()[size_] = std::bit_cast<double>(bits);
    }
    ++size_;
  }
  void Clear() { size_ = 0; }
  uint32_t size() const { return size_; }
  std::span<const uint32_t> rows() const { return {rows_, size_}; }
  template <typename T>
  std::span<T> Values() {
    return {As<T>(), size_};
  }

 private:
  enum class Kind : uint8_t { kInt, kText, kReal };
  template <typename T>
  T* As() {
    return reinterpret_cast<T*>(block_.data());
  }

  Kind kind_;
  uint32_t size_ = 0;
  Column<std::byte> block_;  // values, then rows
  uint32_t* rows_ = nullptr;
};

// A part of a lane.
struct Part {
  const Lane* lane = nullptr;
  uint32_t first = 0, last = 0;  // within the lane
  const PlaneActions* plane = nullptr;
  const ByteSource* source = nullptr;
};

// A part while it is parsed.
struct Item {
  Part part;
  std::array<uint8_t, kColumns>
      slots{};  // by column: 1 + where it is in `columns`; few columns are used at a time
  std::vector<LocalColumn> columns;
  std::unique_ptr<StringPool> pool;  // of strings that stand in the events themselves

  void Put(uint32_t row, uint32_t column, uint64_t bits, bool own) {
    if (slots[column] == 0) {
      columns.emplace_back(column);
      slots[column] = static_cast<uint8_t>(columns.size());
    }
    columns[slots[column] - 1u].Put(row, bits, own);
  }
  LocalColumn* Find(size_t column) {
    return slots[column] == 0 ? nullptr : &columns[slots[column] - 1u];
  }
};

// Parses one XStat and tells which column it goes to.
class StatDecoder {
 public:
  StatDecoder(const PlaneActions* plane, const std::vector<EventMeta>& metas, StringPool* pool,
              uint32_t local_mark)
      : plane_(plane), metas_(&metas), pool_(pool), mark_(local_mark) {}

  // The common form: an id, then one value, both known. kSlack bytes can be read at `end`. False:
  // ask Decode.
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

  // Any form, with every check.
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

  // Turns it into what its column holds. False when it goes to no column.
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
        out->column = static_cast<uint32_t>(kInts + kTexts) + column.column;
        return Real(value, &out->bits);
      case StatColumn::Kind::kText:
        out->column = static_cast<uint32_t>(kInts) + column.column;
        if (column.memory_shape && IsMemoryEvent(meta)) {
          out->column =
              static_cast<uint32_t>(kInts) + static_cast<uint32_t>(StringStat::kTensorShape);
        }
        return Text(value, &out->bits);
    }
    return false;
  }

 private:
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

// Typed stats of event metadata, which count for every event of it. values[first[m]..first[m + 1])
// are those of MetaId m.
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
              std::span<const std::shared_ptr<const PlaneTables>> planes, std::stop_token stop)
      : trace_(trace), files_(files), planes_(planes), stop_(std::move(stop)) {}

  Result<std::shared_ptr<const StatTable>> Run() {
    PrepareActions();
    if (Status s = ReadMetaStats(); !s.ok()) return s;
    std::vector<Part> parts = MakeParts();
    items_.resize(std::min(parts.size(), kItemsPerWave));
    for (size_t first = 0; first < parts.size(); first += kItemsPerWave) {
      ReadWave(std::span(parts).subspan(first, std::min(kItemsPerWave, parts.size() - first)));
      if (stop_.stop_requested()) return Status(ErrorCode::kCancelled, "cancelled");
      if (failed_.load()) return error_;
    }
    table_->ShrinkToFit();
    return std::shared_ptr<const StatTable>(std::move(table_));
  }

 private:
  void PrepareActions() {
    for (const auto& tables : planes_) {
      PlaneActions& plane = actions_.emplace_back();
      plane.tables = tables.get();
      plane.actions.reserve(tables->stat_names.size());
      for (const std::string& name : tables->stat_names) {
        plane.actions.push_back({ColumnOf(name), table_->strings->Intern(name)});
      }
      for (size_t id = 0; id < tables->stat_ids.dense_size(); ++id) {
        const uint32_t index = tables->stat_ids.Find(static_cast<int64_t>(id));
        plane.by_id.push_back(index == IdMap::kNone ? Action{} : plane.actions[index]);
      }
    }
  }

  Status ReadMetaStats() {
    const auto& metas = trace_.names().metas;
    std::vector<WindowReader> readers;
    for (const auto& file : files_) readers.emplace_back(*file);
    for (size_t m = 0; m < metas.size(); ++m) {
      meta_stats_.first.push_back(static_cast<uint32_t>(meta_stats_.values.size()));
      const uint32_t plane = metas[m].plane.value;
      if (plane >= actions_.size()) continue;
      const PlaneTables& tables = *actions_[plane].tables;
      const uint32_t index = tables.event_ids.Find(metas[m].source_id);
      if (index == IdMap::kNone || !tables.event_metas[index].has_stats) continue;
      if ((m & 1023) == 0 && stop_.stop_requested()) break;
      ReadMeta(&readers[tables.file], actions_[plane], tables.event_metas[index],
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
      for (uint32_t first = 0; first < lane.size(); first += kRowsPerItem) {
        parts.push_back({&lane, first, std::min(lane.size(), first + kRowsPerItem),
                         &actions_[track.plane.value], files_[track.source].get()});
      }
    }
    return parts;
  }

  // Parses the parts side by side and appends what they hold to the table.
  void ReadWave(std::span<const Part> parts) {
    for (size_t i = 0; i < items_.size(); ++i) {
      items_[i].part = i < parts.size() ? parts[i] : Part{};
      for (LocalColumn& column : items_[i].columns) column.Clear();
    }
    ParallelFor(parts.size(), [&](size_t i) {
      if (!stop_.stop_requested() && !failed_.load(std::memory_order_relaxed)) ReadItem(&items_[i]);
    });
    if (stop_.stop_requested() || failed_.load()) return;
    Merge();
  }

  void ReadItem(Item* item) {
    item->pool = std::make_unique<StringPool>();
    const Part& part = item->part;
    StatDecoder decoder(part.plane, trace_.names().metas, item->pool.get(), kLocalText);
    WindowReader reader(*part.source);
    for (uint32_t i = part.first; i < part.last; ++i) {
      const uint32_t row = part.lane->first_row + i, meta = part.lane->meta[i];
      const uint64_t at = part.lane->SourceOffset(i);
      if (at != ~uint64_t{0}) ReadEvent(&reader, at, row, meta, &decoder, item);
      for (const Value& v : meta_stats_.Of(meta)) item->Put(row, v.column, v.bits, false);
    }
    if (!reader.status().ok()) {
      std::lock_guard lock(mutex_);
      error_ = reader.status();
      failed_.store(true);
    }
  }

  static void ReadEvent(WindowReader* reader, uint64_t at, uint32_t row, uint32_t meta,
                        StatDecoder* decoder, Item* item) {
    const std::string_view view = reader->Fetch(at, kFirstFetch);
    const Bytes begin = reinterpret_cast<Bytes>(view.data());
    uint64_t size = 0;
    const Bytes p = ReadVarint(begin, begin + view.size(), &size);
    if (p == nullptr) return;
    const size_t used = static_cast<size_t>(p - begin);
    if (view.size() >= used + kSlack && size <= view.size() - used - kSlack) [[likely]] {
      if (ReadEventFast(p, p + size, row, meta, decoder, item)) return;
    }
    FieldReader fields(FetchEvent(reader, at));
    Field f;
    while (fields.Next(&f)) {
      if (f.number == 4 && f.wire == kLen) {
        ReadStat(f.begin, f.end, false, row, meta, decoder, item);
      } else if (f.number == 5 && f.wire == kVarint) {
        item->Put(row, static_cast<uint32_t>(IntStat::kNumOccurrences), f.value, true);
      }
    }
  }

  // Known fields only. kSlack bytes can be read at `end`. False when it met something else: read
  // again with care.
  static bool ReadEventFast(Bytes p, Bytes end, uint32_t row, uint32_t meta, StatDecoder* decoder,
                            Item* item) {
    while (p < end) {
      uint64_t value = 0;
      const uint8_t tag = *p;
      p = ReadVarintPadded(p + 1, &value);
      if (p == nullptr) return false;
      if (tag == (4 << 3 | kLen)) {
        if (p > end || value > static_cast<uint64_t>(end - p)) return false;
        ReadStat(p, p + value, true, row, meta, decoder, item);
        p += value;
      } else if (tag == (5 << 3 | kVarint)) {
        item->Put(row, static_cast<uint32_t>(IntStat::kNumOccurrences), value, true);
      } else if ((tag & 7) != kVarint || tag < 8 || tag > (3 << 3 | kVarint)) {
        return false;
      }
    }
    return p == end;
  }

  static void ReadStat(Bytes p, Bytes end, bool slack, uint32_t row, uint32_t meta,
                       StatDecoder* decoder, Item* item) {
    Field field;
    const Action* action = nullptr;
    Value value;
    if (!slack || p == end || !decoder->DecodeFast(p, end, &field, &action)) {
      decoder->DecodeCarefully(p, end, &field, &action);
    }
    if (decoder->ToValue(field, action, meta, &value))
      item->Put(row, value.column, value.bits, true);
  }

  // Appends the items' columns, in order of rows.
  void Merge() {
    std::vector<std::vector<StringId>> local_ids(items_.size());
    for (size_t i = 0; i < items_.size(); ++i) {
      if (items_[i].pool == nullptr) continue;
      for (size_t s = 0; s < items_[i].pool->size(); ++s) {
        local_ids[i].push_back(
            table_->strings->Intern(items_[i].pool->View(StringId(static_cast<uint32_t>(s)))));
      }
      items_[i].pool.reset();
    }
    ParallelFor(kColumns, [&](size_t c) {
      if (c < kInts) {
        MergeColumn(c, &table_->ints[c], local_ids);
      } else if (c < kInts + kTexts) {
        MergeColumn(c, &table_->texts[c - kInts], local_ids);
      } else {
        MergeColumn(c, &table_->reals[c - kInts - kTexts], local_ids);
      }
    });
  }

  template <typename T>
  void MergeColumn(size_t c, SparseColumn<T>* out,
                   const std::vector<std::vector<StringId>>& local_ids) {
    for (size_t i = 0; i < items_.size(); ++i) {
      LocalColumn* column = items_[i].Find(c);
      if (column == nullptr) continue;
      const std::span<T> values = column->Values<T>();
      if constexpr (std::is_same_v<T, StringId>) {
        for (StringId& id : values) {
          if ((id.value & kLocalText) != 0) id = local_ids[i][id.value & ~kLocalText];
        }
      }
      out->Append(column->rows(), values);
    }
  }

  const Trace& trace_;
  std::span<const std::shared_ptr<const ByteSource>> files_;
  std::span<const std::shared_ptr<const PlaneTables>> planes_;
  std::stop_token stop_;
  std::shared_ptr<StatTable> table_ = std::make_shared<StatTable>();
  std::vector<PlaneActions> actions_;  // by PlaneId
  MetaStats meta_stats_;
  std::vector<Item> items_;  // of the wave
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  Status error_;
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
    std::span<const std::shared_ptr<const PlaneTables>> planes, std::stop_token stop) {
  try {
    return TypedReader(trace, files, planes, std::move(stop)).Run();
  } catch (const std::bad_alloc&) {
    return Status(ErrorCode::kLimit,
                  trace.path + ": not enough memory for the stats of all events");
  }
}

}  // namespace stepscope::xplane
