#include "loaders/xplane/lines/line_set.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "loaders/common/first_error.h"
#include "loaders/xplane/lines/line_pieces.h"

namespace stepscope::xplane {

namespace {

// An event is looked for in so many bytes, and where there is none, in more.
constexpr std::array<size_t, 2> kSearchBytes = {size_t{32} << 10, size_t{128} << 10};
constexpr size_t kMeasuredEvents = 1024;
// A piece gets more room than for the events expected. Huge pages reach into the rest, so it is
// small.
constexpr double kRoom = 1.1;
constexpr double kMoreRoom = 1024;

struct EventKind {
  RawEvents ParsedLine::*events;
  uint32_t ParsedLine::*in_room;
};
constexpr std::array<EventKind, 2> kEventKinds = {
    {{&ParsedLine::slices, &ParsedLine::slices_in_room},
     {&ParsedLine::instants, &ParsedLine::instants_in_room}}};

// Calls fn with each column.
template <class Fn>
void ForColumns(RawEvents* events, const Fn& fn) {
  fn(&events->start), fn(&events->dur), fn(&events->meta), fn(&events->ref);
}

// Copies rows [begin, begin + count) to rows from `to` on, which may overlap.
void MoveRows(const RawEvents& from, size_t begin, size_t count, RawEvents* events, size_t to) {
  const auto move = [&](const auto& column, auto* out) {
    if (count > 0) std::memmove(out->data() + to, column.data() + begin, count * sizeof(column[0]));
  };
  move(from.start, &events->start);
  move(from.dur, &events->dur);
  move(from.meta, &events->meta);
  move(from.ref, &events->ref);
}

void Reserve(RawEvents* events, size_t n) {
  if (events->start.empty()) return;
  events->start.Reserve(n), events->dur.Reserve(n), events->meta.Reserve(n);
  events->wide_ref.empty() ? events->ref.Reserve(n) : events->wide_ref.Reserve(n);
}

}  // namespace

Status SplitLine::Cut(uint64_t target, ParseBuffer* buffer, const std::stop_token& stop) {
  const LineJob& job = task_.job;
  std::vector<Place> places;
  bounds_ = {job.begin};
  for (uint64_t at = job.begin + target; at < job.end; at = std::max(at, bounds_.back()) + target) {
    if (stop.stop_requested()) return {ErrorCode::kCancelled, "cancelled"};
    const Result<Place> place = FindEvent(at, buffer, stop);
    if (!place.ok()) return place.status();
    if (place->event == job.end) continue;
    bounds_.push_back(place->event);
    places.push_back(*place);
  }
  bounds_.push_back(job.end);
  parsed_.resize(bounds_.size() - 1);
  const bool wide = job.end - job.line_begin >= Lane::kNoRef;
  if (places.empty() || wide || job.core_times != nullptr) return {};
  try {
    for (size_t kind = 0; kind < kEventKinds.size(); ++kind) MakeRooms(places, kind);
  } catch (const std::bad_alloc&) {
    rooms_ = {};  // there may be memory for the events, but not for the rest of their rooms
  }
  return {};
}

Result<SplitLine::Place> SplitLine::FindEvent(uint64_t at, ParseBuffer* buffer,
                                              const std::stop_token& stop) const {
  const LineJob& job = task_.job;
  for (const size_t most : kSearchBytes) {
    const size_t wanted = static_cast<size_t>(std::min<uint64_t>(most, job.end - at));
    const std::span<uint8_t> bytes = std::span(buffer->bytes).first(wanted);
    const Result<size_t> n = job.source->Read(at, std::as_writable_bytes(bytes));
    if (!n.ok()) return n.status();
    const EventChain chain = FindEventChain(bytes.first(*n), *job.ids, kMeasuredEvents);
    if (chain.events > 0) return Measure(at + chain.begin, at + chain.end, buffer, stop);
  }
  return Place{job.end, {}};
}

Result<SplitLine::Place> SplitLine::Measure(uint64_t begin, uint64_t end, ParseBuffer* buffer,
                                            const std::stop_token& stop) const {
  LineJob job = task_.job;
  job.begin = begin;
  job.end = end;
  job.first_piece = false;
  ParsedLine parsed;
  if (Status s = ParseLine(job, buffer, stop, nullptr, &parsed); !s.ok()) return s;
  Place place{begin, {}};
  for (size_t kind = 0; kind < kEventKinds.size(); ++kind) {
    const size_t count = (parsed.*kEventKinds[kind].events).start.size();
    place.by_byte[kind] = static_cast<double>(count) / static_cast<double>(end - begin);
  }
  return place;
}

// A piece is about as full of events as its two ends.
void SplitLine::MakeRooms(const std::vector<Place>& places, size_t kind) {
  Rooms& rooms = rooms_[kind];
  double rows = 0;
  rooms.bounds = {0};
  for (size_t p = 0; p < pieces(); ++p) {
    const Place& first = places[p == 0 ? 0 : p - 1];
    const Place& last = places[std::min(p, places.size() - 1)];
    const double by_byte = (first.by_byte[kind] + last.by_byte[kind]) / 2;
    rows += static_cast<double>(BytesOf(p)) * by_byte * kRoom + kMoreRoom;
    rooms.bounds.push_back(static_cast<uint32_t>(rows));
  }
  const size_t all = rooms.bounds.back();
  RawEvents& columns = rooms.columns;
  columns.start.ReserveWith(all, &columns.dur, &columns.meta, &columns.ref);
  ForColumns(&columns, [all](auto* column) { column->Resize(all); });
}

LineJob SplitLine::JobOf(size_t piece) {
  LineJob job = task_.job;
  job.begin = bounds_[piece];
  job.end = bounds_[piece + 1];
  job.first_piece = piece == 0;
  job.slice_room = RoomOf(piece, 0);
  job.instant_room = RoomOf(piece, 1);
  return job;
}

EventRoom SplitLine::RoomOf(size_t piece, size_t kind) {
  Rooms& rooms = rooms_[kind];
  if (rooms.bounds.empty()) return {};
  return {&rooms.columns, rooms.bounds[piece], rooms.bounds[piece + 1]};
}

// A piece that ends with a whole field shows that the next one begins at a field.
bool SplitLine::Join() {
  const auto cut = [](const ParsedLine& parsed) { return parsed.cut; };
  if (std::any_of(parsed_.begin(), parsed_.end() - 1, cut)) {
    parsed_.clear();
    rooms_ = {};
    return false;
  }
  for (size_t kind = 0; kind < kEventKinds.size(); ++kind) {
    if (!rooms_[kind].bounds.empty()) Renumber(kind), JoinRooms(kind);
  }
  JoinCopies();  // what the pieces have outside their rooms
  for (size_t kind = 0; kind < kEventKinds.size(); ++kind) {
    if (!rooms_[kind].bounds.empty())
      task_.parsed->*kEventKinds[kind].events = std::move(rooms_[kind].columns);
  }
  parsed_.clear();
  return true;
}

// Numbers ids without metadata as AppendLine appends them.
void SplitLine::Renumber(size_t kind) {
  Rooms& rooms = rooms_[kind];
  uint32_t before = 0;
  for (size_t p = 0; p < pieces(); ++p) {
    ParsedLine& piece = parsed_[p];
    if (!piece.missing.empty()) {
      Column<uint32_t>&own = (piece.*kEventKinds[kind].events).meta, &all = rooms.columns.meta;
      RenumberMissing({own.data(), own.size()}, before);
      RenumberMissing({all.data() + rooms.bounds[p], piece.*kEventKinds[kind].in_room}, before);
    }
    before += static_cast<uint32_t>(piece.missing.size());
  }
}

// Moves the events of each piece to those of the piece before it. A piece that found too little
// room has its events elsewhere, so the pieces behind it may have to move back. These move first,
// from the last one on: none is written over before it has moved.
void SplitLine::JoinRooms(size_t kind) {
  const EventKind& of = kEventKinds[kind];
  auto& columns = rooms_[kind].columns;
  const std::vector<uint32_t>& bounds = rooms_[kind].bounds;
  std::vector<size_t> to{0};  // by piece, and behind the last one
  for (const ParsedLine& piece : parsed_)
    to.push_back(to.back() + piece.*of.in_room + (piece.*of.events).start.size());
  const size_t all = to.back();
  ForColumns(&columns, [&](auto* column) { column->Resize(std::max(all, column->size())); });
  for (size_t p = pieces(); p-- > 0;) {
    if (to[p] > bounds[p]) MoveRows(columns, bounds[p], parsed_[p].*of.in_room, &columns, to[p]);
  }
  for (size_t p = 0; p < pieces(); ++p) {
    if (to[p] < bounds[p]) MoveRows(columns, bounds[p], parsed_[p].*of.in_room, &columns, to[p]);
  }
  for (size_t p = 0; p < pieces(); ++p) {
    RawEvents& own = parsed_[p].*of.events;
    MoveRows(own, 0, own.start.size(), &columns, to[p]);
    own = {};
  }
  ForColumns(&columns, [&](auto* column) {
    column->Resize(all);
    column->ShrinkToFit();
  });
  columns.ref_base = task_.job.line_begin;
}

// The line takes the memory of the first piece, which grows; that of the others is given back at
// once, so that a line never lies in memory twice.
void SplitLine::JoinCopies() {
  size_t slices = 0, instants = 0;
  for (const ParsedLine& piece : parsed_) {
    slices += piece.slices.start.size();
    instants += piece.instants.start.size();
  }
  for (ParsedLine& piece : parsed_) {
    AppendLine(task_.parsed, &piece);
    piece = ParsedLine();
    Reserve(&task_.parsed->slices, slices);
    Reserve(&task_.parsed->instants, instants);
  }
}

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
