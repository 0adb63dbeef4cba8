#include "model/analysis/fleet/what_if.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "model/analysis/ranks/rank_facts.h"
#include "model/base/number_hash.h"
#include "model/base/statistics.h"
#include "model/jobs/job.h"

namespace stepscope {
namespace {

// The work of a job as a graph that is simulated with other times.
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

constexpr double kLeastSlowdown = 0.001;  // of a step
constexpr size_t kMostStages = 64;

// The mean of values with equal keys.
std::vector<double> MeansByKey(const std::vector<std::pair<uint32_t, double>>& values,
                               uint32_t keys) {
  std::vector<double> sums(keys), counts(keys);
  for (const auto& [key, value] : values) sums[key] += value, ++counts[key];
  for (uint32_t k = 0; k < keys; ++k) sums[k] /= std::max(1.0, counts[k]);
  return sums;
}

// The ideal times of a job, and its recorded ones.
struct Times {
  std::vector<double> work, ideal_work;          // by call
  std::vector<double> even_work;                 // by call: with each rank's mean compute
  std::vector<double> transfer, ideal_transfer;  // by collective
};

void AddWork(const JobGraph& graph, Times* times) {
  std::vector<std::pair<uint32_t, double>> work;
  for (const JobGraph::Call& call : graph.calls()) work.emplace_back(call.key, call.work);
  const std::vector<double> means = MeansByKey(work, graph.call_keys());
  for (const JobGraph::Call& call : graph.calls()) {
    times->work.push_back(call.work);
    times->ideal_work.push_back(means[call.key]);
  }
}

void AddEvenWork(const JobGraph& graph, Times* times) {
  times->even_work.resize(graph.calls().size());
  ParallelFor(graph.ranks(), [&](size_t r) {
    const auto rank = static_cast<uint32_t>(r);
    std::unordered_map<uint32_t, std::pair<double, double>> sums;  // by key: time, calls
    for (const JobGraph::Call& call : graph.CallsOf(rank)) {
      std::pair<double, double>& sum = sums[call.key];
      sum.first += call.compute;
      sum.second += 1;
    }
    size_t at = graph.FirstOf(rank);
    for (const JobGraph::Call& call : graph.CallsOf(rank)) {
      const auto& [sum, count] = sums[call.key];
      times->even_work[at++] = call.work - call.compute + sum / count;
    }
  });
}

void AddTransfers(const JobGraph& graph, Times* times) {
  std::vector<std::vector<double>> by_key(graph.collective_keys());
  for (const JobGraph::Collective& c : graph.collectives()) {
    times->transfer.push_back(c.transfer);
    by_key[c.key].push_back(c.transfer);
  }
  std::vector<double> medians;
  for (const std::vector<double>& transfers : by_key) medians.push_back(LowerMedian(transfers));
  for (const JobGraph::Collective& c : graph.collectives())
    times->ideal_transfer.push_back(medians[c.key]);
}

// The 3 % of ranks, and at least one, with the most work above the ideal.
std::vector<uint32_t> SlowestRanks(const JobGraph& graph, const Times& times) {
  std::vector<double> more(graph.ranks());
  for (uint32_t r = 0; r < graph.ranks(); ++r) {
    const uint32_t first = graph.FirstOf(r);
    for (uint32_t i = first; i < first + graph.CallsOf(r).size(); ++i)
      more[r] += times.work[i] - times.ideal_work[i];
  }
  std::vector<uint32_t> ranks(graph.ranks());
  std::iota(ranks.begin(), ranks.end(), 0u);
  std::stable_sort(ranks.begin(), ranks.end(),
                   [&](uint32_t a, uint32_t b) { return more[a] > more[b]; });
  ranks.resize((ranks.size() * 3 + 99) / 100);
  return ranks;
}

int64_t StageOf(const Rank& rank) {
  std::vector<RankCoordinate> coordinates = CoordinatesIn(rank.file);
  if (coordinates.empty()) coordinates = CoordinatesIn(rank.host_name);
  for (const RankCoordinate& c : coordinates) {
    if (c.axis == "pp") return c.index;
  }
  return -1;
}

class Asker {
 public:
  Asker(const JobGraph& graph, const RankJob& job, WhatIf* answer)
      : graph_(graph), job_(job), answer_(*answer) {
    AddWork(graph, &times_);
    AddEvenWork(graph, &times_);
    AddTransfers(graph, &times_);
  }

