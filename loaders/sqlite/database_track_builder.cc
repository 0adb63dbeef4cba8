#include "loaders/sqlite/database_track_builder.h"

#include <utility>

#include "loaders/common/row_values.h"
#include "model/stat_reader.h"
#include "model/trace.h"

namespace stepscope::sqlite {
namespace {

std::string SqlOf(const std::string& expressions, const std::string& from) {
  return "SELECT e.rowid" + expressions + " FROM " + from + " ORDER BY e.rowid";
}

// The first of the alternatives in `text` that the database can read, or "NULL".
std::string Known(const Database& database, const std::string& from, std::string_view text) {
  while (!text.empty()) {
    const size_t bar = std::min(text.find(';'), text.size());
    std::string one(text.substr(0, bar));
    text.remove_prefix(std::min(bar + 1, text.size()));
    if (database.Select(SqlOf(", " + one, from)) != nullptr) return one;
  }
  return "NULL";
}

// An event of the trace, by its table and row in the file.
struct Place {
  uint64_t table;
  int64_t rowid;
  uint32_t row;
};

std::vector<Place> PlacesOf(const Trace& trace, uint32_t file) {
  std::vector<Place> places;
  ForRefs(trace, file, [&](uint64_t ref, uint32_t row) {
    if (ref == ~uint64_t{0}) return;
    places.push_back(
        {ref % EventFile::kTables, static_cast<int64_t>(ref / EventFile::kTables), row});
  });
  std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    return std::pair(a.table, a.rowid) < std::pair(b.table, b.rowid);
  });
  return places;
}

// A SELECT of the stats that the table has; `stats` gets each of them once.
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

