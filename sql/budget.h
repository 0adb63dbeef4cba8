// Budget: when a query has to end: it was cancelled, its time is over, or it takes too much memory.
// SQLite asks it while it works, and so do loops of ours. One query, one thread: the one whose job
// (model/base/job.h) may be told to stop.
#pragma once

#include <chrono>
#include <cstdint>

namespace stepscope {

struct SqlLimits {
  double seconds = 0;      // 0: as long as it takes
  uint64_t bytes = 0;      // that SQLite may use for the query; 0: no limit
  uint64_t rows = 100000;  // of a result; more are counted, not kept; 0: no limit
};

class Budget {
 public:
  enum class End : uint8_t { kNone, kCancelled, kTime, kMemory };

  explicit Budget(const SqlLimits& limits);
  // Whether the query has to end. Looks at the clock: for loops, once in some thousand turns.
  bool Over();
  End end() const { return end_; }
  // Counts memory that functions of ours use beside SQLite's.
  void Use(int64_t bytes) { own_bytes_ += bytes; }

 private:
  const SqlLimits limits_;
  const std::chrono::steady_clock::time_point begin_;
  const int64_t memory_before_;
  int64_t own_bytes_ = 0;
  End end_ = End::kNone;
};

}  // namespace stepscope