  void Ask() {
    answer_.slowest = SlowestRanks(graph_, times_);
    const std::vector<double> both =
        Simulate({{times_.work, times_.transfer}, {times_.ideal_work, times_.ideal_transfer}});
    total_ = both[0];
    ideal_ = both[1];
    const double steps = static_cast<double>(std::max<int64_t>(1, answer_.steps));
    answer_.step = total_ / steps;
    answer_.ideal = ideal_ / steps;
    if (total_ - ideal_ < kLeastSlowdown * total_) return;
    const std::vector<double> slowest = WorkWithout(answer_.slowest);
    const std::vector<double> without = Simulate({{slowest, times_.transfer},
                                                  {times_.work, times_.ideal_transfer},
                                                  {times_.even_work, times_.transfer}});
    answer_.slowest_ranks = Share(without[0]);
    answer_.network = Share(without[1]);
    answer_.uneven_input = Share(without[2]);
    AskStages();
  }

 private:
  struct Question {
    std::span<const double> work;      // by call
    std::span<const double> transfer;  // by collective
  };

  std::vector<double> Simulate(const std::vector<Question>& questions) const {
    std::vector<double> times(questions.size());
    ParallelFor(questions.size(), [&](size_t i) {
      times[i] = graph_.Simulate(questions[i].work, questions[i].transfer);
    });
    return times;
  }

  double Share(double time) const { return (total_ - time) / (total_ - ideal_); }

  // The work of all ranks, with that of some ideal.
  std::vector<double> WorkWithout(const std::vector<uint32_t>& ranks) const {
    std::vector<double> work = times_.work;
    for (const uint32_t r : ranks) {
      const uint32_t first = graph_.FirstOf(r);
      for (uint32_t i = first; i < first + graph_.CallsOf(r).size(); ++i)
        work[i] = times_.ideal_work[i];
    }
    return work;
  }

  void AskStages() {
    std::map<int64_t, std::vector<uint32_t>> stages;
    for (uint32_t r = 0; r < job_.ranks.size(); ++r) {
      const int64_t stage = StageOf(job_.ranks[r]);
      if (stage >= 0) stages[stage].push_back(r);
    }
    if (stages.size() < 2 || stages.size() > kMostStages) return;
    std::vector<int64_t> numbers;
    numbers.reserve(stages.size());
    for (const auto& stage : stages) numbers.push_back(stage.first);
    std::vector<double> shares(numbers.size());
    ParallelFor(numbers.size(), [&](size_t i) {
      shares[i] = Share(graph_.Simulate(WorkWithout(stages.at(numbers[i])), times_.transfer));
    });
    const auto most = std::max_element(shares.begin(), shares.end());
    answer_.stage_share = *most;
    answer_.stage = numbers[static_cast<size_t>(most - shares.begin())];
  }

  const JobGraph& graph_;
  const RankJob& job_;
  WhatIf& answer_;
  Times times_;
  double total_ = 0, ideal_ = 0;
};

}  // namespace

WhatIf AskWhatIf(std::span<const RankFacts> facts, const RankJob& job) {
  WhatIf answer;
  std::set<int64_t> steps;
  for (const RankFacts& f : facts) {
    for (const RankStep& step : f.steps) steps.insert(step.number);
  }
  answer.steps = static_cast<int64_t>(steps.size());
  if (facts.size() < 2 || job.calls.calls.empty()) return answer;
  const JobGraph graph(facts, job);
  Asker(graph, job, &answer).Ask();
  return answer;
}

}  // namespace stepscope
