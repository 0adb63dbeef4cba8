#include "model/analysis/fleet/job_graph.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "model/base/number_hash.h"
#include "model/jobs/job.h"

namespace stepscope {
namespace {

double Real(Ps ps) { return static_cast<double>(ps); }

// Carries out the graph with given times.
class Simulation {
 public:
  Simulation(const JobGraph& graph, std::span<const double> work, std::span<const double> transfer)
      : graph_(graph), work_(work), transfer_(transfer) {
    ranks_.resize(graph.ranks());
    for (uint32_t r = 0; r < graph.ranks(); ++r) ranks_[r].next = graph.FirstOf(r);
    collectives_.resize(graph.collectives().size());
    waiting_.resize(graph.collectives().size());
  }

  // The time at which each rank's last collective ends.
  std::vector<double> Run() {
    for (uint32_t r = 0; r < graph_.ranks(); ++r) open_.push_back(r);
    size_t unfinished = 0;
    for (;;) {
      while (!open_.empty()) {
        const uint32_t rank = open_.back();
        open_.pop_back();
        Advance(rank);
      }
      // Ranks wait for each other in a circle where calls are paired wrongly: the first collective
      // that some have joined ends without the others.
      while (unfinished < collectives_.size() &&
             (collectives_[unfinished].done || collectives_[unfinished].arrived == 0))
        ++unfinished;
      if (unfinished == collectives_.size()) break;
      End(static_cast<uint32_t>(unfinished));
    }
    std::vector<double> ends;
    for (const RankState& rank : ranks_) ends.push_back(rank.end);
    return ends;
  }

 private:
  struct RankState {
    uint32_t next = 0;     // its next call
    uint32_t pending = 0;  // collectives that it has joined and that have not ended
    double ready = 0;      // when it joined the last one
    double end = 0;        // when the last one ended
  };
  struct State {
    uint32_t arrived = 0;
    bool done = false;
    double begin = 0, end = 0;
  };

  void Advance(uint32_t r) {
    RankState& rank = ranks_[r];
    const uint32_t end = graph_.FirstOf(r) + static_cast<uint32_t>(graph_.CallsOf(r).size());
    while (rank.next < end) {
      const JobGraph::Call& call = graph_.calls()[rank.next];
      if (call.after_all && rank.pending > 0) return;
      rank.ready = (call.after_all ? rank.end : rank.ready) + work_[rank.next];
      ++rank.next;
      State& c = collectives_[call.collective];
      if (c.done) {
        rank.end = std::max({rank.end, c.end, rank.ready});
        continue;
      }
      c.begin = std::max(c.begin, rank.ready);
      waiting_[call.collective].push_back(r);
      ++rank.pending;
      if (++c.arrived == graph_.collectives()[call.collective].count) End(call.collective);
    }
  }

  void End(uint32_t collective) {
    State& c = collectives_[collective];
    c.done = true;
    c.end = c.begin + transfer_[collective];
    for (const uint32_t r : waiting_[collective]) {
      ranks_[r].end = std::max(ranks_[r].end, c.end);
      --ranks_[r].pending;
      open_.push_back(r);
    }
    waiting_[collective] = {};
  }

