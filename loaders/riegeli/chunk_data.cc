#include "loaders/riegeli/chunk_data.h"

#include <brotli/decode.h>
#include <snappy.h>
#include <zstd.h>

#include <algorithm>
#include <memory>
#include <new>

#include "loaders/common/wire.h"
#include "loaders/riegeli/highway_hash.h"

namespace stepscope::riegeli {
namespace {

constexpr size_t kStep = size_t{4} << 20;  // bytes inflated between two looks at the stop token
constexpr uint64_t kLongestVarint = 10;

using Bytes = const uint8_t*;

// The bytes of `data` that are still to be read.
struct Input {
  Bytes at = nullptr, end = nullptr;
  size_t left() const { return static_cast<size_t>(end - at); }
  bool Varint(uint64_t* value) {
    const Bytes p = proto::ReadVarint(at, end, value);
    if (p == nullptr) return false;
    at = p;
    return true;
  }
};

// Each of these fills `out` exactly, or returns false.
bool InflateBrotli(const Input& in, std::span<char> out, const std::stop_token& stop) {
  const std::unique_ptr<BrotliDecoderState, decltype(&BrotliDecoderDestroyInstance)> state(
      BrotliDecoderCreateInstance(nullptr, nullptr, nullptr), &BrotliDecoderDestroyInstance);
  if (state == nullptr) throw std::bad_alloc();
  Bytes next_in = in.at;
  size_t in_left = in.left(), done = 0;
  while (!stop.stop_requested()) {
    size_t room = std::min(kStep, out.size() - done);
    uint8_t* next_out = reinterpret_cast<uint8_t*>(out.data()) + done;
    const BrotliDecoderResult result =
        BrotliDecoderDecompressStream(state.get(), &in_left, &next_in, &room, &next_out, nullptr);
    done = static_cast<size_t>(next_out - reinterpret_cast<uint8_t*>(out.data()));
    if (result == BROTLI_DECODER_RESULT_SUCCESS) return done == out.size() && in_left == 0;
    // brotli asks for more room than the chunk says it needs, or for more input than there is.
    if (result != BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT || done == out.size()) return false;
  }
  return false;
}

bool InflateZstd(const Input& in, std::span<char> out, const std::stop_token& stop) {
  const std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream(ZSTD_createDStream(),
                                                                          &ZSTD_freeDStream);
  if (stream == nullptr) throw std::bad_alloc();
  ZSTD_inBuffer input{in.at, in.left(), 0};
  ZSTD_outBuffer output{out.data(), 0, 0};
  while (!stop.stop_requested()) {
    const size_t before = output.pos;
    output.size = std::min(out.size(), output.pos + kStep);
    const size_t rc = ZSTD_decompressStream(stream.get(), &output, &input);
    if (ZSTD_isError(rc) != 0) return false;
    const bool input_done = input.pos == input.size;
    if (rc == 0 && input_done) return output.pos == out.size();
    if (output.pos == out.size() || (output.pos == before && input_done)) return false;
  }
  return false;
}

bool InflateSnappy(const Input& in, std::span<char> out) {
  const char* bytes = reinterpret_cast<const char*>(in.at);
  size_t size = 0;
  return snappy::GetUncompressedLength(bytes, in.left(), &size) && size == out.size() &&
         snappy::RawUncompress(bytes, in.left(), out.data());
}

bool Inflate(char compression, const Input& in, std::span<char> out, const std::stop_token& stop) {
  switch (compression) {
    case 0:
      if (in.left() != out.size()) return false;
      std::copy_n(in.at, out.size(), reinterpret_cast<uint8_t*>(out.data()));
      return true;
    case 'b':
      return InflateBrotli(in, out, stop);
    case 'z':
      return InflateZstd(in, out, stop);
    case 's':
      return InflateSnappy(in, out);
    default:
      return false;
  }
}

// Reads how many bytes a compressed text says it inflates to.
bool InflatedSize(char compression, Input* in, uint64_t* size) {
  if (compression != 0) return in->Varint(size);
  *size = in->left();
  return true;
}

// Sets where each record ends, from their sizes. False when these do not fit the chunk.
bool ReadEnds(const Chunk& chunk, std::span<const char> sizes, std::vector<uint64_t>* ends) {
  const Bytes begin = reinterpret_cast<Bytes>(sizes.data());
  Input in{begin, begin + sizes.size()};
  ends->clear();
  ends->reserve(static_cast<size_t>(chunk.num_records));
  uint64_t end = 0, size = 0;
  for (uint64_t i = 0; i < chunk.num_records; ++i) {
    if (!in.Varint(&size) || size > chunk.decoded_size - end) return false;
    ends->push_back(end += size);
  }
  return in.left() == 0 && end == chunk.decoded_size;
}

bool Decode(const Chunk& chunk, std::span<char> out, ChunkBuffer* buffer,
            std::vector<uint64_t>* ends, const std::stop_token& stop) {
  const Bytes begin = reinterpret_cast<Bytes>(buffer->data.data());
  Input in{begin, begin + buffer->data.size()};
  if (in.left() == 0) return false;
  const char compression = static_cast<char>(*in.at++);
  uint64_t sizes_bytes = 0, size = 0;
  if (!in.Varint(&sizes_bytes) || sizes_bytes > in.left()) return false;
  Input sizes{in.at, in.at + sizes_bytes};
  in.at = sizes.end;
  if (!InflatedSize(compression, &sizes, &size)) return false;
  if (size > chunk.num_records * kLongestVarint) return false;
  buffer->sizes.resize(static_cast<size_t>(size));
  if (!Inflate(compression, sizes, buffer->sizes, stop)) return false;
  if (!ReadEnds(chunk, buffer->sizes, ends)) return false;
  if (!InflatedSize(compression, &in, &size) || size != out.size()) return false;
  return Inflate(compression, in, out, stop);
}

}  // namespace

Result<bool> ReadRecords(const ByteSource& file, const Chunk& chunk, std::span<char> out,
                         ChunkBuffer* buffer, std::vector<uint64_t>* ends,
                         const std::stop_token& stop) {
  buffer->data.resize(static_cast<size_t>(chunk.data_size));
  Result<bool> whole = ReadChunkData(file, chunk, buffer->data, stop);
  if (!whole.ok() || !*whole) return whole;
  if (RiegeliHash(buffer->data) != chunk.data_hash) return false;
  const bool decoded = Decode(chunk, out, buffer, ends, stop);
  if (stop.stop_requested()) return Status(ErrorCode::kCancelled, "cancelled");
  return decoded;
}

}  // namespace stepscope::riegeli
