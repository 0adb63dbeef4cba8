// Splitter: walks inflated text as it arrives and cuts the event list into batches of whole events.
// It looks only at quotes, escapes and brackets, 64 bytes a step. The members around the list are
// returned as they are. One thread; O(bytes). The text from keep_from() on must stay where it is
// while the splitter is used.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "loaders/common/json_brackets.h"
#include "loaders/files/byte_source.h"
#include "model/base/status.h"

namespace stepscope::chrome {

// TraceText: the inflated text of a trace file at one address, growing at its end while it is read.
// A kept text stays, because arguments are read from it later. A passing text releases what
// has been parsed and uses its pages again at the end: taking fresh pages for a whole file costs
// three times as much as reading it. One thread appends and releases; others may read text
// that was there before and is not released.
class TraceText {
 public:
  // A kept text with address space for `max_bytes` and one more; memory is taken as it fills.
  // kLimit when there is no such space.
  static Result<std::shared_ptr<TraceText>> Reserve(uint64_t max_bytes);
  // A passing text, likewise.
  static Result<std::shared_ptr<TraceText>> Passing(uint64_t max_bytes);
  // A kept text of bytes that are in memory already.
  static std::shared_ptr<TraceText> Of(std::shared_ptr<const ByteSource> source);
  ~TraceText();
  TraceText(const TraceText&) = delete;
  TraceText& operator=(const TraceText&) = delete;

  const char* data() const { return data_; }
  uint64_t size() const { return size_; }
  std::string_view view() const { return {data_, size_}; }
  // Room for at most `want` bytes at the end; empty when the reserved space is used up.
  std::span<char> Room(size_t want);
  void Grow(size_t n);
  bool passing() const { return passing_; }
  // For a passing text: nobody reads before this offset any more, and there may be zeros from now
  // on.
  void Release(uint64_t before) { released_ = before; }
  // Gives back the address space after the end.
  void Finish();

 private:
  TraceText() = default;
  void TakeChunk(uint64_t chunk);
  void PopulateAhead(const std::stop_token& stop);
  char* base_ = nullptr;  // mapped, or null when it is a source's
  uint64_t mapped_ = 0;
  const char* data_ = nullptr;
  uint64_t size_ = 0;
  std::shared_ptr<const ByteSource> source_;
  bool passing_ = false;
  uint64_t released_ = 0;
  uint64_t taken_ = 0, oldest_ = 0;  // chunks: with pages of their own; the next to give them up
  // A thread takes pages before the reader gets there, which would wait for each of them.
  std::mutex mutex_;
  std::condition_variable_any grown_;
  uint64_t known_size_ = 0;  // under mutex_
  std::jthread populator_;   // last: it uses the rest
};

struct TopMember {
  std::string key;    // raw, without quotes
  std::string value;  // raw token; empty: longer than Splitter::kMaxMember
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
