#include "loaders/sqlite/event_source.h"

#include <algorithm>
#include <array>
#include <utility>

#include "model/trace.h"

namespace stepscope::sqlite {
namespace {

std::string SqlOf(const std::string& expressions, const std::string& from) {
  return "SELECT e.rowid" + expressions + " FROM " + from + " ORDER BY e.rowid";
}

// The first alternative that can be read, or NULL.
std::string Known(const Database& database, const std::string& from, std::string_view text) {
  while (!text.empty()) {
    const size_t bar = std::min(text.find(';'), text.size());
    std::string one(text.substr(0, bar));
    text.remove_prefix(std::min(bar + 1, text.size()));
    if (database.Select(SqlOf(", " + one, from)) != nullptr) return one;
  }
  return "NULL";
}

// An event of the trace, by where it stands in its file.
struct Place {
  uint64_t table;
  int64_t rowid;
  uint32_t row;
};

std::vector<Place> PlacesOf(const Trace& trace, uint32_t file) {
  std::vector<Place> places;
  for (const Lane& lane : trace.set.lanes) {
    if (trace.set.tracks[lane.track.value].source != file) continue;
    for (uint32_t i = 0; i < lane.size(); ++i) {
      const uint64_t ref = lane.SourceOffset(i);
      if (ref == ~uint64_t{0}) continue;
      places.push_back({ref % EventFile::kTables, static_cast<int64_t>(ref / EventFile::kTables),
                        lane.first_row + i});
    }
  }
  std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    return std::pair(a.table, a.rowid) < std::pair(b.table, b.rowid);
  });
  return places;
}

using Values =
    std::array<std::vector<std::pair<uint32_t, int64_t>>, static_cast<size_t>(IntStat::kCount)>;

// Which stats the table has, each once, and the SELECT of them.
std::unique_ptr<Query> SelectInts(const Database& database, const EventTable& table,
                                  std::vector<IntStat>* stats) {
  std::string sql;
  for (const IntExpression& e : table.ints) {
    if (std::find(stats->begin(), stats->end(), e.stat) != stats->end()) continue;
    if (database.Select(SqlOf(std::string(", ") + e.sql, table.from)) == nullptr) continue;
    stats->push_back(e.stat);
    sql += std::string(", ") + e.sql;
  }
  return stats->empty() ? nullptr : database.Select(SqlOf(sql, table.from));
}

// Walks the table beside its places. Behind damage there is nothing.
void ReadInts(const Database& database, const EventTable& table, std::span<const Place> places,
              Values* values) {
  std::vector<IntStat> stats;
  RowScan scan(SelectInts(database, table, &stats));
  size_t at = 0;
  while (at < places.size() && scan.Next()) {
    while (at < places.size() && places[at].rowid < scan.rowid()) ++at;
    for (; at < places.size() && places[at].rowid == scan.rowid(); ++at) {
      for (size_t i = 0; i < stats.size(); ++i) {
        const int column = static_cast<int>(i) + 1;
        if (!scan.row().IsNull(column))
          (*values)[static_cast<size_t>(stats[i])].emplace_back(places[at].row,
                                                                scan.row().Int(column));
      }
    }
  }
}

Status ReadFile(const EventFile& file, const Trace& trace, uint32_t index,
                const std::stop_token& stop, Values* values) {
  const std::vector<Place> places = PlacesOf(trace, index);
  const Result<std::unique_ptr<Database>> database = Database::Open(file.source, stop, nullptr);
  if (!database.ok()) return database.status();
  for (size_t t = 0; t < file.tables.size(); ++t) {
    const auto begin = std::partition_point(places.begin(), places.end(),
                                            [&](const Place& p) { return p.table < t; });
    const auto end =
        std::partition_point(begin, places.end(), [&](const Place& p) { return p.table == t; });
    ReadInts(**database, file.tables[t], {begin, end}, values);
  }
  return {};
}

Stat ShownValue(const Query& row, int column) {
  Stat stat{row.ColumnName(column), int64_t{0}};
  if (row.IsText(column)) {
    stat.value = std::string(row.Text(column));
  } else if (row.IsReal(column)) {
    stat.value = row.Real(column);
  } else {
    stat.value = row.Int(column);
  }
  return stat;
}

