// Parses all lines of a run in parallel. A line that would outlast the other threads is split into
// pieces and put together again, without a difference in the result.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <vector>

#include "loaders/xplane/lines/line_parser.h"
#include "model/base/status.h"
#include "model/jobs/job.h"
#include "model/lane_builder.h"

namespace stepscope::xplane {

// SplitLine is a line that several threads parse, each a piece of it. Put together again, the
// pieces have the events of the whole line.

// Cut is called first, then each piece is parsed by one thread, then Join is called.
class SplitLine {
 public:
  explicit SplitLine(const LineTask& task) : task_(task) {}

  // Finds pieces of about `target` bytes. They begin where events seem to: Join tells whether all
  // do. No piece begins among events of more than some 40 KB. kIo, kCancelled. O(pieces)
  Status Cut(uint64_t target, ParseBuffer* buffer, const std::stop_token& stop);

  const LineTask& task() const { return task_; }
  size_t pieces() const { return parsed_.size(); }
  uint64_t BytesOf(size_t piece) const { return bounds_[piece + 1] - bounds_[piece]; }
  LineJob JobOf(size_t piece);
  ParsedLine* parsed(size_t piece) { return &parsed_[piece]; }

  // Puts the pieces together into task().parsed and gives their memory back. False, and nothing
  // there, where a piece before the last one did not end with a whole field: what the next one
  // begins with was no event, or the line is damaged. Then the line must be parsed as a whole.
  // O(events)
  bool Join();

 private:
  // A place at which an event seems to begin, and how many events of each kind it has for a byte.
  struct Place {
    uint64_t event = 0;  // the line's end if none was found
    std::array<double, 2> by_byte{};
  };
  // The rooms of all pieces for slices, or for instants.
  struct Rooms {
    RawEvents columns;
    std::vector<uint32_t> bounds;  // rows at which they begin and end; empty: there are none
  };
  Result<Place> FindEvent(uint64_t at, ParseBuffer* buffer, const std::stop_token& stop) const;
  Result<Place> Measure(uint64_t begin, uint64_t end, ParseBuffer* buffer,
                        const std::stop_token& stop) const;
  void MakeRooms(const std::vector<Place>& places, size_t kind);
  EventRoom RoomOf(size_t piece, size_t kind);
  void Renumber(size_t kind);
  void JoinRooms(size_t kind);
  void JoinCopies();

  const LineTask& task_;
  std::vector<uint64_t> bounds_;    // of the pieces
  std::vector<ParsedLine> parsed_;  // by piece
  std::array<Rooms, 2> rooms_;
};

// Other work that shares the threads and is started before the lines: run(0) to run(count - 1).
struct SideWork {
  size_t count = 0;
  std::function<Status(size_t)> run;
};

// Parses all lines and does the other work; returns when all is done, with the first error. kIo,
// kCancelled. `threads`: 0 for all cores.
Status ParseLineSet(std::span<const LineTask> lines, const SideWork& side, unsigned threads,
                    const std::stop_token& stop, Progress* progress);

}  // namespace stepscope::xplane
