#include "sql/budget.h"

#include <sqlite3.h>

#include "model/base/job.h"

namespace stepscope {

Budget::Budget(const SqlLimits& limits)
    : limits_(limits),
      begin_(std::chrono::steady_clock::now()),
      memory_before_(sqlite3_memory_used()) {}

bool Budget::Over() {
  if (end_ != End::kNone) return true;
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin_;
  const int64_t used = sqlite3_memory_used() - memory_before_ + own_bytes_;
  if (StopRequested()) {
    end_ = End::kCancelled;
  } else if (limits_.seconds > 0 && spent.count() > limits_.seconds) {
    end_ = End::kTime;
  } else if (limits_.bytes > 0 && used > 0 && static_cast<uint64_t>(used) > limits_.bytes) {
    end_ = End::kMemory;
  }
  return end_ != End::kNone;
}

}  // namespace stepscope