// What a reference refers to, where that is there.
void Resolve(const Database& database, const EventTable& table, Stat* stat) {
  for (const Reference& r : table.references) {
    if (stat->name != r.column || !std::holds_alternative<int64_t>(stat->value)) continue;
    const auto query = database.Select(std::string("SELECT ") + r.shown + " FROM " +
                                       Quoted(r.table) + " WHERE rowid = ?");
    if (query == nullptr) continue;
    query->Start(std::get<int64_t>(stat->value));
    if (query->Next() && query->IsText(0)) stat->value = std::string(query->Text(0));
    return;
  }
}

class EventSource final : public StatSource {
 public:
  explicit EventSource(std::vector<EventFile> files) : files_(std::move(files)) {}

  Result<std::vector<Stat>> Decode(const Trace& trace, EventRow row) const override {
    std::vector<Stat> stats;
    const LaneId id = trace.set.LaneOf(row);
    if (id.value >= trace.set.lanes.size()) return stats;
    const Lane& lane = trace.set.lanes[id.value];
    const uint32_t source = trace.set.tracks[lane.track.value].source;
    const uint64_t ref = lane.SourceOffset(row.value - lane.first_row);
    if (source >= files_.size() || ref == ~uint64_t{0}) return stats;
    const EventFile& file = files_[source];
    if (ref % EventFile::kTables >= file.tables.size()) return stats;
    return DecodeRow(file, file.tables[ref % EventFile::kTables],
                     static_cast<int64_t>(ref / EventFile::kTables));
  }

  Result<std::shared_ptr<const StatTable>> LoadTyped(const Trace& trace,
                                                     std::stop_token stop) const override {
    Values values;
    for (uint32_t f = 0; f < files_.size(); ++f) {
      if (Status s = ReadFile(files_[f], trace, f, stop, &values); !s.ok()) return s;
    }
    if (stop.stop_requested()) return Status(ErrorCode::kCancelled, "cancelled");
    auto table = std::make_shared<StatTable>();
    for (size_t s = 0; s < values.size(); ++s) {
      std::sort(values[s].begin(), values[s].end());
      std::vector<uint32_t> rows;
      std::vector<int64_t> numbers;
      for (const auto& [row, value] : values[s]) {
        rows.push_back(row);
        numbers.push_back(value);
      }
      values[s] = {};
      table->ints[s].Append(rows, numbers);
    }
    table->ShrinkToFit();
    return std::shared_ptr<const StatTable>(std::move(table));
  }

  size_t resident_bytes() const override {
    size_t bytes = 0;
    for (const EventFile& file : files_) bytes += file.source->bytes().size();
    return bytes;
  }

 private:
  static Result<std::vector<Stat>> DecodeRow(const EventFile& file, const EventTable& table,
                                             int64_t rowid) {
    std::vector<Stat> stats;
    const Result<std::unique_ptr<Database>> database = Database::Open(file.source, {}, nullptr);
    if (!database.ok()) return database.status();
    const auto query =
        (*database)->Select("SELECT * FROM " + Quoted(table.name) + " WHERE rowid = ?");
    if (query == nullptr) return stats;
    query->Start(rowid);
    if (!query->Next()) return stats;
    for (int i = 0; i < query->columns(); ++i) {
      if (query->IsNull(i)) continue;
      stats.push_back(ShownValue(*query, i));
      Resolve(**database, table, &stats.back());
    }
    return stats;
  }

  std::vector<EventFile> files_;
};

}  // namespace

std::unique_ptr<Query> SelectFirst(const Database& database, const std::string& from,
                                   std::span<const char* const> expressions) {
  std::string sql;
  for (const char* expression : expressions) sql += ", " + Known(database, from, expression);
  return database.Select(SqlOf(sql, from));
}

bool RowScan::Next() {
  if (query_ == nullptr || damaged_ || !query_->Next()) return false;
  const int64_t next = query_->Int(0);
  damaged_ = started_ && next <= rowid_;
  started_ = true;
  rowid_ = next;
  return !damaged_;
}

std::shared_ptr<const StatSource> MakeEventSource(std::vector<EventFile> files) {
  return std::make_shared<EventSource>(std::move(files));
}

}  // namespace stepscope::sqlite
