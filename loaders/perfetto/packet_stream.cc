#include "loaders/perfetto/packet_stream.h"

#include <algorithm>
#include <span>

#include "loaders/common/wire.h"
#include "loaders/files/compression.h"

namespace stepscope::perfetto {
namespace {

constexpr uint64_t kHeadBytes = 16;  // most bytes of a tag and a length
constexpr uint64_t kPacketTag = 1 << 3 | proto::kLen;
constexpr uint32_t kZlibPackets = 50, kZstdPackets = 133;

// Tag and length of a field, and how many bytes they take.
struct Head {
  uint64_t tag = 0, size = 0, bytes = 0;
};
// Reads the head at the beginning of `data`. False where there is none.
bool ReadHead(std::string_view data, Head* head) {
  const auto* begin = reinterpret_cast<proto::Bytes>(data.data());
  const auto* end = begin + data.size();
  const auto* p = proto::ReadVarint(begin, end, &head->tag);
  if (p == nullptr || (head->tag & 7) != proto::kLen) return false;
  p = proto::ReadVarint(p, end, &head->size);
  if (p == nullptr) return false;
  head->bytes = static_cast<uint64_t>(p - begin);
  return true;
}

// The compressed packets that a packet holds; empty if there are none. They come first: other
// packets, which nearly all are, are not searched for them.
proto::Field CompressedIn(std::string_view packet) {
  proto::FieldReader reader(packet);
  proto::Field field, found;
  for (int i = 0; i < 2 && reader.Next(&field); ++i) {
    const bool compressed = field.number == kZlibPackets || field.number == kZstdPackets;
    if (compressed && field.wire == proto::kLen) return field;
  }
  return found;
}

// Whether the packet begins with a number in one of the first fields, followed by something else
// than compressed packets, as nearly all do.
bool HoldsEvents(std::string_view packet) {
  const auto* p = reinterpret_cast<proto::Bytes>(packet.data());
  const auto* end = p + packet.size();
  if (packet.size() < 2 || (*p & 0x87) != proto::kVarint || *p < 8) return false;
  uint64_t value = 0;
  p = proto::ReadVarint(p + 1, end, &value);
  return p != nullptr && p < end && *p < 0x80;
}

}  // namespace

PacketStream::PacketStream(PacketBytes* bytes, uint64_t most_inflated)
    : bytes_(*bytes), most_inflated_(most_inflated), file_size_(bytes->source->size()) {}

// Brings `want` bytes from offset_ on into the window, or fewer at the end of the file.
bool PacketStream::Fill(uint64_t want) {
  const uint64_t left = file_size_ - std::min(offset_, file_size_);
  want = std::min(want, left);
  if (offset_ >= window_at_ && offset_ + want <= window_at_ + window_size_) return true;
  const uint64_t size = std::min(std::max(want, kBatchBytes), left);
  if (window_.size() > 2 * kBatchBytes && size <= kBatchBytes) window_ = {};
  if (window_.size() < size) window_.resize(size);
  const Result<size_t> n =
      bytes_.source->Read(offset_, std::as_writable_bytes(std::span(window_.data(), size)));
  if (!n.ok()) {
    status_ = n.status();
    return false;
  }
  window_at_ = offset_;
  window_size_ = *n;
  return true;
}

bool PacketStream::Next(PacketBatch* batch) {
  batch->frames.clear();
  while (status_.ok()) {
    if (inner_ < inner_end_) {
      NextInflated(batch);
    } else if (!NextOfFile(batch)) {
      return false;
    }
    if (!batch->frames.empty()) return status_.ok();
  }
  return false;
}

// Adds the packet that begins at offset_ to the batch.
PacketStream::Step PacketStream::FrameOne(PacketBatch* batch, proto::Field* compressed) {
  const uint64_t at = offset_ - window_at_;
  const std::string_view data(window_.data() + at, window_size_ - at);
  const bool rest = window_at_ + window_size_ >= file_size_;
  if (data.size() < kHeadBytes && !rest) return Step::kRefill;
  Head head;
  if (!ReadHead(data, &head) || head.size > file_size_ - offset_ - head.bytes) return Step::kEnd;
  if (head.tag != kPacketTag || head.size > kMostPacketBytes) {  // another field, which is skipped
    offset_ += head.bytes + head.size;
    return Step::kSkipped;
  }
  if (head.bytes + head.size > data.size()) {
    needed_ = head.bytes + head.size;
    return rest ? Step::kEnd : Step::kRefill;
  }
  const std::string_view packet = data.substr(head.bytes, head.size);
  if (!HoldsEvents(packet)) *compressed = CompressedIn(packet);
  if (compressed->begin != nullptr && !batch->frames.empty()) return Step::kCompressed;
  offset_ += head.bytes + head.size;
  if (compressed->begin != nullptr) return Step::kCompressed;
  batch->frames.push_back({static_cast<uint32_t>(at), static_cast<uint32_t>(at + head.bytes),
                           static_cast<uint32_t>(head.size)});
  return Step::kFrame;
}

// Fills the batch with packets of the file. False at its end.
bool PacketStream::NextOfFile(PacketBatch* batch) {
  needed_ = kHeadBytes;
  for (;;) {
    if (offset_ >= file_size_) break;
    const bool inside = offset_ >= window_at_ && offset_ < window_at_ + window_size_;
    proto::Field compressed;
    Step step = Step::kRefill;
    if (inside) step = FrameOne(batch, &compressed);
    if (step == Step::kEnd) break;
    if (step == Step::kFrame || step == Step::kSkipped) continue;
    if (!batch->frames.empty()) {
      TakeWindow(step == Step::kRefill, batch);
      return true;
    }
    if (step == Step::kCompressed) {
      Open(compressed);
      return true;
    }
    if (!Fill(needed_) || window_size_ < std::min(needed_, file_size_ - offset_)) break;
  }
  if (!batch->frames.empty()) {
    TakeWindow(true, batch);
    return true;
  }
  truncated_ = truncated_ || offset_ < file_size_ || bytes_.source->truncated();
  return false;
}

// Gives the window's bytes to the batch, without a copy where nothing else is in the window.
void PacketStream::TakeWindow(bool whole, PacketBatch* batch) {
  batch->inflated = false;
  batch->base = window_at_;
  batch->other = file_size_ + inner_;
  if (whole) {
    batch->bytes.swap(window_);
    window_size_ = 0;
    return;
  }
  const uint32_t first = batch->frames.front().tag;
  batch->base += first;
  batch->bytes.assign(window_.begin() + first,
                      window_.begin() + static_cast<std::ptrdiff_t>(offset_ - window_at_));
  for (PacketBatch::Frame& f : batch->frames) f = {f.tag - first, f.begin - first, f.size};
}

// Fills the batch with inflated packets until it has enough, or to the end of one compressed
// packet.
void PacketStream::NextInflated(PacketBatch* batch) {
  const uint64_t begin = inner_;
  while (inner_ < inner_end_ && inner_ - begin < kBatchBytes) {
    const std::string_view data(bytes_.inflated.data() + inner_, inner_end_ - inner_);
    Head head;
    if (!ReadHead(data, &head) || head.size > data.size() - head.bytes) {
      inner_ = inner_end_;
      break;
    }
    const auto at = static_cast<uint32_t>(inner_ - begin);
    if (head.tag == kPacketTag && head.size <= kMostPacketBytes)
      batch->frames.push_back(
          {at, at + static_cast<uint32_t>(head.bytes), static_cast<uint32_t>(head.size)});
    inner_ += head.bytes + head.size;
  }
  if (batch->frames.empty()) return;
  batch->inflated = true;
  batch->base = file_size_ + begin;
  batch->other = offset_;
  const PacketBatch::Frame& last = batch->frames.back();
  const char* from = bytes_.inflated.data() + begin;
  batch->bytes.assign(from, from + last.begin + last.size);
}

void PacketStream::Open(const proto::Field& compressed) {
  inner_ = inner_end_;
  const bool zlib = compressed.number == kZlibPackets;
  const std::unique_ptr<Inflater> inflater =
      MakeInflater(zlib ? Compression::kZlib : Compression::kZstd);
  const std::span<const char> bytes(reinterpret_cast<const char*>(compressed.begin),
                                    reinterpret_cast<const char*>(compressed.end));
  const AppendResult result =
      AppendInflated(inflater.get(), bytes, most_inflated_, &bytes_.inflated);
  if (result == AppendResult::kLimit) {
    status_ = {ErrorCode::kLimit, "inflates to more than the limit of " +
                                      std::to_string(most_inflated_ >> 20) + " MiB"};
  }
  if (result != AppendResult::kDone || !inflater->AtEnd()) ++damaged_;
  inner_end_ = bytes_.inflated.size();
}

// `size` bytes at `at`, or fewer at the end.
Result<std::string_view> PacketWindow::Bytes(uint64_t at, uint64_t size) {
  const uint64_t plain = bytes_.source->size();
  if (at >= plain) {
    const uint64_t inner = std::min<uint64_t>(at - plain, bytes_.inflated.size());
    return std::string_view(bytes_.inflated.data() + inner,
                            std::min<uint64_t>(size, bytes_.inflated.size() - inner));
  }
  size = std::min(size, plain - at);
  if (at < at_ || at + size > at_ + size_) {
    const uint64_t want = std::min(std::max(size, window_bytes_), plain - at);
    if (window_.size() < want) window_.resize(want);
    const Result<size_t> n =
        bytes_.source->Read(at, std::as_writable_bytes(std::span(window_.data(), want)));
    if (!n.ok()) return n.status();
    at_ = at;
    size_ = *n;
    size = std::min(size, size_);
  }
  return std::string_view(window_.data() + (at - at_), size);
}

Result<std::string_view> PacketWindow::At(uint64_t ref) {
  Result<std::string_view> begin = Bytes(ref, kHeadBytes);
  if (!begin.ok()) return begin;
  Head head;
  if (!ReadHead(*begin, &head) || head.size > PacketStream::kMostPacketBytes)
    return std::string_view();
  return Bytes(ref + head.bytes, head.size);
}

}  // namespace stepscope::perfetto
