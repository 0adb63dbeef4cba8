// Which events a query asks for. Names and categories are asked once for each metadata, tracks and
// planes once each; over the events goes one pass of their metadata, of durations where the query
// has some. Arguments are read for those only that answer everything else. Parallel; any thread.
#pragma once

#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "model/base/status.h"
#include "model/query/event_query.h"
#include "model/query/row_bits.h"
#include "model/trace.h"

namespace stepscope {

// Events of one set of a trace, its own or a derived one; a derived event has the arguments of the
// one that it comes from. `stats`: typed stats, if they are there already; they save reading
// arguments. kIo: arguments cannot be read; kCancelled: stopped.
// O(names + tracks + events), and a read of each event whose arguments are asked for.
Result<RowBits> FindEvents(const EventQuery& query, const Trace& trace, const TrackSet& set,
                           const StatTable* stats = nullptr, const std::stop_token& stop = {});

// Whether the name of events of this metadata answers the query's terms about names.
bool AnswersNames(const EventQuery& query, const NameTable& names, MetaId meta);

// `cat` of the events of a Chrome trace as it stands in the file, by MetaId; nothing for other
// traces, and for events without one. Reads one event of each metadata. O(events)
std::vector<std::string> FileCategories(const Trace& trace, const std::stop_token& stop = {});

// Calls fn(lane, first, end) for the parts of lanes that hold the rows [first_row, end_row) of the
// set; indices are within the lane.
template <typename Fn>
void ForLaneParts(const TrackSet& set, uint32_t first_row, uint32_t end_row, Fn fn) {
  const LaneId id = set.LaneOf(EventRow(first_row));
  if (!id.valid()) return;
  for (size_t l = id.value; l < set.lanes.size(); ++l) {
    const Lane& lane = set.lanes[l];
    if (lane.first_row >= end_row) return;
    const uint32_t first = first_row > lane.first_row ? first_row - lane.first_row : 0;
    const uint32_t end =
        end_row - lane.first_row < lane.size() ? end_row - lane.first_row : lane.size();
    if (first < end) fn(lane, first, end);
  }
}

}  // namespace stepscope