  const JobGraph& graph_;
  const std::span<const double> work_, transfer_;
  std::vector<RankState> ranks_;
  std::vector<State> collectives_;
  std::vector<std::vector<uint32_t>> waiting_;  // by collective
  std::vector<uint32_t> open_;                  // ranks that may go on
};

}  // namespace

JobGraph::JobGraph(std::span<const RankFacts> facts, const RankJob& job) {
  AddCollectives(facts, job);
  AddCalls(facts, job);
}

void JobGraph::AddCollectives(std::span<const RankFacts> facts, const RankJob& job) {
  std::map<std::tuple<uint32_t, int64_t, uint32_t>, uint32_t> keys;
  of_call_.resize(job.calls.calls.size());
  const auto add = [&](uint32_t first, uint32_t count, Ps transfer) {
    const CollectiveCall& call = job.calls.calls[first];
    const int64_t bytes = facts[call.rank].calls[call.at].bytes;
    const auto next = static_cast<uint32_t>(keys.size());
    const uint32_t key = keys.try_emplace({call.name, bytes, count}, next).first->second;
    for (uint32_t i = first; i < first + count; ++i)
      of_call_[i] = static_cast<uint32_t>(collectives_.size());
    collectives_.push_back({count, key, Real(transfer)});
  };
  uint32_t grouped = 0;
  for (size_t i = 0; i < job.calls.paired.size(); ++i) {
    const PairedCollective& c = job.calls.paired[i];
    const CollectiveCall& first = job.calls.calls[c.first];
    const LateCollective& late = job.lateness.collectives[i];
    add(c.first, c.count, late.several ? late.transfer : first.end - first.begin);
    grouped = c.first + c.count;
  }
  for (uint32_t i = grouped; i < job.calls.calls.size(); ++i)
    add(i, 1, job.calls.calls[i].end - job.calls.calls[i].begin);
  collective_keys_ = static_cast<uint32_t>(keys.size());
}

namespace {

// Calls at the same place of a step have equal places: whether they are in a step, their number
// there, their name, and whether they come after all before.
using Place = std::tuple<bool, uint32_t, uint32_t, bool>;
struct HashOfPlace {
  size_t operator()(const Place& place) const {
    const auto& [in_step, nth, name, after_all] = place;
    return HashOf({in_step, nth, name, after_all});
  }
};

// The calls of a job on one rank, by begin.
struct CallsOfRank {
  std::vector<uint32_t> calls;  // in CollectiveCalls::calls
  std::vector<double> compute;  // by RankFacts::calls
};

CallsOfRank InOrder(const RankFacts& facts, const RankJob& job, std::vector<uint32_t> calls) {
  std::sort(calls.begin(), calls.end(), [&](uint32_t a, uint32_t b) {
    const CollectiveCall &x = job.calls.calls[a], &y = job.calls.calls[b];
    return std::tie(x.begin, x.at) < std::tie(y.begin, y.at);
  });
  CallsOfRank of{std::move(calls), std::vector<double>(facts.calls.size())};
  for (const RankWait& wait : facts.waits) {
    if (wait.loss == StepTimeClass::kCompute) of.compute[wait.call] = Real(wait.time);
  }
  return of;
}

}  // namespace

void JobGraph::AddCalls(std::span<const RankFacts> facts, const RankJob& job) {
  std::vector<std::vector<uint32_t>> of_rank(facts.size());
  for (size_t r = 0; r < facts.size(); ++r) of_rank[r].reserve(facts[r].calls.size());
  for (uint32_t i = 0; i < job.calls.calls.size(); ++i)
    of_rank[job.calls.calls[i].rank].push_back(i);
  std::vector<size_t> first = {0};
  for (const std::vector<uint32_t>& of : of_rank) first.push_back(first.back() + of.size());
  std::vector<Place> places(first.back());
  calls_.resize(first.back());
  tail_.resize(facts.size());
  ParallelFor(facts.size(), [&](size_t r) {
    const CallsOfRank of = InOrder(facts[r], job, std::move(of_rank[r]));
    const CollectiveCall* before = nullptr;
    uint32_t nth = 0;
    Ps last_end = facts[r].steps.empty() ? 0 : facts[r].steps.front().span.begin;
    size_t at = first[r];
    for (const uint32_t i : of.calls) {
      const CollectiveCall& call = job.calls.calls[i];
      const bool same_step =
          before != nullptr && before->in_step && call.in_step && before->step == call.step;
      nth = same_step ? nth + 1 : 0;
      const RankCall& from = facts[r].calls[call.at];
      Call& node = calls_[at];
      node.collective = of_call_[i];
      node.after_all = from.explained || before == nullptr;
      node.work = node.after_all ? Real(from.begin - from.since)
                                 : Real(SaturatingSub(call.begin, before->begin));
      node.compute = std::min(node.work, of.compute[call.at]);
      places[at++] = {call.in_step, nth, call.name, node.after_all};
      last_end = std::max(last_end, call.end);
      before = &call;
    }
    const Ps end = facts[r].steps.empty() ? last_end : facts[r].steps.back().span.end;
    tail_[r] = Real(std::max<Ps>(0, SaturatingSub(end, last_end)));
  });
  std::unordered_map<Place, uint32_t, HashOfPlace> keys;
  for (size_t i = 0; i < places.size(); ++i) {
    const auto next = static_cast<uint32_t>(keys.size());
    calls_[i].key = keys.try_emplace(places[i], next).first->second;
  }
  for (const size_t begin : first) first_.push_back(static_cast<uint32_t>(begin));
  call_keys_ = static_cast<uint32_t>(keys.size());
}

double JobGraph::Simulate(std::span<const double> work, std::span<const double> transfer) const {
  const std::vector<double> ends = Simulation(*this, work, transfer).Run();
  double last = 0;
  for (uint32_t r = 0; r < ends.size(); ++r) last = std::max(last, ends[r] + tail_[r]);
  return last;
}

}  // namespace stepscope
