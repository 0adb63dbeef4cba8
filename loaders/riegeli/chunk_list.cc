#include "loaders/riegeli/chunk_list.h"

#include <highwayhash/c_bindings.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace stepscope::riegeli {
namespace {

constexpr uint64_t kUsableBytes = kBlockBytes - kBlockHeaderBytes;
constexpr uint64_t kReadBytes = uint64_t{8} << 20;  // read between two looks at the stop token
constexpr uint64_t kStopEvery = 4096;               // chunks or blocks

uint64_t Number(const std::byte* p) {
  uint64_t v = 0;
  for (int i = 7; i >= 0; --i) v = v << 8 | std::to_integer<uint64_t>(p[i]);
  return v;
}

// Whether the first 8 bytes are the hash of the rest.
bool HashFits(std::span<const std::byte> header) {
  return Number(header.data()) == RiegeliHash(header.subspan(8));
}

uint64_t BlockHeadersAfter(uint64_t chunk_begin, uint64_t length) {
  return (length + (chunk_begin + kUsableBytes - 1) % kBlockBytes) / kUsableBytes;
}

// The position in the file after `length` bytes of a chunk, not counting headers of blocks.
uint64_t After(uint64_t chunk_begin, uint64_t length) {
  return chunk_begin + length + BlockHeadersAfter(chunk_begin, length) * kBlockHeaderBytes;
}

// The next position where a chunk may begin: not inside the header of a block, nor right after it.
uint64_t RoundUpToBoundary(uint64_t pos) {
  const uint64_t left = (kBlockBytes - pos % kBlockBytes) % kBlockBytes;
  return left > kUsableBytes - 1 ? pos + left - (kUsableBytes - 1) : pos;
}

// Reads `raw` bytes of the file, as far as they fit `out`, and removes the headers of blocks from
// them. Returns how many are left; 0 at the end of the file.
Result<size_t> ReadRun(const ByteSource& file, uint64_t at, uint64_t raw,
                       std::span<std::byte> out) {
  const uint64_t first = std::min(raw, kBlockBytes - at % kBlockBytes);
  if (raw == first) {  // within a block
    Result<size_t> n = file.Read(at, out.first(static_cast<size_t>(raw)));
    if (!n.ok() || *n < raw) return n.ok() ? Result<size_t>(size_t{0}) : n;
    return n;
  }
  std::vector<std::byte> bytes(static_cast<size_t>(raw));
  const Result<size_t> n = file.Read(at, bytes);
  if (!n.ok() || *n < raw) return n.ok() ? Result<size_t>(size_t{0}) : n;
  size_t to = 0;
  for (uint64_t from = 0; from < raw;) {
    const uint64_t in_block = (at + from) % kBlockBytes;
    if (in_block < kBlockHeaderBytes) {
      from += kBlockHeaderBytes - in_block;
      continue;
    }
    const uint64_t n_bytes = std::min(raw - from, kBlockBytes - in_block);
    std::memcpy(&out[to], &bytes[static_cast<size_t>(from)], static_cast<size_t>(n_bytes));
    to += static_cast<size_t>(n_bytes);
    from += n_bytes;
  }
  return to;
}

// Reads bytes [offset, offset + out.size()) of the chunk that begins at `chunk_begin`, without the
// headers of blocks. False where the file ends before.
Result<bool> ReadStripped(const ByteSource& file, uint64_t chunk_begin, uint64_t offset,
                          std::span<std::byte> out, const std::stop_token& stop) {
  while (!out.empty()) {
    if (stop.stop_requested()) return Status(ErrorCode::kCancelled, "cancelled");
    uint64_t at = After(chunk_begin, offset);
    // After() may lead to the end of a block, where the next header is.
    if (at % kBlockBytes < kBlockHeaderBytes) at += kBlockHeaderBytes - at % kBlockBytes;
    const uint64_t raw = std::min(kReadBytes, After(chunk_begin, offset + out.size()) - at);
    const Result<size_t> done = ReadRun(file, at, raw, out);
    if (!done.ok()) return done.status();
    if (*done == 0) return false;
    out = out.subspan(*done);
    offset += *done;
  }
  return true;
}

class Lister {
 public:
  Lister(const ByteSource& file, const std::stop_token& stop) : file_(file), stop_(stop) {}

