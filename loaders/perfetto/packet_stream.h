// The packets of a Perfetto trace, in order, those inside compressed packets in the place of what
// holds them. A window of the file at a time, so a plain file needs no more memory than its largest
// packet; what was inflated is kept, for arguments.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/byte_source.h"
#include "model/base/column.h"
#include "model/base/status.h"

namespace stepscope::perfetto {

// The bytes of a file: first those that lie in it, then those that were inflated. A packet is known
// by where its tag lies among them.
struct PacketBytes {
  std::shared_ptr<const ByteSource> source;
  Column<char> inflated;
  std::vector<uint64_t> ends;  // of what each compressed packet became
  uint64_t size() const { return source->size() + inflated.size(); }
};

class PacketStream {
 public:
  static constexpr uint64_t kMostPacketBytes = uint64_t{64} << 20;

  // `bytes` lives longer. Packets are inflated into it up to `most_inflated` bytes, or where
  // `inflate` is false, the second time, are taken from it.
  PacketStream(PacketBytes* bytes, uint64_t most_inflated, bool inflate);

  // The next packet and where it lies; false at the end. The view is valid until the next call.
  bool Next(std::string_view* packet, uint64_t* ref);
  const Status& status() const { return status_; }  // kIo, kLimit
  uint64_t done() const { return offset_; }         // bytes of the file
  uint64_t done_inflated() const { return bytes_.source->size() + inner_; }
  bool truncated() const { return truncated_; }
  uint64_t damaged() const { return damaged_; }  // compressed packets

 private:
  bool Fill(uint64_t want);
  bool NextOfFile(std::string_view* packet, uint64_t* ref);
  bool NextInflated(std::string_view* packet, uint64_t* ref);
  bool Inflate(std::string_view packet);
  bool InflateZlib(std::string_view data);
  bool InflateZstd(std::string_view data);
  bool Append(const char* data, size_t size);

  PacketBytes& bytes_;
  uint64_t most_inflated_;
  bool inflate_;
  std::vector<char> window_;
  uint64_t window_at_ = 0, window_size_ = 0;  // of the file
  uint64_t offset_ = 0;                       // of the next packet
  uint64_t inner_ = 0, inner_end_ = 0;        // of bytes_.inflated
  size_t compressed_ = 0;                     // packets so far
  Status status_;
  bool truncated_ = false;
  uint64_t damaged_ = 0;
};

// The packet at `ref`; empty if there is none. kIo when the file changed.
Result<std::string> ReadPacket(const PacketBytes& bytes, uint64_t ref);

}  // namespace stepscope::perfetto
