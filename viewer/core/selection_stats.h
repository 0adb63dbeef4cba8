// What the selection panel shows: the events that are selected, found, measured or in view, added
// up and listed. Pure, for a job; the request holds all that it reads.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "model/analysis/result_table.h"
#include "model/query/event_stats.h"
#include "viewer/core/run.h"
#include "viewer/core/search.h"

namespace stepscope {

enum class SelectionKind : uint8_t { kSelected, kFound, kMeasured, kVisible };

// Equal requests have equal answers.
struct SelectionRequest {
  TraceId run;
  SelectionKind kind = SelectionKind::kVisible;
  TimeRange range;       // of kMeasured and kVisible, in the run's time
  std::string host;      // of these: the only one that counts; empty: all
  uint64_t version = 0;  // of what is selected or found
  GroupBy by = GroupBy::kName;
  bool operator==(const SelectionRequest&) const = default;
};

struct SelectionStats {
  EventStats stats;
  // name, count, total_us, self_us, mean_us, median_us, p95_us, p99_us, min_us, max_us, stddev_us,
  // share (of the time that is looked at), by falling total.
  ResultTable groups;
  ResultTable events;  // name, start_us, dur_us, self_us, track; by begin, the first kMostListed
  uint64_t listed_of = 0;  // how many there are
  TimeRange range;         // that is looked at: from the first begin to the last end where none is
};
inline constexpr size_t kMostListed = 20'000;
// Rows of `groups` link to their events where there are no more than these in all.
inline constexpr uint64_t kMostLinked = 2'000'000;

// `rows`: of what is selected or found, by set of the run; unused for ranges.
// O(events of the trace that are looked at)
SelectionStats AddUpSelection(const Run& run, const SelectionRequest& request,
                              const std::vector<Highlight::Rows>& rows,
                              const std::stop_token& stop);

}  // namespace stepscope
