// The chunks of a Riegeli/records file: where they lie, with their headers checked. Its layout is
// stated in "Riegeli/records file format specification" of github.com/google/riegeli: chunks,
// interrupted every 64 KiB by the header of a block, which says where the chunk around it begins
// and ends. Nothing of their data is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "loaders/files/byte_source.h"
#include "model/base/status.h"

namespace stepscope::riegeli {

inline constexpr uint64_t kBlockBytes = 64 << 10;
inline constexpr size_t kBlockHeaderBytes = 24;
inline constexpr size_t kChunkHeaderBytes = 40;

struct Chunk {
  uint64_t begin = 0, end = 0;  // in the file, headers of blocks and padding included
  char type = 0;                // 'r': records one by one
  uint64_t data_size = 0, data_hash = 0, num_records = 0, decoded_size = 0;
};

// How many places could not be read, and the first of them.
struct Damage {
  static constexpr size_t kMaxPlaces = 4;
  uint64_t count = 0;
  std::vector<uint64_t> first;
  void Add(uint64_t place) {
    if (first.size() < kMaxPlaces) first.push_back(place);
    ++count;
  }
};

struct ChunkList {
  std::vector<Chunk> chunks;  // those with records, in order
  Damage damage;              // damaged headers; reading went on at the next block
  bool truncated = false;     // the file ends inside a chunk
  bool transposed = false;    // has chunks of type 't', which are left out
};

// The checksum of headers and chunks: HighwayHash-64 with the key "Riegeli/records\n", twice. Pure.
uint64_t RiegeliHash(std::span<const std::byte> bytes);

// Whether a file with these first bytes begins with the header of a block.
bool IsRiegeli(std::span<const std::byte> prefix);
// Whether any block of the file has a header: also true where only its beginning is damaged. Reads
// a few bytes of each block.
bool HasRiegeliBlock(const ByteSource& file);

// Lists all chunks. kIo, kCancelled. O(chunks + blocks) reads.
Result<ChunkList> ListChunks(const ByteSource& file, const std::stop_token& stop);

// Reads the data of a chunk, without the headers of blocks, into `out`, which has the data's size.
// False where the file ends early.
Result<bool> ReadChunkData(const ByteSource& file, const Chunk& chunk, std::span<std::byte> out,
                           const std::stop_token& stop);

}  // namespace stepscope::riegeli
