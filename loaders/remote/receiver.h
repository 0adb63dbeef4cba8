// Receiver: takes the frames that the program on the other machine sends, and puts the store
// together. Trusts nothing: lengths are limited, and what goes on with the begin of a store is
// refused unless this side has just that begin. One thread; no process and no file of its own.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "loaders/files/byte_source.h"
#include "loaders/loader.h"
#include "loaders/remote/frames.h"
#include "model/base/column.h"

namespace stepscope {

// StreamPart: what has come of a profile from another machine while parts of it are missing, so
// that the next load of it asks for the rest only (docs/remote.md). Each load has a part of its
// own, which begins with what the load before got. Shares the bytes with the trace that is made of
// them. Any thread.
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

namespace stepscope::remote {

class Receiver {
 public:
  struct Peer {
    std::string address;  // the path of a first picture
    std::string host;     // begins each error
  };

  // `options`, `stop` and `progress` are borrowed. The constructor takes what an earlier load got
  // from `options.part`. `runs` may be null.
  Receiver(Peer peer, const LoadOptions& options, const std::stop_token& stop, Progress* progress,
           std::vector<std::string>* runs);

  // The frame that asks for the profile at the path, or only for what has not come yet.
  std::string Request(const std::string& path) const;
  // False where nothing more is expected: an error came, or the end.
  bool Add(std::string_view bytes);

  bool ended() const { return ended_; }  // all has come
  const Status& status() const { return status_; }
  size_t store_bytes() const { return store_.size(); }
  // The begin of the store as far as it is known: from this load, or from the earlier one where
  // that has more of it. Null where nothing has come yet. Call it once, at the end.
  std::shared_ptr<const ByteSource> TakeStore();

 private:
  void Fail(ErrorCode code, const std::string& why);
  bool Fine(const char* why);
  template <typename Message>
  bool Parse(std::string_view payload, Message* message);
  void Take(FrameType type, std::string_view payload);
  void TakeHello(std::string_view payload);
  void TakeProgress(std::string_view payload);
  void TakeRuns(std::string_view payload);
  void TakeContinue(std::string_view payload);
  void TakeData(std::string_view payload);
  void TakeFailure(std::string_view payload);
  void TakeEnd(std::string_view payload);
  void BeginStore(const char* stage);
  void Append(std::string_view bytes);
  void Preview();
  std::string_view store() const { return {store_.data(), store_.size()}; }

  const Peer peer_;
  const LoadOptions& options_;
  const std::stop_token& stop_;
  Progress& progress_;
  std::vector<std::string>* runs_;
  const std::shared_ptr<const ByteSource> came_;  // by an earlier load; null: nothing
  FrameReader frames_;
  Column<char> store_;
  Status status_;
  bool begun_ = false, ended_ = false, previewed_ = false;
  size_t preview_at_ = 0;
};

}  // namespace stepscope::remote
