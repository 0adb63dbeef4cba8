// Writes Riegeli/records files, and splits one XSpace into several.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope::test {

enum class RiegeliCompression : char { kNone = 0, kBrotli = 'b', kZstd = 'z', kSnappy = 's' };

// A part of a simple chunk's data, compressed: a varint of its size and the bytes; kNone: the
// bytes.
std::string RiegeliCompress(std::string_view bytes, RiegeliCompression compression);
// The data of a simple chunk of these records.
std::string RiegeliRecords(const std::vector<std::string>& records, RiegeliCompression compression);

// Writes a file chunk by chunk. The file begins with the signature.
class RiegeliWriter {
 public:
  RiegeliWriter() { Chunk('s', {}, 0, 0); }
  // Adds a chunk of any type, with correct hashes.
  RiegeliWriter& Chunk(char type, std::string_view data, uint64_t num_records,
                       uint64_t decoded_size);
  RiegeliWriter& Records(const std::vector<std::string>& records,
                         RiegeliCompression compression = RiegeliCompression::kBrotli);
  // Adds a chunk of zeros up to the next block, as JAX ends each of its writes.
  RiegeliWriter& Pad();
  uint64_t size() const { return bytes_.size(); }
  const std::string& Bytes() const { return bytes_; }

 private:
  void Put(std::string_view bytes, uint64_t chunk_begin, uint64_t chunk_end);
  std::string bytes_;
};

// Splits an XSpace into several that together hold the same. The events of each line are dealt out
// in order; planes and lines are named in each part. Each part has metadata ids of its own, which
// mean something else in the others. The stats of events stay the same.
std::vector<std::string> SplitXSpace(std::string_view space, int parts);

}  // namespace stepscope::test
