#include "loaders/xplane/line_set.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "loaders/common/first_error.h"
#include "loaders/xplane/event_chain.h"

namespace stepscope::xplane {
namespace {

// Lines that would keep the other threads waiting are split into pieces of at least so many bytes.
constexpr uint64_t kMinPieceBytes = uint64_t{8} << 20;

// An event is looked for in so many bytes, and where there is none, in more.
constexpr std::array<size_t, 2> kSearchBytes = {size_t{4} << 10, size_t{64} << 10};

struct Piece {
  size_t line = 0;
  uint64_t begin = 0, end = 0;
  std::unique_ptr<ParsedLine> parsed;  // null for a line in one piece: it uses the task's own
};

template <typename T>
void Append(Column<T>* to, const Column<T>& from) {
  const size_t n = to->size(), wanted = n + from.size();
  if (from.empty()) return;
  if (wanted > to->capacity()) to->Reserve(wanted + n / 2);  // thousands of pieces may follow
  to->Resize(wanted);
  std::copy(from.data(), from.data() + from.size(), to->data() + n);
}

void WidenRefs(RawEvents* events) {
  if (!events->wide_ref.empty()) return;
  events->wide_ref.Resize(events->ref.size());
  for (size_t i = 0; i < events->ref.size(); ++i)
    events->wide_ref[i] = events->ref_base + events->ref[i];
  events->ref.Release();
  events->ref_base = 0;
}

// Makes the references of both count from the same place, in 64 bits where 32 are not enough.
void AlignRefs(RawEvents* a, RawEvents* b) {
  const bool narrow = a->wide_ref.empty() && b->wide_ref.empty();
  if (narrow && a->ref_base == b->ref_base) return;
  const uint64_t shift = b->ref_base - a->ref_base;  // of no use if negative: then it is large
  const auto last = std::max_element(b->ref.data(), b->ref.data() + b->ref.size());
  if (!narrow || shift >= Lane::kNoRef || shift + *last >= Lane::kNoRef) {
    WidenRefs(a);
    return WidenRefs(b);
  }
  for (size_t i = 0; i < b->ref.size(); ++i) b->ref[i] += static_cast<uint32_t>(shift);
  b->ref_base = a->ref_base;
}

void Append(RawEvents* to, RawEvents* from) {
  if (from->start.empty()) return;
  if (to->start.empty()) {
    const uint64_t base = from->ref_base;
    *to = std::move(*from);
    to->ref_base = base;
    return;
  }
  AlignRefs(to, from);
  Append(&to->start, from->start);
  Append(&to->dur, from->dur);
  Append(&to->meta, from->meta);
  Append(&to->ref, from->ref);
  Append(&to->wide_ref, from->wide_ref);
}

// Appends the missing ids of `from` to those of the pieces before it, and renumbers its events.
void AppendMissing(ParsedLine* to, ParsedLine* from) {
  if (from->missing.empty()) return;
  const uint32_t shift = static_cast<uint32_t>(to->missing.size());
  for (RawEvents* events : {&from->slices, &from->instants}) {
    for (size_t i = 0; i < events->meta.size(); ++i)
      events->meta[i] += events->meta[i] >= kMissingMeta ? shift : 0;
  }
  to->missing.insert(to->missing.end(), from->missing.begin(), from->missing.end());
}

// Appends times of events, of which there are so many before and in all.
void AppendTimes(std::vector<CoreTime>* to, std::vector<CoreTime>* from, size_t before,
                 size_t all) {
  if (to->empty() && from->empty()) return;
  to->resize(before);
  to->insert(to->end(), from->begin(), from->end());
  to->resize(all);
}

void Append(ParsedLine* to, ParsedLine* from) {
  AppendMissing(to, from);
  const auto counts = [](const RawEvents& a, const RawEvents& b) {
    return std::pair(a.start.size(), a.start.size() + b.start.size());
  };
  const auto [slices, all_slices] = counts(to->slices, from->slices);
  const auto [instants, all_instants] = counts(to->instants, from->instants);
  AppendTimes(&to->slice_times, &from->slice_times, slices, all_slices);
  AppendTimes(&to->instant_times, &from->instant_times, instants, all_instants);
  Append(&to->slices, &from->slices);
  Append(&to->instants, &from->instants);
  to->diagnostics.Merge(from->diagnostics);
  to->events += from->events;
  to->aggregated += from->aggregated;
  to->busy = SaturatingAdd(to->busy, from->busy);
  if (from->timestamp_after_events) {
    to->timestamp_after_events = true;
    to->timestamp_ns = from->timestamp_ns;
  }
  if (from->display_id != 0) to->display_id = from->display_id;
  if (!from->display_name.empty()) to->display_name = std::move(from->display_name);
  if (!from->late_name.empty()) to->late_name = std::move(from->late_name);
  if (from->has_late_id) {
    to->has_late_id = true;
    to->late_id = from->late_id;
  }
}

class LineSet {
 public:
  LineSet(std::span<const LineTask> lines, unsigned threads, std::stop_token stop,
          Progress* progress)
      : lines_(lines), threads_(threads), stop_(std::move(stop)), progress_(progress) {}

