// Inflater: decompresses gzip (any number of members, by isa-l), zstd (any number of frames) or
// zlib, piece by piece. One thread. std::bad_alloc where there is no memory for a window.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "model/base/column.h"
#include "model/base/text_sink.h"

namespace stepscope {

enum class Compression { kNone, kGzip, kZstd, kZlib };
// How the bytes that begin like this are compressed. zlib has no mark: it must be known.
Compression DetectCompression(std::span<const std::byte> prefix);

class Inflater {
 public:
  virtual ~Inflater() = default;
  struct Step {
    size_t used = 0, got = 0;  // bytes of `in` and of `out`
    bool broken = false;       // the stream is damaged behind what came out
  };
  // Inflates until `in` or `out` is used up. More may come out of an empty `in` while `out` was
  // filled by the step before. What stands behind the last member or frame is passed over.
  virtual Step Inflate(std::span<const char> in, std::span<char> out) = 0;
  // Whether what went in ended with a whole member or frame.
  virtual bool AtEnd() const = 0;
  virtual size_t block_bytes() const = 0;  // bytes of `out` to offer
};
// Not for Compression::kNone.
std::unique_ptr<Inflater> MakeInflater(Compression compression);

// Inflates all of `in` to the end of a column, which stops growing one byte beyond `limit`.
enum class AppendResult { kDone, kBroken, kLimit };
AppendResult AppendInflated(Inflater* inflater, std::span<const char> in, uint64_t limit,
                            Column<char>* out);

// GzipWriter: writes one gzip member, compressed as bytes come in. One thread.
class GzipWriter {
 public:
  explicit GzipWriter(TextSink sink);
  ~GzipWriter();
  GzipWriter(const GzipWriter&) = delete;
  GzipWriter& operator=(const GzipWriter&) = delete;
  void Write(std::string_view bytes);
  void Finish();  // call once, after the last byte

 private:
  struct State;
  void Deflate(std::string_view bytes, bool last);
  std::unique_ptr<State> state_;
};

}  // namespace stepscope
