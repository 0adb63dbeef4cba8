// DatabaseTrackBuilder: collects the events of one database before its tracks are built. It holds
// what the readers of the two schemas (nsys.cc, rocpd.cc) share: reading rows, naming tracks and
// planes, counters. Owns its events until drafts.Emit. One thread.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "loaders/common/mixed_track_builder.h"
#include "loaders/files/byte_source.h"
#include "loaders/sqlite/database.h"
#include "model/stats.h"

namespace stepscope::sqlite {

// The arguments of events that are rows of tables, read again from the file when someone asks.
// Versions of a writer differ in their columns, so a value is asked for by several expressions, and
// the first one that the file understands is used.
struct IntExpression {
  IntStat stat;
  const char* sql;
};

// A column that holds the rowid of a row in another table, and the column that is shown instead.
struct Reference {
  const char* column;
  std::string table;
  const char* shown;  // its column there
};

// Whole numbers of rows that other tables tell, which SQL could find only by a search in each row.
struct LinkedInts {
  std::vector<IntStat> stats;
  std::vector<int64_t> rowids;  // ascending
  std::vector<int64_t> values;  // stats.size() for each row; kNone: none
  static constexpr int64_t kNone = INT64_MIN;
};

// A table of events. Its FROM clause may join other tables by their rowid, in O(log n) a row.
struct EventTable {
  std::string name;
  std::string from;                     // "T" AS e LEFT JOIN …; e is the table
  std::span<const IntExpression> ints;  // the first of a stat that the file understands is used
  std::vector<Reference> references;
  LinkedInts linked = {};
};

// One file of a trace. An event's reference is its rowid and the number of its table.
struct EventFile {
  static constexpr uint64_t kTables = 64;
  static constexpr int64_t kMostRows = int64_t{1} << 56;
  static uint64_t RefOf(size_t table, int64_t rowid) {
    const bool known = table < kTables && rowid >= 0 && rowid < kMostRows;
    return known ? static_cast<uint64_t>(rowid) * kTables + table : ~uint64_t{0};
  }
  std::shared_ptr<const ByteSource> source;
  std::vector<EventTable> tables;
};

// SELECT of the expressions, each replaced by the first of its alternatives (apart by ';') that the
// table has, or by NULL. Column 0 is the rowid, ascending. Null where there is no such table.
std::unique_ptr<Query> SelectFirst(const Database& database, const std::string& from,
                                   std::span<const char* const> expressions);

// Walks the rows of such a SELECT while rowids ascend: pages of a damaged file that refer to each
// other in circles would never end.
class RowScan {
 public:
  explicit RowScan(std::unique_ptr<Query> query) : query_(std::move(query)) {}
  bool Next();
  bool readable() const { return query_ != nullptr; }
  bool damaged() const { return damaged_ || (query_ != nullptr && query_->damaged()); }
  int64_t rowid() const { return rowid_; }
  const Query& row() const { return *query_; }

 private:
  std::unique_ptr<Query> query_;
  int64_t rowid_ = 0;
  bool started_ = false, damaged_ = false;
};

std::shared_ptr<const StatSource> MakeEventSource(std::vector<EventFile> files);

class DatabaseTrackBuilder {
 public:
  using Group = MixedTrackBuilder::Group;
  using PlaneKey = MixedTrackBuilder::PlaneKey;

  DatabaseTrackBuilder(const Database& database, TraceBuilder* builder, std::string label,
                       uint64_t most_text_bytes, std::stop_token stop)
      : drafts(builder),
        database_(database),
        builder_(*builder),
        label_(std::move(label)),
        most_text_bytes_(most_text_bytes),
        stop_(std::move(stop)) {}

  MixedTrackBuilder drafts;
  std::vector<EventTable> tables;
  std::string host_name;
  std::map<int64_t, std::string> processes;  // names, by MixedTrackBuilder::PlaneKey::process
  int64_t unix_ns = 0;                       // Unix time of the file's time 0; 0: unknown

  const Database& database() const { return database_; }
  TraceBuilder& builder() { return builder_; }
  bool stopped() const { return stop_.stop_requested(); }
  bool too_much_text() const { return text_bytes_ > most_text_bytes_; }

