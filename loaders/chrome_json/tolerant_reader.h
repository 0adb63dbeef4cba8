// The forgiving way: reads a list of events as far as they make sense. Repairs what can be repaired
// (missing or extra commas, missing values, control characters, NaN), goes on at the next event
// after damage, and counts both. Never fails. Time: linear in the text but for damage, whose total
// cost is bounded by a few passes over the text.
#pragma once

#include <cstdint>
#include <string_view>

#include "loaders/chrome_json/event.h"
#include "loaders/chrome_json/json_cursor.h"

namespace stepscope::chrome {

class TolerantReader {
 public:
  // `text` begins at `offset` of the file's text, somewhere in the event list. `last`: the text
  // ends here for good.
  TolerantReader(std::string_view text, uint64_t offset, bool last);

  enum class State { kMore, kArrayEnd, kTextEnd };
  // Reads up to `max_events` more. kArrayEnd: a closing bracket ended the list, at() is behind it.
  State Read(size_t max_events, Int128 base_ps, WorkerNames* names, BatchResult* out);
  // Go on although the list ended: for lists that only seem to end.
  const char* at() const { return cursor_.at(); }

 private:
  enum class Outcome { kOk, kDamaged, kCut };
  Outcome Object(RawFields* fields, ProblemCounts* problems);
  void Resync(const char* from);

  const char* first_;
  uint64_t offset_;
  bool last_;
  JsonCursor cursor_;
  uint64_t budget_;    // bytes that may still be passed in vain
  bool lost_ = false;  // after damage, until the next event
};

}  // namespace stepscope::chrome
