#include "model/analysis/ranks/put_together.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>
#include <utility>

#include "model/analysis/tables/in_unit.h"
#include "model/base/statistics.h"

namespace stepscope {
namespace {

constexpr size_t kMostCalls = 250'000;  // of the collectives listed

}  // namespace

void NumberFacts(std::vector<RankFacts>* facts) {
  std::vector<Rank> ranks;
  ranks.reserve(facts->size());
  for (const RankFacts& f : *facts) ranks.push_back(f.rank);
  std::vector<RankFacts> ordered;
  for (const uint32_t r : NumberRanks(&ranks)) {
    ordered.push_back(std::move((*facts)[r]));
    ordered.back().rank = std::move(ranks[r]);
  }
  *facts = std::move(ordered);
}

RankJob PutTogether(std::span<const RankFacts> facts, const JobPart* part) {
  RankJob job;
  for (const RankFacts& f : facts) job.ranks.push_back(f.rank);
  job.causes.ranks.resize(facts.size());
  job.lateness.ranks.resize(facts.size());
  job.clocks.resize(facts.size());
  if (facts.size() < 2) return job;
  for (const RankFacts& f : facts) job.steps.push_back(f.steps);
  job.calls = PairCollectives(facts);
  job.clocks = AlignClocks(job.calls, facts.size());
  job.recording = RecordingOf(job.calls, job.steps, job.clocks);
  if (part != nullptr) {
    KeepCalls([&](const CollectiveCall& c) { return part->counts(job.ranks[c.rank], c.begin); },
              &job.calls);
    job.steps = part->steps;
  }
  job.lateness = FindLateness(job.calls, job.clocks, job.recording);
  job.listed = ListedCollectives(job.calls, job.lateness);
  job.causes = FindLateCauses(facts, job.calls, job.lateness, job.listed);
  return job;
}

std::vector<uint32_t> ListedCollectives(const CollectiveCalls& calls, const Lateness& lateness) {
  std::vector<uint32_t> listed;
  for (uint32_t i = 0; i < calls.paired.size(); ++i) {
    const LateCollective& c = lateness.collectives[i];
    if (c.several || c.missing) listed.push_back(i);
  }
  const auto key = [&](uint32_t i) {
    const LateCollective& c = lateness.collectives[i];
    const CollectiveCall& first = calls.calls[calls.paired[i].first];
    return std::make_tuple(!c.missing, -c.late_by, first.step, first.begin, i);
  };
  std::sort(listed.begin(), listed.end(), [&](uint32_t a, uint32_t b) { return key(a) < key(b); });
  size_t sum = 0, most = 0;
  while (most < std::min(listed.size(), kMostListedCollectives) && sum < kMostCalls)
    sum += calls.paired[listed[most++]].count;
  listed.resize(most);
  return listed;
}

std::optional<Ps> MedianOfSteps(const std::vector<RankStep>& steps, Ps RankStep::*field) {
  std::vector<Ps> values, all;
  for (const RankStep& step : steps) {
    all.push_back(step.*field);
    if (step.counts) values.push_back(step.*field);
  }
  if (values.empty()) values = std::move(all);
  if (values.empty()) return std::nullopt;
  return Median(std::move(values));
}

std::optional<double> ShareOfStep(const RankJob& job, size_t rank) {
  const std::optional<Ps> step = MedianOfSteps(job.steps[rank], &RankStep::total);
  if (!step || *step <= 0 || job.lateness.steps == 0) return std::nullopt;
  const double late = static_cast<double>(job.lateness.ranks[rank].sum) /
                      static_cast<double>(job.lateness.steps) / static_cast<double>(kPsPerMs);
  return 100 * late / InMs(*step);
}

// In each step some rank is the last. A rank is to blame if that costs much, or if it costs
// something and the rank is last more often than two standard deviations above chance.
bool IsToBlame(const RankJob& job, size_t rank) {
  const std::optional<double> share = ShareOfStep(job, rank);
  if (!share || *share >= kMuchShareOfStep) return true;
  const auto n = static_cast<double>(job.lateness.steps);
  const double p = 1 / static_cast<double>(job.ranks.size());
  const double chance = n * p + 2 * std::sqrt(n * p * (1 - p));
  return *share >= kLeastShareOfStep &&
         static_cast<double>(job.lateness.ranks[rank].steps) > chance;
}

std::optional<size_t> MostAwaited(const RankJob& job) {
  const auto key = [](const RankLateness& r) { return std::make_pair(r.steps, r.sum); };
  const auto& ranks = job.lateness.ranks;
  const auto it = std::max_element(ranks.begin(), ranks.end(),
                                   [&](const auto& a, const auto& b) { return key(a) < key(b); });
  if (it == ranks.end() || it->steps == 0) return std::nullopt;
  return static_cast<size_t>(it - ranks.begin());
}

std::optional<size_t> SlowestRank(const RankJob& job) {
  const std::optional<size_t> rank = MostAwaited(job);
  return rank && IsToBlame(job, *rank) ? rank : std::nullopt;
}

}  // namespace stepscope
