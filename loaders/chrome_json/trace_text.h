// TraceText: the whole inflated text of a trace file at one address, growing behind its end while
// it is read. Arguments stay here until someone asks for them. One thread appends; others may read
// what was there before.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <stop_token>
#include <string_view>
#include <thread>

#include "loaders/byte_source.h"
#include "model/base/status.h"

namespace stepscope::chrome {

class TraceText {
 public:
  // Address space for `max_bytes` and one more; memory is taken as it fills. kLimit when there is
  // none.
  static Result<std::shared_ptr<TraceText>> Reserve(uint64_t max_bytes);
  // Bytes that are in memory already.
  static std::shared_ptr<TraceText> Of(std::shared_ptr<const ByteSource> source);
  ~TraceText();
  TraceText(const TraceText&) = delete;
  TraceText& operator=(const TraceText&) = delete;

  const char* data() const { return data_; }
  uint64_t size() const { return size_; }
  std::string_view view() const { return {data_, size_}; }
  // Room of at most `want` bytes behind the end; empty when the reserved space is used up.
  std::span<char> Room(size_t want);
  void Grow(size_t n);
  // Gives back the address space behind the end.
  void Finish();

 private:
  TraceText() = default;
  void PopulateAhead(const std::stop_token& stop);
  char* base_ = nullptr;  // mapped, or null when it is a source's
  uint64_t mapped_ = 0;
  const char* data_ = nullptr;
  uint64_t size_ = 0;
  std::shared_ptr<const ByteSource> source_;
  // Takes pages before the reader gets there, which would wait for each of them.
  std::mutex mutex_;
  std::condition_variable_any grown_;
  uint64_t known_size_ = 0;  // under mutex_
  std::jthread populator_;   // last: it uses the rest
};

}  // namespace stepscope::chrome
