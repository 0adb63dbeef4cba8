#include "loaders/remote/frames.h"

#include <algorithm>
#include <utility>

#include "loaders/remote/remote.pb.h"
#include "loaders/store/section.h"

namespace stepscope::remote {

std::string Frame(FrameType type, std::string_view payload) {
  std::string out(1, static_cast<char>(type));
  for (uint32_t i = 0; i < 8; ++i)
    out.push_back(static_cast<char>(uint64_t{payload.size()} >> (8 * i)));
  return out.append(payload);
}

bool FrameReader::SkipToMagic() {
  const size_t found = bytes_.find(kServeMagic.substr(1));
  if (found == std::string::npos) {
    failed_ = bytes_.size() > kMaxNoise;
    return false;
  }
  at_ = found + kServeMagic.size() - 1;
  return true;
}

bool FrameReader::Next(FrameType* type, std::string_view* payload) {
  const std::string_view rest = std::string_view(bytes_).substr(at_);
  if (failed_ || rest.size() < kFrameHeaderBytes) {
    bytes_.erase(0, at_);
    at_ = 0;
    return false;
  }
  uint64_t size = 0;
  for (uint32_t i = 0; i < 8; ++i) size |= uint64_t{static_cast<uint8_t>(rest[1 + i])} << (8 * i);
  failed_ = size > kMaxFrameBytes;
  if (failed_ || rest.size() - kFrameHeaderBytes < size) {
    bytes_.erase(0, at_);
    at_ = 0;
    return false;
  }
  *type = static_cast<FrameType>(rest.front());
  *payload = rest.substr(kFrameHeaderBytes, size);
  at_ += kFrameHeaderBytes + size;
  return true;
}

bool FrameReader::Begun(FrameType* type, std::string_view* payload) const {
  const std::string_view rest = std::string_view(bytes_).substr(at_);
  if (failed_ || rest.size() < kFrameHeaderBytes) return false;
  *type = static_cast<FrameType>(rest.front());
  *payload = rest.substr(kFrameHeaderBytes);
  return true;
}

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
