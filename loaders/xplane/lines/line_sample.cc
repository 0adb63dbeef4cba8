#include "loaders/xplane/lines/line_sample.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <tuple>
#include <utility>
#include <vector>

#include "loaders/common/first_error.h"
#include "loaders/xplane/lines/line_parser.h"
#include "loaders/xplane/lines/line_pieces.h"

namespace stepscope::xplane {

namespace {

constexpr size_t kMostLevels = 32;

Ps Scaled(Ps busy, double by, Ps room) {
  const double scaled = static_cast<double>(busy) * by;
  return scaled < static_cast<double>(room) ? std::max<Ps>(1, static_cast<Ps>(scaled)) : room;
}

}  // namespace

void LineCoverage::Add(uint64_t at, uint64_t bytes, const RawEvents& slices,
                       const RawEvents& instants) {
  Place place;
  place.at = at;
  place.bytes = bytes;
  for (size_t i = 0; i < instants.start.size(); ++i) {
    if (instants.meta[i] >= kMissingMeta) continue;
    if (place.has_instant && place.instant <= instants.start[i]) continue;
    place.has_instant = true;
    place.instant = instants.start[i];
    place.instant_meta = instants.meta[i];
  }
  events_.clear();
  for (size_t i = 0; i < slices.start.size(); ++i) {
    if (slices.meta[i] >= kMissingMeta) continue;
    const Ps begin = slices.start[i];
    events_.push_back({begin, SaturatingAdd(begin, slices.dur[i]), slices.meta[i]});
  }
  if (events_.empty() && !place.has_instant) return;
  place.begin = place.instant;
  if (!events_.empty()) AddLevels(&place);
  places_.push_back(std::move(place));
}

void LineCoverage::AddLevels(Place* place) {
  std::sort(events_.begin(), events_.end(), [](const Event& a, const Event& b) {
    return std::tuple(a.begin, b.end, a.meta) < std::tuple(b.begin, a.end, b.meta);
  });
  place->begin = place->end = events_.front().begin;
  open_.clear();
  for (const Event& event : events_) {
    while (!open_.empty() && open_.back() <= event.begin) open_.pop_back();
    const size_t depth = open_.size();
    if (depth >= kMostLevels) continue;
    if (place->levels.size() <= depth) place->levels.resize(depth + 1);
    const Ps until = depth == 0 ? event.end : std::min(event.end, open_.back());
    open_.push_back(until);
    Level& level = place->levels[depth];
    level.busy = SaturatingAdd(level.busy, std::max<Ps>(0, SaturatingSub(until, event.begin)));
    place->end = std::max(place->end, event.end);
    const Ps length = SaturatingSub(event.end, event.begin);
    if (length > level.longest) level.longest = length, level.meta = event.meta;
  }
}

// In order of the file, a place stands for the bytes until the next one.
void LineCoverage::WeighPlaces() {
  std::sort(places_.begin(), places_.end(),
            [](const Place& a, const Place& b) { return a.at < b.at; });
  for (size_t i = 0; i + 1 < places_.size(); ++i) {
    const auto until_next = static_cast<double>(places_[i + 1].at - places_[i].at);
    places_[i].stands_for =
        std::max(1.0, until_next / static_cast<double>(std::max<uint64_t>(1, places_[i].bytes)));
  }
}

Ps LineCoverage::Take(RawEvents* slices, RawEvents* instants) {
  WeighPlaces();
  std::stable_sort(places_.begin(), places_.end(),
                   [](const Place& a, const Place& b) { return a.begin < b.begin; });
  Ps busy = 0;
  for (size_t i = 0; i < places_.size(); ++i) {
    const Place& place = places_[i];
    if (place.has_instant) instants->Add(place.instant, 0, place.instant_meta, Lane::kNoRef);
    const Ps next = i + 1 < places_.size() ? places_[i + 1].begin : place.end;
    const Ps room = SaturatingSub(next, place.begin);
    Ps length = room;  // of the slice above
    for (const Level& level : place.levels) {
      if (level.longest < 0 || length <= 0) break;
      length = std::min(length, Scaled(level.busy, place.stands_for, room));
      slices->Add(place.begin, length, level.meta, Lane::kNoRef);
      if (&level == &place.levels.front()) busy = SaturatingAdd(busy, length);
    }
  }
  places_.clear();
  return busy;
}

namespace {

using SampleClock = std::chrono::steady_clock;

constexpr size_t kPlaceBytes = size_t{4} << 10;        // read at a place
constexpr size_t kLargePlaceBytes = size_t{64} << 10;  // where events are too long for that
constexpr size_t kLeastPlaces = 4, kMostPlaces = 256;  // of a line
constexpr uint64_t kWholeBytesPerPlace = 1024;         // shorter lines are read whole

// Reads places of all lines in rounds: first both ends, then the middle, then the quarters, and so
// on. So a line is seen evenly, whenever the time is up.
class LineSampler {
 public:
  LineSampler(std::span<const SampledLine> lines, const SampleLimits& limits, unsigned threads,
              const std::stop_token& stop)
      : lines_(lines),
        limits_(limits),
        threads_(threads),
        stop_(stop),
        begin_(SampleClock::now()),
        coverage_(lines.size()) {}

