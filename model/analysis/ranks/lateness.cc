#include "model/analysis/ranks/lateness.h"

#include <algorithm>

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
  const Ps apart = SaturatingSub(Aligned(clocks, of[one].rank, of[one].end), Median(*ends));
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
  found.late_by = SaturatingSub(begin(of[last]), Median(*others));
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

}  // namespace stepscope
