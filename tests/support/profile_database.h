// SQLite databases as Nsight Systems exports and rocprofv3 writes them, as far as tests need it.
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
  int launches = 4;  // of each process: a call, a kernel on stream 7, a range around the call
  bool old_schema = false;  // without globalPid, graphNodeId, enumerations and names of devices
  bool metrics = false;     // sampled counters and allocations
};
// Launch i of a process has its range at [1000 i, 1000 i + 500) µs, its call at [+100, +200), its
// kernel at [+300, +700), a copy of 4096 bytes at [+700, +750); all of 1 s after the session began.
void FillNsys(const NsysShape& shape, DatabaseWriter* db);
std::string NsysBytes(const NsysShape& shape);

// The same with HIP calls, markers and one agent. `tracks`: rows name a track and timestamps, as in
// newer files; else they say all by themselves.
std::string RocpdBytes(int launches, bool tracks);

}  // namespace stepscope::test