  Status Run() {
    places_ = std::bit_floor(limits_.places / std::max<size_t>(1, lines_.size()));
    places_ = std::min(places_, kMostPlaces);
    if (places_ < kLeastPlaces) return {ErrorCode::kLimit, "too many lines for a picture"};
    deadline_ = begin_ + limits_.both_ends;
    if (Status s = ForEachLine(&LineSampler::ReadEnds); !s.ok()) return s;
    if (late_) return {ErrorCode::kLimit, "too little time for a picture"};
    deadline_ = begin_ + limits_.rest;
    for (parts_ = 2; parts_ <= places_ && !late_; parts_ *= 2) {
      if (Status s = ForEachLine(&LineSampler::ReadBetween); !s.ok()) return s;
    }
    for (size_t l = 0; l < lines_.size(); ++l) FinishLine(l);
    return {};
  }

 private:
  using Step = Status (LineSampler::*)(size_t line, ParseBuffer* buffer);

  Status ForEachLine(Step step) {
    FirstError error;
    ParallelFor(
        lines_.size(),
        [&](size_t l) {
          if (error.any() || late_) return;
          std::unique_ptr<ParseBuffer> buffer = buffers_.Take();
          error.Set((this->*step)(l, buffer.get()));
          buffers_.Give(std::move(buffer));
        },
        threads_);
    return error.Take();
  }

  bool IsShort(const LineJob& job) const {
    return job.end - job.begin <= std::max(places_ * kWholeBytesPerPlace, limits_.whole_bytes);
  }

  Status ReadEnds(size_t line, ParseBuffer* buffer) {
    const LineTask& task = lines_[line].task;
    if (IsShort(task.job)) return ParseLine(task.job, buffer, stop_, nullptr, task.parsed);
    Status status = ReadPlace(line, task.job.begin, buffer);
    return status.ok() ? ReadPlace(line, task.job.end, buffer) : status;
  }

  Status ReadBetween(size_t line, ParseBuffer* buffer) {
    const LineJob& job = lines_[line].task.job;
    const uint64_t part = (job.end - job.begin) / parts_;
    for (size_t i = 1; i < parts_ && !IsShort(job) && !late_; i += 2) {
      if (Status s = ReadPlace(line, job.begin + i * part, buffer); !s.ok()) return s;
    }
    return {};
  }

  // Reads the place at byte `at` of the file, or the last one of the line. It is none where no
  // events are found.
  Status ReadPlace(size_t line, uint64_t at, ParseBuffer* buffer) {
    if (stop_.stop_requested()) return {ErrorCode::kCancelled, "cancelled"};
    if (SampleClock::now() > deadline_) late_ = true;
    LineJob job = lines_[line].task.job;
    EventChain chain;
    for (const size_t bytes : {kPlaceBytes, kLargePlaceBytes}) {
      const bool at_end = at + kPlaceBytes >= job.end;
      if (at_end) at = job.end - std::min<uint64_t>(bytes, job.end - job.begin);
      const Result<size_t> n =
          Fill(*job.source, at, std::min<uint64_t>(bytes, job.end - at), buffer);
      if (!n.ok()) return n.status();
      chain = FindEventChain(buffer->ahead, *job.ids);
      if (chain.events > 0) break;
    }
    if (chain.events == 0) return {};
    job.first_piece = at == job.begin;
    const bool last = at + buffer->ahead.size() >= job.end;
    if (!last) job.end = at + chain.end;
    if (!job.first_piece) job.begin = at + chain.begin;
    ParsedLine parsed;
    if (Status s = ParseLine(job, buffer, stop_, nullptr, &parsed); !s.ok()) return s;
    Keep(line, job, &parsed);
    return {};
  }

  // ParseLine takes short pieces from what was read ahead.
  static Result<size_t> Fill(const ByteSource& source, uint64_t at, uint64_t bytes,
                             ParseBuffer* buffer) {
    buffer->ahead_source = nullptr;
    buffer->ahead.resize(static_cast<size_t>(bytes));
    Result<size_t> n = source.Read(at, std::as_writable_bytes(std::span(buffer->ahead)));
    if (!n.ok()) return n;
    buffer->ahead.resize(*n);
    buffer->ahead_begin = at;
    buffer->ahead_source = &source;
    return n;
  }

  void Keep(size_t line, const LineJob& piece, ParsedLine* parsed) {
    if (!lines_[line].as_read) {
      coverage_[line].Add(piece.begin, piece.end - piece.begin, parsed->slices, parsed->instants);
      parsed->slices = {};
      parsed->instants = {};
      parsed->missing.clear();
    }
    AppendLine(lines_[line].task.parsed, parsed);  // its name may stand behind the events
  }

  void FinishLine(size_t line) {
    const LineTask& task = lines_[line].task;
    if (IsShort(task.job) || lines_[line].as_read) return;
    task.parsed->busy = coverage_[line].Take(&task.parsed->slices, &task.parsed->instants);
  }

  std::span<const SampledLine> lines_;
  const SampleLimits& limits_;
  unsigned threads_;
  const std::stop_token& stop_;
  SampleClock::time_point begin_, deadline_;
  size_t places_ = 0, parts_ = 0;
  std::atomic<bool> late_{false};
  std::vector<LineCoverage> coverage_;  // by line
  Reused<ParseBuffer> buffers_;
};

}  // namespace

Status SampleLines(std::span<const SampledLine> lines, const SampleLimits& limits, unsigned threads,
                   const std::stop_token& stop) {
  return LineSampler(lines, limits, threads, stop).Run();
}

}  // namespace stepscope::xplane
