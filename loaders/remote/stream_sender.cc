#include "loaders/remote/stream_sender.h"

#include <algorithm>
#include <utility>

#include "loaders/remote/remote.pb.h"
#include "loaders/store/section.h"

namespace stepscope::remote {
namespace {

constexpr size_t kDataBytes = size_t{1} << 18;  // of a frame

}  // namespace

StreamSender::StreamSender(uint64_t came_bytes, uint64_t came_sum, Send send)
    : came_bytes_(came_bytes),
      came_sum_(came_sum),
      send_(std::move(send)),
      compared_(came_bytes == 0) {}

void StreamSender::Add(std::string_view bytes) {
  bytes_ += bytes.size();
  if (!compared_) {
    const auto begin =
        bytes.substr(0, std::min<uint64_t>(bytes.size(), came_bytes_ - held_.size()));
    held_.append(begin);
    bytes.remove_prefix(begin.size());
    if (held_.size() == came_bytes_) Compare();
  }
  SendData(bytes);
}

void StreamSender::Finish() {
  if (!compared_) SendData(std::exchange(held_, {}));
  compared_ = true;
}

void StreamSender::Compare() {
  compared_ = true;
  const std::string held = std::exchange(held_, {});
  if (store::BeginSum(0, held) != came_sum_) return SendData(held);
  pb::Continue message;
  message.set_bytes(came_bytes_);
  send_(FrameType::kContinue, message.SerializeAsString());
}

void StreamSender::SendData(std::string_view bytes) {
  for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), kDataBytes)))
    send_(FrameType::kData, bytes.substr(0, kDataBytes));
}

}  // namespace stepscope::remote
