// The chunks of a Riegeli/records file: where they lie, with their headers checked. Its layout is
// stated in "Riegeli/records file format specification" of github.com/google/riegeli: chunks,
// interrupted every 64 KiB by the header of a block, which says where the chunk around it begins
// and ends. Nothing of their data is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "loaders/byte_source.h"
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

// Places of what could not be read; the first few, and how many there are.
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
  std::vector<Chunk> chunks;  // with records, in order
  Damage damage;              // headers that are none; reading went on at the next block
  bool truncated = false;     // the file ends inside a chunk
  bool transposed = false;    // has chunks of type 't', which are left out
};

// Whether the file begins with the header of a block. `prefix`: its first bytes.
bool IsRiegeli(std::span<const std::byte> prefix);
// The same, or a later block has one: of a file whose beginning is damaged. Reads a few bytes of
// each block.
bool HasRiegeliBlock(const ByteSource& file);

// kIo, kCancelled. O(chunks + blocks) reads.
Result<ChunkList> ListChunks(const ByteSource& file, const std::stop_token& stop);

// Reads the data of a chunk, without the headers of blocks, into `out`, which has its size. False:
// the file ends early.
Result<bool> ReadChunkData(const ByteSource& file, const Chunk& chunk, std::span<std::byte> out,
                           const std::stop_token& stop);

}  // namespace stepscope::riegeli