  Result<ChunkList> Run() {
    uint64_t at = 0, steps = 0;
    while (at < file_.size()) {
      if (++steps % kStopEvery == 0 && stop_.stop_requested())
        return Status(ErrorCode::kCancelled, "cancelled");
      Chunk chunk;
      chunk.begin = at;
      const Result<bool> valid = ReadHeader(&chunk);
      if (!valid.ok()) return valid.status();
      if (list_.truncated) break;
      if (*valid) {
        Keep(chunk);
        at = chunk.end;
        continue;
      }
      list_.damage.Add(at);
      const Result<uint64_t> next = NextChunk(at);
      if (!next.ok()) return next.status();
      at = *next;
    }
    return std::move(list_);
  }

 private:
  // Reads the chunk's header. False where there is no chunk.
  Result<bool> ReadHeader(Chunk* chunk) {
    std::array<std::byte, kChunkHeaderBytes> header;
    chunk->data_size = 0;
    Result<bool> whole = ReadBehind(chunk->begin, 0, header);
    if (!whole.ok()) return whole;
    list_.truncated = !*whole;
    if (!*whole || !HashFits(header)) return false;
    chunk->data_size = Number(&header[8]);
    chunk->data_hash = Number(&header[16]);
    chunk->type = static_cast<char>(header[24]);
    chunk->num_records = Number(&header[24]) >> 8;
    chunk->decoded_size = Number(&header[32]);
    const uint64_t left = file_.size() - chunk->begin;
    list_.truncated = chunk->data_size > left ||
                      After(chunk->begin, kChunkHeaderBytes + chunk->data_size) > file_.size();
    if (list_.truncated) return true;
    // At least a byte for each record, because the place of a record is the chunk's plus its
    // number.
    chunk->end = std::max(After(chunk->begin, kChunkHeaderBytes + chunk->data_size),
                          RoundUpToBoundary(chunk->begin + chunk->num_records));
    return true;
  }

  Result<bool> ReadBehind(uint64_t chunk_begin, uint64_t offset, std::span<std::byte> out) {
    return ReadStripped(file_, chunk_begin, offset, out, stop_);
  }

  void Keep(const Chunk& chunk) {
    if (chunk.type == 'r') list_.chunks.push_back(chunk);
    if (chunk.type == 't') list_.transposed = true;
  }

  // Where the first chunk begins that a block after `at` knows of; the file's end if there is none.
  Result<uint64_t> NextChunk(uint64_t at) {
    std::array<std::byte, kBlockHeaderBytes> header;
    uint64_t steps = 0;
    for (uint64_t block = at - at % kBlockBytes + kBlockBytes; block < file_.size();
         block += kBlockBytes) {
      if (++steps % kStopEvery == 0 && stop_.stop_requested())
        return Status(ErrorCode::kCancelled, "cancelled");
      const Result<size_t> n = file_.Read(block, header);
      if (!n.ok()) return n.status();
      if (*n < header.size() || !HashFits(header)) continue;
      const uint64_t previous = Number(&header[8]), next = Number(&header[16]);
      if (previous == 0) return block;
      list_.truncated = next > file_.size() - block;
      if (next > 0) return list_.truncated ? file_.size() : block + next;
    }
    return file_.size();
  }

  const ByteSource& file_;
  const std::stop_token& stop_;
  ChunkList list_;
};

}  // namespace

uint64_t RiegeliHash(std::span<const std::byte> bytes) {
  constexpr uint64_t kName = 0x2f696c6567656952, kRecords = 0x0a7364726f636572;
  constexpr HHKey kKey = {kName, kRecords, kName, kRecords};
  return HighwayHash64(kKey, reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

bool IsRiegeli(std::span<const std::byte> prefix) {
  return prefix.size() >= kBlockHeaderBytes && HashFits(prefix.first(kBlockHeaderBytes));
}

bool HasRiegeliBlock(const ByteSource& file) {
  std::array<std::byte, kBlockHeaderBytes> header;
  for (uint64_t block = 0; block < file.size(); block += kBlockBytes) {
    const Result<size_t> n = file.Read(block, header);
    if (!n.ok()) return false;
    if (IsRiegeli(std::span(header).first(*n))) return true;
  }
  return false;
}

Result<ChunkList> ListChunks(const ByteSource& file, const std::stop_token& stop) {
  return Lister(file, stop).Run();
}

Result<bool> ReadChunkData(const ByteSource& file, const Chunk& chunk, std::span<std::byte> out,
                           const std::stop_token& stop) {
  return ReadStripped(file, chunk.begin, kChunkHeaderBytes, out, stop);
}

}  // namespace stepscope::riegeli
