// EventReader: reads a list of events and never fails. It repairs missing or extra commas, missing
// values, control characters and NaN, goes on at the next event after damage, and counts repairs
// and damage. One thread. Linear in the text; damage costs at most a few more passes over it in
// total.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "loaders/chrome_json/event.h"
#include "loaders/common/json_cursor.h"

namespace stepscope::chrome {

class EventReader {
 public:
  // `text` begins at `offset` of the file's text, inside the event list. `last`: nothing follows
  // it.
  EventReader(std::string_view text, uint64_t offset, bool last);
  ~EventReader();
  EventReader(const EventReader&) = delete;
  EventReader& operator=(const EventReader&) = delete;

  enum class State { kMore, kArrayEnd, kTextEnd };
  // Reads up to `max_events` more. kArrayEnd: a closing bracket ended the list, at() is behind it.
  State Read(size_t max_events, Int128 base_ps, WorkerNames* names, BatchResult* out);
  // Where Read() stopped.
  const char* at() const { return cursor_.at(); }

  enum Key : uint8_t;  // these are for the source alone
  struct RawEvent;

 private:
  enum class Outcome { kMore, kWhole, kDamaged, kCut };
  struct KeyText;
  struct KeyTexts;
  Outcome ReadMembers(RawEvent* event, ChromeDiagnostics* diagnostics);
  Outcome ReadKey(bool first, Key* key, bool* clean, ChromeDiagnostics* diagnostics);
  void PassOther(ChromeDiagnostics* diagnostics);
  bool PassDamage(const char* event, bool cut, ChromeDiagnostics* diagnostics);
  void Resync(const char* from);
  uint64_t OffsetOf(const char* at) const { return offset_ + static_cast<uint64_t>(at - first_); }

  std::unique_ptr<KeyTexts> texts_;  // of the events before
  const char* first_;
  uint64_t offset_;
  bool last_;
  json::Cursor cursor_;
  uint64_t budget_;    // bytes that may still be searched in vain
  bool lost_ = false;  // there was damage, and no event since
};

}  // namespace stepscope::chrome
