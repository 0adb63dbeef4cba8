// ByteSource: the inflated bytes of a file, random access, from a plain file (pread, never mapped:
// a file that shrinks must not raise SIGBUS), or from .gz / .zst inflated once into memory up to a
// limit, or from memory. Thread-safe after Open. A plain file's identity (device, inode, size,
// mtime) is checked; kIo "the file changed" after that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>

#include "model/base/column.h"
#include "model/base/status.h"
#include "model/base/task.h"

namespace stepscope {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  virtual uint64_t size() const = 0;  // inflated
  // Reads up to out.size() bytes at offset; fewer only at the end. kIo when the file changed or
  // shrank.
  virtual Result<size_t> Read(uint64_t offset, std::span<std::byte> out) const = 0;
  // All bytes if they are in memory, else empty.
  virtual std::span<const std::byte> bytes() const { return {}; }
  virtual bool truncated() const {
    return false;
  }  // the compressed stream ended early: what came out is kept
  const std::string& path() const { return path_; }
  uint64_t file_bytes() const { return file_bytes_; }

 protected:
  std::string path_;
  uint64_t file_bytes_ = 0;
};

// How much of a file's bytes counts as done once so many were inflated: half. The other half is for
// those who go through what came out.
constexpr uint64_t InflateShare(uint64_t file_bytes) { return file_bytes / 2; }

enum class Compression { kNone, kGzip, kZstd };
Compression DetectCompression(std::span<const std::byte> prefix);

// `progress`: gets InflateShare of a compressed file, nothing of a plain one.
Result<std::shared_ptr<const ByteSource>> OpenByteSource(const std::string& path,
                                                         uint64_t max_inflated_bytes,
                                                         const std::stop_token& stop,
                                                         Progress* progress);
// From memory; inflates when the bytes are gzip or zstd.
Result<std::shared_ptr<const ByteSource>> MakeByteSource(std::string name, std::string bytes,
                                                         uint64_t max_inflated_bytes);
// Of bytes that are inflated already. `truncated`: not all of them could be had.
std::shared_ptr<const ByteSource> MakeMemorySource(std::string path, uint64_t file_bytes,
                                                   Column<char> bytes, bool truncated);
// The first n inflated bytes of a file, for sniffing. Cheap.
Result<std::string> ReadPrefix(const std::string& path, size_t n);

}  // namespace stepscope
