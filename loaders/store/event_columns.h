// EventColumns: the events of a store while it is read, and the set of tracks that they become. It
// keeps what is there of a damaged or cut file, and drops events that a trace cannot have: those
// out of order, and those outside of the event that should enclose them. The rows of a lane are
// those of its sections, so memory is bounded by them and never by what a header claims. Owns its
// columns.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/column.h"
#include "model/diagnostics.h"
#include "model/event_rows.h"
#include "model/lane_builder.h"
#include "model/track.h"

namespace stepscope::store {

// The overview: for each lane some hundred nodes, each of which stands for events that follow one
// another. It comes before the events, so that a trace that arrives slowly can be drawn at once.

// Returns the number of nodes. O(events).
uint32_t WriteOverview(const TrackSet& set, std::string* out);
// Nodes as slices: from the begin of a node's first event, as long as the node is busy, under the
// name of its longest event. False where the bytes make no sense. `lanes`: as in the file.
struct OverviewLane {
  uint32_t lane = 0;
  std::vector<Ps> begin, busy;
  std::vector<uint32_t> meta;
};
bool ReadOverview(std::string_view bytes, uint32_t nodes, std::vector<OverviewLane>* out);

struct LaneFacts {  // as the file has them
  uint32_t track = 0, first_row = 0, rows = 0;
  Ps begin = 0;
  LaneKind kind = LaneKind::kNested;
};

class EventColumns {
 public:
  static constexpr uint64_t kBytesPerRow = 28;  // in memory, while reading

  std::vector<LaneFacts> lanes;  // in order of rows

  // Makes room for sections with these rows of the file; returns how many it takes. Others are
  // those that overlap an earlier one, or lie beyond the lanes.
  struct Rows {
    uint32_t first = 0, count = 0;
  };
  void Prepare(std::vector<Rows> sections);
  // Takes one of them. Different ones may be read by different threads.
  bool Read(Rows rows, std::string_view bytes);

  // Takes the nodes of an overview in place of events, before Prepare or instead of it. Nodes of a
  // lane do not overlap, but they need not lie within those of the lane before: all lanes that are
  // not of instants become lanes of events that overlap others.
  void TakeOverview(const std::vector<OverviewLane>& overview);

  struct Built {
    TrackSet set;  // without names
    RowMap rows;
    uint64_t missing = 0, refused = 0;  // events
  };
  // `tracks`: of the file; the lanes name them. Consumes the columns.
  Built Finish(std::vector<Track> tracks, uint32_t metas);

 private:
  struct Part {
    Rows rows;
    uint32_t at = 0;  // in the columns
    bool read = false;
  };
  struct Kept {  // a piece of a lane: rows of the file, and where they are now
    uint32_t row = 0, at = 0, count = 0;
  };
  struct LanePieces {
    std::vector<Kept> pieces;
    uint32_t at = 0, size = 0;  // in the columns, after what is refused has been taken out
    std::vector<uint64_t> ref_bases;
    uint64_t refused = 0;
  };

  size_t LaneAt(uint32_t row) const;
  std::vector<Kept> PresentRows(const LaneFacts& lane) const;
  void CheckTrack(size_t first_lane, size_t lanes_end, uint32_t metas,
                  std::vector<LanePieces>* pieces);
  void CheckLane(const LaneFacts& lane, const LanePieces* parent, uint32_t metas,
                 LanePieces* pieces);
  void NarrowReferences(LanePieces* pieces);

  std::vector<Part> parts_;  // ascending
  Column<Ps> start_, dur_;
  Column<uint32_t> meta_, ref_;
  Column<uint64_t> offset_;
};

// Writes rows [first, first + count) of a set.
void WriteEvents(const TrackSet& set, uint32_t first, uint32_t count, std::string* out);

}  // namespace stepscope::store
