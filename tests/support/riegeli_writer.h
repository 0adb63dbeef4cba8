// Writes Riegeli/records files, and a recording of one XSpace as one of several.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope::test {

enum class RiegeliCompression : char { kNone = 0, kBrotli = 'b', kZstd = 'z', kSnappy = 's' };

// What is compressed of a simple chunk: a varint of the size, then the bytes; kNone: the bytes.
std::string RiegeliCompress(std::string_view bytes, RiegeliCompression compression);
// The data of a simple chunk of these records.
std::string RiegeliRecords(const std::vector<std::string>& records, RiegeliCompression compression);

// A file chunk by chunk. It begins with the signature.
class RiegeliWriter {
 public:
  RiegeliWriter() { Chunk('s', {}, 0, 0); }
  // A chunk of any type, with right hashes.
  RiegeliWriter& Chunk(char type, std::string_view data, uint64_t num_records,
                       uint64_t decoded_size);
  RiegeliWriter& Records(const std::vector<std::string>& records,
                         RiegeliCompression compression = RiegeliCompression::kBrotli);
  // A chunk of zeros to the next block, as JAX ends each of its writes.
  RiegeliWriter& Pad();
  uint64_t size() const { return bytes_.size(); }
  const std::string& Bytes() const { return bytes_; }

 private:
  void Put(std::string_view bytes, uint64_t chunk_begin, uint64_t chunk_end);
  std::string bytes_;
};

// The XSpace as several that hold the same: each line's events are shared out in order, and each
// has metadata ids of its own, which mean something else in the others. Planes and lines are named
// in each. The stats of an event stay what they are.
std::vector<std::string> SplitXSpace(std::string_view space, int parts);

}  // namespace stepscope::test
