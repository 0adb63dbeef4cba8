// files/ gives loaders the inflated bytes of files from outside: ByteSource by random access,
// InflateStream in order.
//
// ByteSource: the inflated bytes of a file. A plain file is read with pread, and never mapped: a
// file that shrinks must not raise SIGBUS. A .gz or .zst is inflated once into memory, up to a
// limit. Thread-safe. A plain file whose device, inode, size or mtime differ from those at opening
// gives kIo "the file changed".
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>

#include "loaders/files/compression.h"
#include "model/base/column.h"
#include "model/base/status.h"
#include "model/jobs/job.h"

struct stat;

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
  // The compressed stream ended early: what came out is kept.
  virtual bool truncated() const { return false; }
  const std::string& path() const { return path_; }
  uint64_t file_bytes() const { return file_bytes_; }

 protected:
  std::string path_;
  uint64_t file_bytes_ = 0;
};

// Progress of inflating so many bytes of a file: half of them. The other half is counted by whoever
// parses what came out.
constexpr uint64_t InflateShare(uint64_t file_bytes) { return file_bytes / 2; }

// A descriptor of a regular file for reading, which the caller closes; `info` gets what fstat says.
// kIo for anything else, such as a pipe or a device: it is not waited for.
Result<int> OpenRegularFile(const std::string& path, struct stat* info);

// kIo where the path is no readable regular file, kLimit past `limit` inflated bytes, kCancelled.
// `progress` gets InflateShare of a compressed file, and nothing of a plain one; it may be null.
Result<std::shared_ptr<const ByteSource>> OpenByteSource(const std::string& path,
                                                         uint64_t max_inflated_bytes,
                                                         const std::stop_token& stop,
                                                         Progress* progress);
// A source of bytes in memory, inflated where they are gzip or zstd.
Result<std::shared_ptr<const ByteSource>> MakeByteSource(std::string name, std::string bytes,
                                                         uint64_t max_inflated_bytes);
// A source of bytes that are inflated already. `truncated`: some of them are missing.
std::shared_ptr<const ByteSource> MakeMemorySource(std::string path, uint64_t file_bytes,
                                                   Column<char> bytes, bool truncated);
// The first n inflated bytes of a file, for sniffing. Cheap.
Result<std::string> ReadPrefix(const std::string& path, size_t n);

// InflateStream: the inflated bytes of a file in order, for loaders that parse while they inflate.
// The content says whether a file is plain, gzip or zstd. One thread. Memory: one block of input
// and the codec's window, never the whole file.
class InflateStream {
 public:
  virtual ~InflateStream() = default;
  // Bytes written to `out`: all of it unless the end comes first, 0 at the end. A broken stream
  // ends where it broke; then truncated() is true.
  virtual Result<size_t> Read(std::span<char> out) = 0;
  virtual bool truncated() const = 0;  // the compressed stream ended early or is damaged
  virtual bool compressed() const = 0;
  virtual uint64_t file_bytes() const = 0;  // size of the file
  virtual uint64_t file_done() const = 0;   // bytes of it read so far

  // kIo when the path is no readable regular file.
  static Result<std::unique_ptr<InflateStream>> Open(const std::string& path);
  // The bytes of a source from its beginning, for loaders that read parts of it again later.
  static std::unique_ptr<InflateStream> Of(std::shared_ptr<const ByteSource> source);
};

}  // namespace stepscope
