// The selection panel shows this: the events that are selected, found, measured or in view, added
// up and listed. Pure; a job computes it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/analysis/tables/result_table.h"
#include "model/query/call_tree.h"
#include "model/query/event_stats.h"
#include "viewer/core/profiles/profile.h"
#include "viewer/core/search/search.h"
#include "viewer/core/state/track_rules.h"

namespace stepscope {

enum class SelectionKind : uint8_t { kSelected, kFound, kMeasured, kVisible };

// Equal requests have equal answers.
struct SelectionRequest {
  ProfileId profile;
  SelectionKind kind = SelectionKind::kVisible;
  TimeRange range;       // kMeasured and kVisible: which events, in the profile's time
  std::string host;      // the same: the only host that counts; empty: all
  uint64_t version = 0;  // kSelected and kFound: changes with the events
  GroupBy by = GroupBy::kName;
  bool stacks = false;           // also merges the events by their stacks
  TrackRules::Names names = {};  // of tracks and planes in the tables
  bool operator==(const SelectionRequest&) const = default;
};

// The recording's own events that are asked about, merged by their stacks.
struct SelectionStacks {
  CallTree tree;
  ResultTable top_down, bottom_up;
};

struct SelectionStats {
  EventStats stats;
  // name, count, total_us, self_us, mean_us, median_us, p95_us, p99_us, min_us, max_us, stddev_us,
  // share (of `range`); largest total first.
  ResultTable groups;
  ResultTable events;    // name, start_us, dur_us, self_us, track; by begin, the first kMostListed
  bool derived = false;  // no event is the recording's own; `stepscope events` counts none
  uint64_t listed_of = 0;  // events there are; `events` lists the first of them
  std::shared_ptr<const SelectionStacks> stacks;  // null: not asked for
  TimeRange range;  // the request's, or from the first begin to the last end without one
};
inline constexpr size_t kMostListed = 20'000;
// Rows of `groups` link to their events unless there are more events than this.
inline constexpr uint64_t kMostLinked = 2'000'000;

// `rows`: the events that are selected or found, by set of the profile; ranges ignore it. Derived
// rows count only where there are no others (CountedRows in highlight.h). Stops early with what it
// has when told to. O(events that are added up)
SelectionStats AddUpSelection(const Profile& profile, const SelectionRequest& request,
                              const std::vector<Highlight::Rows>& rows);

}  // namespace stepscope
