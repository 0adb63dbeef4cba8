// Ranks: which rank of a job the others wait for, by how much, and why (docs/rules.md#ranks). In: a
// trace of several ranks, or the facts of a fleet's. Out: Ranks, and the page `ranks`. The rows are
// made here (ranks.cc), the sentences in rank_finding.cc. Pure; any thread. Times are in ps.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/analysis/ranks/put_together.h"
#include "model/analysis/steps/verdict.h"

namespace stepscope {

inline constexpr size_t kMostRankSteps = 20'000;

struct RankRow {
  int64_t number = 0;
  std::string host, coordinates, devices;
  std::optional<Ps> clock_offset;  // ahead of the first rank's when it was recorded
  std::optional<Ps> residual;      // of its clock
  std::optional<Ps> step, busy;    // medians
  std::optional<double> late_percent;
  std::optional<Ps> late_by;  // median
  LateCause cause;
  uint64_t steps = 0, collectives = 0, missing = 0;
  bool cut = false;                  // the rank's file ends before it is complete
  std::optional<int64_t> last_step;  // its number, in the whole trace
  EventRows rows;  // the calls to which it was late; all of its calls if it never was
};

struct CollectiveRow {
  std::optional<int64_t> step;
  std::string group, name;
  std::optional<int64_t> last_rank;  // number
  std::optional<Ps> late_by, duration;
  std::optional<double> algorithm_gbps, bus_gbps;
  std::string missing;  // numbers of ranks
  LateCause cause;
  uint32_t participants = 0;
  std::optional<int64_t> bytes;
  EventRows rows;
  TimeRange span;
};

// How late a rank was in one of its steps.
struct LateStep {
  uint32_t rank = 0, step = 0;  // indices: of the rank, and among its steps
  std::optional<Ps> late;       // absent if it took part in no collective
};

struct LateSteps {
  std::vector<LateStep> rows;     // by rank
  std::vector<EventRows> events;  // by row; empty without a trace
  std::string title = "Steps";    // of the table
};

// The properties of the pages `ranks` and `fleet`.
struct RankSummary {
  std::optional<int64_t> slowest;      // the number of the rank that the others wait for
  std::optional<double> wait_percent;  // by how much it is the last, of a step
  std::string cause;                   // "waiting for input (DataLoader)"; empty if unknown
  size_t ranks = 0, collectives = 0;
  uint64_t missing = 0;                            // collectives that lack a participant
  std::optional<double> step_spread, busy_spread;  // percent
  Finding finding;
};
// The job needs two ranks and more.
RankSummary Summarize(const RankJob& job);
std::vector<Property> PropertiesOf(const RankSummary& summary);

struct Ranks {
  bool with_events = true;  // rows have their events, which are in a trace at hand
  std::vector<RankRow> ranks;
  std::vector<CollectiveRow> collectives;
  bool all_collectives = true;               // `collectives` has all, not only the latest
  std::vector<std::vector<RankStep>> steps;  // by rank
  LateSteps late_steps;
  RankSummary summary;  // empty with fewer than two ranks

  static constexpr size_t kKept = 4;
  // The trace must have events; a fleet has none.
  static Ranks Compute(AnalysisContext& context, const AnalysisParams& params);
};
// Only `with_events` is set for fewer than two ranks.
Ranks RanksOf(std::span<const RankFacts> facts, RankJob job, bool with_events);

// A row for each step of each rank that some collectives are known of: the first steps, of all
// ranks, up to `most` rows. `with_events`: with the calls that the others waited for, else all
// calls of the rank in the step. Empty without steps. O(calls log calls).
LateSteps FindLateSteps(const RankJob& job, bool with_events, size_t most = kMostRankSteps);

// Says which ranks' files are cut, so that their later steps are missing; nothing if none is.
std::vector<Finding> CutFindings(const Ranks& ranks);
// The tables `ranks`, `collectives` and `rank_steps`.
std::vector<ResultTable> TablesOf(const Ranks& ranks);
// `numbers`, `steps`: of the ranks. Links to events where `late` has them.
ResultTable LateStepTable(const LateSteps& late, std::span<const int64_t> numbers,
                          const std::vector<std::vector<RankStep>>& steps);

// If collectives lead the verdict and half of their time and more is waiting for the rank that is
// called slowest, the sentence names that rank, with its share and cause; from a fifth on it ends
// with the share and the rank. Asks for Ranks only if collectives lead and there are several hosts.
void NameLateRank(AnalysisContext& context, const AnalysisParams& params, Verdict* verdict);

}  // namespace stepscope
