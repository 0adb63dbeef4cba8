#include "loaders/riegeli/record_file.h"

#include <sys/mman.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "loaders/common/first_error.h"
#include "loaders/riegeli/chunk_data.h"
#include "model/base/column.h"

namespace stepscope::riegeli {
namespace {

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
