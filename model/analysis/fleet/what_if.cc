#include "model/analysis/fleet/what_if.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <unordered_map>
#include <utility>

#include "model/analysis/fleet/job_graph.h"
#include "model/analysis/ranks/coordinates.h"
#include "model/base/statistics.h"
#include "model/jobs/job.h"

namespace stepscope {
namespace {

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
  for (const std::vector<double>& transfers : by_key) medians.push_back(Median(transfers));
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
