#include "model/analysis/ranks/late_causes.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace stepscope {
namespace {

class Explanation {
 public:
  Explanation(std::span<const RankFacts> facts, const CollectiveCalls& calls)
      : facts_(facts), calls_(calls) {}

  LateCause CauseOf(const LateCollective& late, const PairedCollective& c,
                    StepClassTimes* excess) const;
  std::string EventOf(uint32_t rank, StepTimeClass loss, const std::vector<bool>& late) const;

 private:
  const RankCall& FactsOf(const CollectiveCall& call) const {
    return facts_[call.rank].calls[call.at];
  }
  StepClassTimes WaitsOf(const CollectiveCall& call) const;

  std::span<const RankFacts> facts_;
  const CollectiveCalls& calls_;
};

StepClassTimes Explanation::WaitsOf(const CollectiveCall& call) const {
  StepClassTimes times{};
  const std::vector<RankWait>& waits = facts_[call.rank].waits;
  auto it = std::lower_bound(waits.begin(), waits.end(), call.at,
                             [](const RankWait& w, uint32_t at) { return w.call < at; });
  for (; it != waits.end() && it->call == call.at; ++it) At(times, it->loss) = it->time;
  return times;
}

// The class in which the late rank exceeds the others' median most.
LateCause Explanation::CauseOf(const LateCollective& late, const PairedCollective& c,
                               StepClassTimes* excess) const {
  LateCause cause;
  const CollectiveCall& last = calls_.calls[late.last];
  if (!FactsOf(last).explained) return cause;
  std::array<std::vector<Ps>, kStepTimeClasses> others;
  for (uint32_t i = c.first; i < c.first + c.count; ++i) {
    if (i == late.last) continue;
    const StepClassTimes times = WaitsOf(calls_.calls[i]);
    for (size_t k = 0; k < kStepTimeClasses; ++k) others[k].push_back(times[k]);
  }
  const StepClassTimes own = WaitsOf(last);
  Ps most = 0;
  for (size_t k = 0; k < kStepTimeClasses; ++k) {
    const Ps more = own[k] - (others[k].empty() ? 0 : MedianOf(&others[k]));
    (*excess)[k] = SaturatingAdd((*excess)[k], more);
    if (more > most) cause.loss = static_cast<StepTimeClass>(k), most = more;
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
  for (size_t i = 0; i < lateness.collectives.size(); ++i) {
    const LateCollective& of = lateness.collectives[i];
    if (!of.late) continue;
    const CollectiveCall& last = calls.calls[of.last];
    late[last.rank][last.at] = true;
    const LateCause cause = explanation.CauseOf(of, calls.paired[i], &excess[last.rank]);
    if (place[i] != CollectiveCall::kNone) found.collectives[place[i]] = cause;
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
