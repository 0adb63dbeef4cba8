// Puts the facts of all ranks of a job together: clocks, who is late, and why
// (docs/rules.md#ranks). Pure functions that need no trace; any thread.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "model/analysis/ranks/lateness.h"
#include "model/analysis/tables/result_table.h"

namespace stepscope {

// Everything that is known of the ranks of one job.
struct RankJob {
  std::vector<Rank> ranks;
  std::vector<std::vector<RankStep>> steps;
  CollectiveCalls calls;
  std::vector<RankClock> clocks;
  std::vector<TimeRange> recording;
  Lateness lateness;
  std::vector<uint32_t> listed;  // indices in CollectiveCalls::paired, in the order of the table
  LateCauses causes;             // causes.collectives are as `listed`
};

// A part of the job. Collectives are paired, and clocks aligned, by all of it.
struct JobPart {
  std::function<bool(const Rank&, Ps)> counts;  // whether a call that begins then does
  std::vector<std::vector<RankStep>> steps;     // by rank: those of the part
};

// `facts` have distinct numbers, as those of GatherFacts and NumberFacts. With fewer than two ranks
// there is nothing but `ranks`. `part` null: the whole job. O(n log n) in calls.
RankJob PutTogether(std::span<const RankFacts> facts, const JobPart* part = nullptr);

// Numbers the facts of ranks from several traces, sorts them by number, and drops those that are no
// ranks (NumberRanks). O(ranks log ranks).
void NumberFacts(std::vector<RankFacts>* facts);

// Indices of the collectives to list: those that lack a participant first, then by falling
// lateness, at most 20,000 with 250,000 calls. O(n log n).
std::vector<uint32_t> ListedCollectives(const CollectiveCalls& calls, const Lateness& lateness);
inline constexpr size_t kMostListedCollectives = 20'000;

// Percent of a step that ranks wait for one: less is not said to be late, more always is.
inline constexpr double kLeastShareOfStep = 1, kMuchShareOfStep = 10;
// The time that the others wait for a rank, in percent of a step; nothing if no step is known.
std::optional<double> ShareOfStep(const RankJob& job, size_t rank);
// Whether a rank for which others wait is late by more than little and chance
// (docs/rules.md#ranks).
bool IsToBlame(const RankJob& job, size_t rank);
// The rank for which the most steps wait; nothing if none waits for any.
std::optional<size_t> MostAwaited(const RankJob& job);
// The same if IsToBlame, else nothing.
std::optional<size_t> SlowestRank(const RankJob& job);

// The median over a rank's steps that count, or over all if none counts; nothing without steps.
std::optional<Ps> MedianOfSteps(const std::vector<RankStep>& steps, Ps RankStep::*field);

}  // namespace stepscope
