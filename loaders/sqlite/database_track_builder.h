// DatabaseTrackBuilder: collects the events of one database before its tracks are built. It holds
// what the readers of the two schemas (nsys.cc, rocpd.cc) share: reading rows, naming tracks and
// planes, counters. Owns its events until drafts.Emit. One thread.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <map>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "loaders/common/mixed_track_builder.h"
#include "loaders/sqlite/database.h"
#include "loaders/sqlite/event_source.h"

namespace stepscope::sqlite {

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
bool IsNsys(const Database& database);
bool IsRocpd(const Database& database);

// The name of a copy as PyTorch writes it: "Memcpy HtoD (Pinned -> Device)".
std::string CopyName(std::string_view direction, std::string_view from, std::string_view to);

}  // namespace stepscope::sqlite
