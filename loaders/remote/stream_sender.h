// StreamSender: cuts a store into frames. Where the other side has the begin of the same store
// already, it sends only the rest. One thread, no input or output of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "loaders/remote/frames.h"

namespace stepscope::remote {

class StreamSender {
 public:
  using Send = std::function<void(FrameType, std::string_view payload)>;

  // The other side says that it has `came_bytes` bytes with this sum (store::BeginSum); 0: none.
  // They are held back until they are compared. Memory: that many bytes, and never more than the
  // store has.
  StreamSender(uint64_t came_bytes, uint64_t came_sum, Send send);

  void Add(std::string_view bytes);  // the next of the store
  // Nothing more comes: sends what is held back of a store that is shorter than what came.
  void Finish();
  uint64_t bytes() const { return bytes_; }  // of the store so far

 private:
  void SendData(std::string_view bytes);
  void Compare();

  uint64_t came_bytes_, came_sum_;
  Send send_;
  uint64_t bytes_ = 0;
  bool compared_;
  std::string held_;
};

}  // namespace stepscope::remote