  Status Parse(const SideWork& side) {
    if (Status s = MakePieces(); !s.ok()) return s;
    FirstError error;
    ParallelFor(
        side.count + pieces_.size(),
        [&](size_t i) {
          if (error.any()) return;
          error.Set(i < side.count ? side.run(i) : ParsePiece(&pieces_[i - side.count]));
        },
        threads_);
    if (error.any()) return error.Take();
    if (stop_.stop_requested()) return {ErrorCode::kCancelled, "cancelled"};
    return JoinLines();
  }

 private:
  Status MakePieces();
  Status SplitLine(size_t line, uint64_t target);
  static Result<uint64_t> FindEvent(const LineJob& job, uint64_t at, ParseBuffer* buffer);
  Status ParsePiece(Piece* piece);
  Status Parse(LineJob job, Progress* progress, ParsedLine* out);
  Status JoinLines();
  Status JoinLine(std::span<Piece*> pieces);

  std::span<const LineTask> lines_;
  unsigned threads_;
  std::stop_token stop_;
  Progress* progress_;
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
  for (size_t i = 0; i < lines_.size(); ++i) {
    const LineJob& job = lines_[i].job;
    if (threads > 1 && job.end - job.begin > share) {
      if (Status s = SplitLine(i, std::max(kMinPieceBytes, share / 4)); !s.ok()) return s;
    } else {
      pieces_.push_back({i, job.begin, job.end, nullptr});
    }
  }
  std::stable_sort(pieces_.begin(), pieces_.end(), [](const Piece& a, const Piece& b) {
    return a.end - a.begin > b.end - b.begin;
  });
  return {};
}

// Splits a line into pieces of about `target` bytes. Where they begin is a guess: JoinLine tells
// whether it was right.
Status LineSet::SplitLine(size_t line, uint64_t target) {
  const LineJob& job = lines_[line].job;
  std::unique_ptr<ParseBuffer> buffer = buffers_.Take();
  uint64_t begin = job.begin;
  for (uint64_t at = begin + target; at < job.end; at = std::max(at, begin) + target) {
    const Result<uint64_t> event = FindEvent(job, at, buffer.get());
    if (!event.ok()) return event.status();
    if (*event == job.end) continue;
    pieces_.push_back({line, begin, *event, std::make_unique<ParsedLine>()});
    begin = *event;
  }
  const bool split = begin > job.begin;
  pieces_.push_back({line, begin, job.end, split ? std::make_unique<ParsedLine>() : nullptr});
  buffers_.Give(std::move(buffer));
  return {};
}

// Where an event begins, by all appearances, soon behind byte `at` of the file; the line's end if
// there is none.
Result<uint64_t> LineSet::FindEvent(const LineJob& job, uint64_t at, ParseBuffer* buffer) {
  for (const size_t most : kSearchBytes) {
    const size_t wanted = static_cast<size_t>(std::min<uint64_t>(most, job.end - at));
    const std::span<uint8_t> bytes = std::span(buffer->bytes).first(wanted);
    const Result<size_t> n = job.source->Read(at, std::as_writable_bytes(bytes));
    if (!n.ok()) return n.status();
    const EventChain chain = FindEventChain(bytes.first(*n), *job.ids);
    if (chain.events > 0) return at + chain.begin;
  }
  return job.end;
}

Status LineSet::ParsePiece(Piece* piece) {
  const LineTask& line = lines_[piece->line];
  LineJob job = line.job;
  job.begin = piece->begin;
  job.end = piece->end;
  job.first_piece = piece->begin == line.job.begin;
  return Parse(job, progress_, piece->parsed == nullptr ? line.parsed : piece->parsed.get());
}

Status LineSet::Parse(LineJob job, Progress* progress, ParsedLine* out) {
  std::unique_ptr<ParseBuffer> buffer = buffers_.Take();
  Status status = ParseLine(job, buffer.get(), stop_, progress, out);
  buffers_.Give(std::move(buffer));
  return status;
}

void Reserve(RawEvents* events, size_t n) {
  if (events->start.empty()) return;
  events->start.Reserve(n), events->dur.Reserve(n), events->meta.Reserve(n);
  events->wide_ref.empty() ? events->ref.Reserve(n) : events->wide_ref.Reserve(n);
}

// Puts the pieces of split lines together, in order.
Status LineSet::JoinLines() {
  std::map<size_t, std::vector<Piece*>> by_line;
  for (Piece& p : pieces_) {
    if (p.parsed != nullptr) by_line[p.line].push_back(&p);
  }
  std::vector<std::vector<Piece*>> split;
  split.reserve(by_line.size());
  for (auto& [line, pieces] : by_line) split.push_back(std::move(pieces));
  FirstError error;
  ParallelFor(
      split.size(), [&](size_t i) { error.Set(JoinLine(split[i])); }, threads_);
  return error.Take();
}

// A piece that ends with a whole field shows that the next one begins at a field. Where one does
// not, the places were no events, or the line is damaged: all of it is parsed again at once.
//
// The line takes the memory of the first piece, which grows; that of the others is given back at
// once, so that a line never lies in memory twice.
Status LineSet::JoinLine(std::span<Piece*> pieces) {
  std::sort(pieces.begin(), pieces.end(),
            [](const Piece* a, const Piece* b) { return a->begin < b->begin; });
  const LineTask& task = lines_[pieces.front()->line];
  if (std::any_of(pieces.begin(), pieces.end() - 1,
                  [](const Piece* p) { return p->parsed->cut; })) {
    for (Piece* piece : pieces) piece->parsed = nullptr;
    return Parse(task.job, nullptr, task.parsed);  // its progress has been made
  }
  size_t slices = 0, instants = 0;
  for (const Piece* piece : pieces) {
    slices += piece->parsed->slices.start.size();
    instants += piece->parsed->instants.start.size();
  }
  ParsedLine* const line = task.parsed;
  for (Piece* piece : pieces) {
    AppendLine(line, piece->parsed.get());
    piece->parsed = nullptr;
    Reserve(&line->slices, slices);
    Reserve(&line->instants, instants);
  }
  return {};
}

}  // namespace

void AppendLine(ParsedLine* to, ParsedLine* from) { Append(to, from); }

void AppendEvents(RawEvents* to, RawEvents* from) { Append(to, from); }

Status ParseLineSet(std::span<const LineTask> lines, const SideWork& side, unsigned threads,
                    const std::stop_token& stop, Progress* progress) {
  return LineSet(lines, threads, stop, progress).Parse(side);
}

}  // namespace stepscope::xplane
