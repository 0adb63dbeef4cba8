// InflateStream: the inflated bytes of a file in order, for loaders that parse while they inflate.
// The content says whether a file is plain, gzip or zstd. One thread. Memory: one block of input
// and the codec's window, never the whole file.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "loaders/files/byte_source.h"
#include "model/base/status.h"

namespace stepscope {

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
