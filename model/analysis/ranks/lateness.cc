#include "model/analysis/ranks/lateness.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "model/base/statistics.h"
#include "model/jobs/job.h"

namespace stepscope {
namespace {

constexpr Ps kLeast = 5 * kPsPerUs;  // a shorter delay is no lateness

Ps Aligned(const std::vector<RankClock>& clocks, uint32_t rank, Ps t) {
  return SaturatingSub(t, clocks[rank].offset);
}

// The distance of one call's end from the others' median, where all must end at once. It is the
// error of the clocks at this collective.
Ps EndDistance(const CollectiveCalls& calls, std::span<const CollectiveCall> of, size_t one,
               const std::vector<RankClock>& clocks, std::vector<Ps>* ends) {
  if (!EndsTogether(calls.names[of.front().name].kind)) return 0;
  ends->clear();
  for (size_t i = 0; i < of.size(); ++i) {
    if (i != one) ends->push_back(Aligned(clocks, of[i].rank, of[i].end));
  }
  const Ps apart = SaturatingSub(Aligned(clocks, of[one].rank, of[one].end), LowerMedian(*ends));
  return apart < 0 ? SaturatingSub(0, apart) : apart;
}

LateCollective Judge(const CollectiveCalls& calls, const PairedCollective& c,
                     const std::vector<RankClock>& clocks, std::vector<Ps>* others) {
  LateCollective found;
  const auto of = calls.Of(c);
  found.last = c.first;
  found.several = of.size() > 1;
  if (!found.several) return found;
  const auto begin = [&](const CollectiveCall& call) {
    return Aligned(clocks, call.rank, call.begin);
  };
  size_t last = 0;
  found.transfer = of[0].end - of[0].begin;
  for (size_t i = 1; i < of.size(); ++i) {
    if (begin(of[i]) > begin(of[last])) last = i;
    found.transfer = std::min(found.transfer, of[i].end - of[i].begin);
  }
  others->clear();
  for (size_t i = 0; i < of.size(); ++i) {
    if (i != last) others->push_back(begin(of[i]));
  }
  found.last = c.first + static_cast<uint32_t>(last);
  found.late_by = SaturatingSub(begin(of[last]), LowerMedian(*others));
  const Ps open =
      std::max(clocks[of[last].rank].residual, EndDistance(calls, of, last, clocks, others));
  found.late = found.late_by > std::max(kLeast, SaturatingMul(2, open));
  return found;
}

std::vector<LateCollective> JudgeAll(const CollectiveCalls& calls,
                                     const std::vector<RankClock>& clocks) {
  constexpr size_t kAtOnce = 256;
  std::vector<LateCollective> found(calls.paired.size());
  ParallelFor((found.size() + kAtOnce - 1) / kAtOnce, [&](size_t part) {
    std::vector<Ps> others;
    const size_t end = std::min(found.size(), (part + 1) * kAtOnce);
    for (size_t i = part * kAtOnce; i < end; ++i)
      found[i] = Judge(calls, calls.paired[i], clocks, &others);
  });
  return found;
}

// The time that the others waited for a rank in a step.
struct StepWait {
  bool in_step;
  int64_t step;  // without steps: the collective's index
  uint32_t rank;
  Ps ps;
};

void CountSteps(std::vector<StepWait> waits, Lateness* all) {
  const auto unit = [](const StepWait& p) { return std::make_pair(p.in_step, p.step); };
  std::sort(waits.begin(), waits.end(), [&](const StepWait& a, const StepWait& b) {
    return std::make_pair(unit(a), a.rank) < std::make_pair(unit(b), b.rank);
  });
  for (size_t i = 0; i < waits.size();) {
    uint32_t worst = 0;
    Ps most = 0;
    const auto of = unit(waits[i]);
    while (i < waits.size() && unit(waits[i]) == of) {
      const uint32_t rank = waits[i].rank;
      Ps sum = 0;
      for (; i < waits.size() && unit(waits[i]) == of && waits[i].rank == rank; ++i)
        sum = SaturatingAdd(sum, waits[i].ps);
      if (sum > most) worst = rank, most = sum;
    }
    ++all->steps;
    if (most > 0) ++all->ranks[worst].steps;
  }
}

}  // namespace

std::vector<TimeRange> RecordingOf(const CollectiveCalls& calls,
                                   const std::vector<std::vector<RankStep>>& steps,
                                   const std::vector<RankClock>& clocks) {
  std::vector<TimeRange> recording(clocks.size(), TimeRange{kMaxPs, kMinPs});
  const auto include = [&](size_t rank, TimeRange r) {
    recording[rank].begin = std::min(recording[rank].begin, r.begin);
    recording[rank].end = std::max(recording[rank].end, r.end);
  };
  for (const CollectiveCall& call : calls.calls) include(call.rank, {call.begin, call.end});
  for (size_t r = 0; r < steps.size(); ++r) {
    for (const RankStep& step : steps[r]) include(r, step.span);
  }
  for (uint32_t r = 0; r < recording.size(); ++r) {
    if (recording[r].empty()) continue;
    recording[r] = {Aligned(clocks, r, recording[r].begin), Aligned(clocks, r, recording[r].end)};
  }
  return recording;
}

std::vector<uint32_t> MissingFrom(const CollectiveCalls& calls, const PairedCollective& c,
                                  const std::vector<RankClock>& clocks,
                                  const std::vector<TimeRange>& recording, size_t most) {
  std::vector<uint32_t> missing;
  const auto of = calls.Of(c);
  auto next = of.begin();
  const Ps end = Aligned(clocks, of.front().rank, of.front().end);
  for (const uint32_t rank : calls.groups[of.front().group].members) {
    while (next != of.end() && next->rank < rank) ++next;
    if (next != of.end() && next->rank == rank) continue;
    // A rank can be missing only where its clock and its recording are known.
    const bool known = clocks[rank].component == clocks[of.front().rank].component;
    if (known && recording[rank].begin < end && end <= recording[rank].end) missing.push_back(rank);
    if (missing.size() >= most) break;
  }
  return missing;
}

Lateness FindLateness(const CollectiveCalls& calls, const std::vector<RankClock>& clocks,
                      const std::vector<TimeRange>& recording) {
  Lateness all;
  all.ranks.resize(clocks.size());
  std::vector<StepWait> waits;
  all.collectives = JudgeAll(calls, clocks);
  for (size_t i = 0; i < calls.paired.size(); ++i) {
    const PairedCollective& c = calls.paired[i];
    LateCollective& found = all.collectives[i];
    if (c.count < calls.groups[calls.Of(c).front().group].members.size()) {
      const std::vector<uint32_t> missing = MissingFrom(calls, c, clocks, recording, clocks.size());
      for (const uint32_t rank : missing) ++all.ranks[rank].missing;
      found.missing = !missing.empty();
      all.missing += found.missing ? 1 : 0;
    }
    if (found.several) {
      const CollectiveCall& last = calls.calls[found.last];
      waits.push_back({last.in_step, last.in_step ? last.step : static_cast<int64_t>(i), last.rank,
                       found.late ? found.late_by : 0});
      if (found.late) {
        RankLateness& rank = all.ranks[last.rank];
        rank.late_by.push_back(found.late_by);
        rank.sum = SaturatingAdd(rank.sum, found.late_by);
      }
    }
  }
  CountSteps(std::move(waits), &all);
  return all;
}

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
    (*more)[k] = own[k] - LowerMedian(others[k]);
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
