// TraceText: the inflated text of a trace file at one address, growing at its end while it is read.
// A kept text stays, because arguments are read from it later. A passing text releases what
// has been parsed and uses its pages again at the end: taking fresh pages for a whole file costs
// three times as much as reading it. One thread appends and releases; others may read text
// that was there before and is not released.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <stop_token>
#include <string_view>
#include <thread>

#include "loaders/files/byte_source.h"
#include "model/base/status.h"

namespace stepscope::chrome {

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

}  // namespace stepscope::chrome
