#include "loaders/xplane/typed_stats.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <mutex>
#include <string>
#include <utility>

#include "loaders/xplane/stat_columns.h"
#include "model/base/task.h"

namespace stepscope::xplane {
namespace {

constexpr size_t kInts = static_cast<size_t>(IntStat::kCount);
constexpr size_t kTexts = static_cast<size_t>(StringStat::kCount);
constexpr size_t kReals = static_cast<size_t>(RealStat::kCount);
constexpr size_t kColumns = kInts + kTexts + kReals;
constexpr uint32_t kRowsPerItem = 32 << 10;
constexpr uint32_t kLocalText =
    0x80000000u;                     // a string of the item's own pool, not yet of the table's
constexpr size_t kFirstFetch = 192;  // most events are shorter

// What to do with a stat of a plane, by index in PlaneTables::stat_names.
struct Action {
  StatColumn column;
  StringId name_as_value;  // in the table's pool: the name itself, for references to it
};

struct PlaneActions {
  const PlaneTables* tables = nullptr;
  std::vector<Action> actions;
  const Action* Find(uint64_t stat_id) const {
    const uint32_t i = tables->stat_ids.Find(static_cast<int64_t>(stat_id));
    return i == IdMap::kNone ? nullptr : &actions[i];
  }
};

// A decoded typed value: the bits of an int64 or a double, or a string id.
struct Value {
  uint32_t column = 0;  // ints, then texts, then reals
  uint64_t bits = 0;
};

struct LocalColumn {
  std::vector<uint32_t> rows;
  std::vector<uint64_t> bits;
};

struct Item {
  const Lane* lane = nullptr;
  uint32_t first = 0, last = 0;  // within the lane
  const PlaneActions* plane = nullptr;
  const ByteSource* source = nullptr;
  std::array<uint8_t, kColumns>
      slots{};  // by column: 1 + where it is in `columns`; few columns are used at a time
  std::vector<LocalColumn> columns;
  std::unique_ptr<StringPool> pool;  // of strings that stand in the events themselves
};

// Parses one XStat. False when it goes to no column.
class StatDecoder {
 public:
  StatDecoder(const PlaneActions* plane, StringPool* pool, uint32_t local_mark)
      : plane_(plane), pool_(pool), mark_(local_mark) {}

  bool Decode(Bytes p, Bytes end, bool memory_event, Value* out) {
    FieldReader fields(p, end);
    Field f, value;
    uint64_t id = 0;
    while (fields.Next(&f)) {
      if (f.number == 1 && f.wire == kVarint) {
        id = f.value;
      } else if (f.number >= 2 && f.number <= 8) {
        value = f;
      }
    }
    const Action* action = plane_->Find(id);
    if (action == nullptr || value.number == 0) return false;
    switch (action->column.kind) {
      case StatColumn::Kind::kNone:
        return false;
      case StatColumn::Kind::kInt:
        out->column = action->column.column;
        return Int(value, &out->bits);
      case StatColumn::Kind::kReal:
        out->column = static_cast<uint32_t>(kInts + kTexts) + action->column.column;
        return Real(value, &out->bits);
      case StatColumn::Kind::kText:
        out->column = static_cast<uint32_t>(kInts) + action->column.column;
        if (action->column.memory_shape && memory_event)
          out->column =
              static_cast<uint32_t>(kInts) + static_cast<uint32_t>(StringStat::kTensorShape);
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

  const PlaneActions* plane_;
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
    MakeItems();
    ParallelFor(items_.size(), [&](size_t i) {
      if (!stop_.stop_requested() && !failed_.load(std::memory_order_relaxed)) ReadItem(&items_[i]);
    });
    if (stop_.stop_requested()) return Status(ErrorCode::kCancelled, "cancelled");
    if (failed_.load()) return error_;
    Merge();
    return std::shared_ptr<const StatTable>(std::move(table_));
  }

 private:
  void PrepareActions() {
    for (const auto& tables : planes_) {
      PlaneActions& plane = actions_.emplace_back();
      plane.tables = tables.get();
      plane.actions.reserve(tables->stat_names.size());
      for (const std::string& name : tables->stat_names)
        plane.actions.push_back({ColumnOf(name), table_->strings->Intern(name)});
    }
  }

  bool IsMemoryEvent(uint32_t meta) const {
    const auto& metas = trace_.names().metas;
    return meta < metas.size() && metas[meta].category == EventCategory::kMemoryEvent;
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
               IsMemoryEvent(static_cast<uint32_t>(m)));
      if (!readers[tables.file].status().ok()) return readers[tables.file].status();
    }
    meta_stats_.first.push_back(static_cast<uint32_t>(meta_stats_.values.size()));
    return {};
  }

