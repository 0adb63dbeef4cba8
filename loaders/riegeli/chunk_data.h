// Reads the records of a simple chunk ('r'): it holds their sizes and then their bytes one after
// the other, both plain or compressed with brotli, zstd or snappy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "loaders/riegeli/chunk_list.h"

namespace stepscope::riegeli {

// Memory that is used again for the next chunk; one object per thread.
struct ChunkBuffer {
  std::vector<std::byte> data;
  std::vector<char> sizes;
};

// Reads the chunk and inflates its records into `out`, which has chunk.decoded_size bytes; a chunk
// that holds more stops there. `ends` gets where in `out` each record ends. False where the chunk
// is damaged: none of its records may be used. kIo, kCancelled; the stop token is looked at every
// few MiB, but not while snappy runs.
Result<bool> ReadRecords(const ByteSource& file, const Chunk& chunk, std::span<char> out,
                         ChunkBuffer* buffer, std::vector<uint64_t>* ends,
                         const std::stop_token& stop);

}  // namespace stepscope::riegeli
