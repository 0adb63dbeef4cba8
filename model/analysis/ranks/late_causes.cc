#include "model/analysis/ranks/late_causes.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "model/base/statistics.h"
#include "model/jobs/job.h"

namespace stepscope {
namespace {

class Explanation {
 public:
  Explanation(std::span<const RankFacts> facts, const CollectiveCalls& calls)
      : facts_(facts), calls_(calls), first_waits_(facts.size()) {
    ParallelFor(facts.size(), [&](size_t r) {
      std::vector<uint32_t>& first = first_waits_[r];
      const std::vector<RankWait>& waits = facts[r].waits;
      uint32_t at = 0;
      for (uint32_t call = 0; call <= facts[r].calls.size(); ++call) {
        while (at < waits.size() && waits[at].call < call) ++at;
        first.push_back(at);
      }
    });
  }

  LateCause CauseOf(const LateCollective& late, const PairedCollective& c,
                    StepClassTimes* more) const;
  std::string EventOf(uint32_t rank, StepTimeClass loss, const std::vector<bool>& late) const;

 private:
  const RankCall& FactsOf(const CollectiveCall& call) const {
    return facts_[call.rank].calls[call.at];
  }
  StepClassTimes WaitsOf(const CollectiveCall& call) const;

  std::span<const RankFacts> facts_;
  const CollectiveCalls& calls_;
  std::vector<std::vector<uint32_t>> first_waits_;  // by rank and call: in RankFacts::waits
};

StepClassTimes Explanation::WaitsOf(const CollectiveCall& call) const {
  StepClassTimes times{};
  const std::vector<RankWait>& waits = facts_[call.rank].waits;
  const std::vector<uint32_t>& first = first_waits_[call.rank];
  for (uint32_t i = first[call.at]; i < first[call.at + 1]; ++i)
    At(times, waits[i].loss) = waits[i].time;
  return times;
}

// The class in which the late rank exceeds the others' median most; `more`: by how much it exceeds
// it in each.
LateCause Explanation::CauseOf(const LateCollective& late, const PairedCollective& c,
                               StepClassTimes* more) const {
  LateCause cause;
  const CollectiveCall& last = calls_.calls[late.last];
  if (!FactsOf(last).explained) return cause;
  std::array<std::vector<Ps>, kStepTimeClasses> others;  // times above 0
  for (uint32_t i = c.first; i < c.first + c.count; ++i) {
    if (i == late.last) continue;
    const StepClassTimes times = WaitsOf(calls_.calls[i]);
    for (size_t k = 0; k < kStepTimeClasses; ++k) {
      if (times[k] != 0) others[k].push_back(times[k]);
    }
  }
  const StepClassTimes own = WaitsOf(last);
  Ps most = 0;
  for (size_t k = 0; k < kStepTimeClasses; ++k) {
    if (!others[k].empty()) others[k].resize(c.count - 1);
    (*more)[k] = own[k] - Median(others[k]);
    if ((*more)[k] > most) cause.loss = static_cast<StepTimeClass>(k), most = (*more)[k];
  }
  cause.known = most > 0;
  return cause;
}

// The host's event in most of that class's time before the collectives that the rank was late to.
std::string Explanation::EventOf(uint32_t rank, StepTimeClass loss,
                                 const std::vector<bool>& late) const {
  std::map<uint32_t, Ps> sums;
  for (const RankCause& cause : facts_[rank].causes) {
    if (cause.loss == loss && late[cause.call])
      sums[cause.event] = SaturatingAdd(sums[cause.event], cause.time);
  }
  const auto most = std::max_element(
      sums.begin(), sums.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == sums.end() ? std::string() : facts_[rank].events[most->first];
}

}  // namespace

std::string TextOf(const LateCause& cause) {
  if (!cause.known) return {};
  return cause.loss == StepTimeClass::kHostToDevice ? "copies" : IdOf(cause.loss);
}

LateCauses FindLateCauses(std::span<const RankFacts> facts, const CollectiveCalls& calls,
                          const Lateness& lateness, const std::vector<uint32_t>& listed) {
  LateCauses found;
  found.collectives.resize(listed.size());
  found.ranks.resize(facts.size());
  std::vector<uint32_t> place(lateness.collectives.size(), CollectiveCall::kNone);
  for (uint32_t i = 0; i < listed.size(); ++i) place[listed[i]] = i;
  const Explanation explanation(facts, calls);
  std::vector<StepClassTimes> excess(facts.size());
  std::vector<std::vector<bool>> late(facts.size());  // by call of the rank
  for (size_t r = 0; r < facts.size(); ++r) late[r].resize(facts[r].calls.size());
  std::vector<uint32_t> which;
  for (uint32_t i = 0; i < lateness.collectives.size(); ++i) {
    if (lateness.collectives[i].late) which.push_back(i);
  }
  std::vector<LateCause> causes(which.size());
  std::vector<StepClassTimes> more(which.size());
  ParallelFor(which.size(), [&](size_t n) {
    const uint32_t i = which[n];
    causes[n] = explanation.CauseOf(lateness.collectives[i], calls.paired[i], &more[n]);
  });
  for (size_t n = 0; n < which.size(); ++n) {
    const CollectiveCall& last = calls.calls[lateness.collectives[which[n]].last];
    late[last.rank][last.at] = true;
    for (size_t k = 0; k < kStepTimeClasses; ++k)
      excess[last.rank][k] = SaturatingAdd(excess[last.rank][k], more[n][k]);
    const uint32_t row = place[which[n]];
    if (row != CollectiveCall::kNone) found.collectives[row] = causes[n];
  }
  for (uint32_t r = 0; r < facts.size(); ++r) {
    const auto most = std::max_element(excess[r].begin(), excess[r].end());
    if (*most <= 0) continue;
    found.ranks[r].loss = static_cast<StepTimeClass>(most - excess[r].begin());
    found.ranks[r].known = true;
    const StepTimeClass loss = found.ranks[r].loss;
    if (IsIdle(loss) && loss != StepTimeClass::kUnknown)
      found.ranks[r].event = explanation.EventOf(r, loss, late[r]);
  }
  return found;
}

}  // namespace stepscope
