#include "loaders/xplane/lines/line_set.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "loaders/common/first_error.h"
#include "loaders/xplane/lines/split_line.h"

namespace stepscope::xplane {
namespace {

// Lines that would keep the other threads waiting are split into pieces of at least so many bytes.
constexpr uint64_t kMinPieceBytes = uint64_t{8} << 20;

struct Piece {
  uint64_t bytes = 0;
  const LineTask* line = nullptr;
  SplitLine* split = nullptr;  // null for a line in one piece
  size_t part = 0;             // of the split line
};

class LineSet {
 public:
  LineSet(std::span<const LineTask> lines, unsigned threads, std::stop_token stop,
          Progress* progress)
      : lines_(lines), threads_(threads), stop_(std::move(stop)), progress_(progress) {}

  Status Parse(const SideWork& side) {
    if (Status s = MakePieces(); !s.ok()) return s;
    const auto run = [&](size_t i) {
      return i < side.count ? side.run(i) : ParsePiece(pieces_[i - side.count]);
    };
    if (Status s = ForEach(side.count + pieces_.size(), run); !s.ok()) return s;
    return ForEach(split_.size(), [&](size_t i) { return Join(&split_[i]); });
  }

 private:
  // Calls run(0) to run(n - 1) on all threads, until the first error.
  template <class RunFn>
  Status ForEach(size_t n, const RunFn& run) {
    FirstError error;
    ParallelFor(
        n,
        [&](size_t i) {
          if (!error.any()) error.Set(run(i));
        },
        threads_);
    if (error.any()) return error.Take();
    return stop_.stop_requested() ? Status(ErrorCode::kCancelled, "cancelled") : Status();
  }

  Status MakePieces();
  Status SplitLines(uint64_t target);
  Status ParsePiece(const Piece& piece);
  Status Parse(const LineJob& job, Progress* progress, ParsedLine* out);
  Status Join(SplitLine* line);

  std::span<const LineTask> lines_;
  unsigned threads_;
  std::stop_token stop_;
  Progress* progress_;
  std::deque<SplitLine> split_;  // the pieces point at them
  std::vector<Piece> pieces_;
  Reused<ParseBuffer> buffers_;
};

// Makes one piece per line, the largest first. A line that would outlast the other threads is
// split.
Status LineSet::MakePieces() {
  const unsigned threads = threads_ == 0 ? WorkerCount() : threads_;
  uint64_t total = 0;
  pieces_.reserve(lines_.size());
  for (const LineTask& l : lines_) total += l.job.end - l.job.begin;
  const uint64_t share = std::max(kMinPieceBytes, total / threads);
  for (const LineTask& line : lines_) {
    const uint64_t bytes = line.job.end - line.job.begin;
    if (threads > 1 && bytes > share) {
      split_.emplace_back(line);
    } else {
      pieces_.push_back({bytes, &line});
    }
  }
  if (Status s = SplitLines(std::max(kMinPieceBytes, share / 4)); !s.ok()) return s;
  std::stable_sort(pieces_.begin(), pieces_.end(),
                   [](const Piece& a, const Piece& b) { return a.bytes > b.bytes; });
  return {};
}

Status LineSet::SplitLines(uint64_t target) {
  const auto cut = [&](size_t i) {
    std::unique_ptr<ParseBuffer> buffer = buffers_.Take();
    Status status = split_[i].Cut(target, buffer.get(), stop_);
    buffers_.Give(std::move(buffer));
    return status;
  };
  if (Status s = ForEach(split_.size(), cut); !s.ok()) return s;
  for (SplitLine& split : split_) {
    for (size_t p = 0; p < split.pieces(); ++p)
      pieces_.push_back({split.BytesOf(p), &split.task(), &split, p});
  }
  return {};
}

Status LineSet::ParsePiece(const Piece& piece) {
  if (piece.split == nullptr) return Parse(piece.line->job, progress_, piece.line->parsed);
  return Parse(piece.split->JobOf(piece.part), progress_, piece.split->parsed(piece.part));
}

Status LineSet::Parse(const LineJob& job, Progress* progress, ParsedLine* out) {
  std::unique_ptr<ParseBuffer> buffer = buffers_.Take();
  Status status = ParseLine(job, buffer.get(), stop_, progress, out);
  buffers_.Give(std::move(buffer));
  return status;
}

Status LineSet::Join(SplitLine* line) {
  if (line->Join()) return {};
  return Parse(line->task().job, nullptr, line->task().parsed);  // its progress has been made
}

}  // namespace

Status ParseLineSet(std::span<const LineTask> lines, const SideWork& side, unsigned threads,
                    const std::stop_token& stop, Progress* progress) {
  return LineSet(lines, threads, stop, progress).Parse(side);
}

}  // namespace stepscope::xplane
