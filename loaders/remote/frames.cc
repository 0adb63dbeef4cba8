#include "loaders/remote/frames.h"

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

}  // namespace stepscope::remote
