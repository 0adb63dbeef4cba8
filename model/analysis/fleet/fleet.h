// A fleet: the facts of many ranks, which were made where their profiles lie and which no memory
// holds together (docs/fleet.md). This folder says what follows from them: which step would be how
// long without stragglers (what_if.h), which kernels a rank runs slower than the others
// and which links are slow (slow_parts.h). loaders/fleet reads a fleet; the page
// `fleet` shows it (model/analysis/pages/fleet.cc). Who is late, and why, is the work of
// model/analysis/ranks. All types are values. Times are in ps.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/analysis/ranks/rank_facts.h"
#include "model/trace.h"

namespace stepscope {

// A profile that the fleet was made of, or could not be made of.
struct FleetFile {
  std::string path;   // where the profile lies
  std::string error;  // why it has no facts; empty: it has
  int64_t bytes = 0;
};

// The ranks that ran together.
struct FleetRun {
  std::string name;
  int64_t origin_unix_ns = 0;    // of the first rank; 0: unknown
  std::vector<RankFacts> facts;  // by number, all on one time axis
  std::vector<uint32_t> files;   // by rank: in Fleet::files
};

struct Fleet {
  std::vector<FleetRun> runs;  // the newest first; at least one
  std::vector<FleetFile> files;
  size_t shown = 0;  // in `runs`: the one that pages are of
  const FleetRun& ShownRun() const { return runs[shown]; }
};
// The names of the runs without the folders that all of them lie in.
std::vector<std::string> ShortRunNames(const Fleet& fleet);
// The place in `runs` of the run with this name or short name; its last folders are enough where no
// other run has them. Nothing where there is none. O(runs).
std::optional<size_t> FindRun(const Fleet& fleet, std::string_view name);

// A run in a few numbers, for what changes over runs. Times are medians over ranks.
struct RunSummary {
  std::optional<double> step_ms, slowest_step_ms, busy_ms;  // of the ranks' medians
  std::optional<double> slowdown;                           // T / T ideal (what_if.h)
  int64_t late_ranks = 0, throttled_ranks = 0, slow_links = 0;
  std::optional<double> slowdown_percent() const {
    return slowdown ? std::optional(100 * (*slowdown - 1)) : std::nullopt;
  }
};

// The summaries of a fleet's runs that were computed so far. Any thread.
class RunSummaries {
 public:
  std::optional<RunSummary> Find(size_t run) const;
  void Keep(size_t run, const RunSummary& summary);

 private:
  mutable std::mutex mutex_;
  std::map<size_t, RunSummary> known_;
};

// A trace without events holds a fleet through its source.
class FleetSource : public StatSource {
 public:
  virtual const Fleet& fleet() const = 0;
  RunSummaries& summaries() const { return summaries_; }

 private:
  mutable RunSummaries summaries_;
};
// Null for any other trace. O(1).
const Fleet* FleetOf(const Trace& trace);
// The summaries of the fleet that the trace holds; it must hold one.
RunSummaries& SummariesOf(const Trace& trace);

// The share of one profile in a fleet.
struct FleetPart {
  FleetFile file;
  std::string run;
  int64_t origin_unix_ns = 0;
  std::vector<RankFacts> facts;
};
// Sorts parts into runs: moves each onto its run's time axis and numbers the ranks. Parts of equal
// `file.path` count once: the last. O(calls + ranks log ranks).
Fleet MakeFleet(std::vector<FleetPart> parts);

}  // namespace stepscope
