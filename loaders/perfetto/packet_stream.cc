#include "loaders/perfetto/packet_stream.h"

#include <igzip_lib.h>
#include <zstd.h>

#include <algorithm>
#include <span>
#include <utility>

#include "loaders/xplane/wire.h"

namespace stepscope::perfetto {
namespace {

constexpr uint64_t kWindow = uint64_t{4} << 20;
constexpr uint64_t kHeadBytes = 16;  // of a tag and a length
constexpr uint64_t kPacketTag = 1 << 3 | xplane::kLen;
constexpr uint32_t kZlibPackets = 50, kZstdPackets = 133;
constexpr size_t kBlock = size_t{1} << 18;

// Tag and length of the field at the beginning of `data`. False where there is none.
struct Head {
  uint64_t tag = 0, size = 0, bytes = 0;
};
bool ReadHead(std::string_view data, Head* head) {
  const auto* begin = reinterpret_cast<xplane::Bytes>(data.data());
  const auto* end = begin + data.size();
  const auto* p = xplane::ReadVarint(begin, end, &head->tag);
  if (p == nullptr || (head->tag & 7) != xplane::kLen) return false;
  p = xplane::ReadVarint(p, end, &head->size);
  if (p == nullptr) return false;
  head->bytes = static_cast<uint64_t>(p - begin);
  return true;
}

// The compressed packets that a packet holds; empty if none. They come first: nearly all packets
// hold something else, and are not gone through for this.
xplane::Field CompressedIn(std::string_view packet) {
  xplane::FieldReader reader(packet);
  xplane::Field field, found;
  for (int i = 0; i < 2 && reader.Next(&field); ++i) {
    const bool compressed = field.number == kZlibPackets || field.number == kZstdPackets;
    if (compressed && field.wire == xplane::kLen) return field;
  }
  return found;
}

std::string_view View(const xplane::Field& field) {
  return {reinterpret_cast<const char*>(field.begin), static_cast<size_t>(field.end - field.begin)};
}

}  // namespace

PacketStream::PacketStream(PacketBytes* bytes, uint64_t most_inflated, bool inflate)
    : bytes_(*bytes), most_inflated_(most_inflated), inflate_(inflate) {}

// Brings `want` bytes from offset_ on into the window, or what there is of them.
bool PacketStream::Fill(uint64_t want) {
  const uint64_t left = bytes_.source->size() - std::min(offset_, bytes_.source->size());
  want = std::min(want, left);
  if (offset_ >= window_at_ && offset_ + want <= window_at_ + window_size_) return true;
  const uint64_t size = std::min(std::max(want, kWindow), left);
  window_.resize(size);
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

bool PacketStream::Next(std::string_view* packet, uint64_t* ref) {
  for (;;) {
    if (!status_.ok()) return false;
    if (inner_ < inner_end_) {
      if (NextInflated(packet, ref)) return true;
      continue;
    }
    if (!NextOfFile(packet, ref)) return false;
    const xplane::Field field = CompressedIn(*packet);
    if (field.begin == nullptr) return true;
    inner_ = inner_end_;
    if (!inflate_) {
      if (compressed_ < bytes_.ends.size()) inner_end_ = bytes_.ends[compressed_++];
      continue;
    }
    const bool whole =
        field.number == kZlibPackets ? InflateZlib(View(field)) : InflateZstd(View(field));
    if (!whole) ++damaged_;
    inner_end_ = bytes_.inflated.size();
    bytes_.ends.push_back(inner_end_);
  }
}

bool PacketStream::NextOfFile(std::string_view* packet, uint64_t* ref) {
  while (offset_ < bytes_.source->size()) {
    if (!Fill(kHeadBytes)) return false;
    Head head;
    const std::string_view data(window_.data() + (offset_ - window_at_),
                                window_size_ - (offset_ - window_at_));
    if (!ReadHead(data, &head)) break;
    const uint64_t left = bytes_.source->size() - offset_ - head.bytes;
    if (head.size > left) break;
    if (head.tag != kPacketTag || head.size > kMostPacketBytes) {  // another field: not ours
      offset_ += head.bytes + head.size;
      continue;
    }
    if (!Fill(head.bytes + head.size)) return false;
    *packet = {window_.data() + (offset_ - window_at_) + head.bytes, head.size};
    *ref = offset_;
    offset_ += head.bytes + head.size;
    return true;
  }
  truncated_ = truncated_ || offset_ < bytes_.source->size() || bytes_.source->truncated();
  return false;
}

bool PacketStream::NextInflated(std::string_view* packet, uint64_t* ref) {
  const std::string_view data(bytes_.inflated.data() + inner_, inner_end_ - inner_);
  Head head;
  if (!ReadHead(data, &head) || head.size > data.size() - head.bytes) {
    inner_ = inner_end_;
    return false;
  }
  *packet = data.substr(head.bytes, head.size);
  *ref = bytes_.source->size() + inner_;
  inner_ += head.bytes + head.size;
  return head.tag == kPacketTag;
}

bool PacketStream::Append(const char* data, size_t size) {
  if (bytes_.inflated.size() + size > most_inflated_) {
    status_ = {ErrorCode::kLimit, "inflates to more than the limit of " +
                                      std::to_string(most_inflated_ >> 20) + " MiB"};
    return false;
  }
  for (size_t i = 0; i < size; ++i) bytes_.inflated.push_back(data[i]);
  return true;
}

bool PacketStream::InflateZlib(std::string_view data) {
  inflate_state state;
  isal_inflate_init(&state);
  state.crc_flag = ISAL_ZLIB;
  state.next_in = reinterpret_cast<uint8_t*>(const_cast<char*>(data.data()));
  state.avail_in = static_cast<uint32_t>(data.size());
  std::vector<char> block(kBlock);
  for (;;) {
    state.next_out = reinterpret_cast<uint8_t*>(block.data());
    state.avail_out = static_cast<uint32_t>(block.size());
    const int code = isal_inflate(&state);
    const size_t got = block.size() - state.avail_out;
    if (!Append(block.data(), got)) return false;
    if (state.block_state == ISAL_BLOCK_FINISH) return true;
    if (code != ISAL_DECOMP_OK || got == 0) return false;
  }
}

bool PacketStream::InflateZstd(std::string_view data) {
  const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(),
                                                                     &ZSTD_freeDCtx);
  std::vector<char> block(kBlock);
  ZSTD_inBuffer in{data.data(), data.size(), 0};
  for (;;) {
    ZSTD_outBuffer out{block.data(), block.size(), 0};
    const size_t code = ZSTD_decompressStream(context.get(), &out, &in);
    if (ZSTD_isError(code) != 0U) return false;
    if (!Append(block.data(), out.pos)) return false;
    if (code == 0 && in.pos == in.size) return true;
    if (out.pos == 0 && in.pos == in.size) return false;
  }
}

Result<std::string> ReadPacket(const PacketBytes& bytes, uint64_t ref) {
  const uint64_t plain = bytes.source->size();
  std::string head_bytes(kHeadBytes, '\0');
  const auto read = [&](uint64_t at, std::string* out) -> Status {
    if (at >= plain) {
      const uint64_t inner = std::min<uint64_t>(at - plain, bytes.inflated.size());
      const uint64_t n = std::min<uint64_t>(out->size(), bytes.inflated.size() - inner);
      out->assign(bytes.inflated.data() + inner, n);
      return {};
    }
    const Result<size_t> n = bytes.source->Read(at, std::as_writable_bytes(std::span(*out)));
    if (!n.ok()) return n.status();
    out->resize(*n);
    return {};
  };
  if (Status s = read(ref, &head_bytes); !s.ok()) return s;
  Head head;
  if (!ReadHead(head_bytes, &head) || head.size > PacketStream::kMostPacketBytes)
    return std::string();
  std::string packet(head.size, '\0');
  if (Status s = read(ref + head.bytes, &packet); !s.ok()) return s;
  return packet;
}

}  // namespace stepscope::perfetto
