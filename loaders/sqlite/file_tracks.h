// What a database of events adds up to before its tracks are made, and what the readers of
// different schemas share. One thread.
#pragma once

#include <initializer_list>
#include <map>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "loaders/sqlite/database.h"
#include "loaders/sqlite/event_source.h"
#include "loaders/track_drafts.h"

namespace stepscope::sqlite {

class FileTracks {
 public:
  FileTracks(const Database& database, TraceBuilder* builder, std::string label,
             uint64_t most_text_bytes, std::stop_token stop)
      : drafts(builder),
        database_(database),
        builder_(*builder),
        label_(std::move(label)),
        most_text_bytes_(most_text_bytes),
        stop_(std::move(stop)) {}

  TrackDrafts drafts;
  std::vector<EventTable> tables;
  std::string host_name;
  std::map<int64_t, std::string> processes;  // names, by TrackDrafts::PlaneKey::process
  int64_t unix_ns = 0;                       // of the file's time 0; 0: unknown

  const Database& database() const { return database_; }
  TraceBuilder& builder() { return builder_; }
  bool stopped() const { return stop_.stop_requested(); }
  bool too_much_text() const { return text_bytes_ > most_text_bytes_; }

  // Calls fn(row, rowid) for the rows of a table; columns 1 and up are the expressions. Damage is
  // counted. False where there is no such table.
  template <typename Fn>
  bool ForRows(const std::string& from, std::initializer_list<const char*> expressions, Fn fn) {
    RowScan scan(SelectFirst(database_, from, {expressions.begin(), expressions.size()}));
    if (!scan.readable()) return false;
    while (!stopped() && !too_much_text() && scan.Next()) fn(scan.row(), scan.rowid());
    if (scan.damaged() && !stopped()) CountDamaged(from);
    return true;
  }

  StringId Intern(std::string_view text);  // counts the bytes
  // The text of a row of `table`, read when first asked for; empty if it is not there.
  StringId TextOf(const std::string& table, const char* column, int64_t rowid);
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

// Fill the tracks; kFormat where there is nothing of theirs.
Status ReadNsys(FileTracks* file);   // tables of Nsight Systems' export
Status ReadRocpd(FileTracks* file);  // of rocprofv3
bool IsNsys(const Database& database);
bool IsRocpd(const Database& database);

// As PyTorch has it: "Memcpy HtoD (Pinned -> Device)".
std::string CopyName(std::string_view direction, std::string_view from, std::string_view to);

}  // namespace stepscope::sqlite
