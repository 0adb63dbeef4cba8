// The work of a job as a graph that is simulated with other times (docs/fleet.md#what-if). Pure.
// Times are in ps.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/analysis/ranks/put_together.h"

namespace stepscope {

class JobGraph {
 public:
  struct Call {
    uint32_t collective = 0;
    uint32_t key = 0;       // calls at the same place of a step have one key
    bool after_all = true;  // it begins after the rank's earlier collectives have ended
    double work = 0;        // before it: since they ended, else since the call before began
    double compute = 0;     // the part of it that devices compute
  };
  struct Collective {
    uint32_t count = 0;  // participants
    uint32_t key = 0;    // collectives of equal name, size and participants have one key
    double transfer = 0;
  };

  JobGraph(std::span<const RankFacts> facts, const RankJob& job);

  // The time until all ranks are done. `work`: by call, in the order of calls(); `transfer`: by
  // collective. Participants that never come are not waited for. O(calls).
  double Simulate(std::span<const double> work, std::span<const double> transfer) const;

  const std::vector<Call>& calls() const { return calls_; }  // by rank, then by begin
  std::span<const Call> CallsOf(uint32_t rank) const {
    return std::span(calls_).subspan(first_[rank], first_[rank + 1] - first_[rank]);
  }
  uint32_t FirstOf(uint32_t rank) const { return first_[rank]; }
  uint32_t ranks() const { return static_cast<uint32_t>(first_.size() - 1); }
  const std::vector<Collective>& collectives() const { return collectives_; }
  uint32_t call_keys() const { return call_keys_; }
  uint32_t collective_keys() const { return collective_keys_; }

 private:
  void AddCollectives(std::span<const RankFacts> facts, const RankJob& job);
  void AddCalls(std::span<const RankFacts> facts, const RankJob& job);

  std::vector<Call> calls_;
  std::vector<uint32_t> first_;  // by rank
  std::vector<double> tail_;     // by rank: from the last collective to the end of its steps
  std::vector<Collective> collectives_;
  std::vector<uint32_t> of_call_;  // by CollectiveCalls::calls: its collective
  std::vector<uint32_t> participants_, first_participant_;
  uint32_t call_keys_ = 0, collective_keys_ = 0;
};

}  // namespace stepscope
