// StreamPart: what has come of a profile from another machine while parts of it are missing, so
// that the next load of it asks for the rest only (docs/remote.md). Each load has a part of its
// own, which begins with what the load before got. Shares the bytes with the trace that is made of
// them. Any thread.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>

#include "loaders/files/byte_source.h"

namespace stepscope {

class StreamPart {
 public:
  explicit StreamPart(std::shared_ptr<const ByteSource> came = nullptr) : came_(std::move(came)) {}

  // The begin of the profile's store, in memory. Null: nothing has come, or all of it.
  std::shared_ptr<const ByteSource> came() const {
    std::lock_guard lock(mutex_);
    return came_;
  }
  // Bytes that this load has from the load before; 0: none, because the profile is another one now,
  // or because the other machine has not answered yet.
  uint64_t reused() const { return reused_; }

  // For the load.
  void Keep(std::shared_ptr<const ByteSource> came) {
    std::lock_guard lock(mutex_);
    came_ = std::move(came);
  }
  void SetReused(uint64_t bytes) { reused_ = bytes; }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const ByteSource> came_;
  std::atomic<uint64_t> reused_{0};
};

}  // namespace stepscope