// Walks the table beside its events, and ends where it is damaged.
void ReadInts(const Database& database, const EventTable& table, std::span<const Place> places,
              RowValues* values) {
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

// Adds the numbers of rows that the loader has found in other tables.
void ReadLinked(const LinkedInts& linked, std::span<const Place> places, RowValues* values) {
  size_t at = 0;
  for (const Place& place : places) {
    while (at < linked.rowids.size() && linked.rowids[at] < place.rowid) ++at;
    if (at == linked.rowids.size()) return;
    if (linked.rowids[at] != place.rowid) continue;
    for (size_t i = 0; i < linked.stats.size(); ++i) {
      const int64_t value = linked.values[at * linked.stats.size() + i];
      if (value != LinkedInts::kNone)
        (*values)[static_cast<size_t>(linked.stats[i])].emplace_back(place.row, value);
    }
  }
}

Status ReadFile(const EventFile& file, const Trace& trace, uint32_t index,
                const std::stop_token& stop, RowValues* values) {
  const std::vector<Place> places = PlacesOf(trace, index);
  const Result<std::unique_ptr<Database>> database = Database::Open(file.source, stop, nullptr);
  if (!database.ok()) return database.status();
  for (size_t t = 0; t < file.tables.size(); ++t) {
    const auto begin = std::partition_point(places.begin(), places.end(),
                                            [&](const Place& p) { return p.table < t; });
    const auto end =
        std::partition_point(begin, places.end(), [&](const Place& p) { return p.table == t; });
    ReadInts(**database, file.tables[t], {begin, end}, values);
    ReadLinked(file.tables[t].linked, {begin, end}, values);
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

// The SELECTs that read a row of a table with what it refers to.
struct RowQueries {
  RowQueries(const Database& database, const EventTable& table)
      : row(database.Select("SELECT * FROM " + Quoted(table.name) + " WHERE rowid = ?")) {
    for (const Reference& r : table.references)
      shown.push_back(database.Select(std::string("SELECT ") + r.shown + " FROM " +
                                      Quoted(r.table) + " WHERE rowid = ?"));
  }

  std::unique_ptr<Query> row;                 // null where the table is not there
  std::vector<std::unique_ptr<Query>> shown;  // by reference, likewise
};

// Replaces a reference by what it refers to, if that is there.
void Resolve(const RowQueries& queries, const EventTable& table, Stat* stat) {
  for (size_t i = 0; i < table.references.size(); ++i) {
    if (stat->name != table.references[i].column || queries.shown[i] == nullptr) continue;
    if (!std::holds_alternative<int64_t>(stat->value)) continue;
    Query& query = *queries.shown[i];
    query.Start(std::get<int64_t>(stat->value));
    if (query.Next() && query.IsText(0)) stat->value = std::string(query.Text(0));
    return;
  }
}

std::vector<Stat> DecodeRow(const RowQueries& queries, const EventTable& table, int64_t rowid) {
  std::vector<Stat> stats;
  if (queries.row == nullptr) return stats;
  Query& query = *queries.row;
  query.Start(rowid);
  if (!query.Next()) return stats;
  for (int i = 0; i < query.columns(); ++i) {
    if (query.IsNull(i)) continue;
    stats.push_back(ShownValue(query, i));
    Resolve(queries, table, &stats.back());
  }
  return stats;
}

// Keeps the databases open and the SELECTs compiled from row to row: either takes far longer than
// to read a row.
class EventReader final : public StatReader {
 public:
  EventReader(const Trace& trace, std::span<const EventFile> files)
      : trace_(trace), files_(files), open_(files.size()) {}

  Result<std::vector<Stat>> Read(EventRow row) override {
    const auto place = RefOfRow(trace_, row);
    if (!place || place->source >= files_.size() || place->ref == ~uint64_t{0})
      return std::vector<Stat>();
    const EventFile& file = files_[place->source];
    const uint64_t table = place->ref % EventFile::kTables;
    if (table >= file.tables.size()) return std::vector<Stat>();
    OpenFile& open = open_[place->source];
    if (open.database == nullptr) {
      Result<std::unique_ptr<Database>> opened = Database::Open(file.source, {}, nullptr);
      if (!opened.ok()) return opened.status();
      open.database = std::move(*opened);
      open.queries.resize(file.tables.size());
    }
    std::unique_ptr<RowQueries>& queries = open.queries[table];
    if (queries == nullptr)
      queries = std::make_unique<RowQueries>(*open.database, file.tables[table]);
    return DecodeRow(*queries, file.tables[table],
                     static_cast<int64_t>(place->ref / EventFile::kTables));
  }

 private:
  struct OpenFile {
    std::unique_ptr<Database> database;                // null: not open yet
    std::vector<std::unique_ptr<RowQueries>> queries;  // by table; null: not asked yet
  };
  const Trace& trace_;
  std::span<const EventFile> files_;
  std::vector<OpenFile> open_;  // by file
};

class EventSource final : public StatSource, public StatReaders {
 public:
  explicit EventSource(std::vector<EventFile> files) : files_(std::move(files)) {}

  Result<std::vector<Stat>> Decode(const Trace& trace, EventRow row) const override {
    return EventReader(trace, files_).Read(row);
  }

  std::unique_ptr<StatReader> NewReader(const Trace& trace) const override {
    return std::make_unique<EventReader>(trace, files_);
  }

  Result<std::shared_ptr<const StatTable>> LoadTyped(const Trace& trace,
                                                     std::stop_token stop) const override {
    RowValues values;
    for (uint32_t f = 0; f < files_.size(); ++f) {
      if (Status s = ReadFile(files_[f], trace, f, stop, &values); !s.ok()) return s;
    }
    return TableOf(std::move(values), trace.set.rows, stop);
  }

  size_t resident_bytes() const override {
    size_t bytes = 0;
    for (const EventFile& file : files_) bytes += file.source->bytes().size();
    return bytes;
  }

 private:
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

StringId DatabaseTrackBuilder::Intern(std::string_view text) {
  text_bytes_ += text.size();
  return builder_.strings().Intern(text);
}

StringId DatabaseTrackBuilder::TextOf(const std::string& table, const char* column, int64_t rowid) {
  Texts& texts = texts_[table + '.' + column];
  const auto [it, added] = texts.known.try_emplace(rowid, StringId(0));
  if (!added) return it->second;
  if (texts.query == nullptr)
    texts.query = database_.Select(std::string("SELECT ") + column + " FROM " + Quoted(table) +
                                   " WHERE rowid = ?");
  if (texts.query == nullptr) return it->second;
  texts.query->Start(rowid);
  if (texts.query->Next()) it->second = Intern(texts.query->Text(0));
  return it->second;
}

void DatabaseTrackBuilder::NamePlane(const PlaneKey& key, const std::string& program, int64_t pid,
                                     Plane* plane) {
  if (key.kind == PlaneKind::kGpu) {
    plane->id = key.number;
    plane->display_name = "GPU " + std::to_string(key.number);
    plane->name = Intern("/device:GPU:" + std::to_string(key.number));
    return;
  }
  plane->id = pid;
  plane->display_name = "Host threads";
  plane->subtitle = (program.empty() ? "Process " : program + ", process ") + std::to_string(pid);
  plane->name = Intern(plane->subtitle);
}

void DatabaseTrackBuilder::Count(std::string_view id, Severity severity, std::string_view text,
                                 std::string_view place) {
  builder_.trace().diagnostics.Count(id, severity, text, label_ + " " + std::string(place));
}

void DatabaseTrackBuilder::CountDamaged(const std::string& from) {
  Count("sqlite.damaged_table", Severity::kWarning,
        "Tables are damaged: their rows are read up to there",
        "table " + from.substr(0, from.find(" AS ")));
}

std::string CopyName(std::string_view direction, std::string_view from, std::string_view to) {
  std::string name = "Memcpy ";
  name += direction;
  if (!from.empty() && !to.empty()) {
    name += " (";
    name += from;
    name += " -> ";
    name += to;
    name += ')';
  }
  return name;
}

}  // namespace stepscope::sqlite
