// Makes SQLite databases as Nsight Systems exports them and rocprofv3 writes them, as far as
// tests need them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

struct sqlite3;

namespace stepscope::test {

// A database in memory, filled by SQL.
class DatabaseWriter {
 public:
  DatabaseWriter();
  ~DatabaseWriter();
  DatabaseWriter(const DatabaseWriter&) = delete;
  DatabaseWriter& operator=(const DatabaseWriter&) = delete;

  void Run(const std::string& sql);  // throws std::runtime_error with SQLite's text
  std::string Bytes() const;         // the file

 private:
  sqlite3* db_ = nullptr;
};

struct NsysShape {
  int processes = 1;
  // Launches of each process; each is a call, a kernel on stream 7 and a range around the call.
  int launches = 4;
  bool old_schema = false;  // without globalPid, graphNodeId, enumerations and names of devices
  bool metrics = false;     // sampled counters and allocations
};
// Launch i of a process has its range at [1000 i, 1000 i + 500) µs, its call at [+100, +200), its
// kernel at [+300, +700), a copy of 4096 bytes at [+700, +750). Times count from 1 s after the
// session began.
void FillNsys(const NsysShape& shape, DatabaseWriter* db);
std::string NsysBytes(const NsysShape& shape);

// A file of rocprofv3 with the same launches as HIP calls, with markers and one agent. `tracks`:
// rows refer to a track and timestamps, as in newer files; else they hold places and times
// themselves.
std::string RocpdBytes(int launches, bool tracks);

}  // namespace stepscope::test
