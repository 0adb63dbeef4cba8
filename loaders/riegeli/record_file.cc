#include "loaders/riegeli/record_file.h"

#include <brotli/decode.h>
#include <snappy.h>
#include <sys/mman.h>
#include <zstd.h>

#include <algorithm>
#include <memory>
#include <new>
#include <numeric>
#include <string>

#include "loaders/common/first_error.h"
#include "loaders/common/wire.h"
#include "model/base/column.h"

namespace stepscope::riegeli {
namespace {

constexpr size_t kStep = size_t{4} << 20;  // bytes inflated between two looks at the stop token
constexpr uint64_t kLongestVarint = 10;

using Bytes = const uint8_t*;

// The records of a simple chunk ('r'): it holds their sizes and then their bytes one after the
// other, both plain or compressed with brotli, zstd or snappy.

// Memory that is used again for the next chunk; one object per thread.
struct ChunkBuffer {
  std::vector<std::byte> data;
  std::vector<char> sizes;
};

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

// Reads the chunk and inflates its records into `out`, which has chunk.decoded_size bytes; a chunk
// that holds more stops there. `ends` gets where in `out` each record ends. False where the chunk
// is damaged: none of its records may be used. kIo, kCancelled; the stop token is looked at every
// few MiB, but not while snappy runs.
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

constexpr uintptr_t kLargePage = uintptr_t{2} << 20;

// A chunk, where its records go, and what came out of it.
struct Job {
  const Chunk* chunk = nullptr;
  uint64_t at = 0;
  std::vector<uint64_t> ends;
  bool damaged = false;
};

class Reader {
 public:
  Reader(const ByteSource& file, uint64_t limit, unsigned threads, const std::stop_token& stop,
         Progress* progress)
      : file_(file), limit_(limit), threads_(threads), stop_(stop), progress_(progress) {}

  Result<RecordFile> Run() {
    Result<ChunkList> list = ListChunks(file_, stop_);
    if (!list.ok()) return list.status();
    list_ = std::move(list).value();
    if (list_.transposed) return Transposed();
    if (Status s = PlaceChunks(); !s.ok()) return s;
    if (Status s = Inflate(); !s.ok()) return s;
    return Collect();
  }

 private:
  Status Transposed() const {
    return {ErrorCode::kUnsupported,
            file_.path() +
                ": its Riegeli chunks are transposed, which is not read here; profilers write "
                "simple ones, as do Riegeli's writers without the option \"transpose\""};
  }

  Status PlaceChunks() {
    uint64_t bytes = 0, records = 0;
    for (const Chunk& chunk : list_.chunks) {
      if (chunk.decoded_size > limit_ - bytes) {
        return {ErrorCode::kLimit, file_.path() + ": inflates to more than the limit of " +
                                       std::to_string(limit_ >> 20) +
                                       " MiB (--max-inflated raises it)"};
      }
      records += std::min(chunk.num_records, kMaxRecords + 1);
      if (records > kMaxRecords) {
        return {ErrorCode::kLimit, file_.path() + ": more than " + std::to_string(kMaxRecords) +
                                       " records: not a profile"};
      }
      Job& job = jobs_.emplace_back();
      job.chunk = &chunk;
      job.at = bytes;
      bytes += chunk.decoded_size;
    }
    bytes_.Resize(static_cast<size_t>(bytes));
    UseLargePages();
    return {};
  }

  // Asks for large pages. Small ones cost as much as inflating: the kernel clears each at its first
  // write.
  void UseLargePages() {
    const uintptr_t first = reinterpret_cast<uintptr_t>(bytes_.data());
    const uintptr_t begin = (first + kLargePage - 1) / kLargePage * kLargePage;
    const uintptr_t end = (first + bytes_.size()) / kLargePage * kLargePage;
    // An error is ignored: a kernel without large pages changes nothing.
    if (begin < end) (void)madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
  }

  // Inflates the largest chunks first, so that the last ones keep no thread waiting for long.
  Status Inflate() {
    std::vector<size_t> order(jobs_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return jobs_[a].chunk->decoded_size > jobs_[b].chunk->decoded_size;
    });
    ParallelFor(
        order.size(),
        [&](size_t i) {
          if (!error_.any()) InflateChunk(&jobs_[order[i]]);
        },
        threads_);
    return error_.any() ? error_.Take() : Status();
  }

  void InflateChunk(Job* job) {
    const Chunk& chunk = *job->chunk;
    const std::span<char> out(bytes_.data() + job->at, static_cast<size_t>(chunk.decoded_size));
    std::unique_ptr<ChunkBuffer> buffer = buffers_.Take();
    const Result<bool> read = ReadRecords(file_, chunk, out, buffer.get(), &job->ends, stop_);
    buffers_.Give(std::move(buffer));
    if (!read.ok()) return error_.Set(read.status());
    job->damaged = !*read;
    // Bytes in memory were counted while the file was inflated.
    if (progress_ != nullptr && file_.bytes().empty())
      progress_->bytes_done += InflateShare(std::min(chunk.end, file_.size()) - chunk.begin);
  }

  Result<RecordFile> Collect() {
    RecordFile result;
    for (const Job& job : jobs_) {
      if (job.damaged) {
        list_.damage.Add(job.chunk->begin);
        continue;
      }
      uint64_t begin = job.at;
      for (const uint64_t end : job.ends) {
        result.records.emplace_back(begin, job.at + end);
        begin = job.at + end;
      }
    }
    result.damage = std::move(list_.damage);
    if (result.records.empty()) return NoRecords(result.damage);
    result.source =
        MakeMemorySource(file_.path(), file_.file_bytes(), std::move(bytes_), IsTruncated());
    return result;
  }

  bool IsTruncated() const { return list_.truncated || file_.truncated(); }

  Status NoRecords(const Damage& damage) const {
    return {ErrorCode::kFormat, file_.path() + ": a Riegeli file without one whole record (" +
                                    std::to_string(damage.count) + " damaged chunks" +
                                    (IsTruncated() ? ", and it ends inside a chunk)" : ")")};
  }

  const ByteSource& file_;
  uint64_t limit_;
  unsigned threads_;
  const std::stop_token& stop_;
  Progress* progress_;
  ChunkList list_;
  std::vector<Job> jobs_;
  Column<char> bytes_;
  Reused<ChunkBuffer> buffers_;
  FirstError error_;
};

}  // namespace

Result<RecordFile> ReadRecordFile(const ByteSource& file, uint64_t max_inflated_bytes,
                                  unsigned threads, const std::stop_token& stop,
                                  Progress* progress) {
  return Reader(file, max_inflated_bytes, threads, stop, progress).Run();
}

}  // namespace stepscope::riegeli
