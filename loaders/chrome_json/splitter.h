// Splitter: walks inflated text as it arrives and cuts the event list into batches of whole events.
// It looks only at quotes, escapes and brackets, 64 bytes a step. The members around the list are
// returned as they are. One thread; O(bytes). The text from keep_from() on must stay where it is
// while the splitter is used.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "loaders/common/json_brackets.h"

namespace stepscope::chrome {

struct TopMember {
  std::string key;    // raw, without quotes
  std::string value;  // raw token
};

class Splitter {
 public:
  // A batch is cut at the first end of an event at or after this many bytes.
  static constexpr size_t kTargetBatch = size_t{256} << 10;
  // No event is that long: without an end for so many bytes, brackets or quotes are broken
  // (lost()).
  static constexpr size_t kMaxBatch = size_t{8} << 20;
  // Longer members around the list are not kept: none that is read is so long.
  static constexpr size_t kMaxMember = size_t{16} << 20;

  // Called for each batch in order, with the offsets [begin, end) of its text.
  using OnBatch = std::function<void(uint64_t begin, uint64_t end)>;

  Splitter(const char* text, OnBatch on_batch);

  // Goes on: the text is there up to `size`, and `eof` says that this is all of it. Returns early
  // when there is nothing more to learn from the text.
  void Advance(uint64_t size, bool eof);

  enum class Place { kStart, kMember, kValue, kEvents, kEnd, kBad };
  Place place() const { return place_; }
  // It is in the event list and finds no ends of events: EventReader must read from batch_begin()
  // on.
  bool lost() const { return lost_; }
  uint64_t batch_begin() const { return batch_begin_; }
  uint64_t position() const { return at_; }  // for kBad: where the text made no sense
  // Text before this offset is not looked at again.
  uint64_t keep_from() const;
  bool saw_events() const { return saw_events_; }
  bool bare_array() const { return bare_array_; }  // a list without an object around it
  bool closed() const { return place_ == Place::kEnd; }
  const std::vector<TopMember>& members() const { return members_; }
  // EventReader found the end of the event list at this offset: goes on after it.
  void EventsEndedAt(uint64_t offset);

 private:
  // The states; each function returns false when it needs more text.
  bool Start(uint64_t size, bool eof);
  bool Member(uint64_t size, bool eof);
  bool Value(uint64_t size, bool eof);
  bool Events(uint64_t size, bool eof);
  bool Walk(uint64_t size, bool eof, bool batches);
  void EndEvents(uint64_t bracket);
  void Cut(uint64_t end);
  void BeginWalk();

  const char* text_;
  OnBatch on_batch_;
  Place place_ = Place::kStart;
  uint64_t at_ = 0;
  bool bare_array_ = false, saw_events_ = false, lost_ = false;
  std::string key_;
  uint64_t value_begin_ = 0, retry_at_ = 0;
  uint64_t batch_begin_ = 0;
  json::BracketState state_;
  int64_t depth_ = 0;
  std::vector<TopMember> members_;
};

}  // namespace stepscope::chrome