  // Calls fn(row, rowid) for the rows of a table, by rowid. Columns from 1 on are the expressions
  // (see SelectFirst). Damage is counted. False where there is no such table.
  template <typename Fn>
  bool ForRows(const std::string& from, std::initializer_list<const char*> expressions, Fn fn) {
    RowScan scan(SelectFirst(database_, from, {expressions.begin(), expressions.size()}));
    if (!scan.readable()) return false;
    while (!stopped() && !too_much_text() && scan.Next()) fn(scan.row(), scan.rowid());
    if (scan.damaged() && !stopped()) CountDamaged(from);
    return true;
  }

  StringId Intern(std::string_view text);  // counts the bytes for too_much_text()
  // The text of a row of `table`, read when first asked for; empty if it is not there.
  StringId TextOf(const std::string& table, const char* column, int64_t rowid);

  // The track of that kind; name() names it when it is new.
  template <typename Fn>
  uint32_t Track(const PlaneKey& plane, Group group, int64_t id, TrackKind kind, Fn name) {
    const uint32_t track = drafts.TrackOf(plane, group, id);
    if (!drafts.IsNew(track)) return track;
    drafts.track(track).track.name = Intern(name());
    drafts.track(track).track.kind = kind;
    return track;
  }
  uint32_t Counter(const PlaneKey& plane, int64_t id, std::string_view name) {
    return Track(plane, Group::kCounters, id, TrackKind::kCounter, [&] { return name; });
  }
  // A slice of a row of `tables[table]` whose columns 1 and 2 are its begin and end.
  MixedTrackBuilder::Slice AddSlice(const Query& row, int64_t rowid, size_t table, uint32_t track,
                                    uint32_t meta) {
    return drafts.AddSlice(track, row.Int(1), row.Int(2, row.Int(1)), meta,
                           EventFile::RefOf(table, rowid));
  }
  // The counter of the bytes that were allocated while recording. `changes` have a time `at` and
  // come in any order; next(change, bytes) is what is allocated after one.
  template <typename Change, typename Fn>
  void AddAllocated(const PlaneKey& plane, std::vector<Change> changes, Fn next) {
    std::stable_sort(changes.begin(), changes.end(),
                     [](const Change& a, const Change& b) { return a.at < b.at; });
    const uint32_t track = Counter(plane, 0, "Memory allocated while recording");
    int64_t bytes = 0;
    for (const Change& change : changes) {
      bytes = next(change, bytes);
      drafts.AddSample(track, change.at, static_cast<double>(bytes));
    }
  }
  // Names the plane of a GPU by its number, that of host threads by their program and process.
  void NamePlane(const PlaneKey& key, const std::string& program, int64_t pid, Plane* plane);

  // Counts events that were left out, with the first places.
  void Count(std::string_view id, Severity severity, std::string_view text, std::string_view place);

 private:
  void CountDamaged(const std::string& from);

  struct Texts {
    std::unique_ptr<Query> query;
    std::unordered_map<int64_t, StringId> known;
  };
  const Database& database_;
  TraceBuilder& builder_;
  std::string label_;
  uint64_t most_text_bytes_, text_bytes_ = 0;
  std::stop_token stop_;
  std::map<std::string, Texts> texts_;  // by table and column
};

// Fill the tracks from the tables of their schema; tables that are missing are left out.
Status ReadNsys(DatabaseTrackBuilder* file);   // tables of Nsight Systems' export
Status ReadRocpd(DatabaseTrackBuilder* file);  // of rocprofv3
Status ReadRocmProfileData(DatabaseTrackBuilder* file);
bool IsNsys(const Database& database);
bool IsRocpd(const Database& database);
bool IsRocmProfileData(const Database& database);

// The op's name in a range that PyTorch's emit_nvtx wrote: "aten::add" for "aten::add, seq = 12,
// op_id = 345, sizes = […]"; nothing for other ranges.
std::optional<std::string_view> OpOfRange(std::string_view text);

// The name of a copy as PyTorch writes it: "Memcpy HtoD (Pinned -> Device)".
std::string CopyName(std::string_view direction, std::string_view from, std::string_view to);

}  // namespace stepscope::sqlite