  void ReadMeta(WindowReader* reader, const PlaneActions& plane, const EventMetaScan& meta,
                bool memory_event) {
    StatDecoder decoder(&plane, table_->strings.get(), 0);
    SourceFieldReader fields(reader, meta.begin, meta.end);
    SourceField f;
    while (fields.Next(&f)) {
      if (f.number != 5 || f.wire != kLen || f.size() > kMaxStatBytes) continue;
      const std::string_view bytes = reader->Fetch(f.begin, static_cast<size_t>(f.size()));
      const Bytes p = reinterpret_cast<Bytes>(bytes.data());
      Value value;
      if (decoder.Decode(p, p + bytes.size(), memory_event, &value))
        meta_stats_.values.push_back(value);
    }
  }

  void MakeItems() {
    for (const Lane& lane : trace_.set.lanes) {
      const Track& track = trace_.set.tracks[lane.track.value];
      if (track.plane.value >= actions_.size() || track.source >= files_.size()) continue;
      for (uint32_t first = 0; first < lane.size(); first += kRowsPerItem) {
        Item& item = items_.emplace_back();
        item.lane = &lane;
        item.first = first;
        item.last = std::min(lane.size(), first + kRowsPerItem);
        item.plane = &actions_[track.plane.value];
        item.source = files_[track.source].get();
      }
    }
  }

  static void Put(Item* item, uint32_t row, const Value& value, bool own) {
    uint8_t& slot = item->slots[value.column];
    if (slot == 0) {
      item->columns.emplace_back();
      slot = static_cast<uint8_t>(item->columns.size());
    }
    LocalColumn& column = item->columns[slot - 1u];
    if (column.rows.empty() || column.rows.back() != row) {
      column.rows.push_back(row);
      column.bits.push_back(value.bits);
    } else if (own) {  // twice in one event: the last one counts; the event's own wins over its
                       // metadata's
      column.bits.back() = value.bits;
    }
  }

  void ReadItem(Item* item) {
    item->pool = std::make_unique<StringPool>();
    StatDecoder decoder(item->plane, item->pool.get(), kLocalText);
    WindowReader reader(*item->source);
    for (uint32_t i = item->first; i < item->last; ++i) {
      const uint32_t row = item->lane->first_row + i, meta = item->lane->meta[i];
      const uint64_t at = item->lane->SourceOffset(i);
      if (at != ~uint64_t{0}) ReadEvent(&reader, at, row, IsMemoryEvent(meta), &decoder, item);
      for (const Value& v : meta_stats_.Of(meta)) Put(item, row, v, false);
    }
    if (!reader.status().ok()) {
      std::lock_guard lock(mutex_);
      error_ = reader.status();
      failed_.store(true);
    }
  }

  void ReadEvent(WindowReader* reader, uint64_t at, uint32_t row, bool memory_event,
                 StatDecoder* decoder, Item* item) {
    const std::string_view event = FetchEvent(reader, at);
    FieldReader fields(event);
    Field f;
    Value value;
    while (fields.Next(&f)) {
      if (f.number == 4 && f.wire == kLen) {
        if (decoder->Decode(f.begin, f.end, memory_event, &value)) Put(item, row, value, true);
      } else if (f.number == 5 && f.wire == kVarint) {
        Put(item, row, {static_cast<uint32_t>(IntStat::kNumOccurrences), f.value}, true);
      }
    }
  }

  // Puts the items' columns together in order of rows, column by column, and frees them on the way.
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
        MergeColumn(c, &table_->ints[c],
                    [](size_t, uint64_t bits) { return static_cast<int64_t>(bits); });
      } else if (c < kInts + kTexts) {
        MergeColumn(c, &table_->texts[c - kInts], [&](size_t item, uint64_t bits) {
          return (bits & kLocalText) != 0 ? local_ids[item][bits & ~uint64_t{kLocalText}]
                                          : StringId(static_cast<uint32_t>(bits));
        });
      } else {
        MergeColumn(c, &table_->reals[c - kInts - kTexts],
                    [](size_t, uint64_t bits) { return std::bit_cast<double>(bits); });
      }
    });
  }

  template <typename T, typename Convert>
  void MergeColumn(size_t c, SparseColumn<T>* out, Convert convert) {
    size_t n = 0;
    for (const Item& item : items_)
      n += item.slots[c] == 0 ? 0 : item.columns[item.slots[c] - 1u].rows.size();
    if (n == 0) return;
    out->rows.reserve(n);
    out->values.reserve(n);
    for (size_t i = 0; i < items_.size(); ++i) {
      if (items_[i].slots[c] == 0) continue;
      LocalColumn column = std::move(items_[i].columns[items_[i].slots[c] - 1u]);
      out->rows.insert(out->rows.end(), column.rows.begin(), column.rows.end());
      for (const uint64_t bits : column.bits) out->values.push_back(convert(i, bits));
    }
  }

  const Trace& trace_;
  std::span<const std::shared_ptr<const ByteSource>> files_;
  std::span<const std::shared_ptr<const PlaneTables>> planes_;
  std::stop_token stop_;
  std::shared_ptr<StatTable> table_ = std::make_shared<StatTable>();
  std::vector<PlaneActions> actions_;  // by PlaneId
  MetaStats meta_stats_;
  std::vector<Item> items_;
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
