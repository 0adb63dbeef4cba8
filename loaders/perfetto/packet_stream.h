// The packets of a Perfetto trace in order; those inside a compressed packet take its place. They
// come in batches of about 256 KiB, so a plain file needs little more memory than its largest
// packet. What was inflated is kept, because arguments are read again from it.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "loaders/common/wire.h"
#include "loaders/files/byte_source.h"
#include "model/base/column.h"
#include "model/base/status.h"

namespace stepscope::perfetto {

// The bytes of a file, followed by the bytes that were inflated. A packet's reference is the place
// of its tag among them.
struct PacketBytes {
  std::shared_ptr<const ByteSource> source;
  Column<char> inflated;
  uint64_t size() const { return source->size() + inflated.size(); }
};

// Packets that follow each other, all from the file or all inflated. Owns a copy of their bytes.
// The same object may be filled again.
struct PacketBatch {
  struct Frame {
    uint32_t tag, begin, size;  // within the bytes
  };
  std::vector<char> bytes;
  std::vector<Frame> frames;
  uint64_t base = 0;   // reference of the first byte
  uint64_t other = 0;  // reference of the next packet of the other kind
  bool inflated = false;
  std::string_view packet(const Frame& f) const { return {bytes.data() + f.begin, f.size}; }
  uint64_t ref(const Frame& f) const { return base + f.tag; }
};

class PacketStream {
 public:
  static constexpr uint64_t kMostPacketBytes = uint64_t{64} << 20;
  static constexpr uint64_t kBatchBytes = uint64_t{256} << 10;

  // `bytes` must outlive the stream. Packets are inflated into it, up to `most_inflated` bytes.
  PacketStream(PacketBytes* bytes, uint64_t most_inflated);

  // Fills the batch with at least one packet; false at the end and after an error (status()).
  bool Next(PacketBatch* batch);
  const Status& status() const { return status_; }  // kIo, kLimit
  uint64_t done() const { return offset_; }         // bytes of the file that were read
  bool truncated() const { return truncated_; }
  uint64_t damaged() const { return damaged_; }  // number of damaged compressed packets

 private:
  enum class Step : uint8_t { kFrame, kSkipped, kRefill, kCompressed, kEnd };
  bool Fill(uint64_t want);
  bool NextOfFile(PacketBatch* batch);
  Step FrameOne(PacketBatch* batch, proto::Field* compressed);
  void TakeWindow(bool whole, PacketBatch* batch);
  void NextInflated(PacketBatch* batch);
  void Open(const proto::Field& compressed);

  PacketBytes& bytes_;
  uint64_t most_inflated_;
  uint64_t file_size_;
  std::vector<char> window_;
  uint64_t window_at_ = 0, window_size_ = 0;  // of the file
  uint64_t offset_ = 0;                       // of the next packet
  uint64_t needed_ = 0;                       // bytes of the packet that the window lacks
  uint64_t inner_ = 0, inner_end_ = 0;        // of bytes_.inflated
  Status status_;
  bool truncated_ = false;
  uint64_t damaged_ = 0;
};

// Packets by their references, read through a window of a plain file: cheap in ascending order. One
// thread.
class PacketWindow {
 public:
  // `bytes` lives longer.
  PacketWindow(const PacketBytes* bytes, uint64_t window_bytes)
      : bytes_(*bytes), window_bytes_(window_bytes) {}
  // The packet at `ref`, valid until the next call; empty if there is none. kIo when the file
  // changed.
  Result<std::string_view> At(uint64_t ref);

 private:
  Result<std::string_view> Bytes(uint64_t at, uint64_t size);

  const PacketBytes& bytes_;
  uint64_t window_bytes_, at_ = 0, size_ = 0;
  std::vector<char> window_;
};

}  // namespace stepscope::perfetto
