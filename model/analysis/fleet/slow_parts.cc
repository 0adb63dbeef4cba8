#include "model/analysis/fleet/slow_parts.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

#include "model/base/statistics.h"

namespace stepscope {
namespace {

struct OnRank {
  uint32_t rank;
  const RankKernel* kernel;
};

Ps MedianOver(const std::vector<OnRank>& ranks) {
  std::vector<Ps> medians;
  medians.reserve(ranks.size());
  for (const OnRank& on : ranks) medians.push_back(on.kernel->median);
  return LowerMedian(std::move(medians));
}

}  // namespace

KernelSpeeds CompareKernels(std::span<const RankFacts> facts) {
  std::map<std::string_view, std::vector<OnRank>> kernels;
  for (uint32_t r = 0; r < facts.size(); ++r) {
    for (const RankKernel& kernel : facts[r].kernels) {
      if (kernel.count > 0 && kernel.median > 0) kernels[kernel.name].push_back({r, &kernel});
    }
  }
  KernelSpeeds found;
  found.ranks.resize(facts.size());
  std::vector<double> expected(facts.size()), actual(facts.size()), slow(facts.size());
  for (const auto& [name, ranks] : kernels) {
    if (ranks.size() < kLeastRanksOfKernel) continue;
    const Ps others = MedianOver(ranks);
    for (const OnRank& on : ranks) {
      const auto count = static_cast<double>(on.kernel->count);
      const double time = count * static_cast<double>(on.kernel->median);
      actual[on.rank] += time;
      expected[on.rank] += count * static_cast<double>(others);
      const SlowKernel kernel{on.rank, std::string(name), on.kernel->count, on.kernel->median,
                              others};
      if (kernel.Ratio() < kSlowKernel) continue;
      slow[on.rank] += time;
      found.slow.push_back(kernel);
    }
  }
  for (size_t r = 0; r < facts.size(); ++r) {
    if (expected[r] <= 0) continue;
    RankSpeed& rank = found.ranks[r];
    rank.known = true;
    rank.slowdown = actual[r] / expected[r];
    rank.slow_share = slow[r] / actual[r];
    rank.throttled = rank.slow_share >= kSlowerShare;
  }
  const auto lost = [](const SlowKernel& k) {
    return static_cast<double>(k.median - k.others) * static_cast<double>(k.count);
  };
  std::stable_sort(found.slow.begin(), found.slow.end(),
                   [&](const SlowKernel& a, const SlowKernel& b) { return lost(a) > lost(b); });
  return found;
}

namespace {

constexpr Ps kLeastSlower = 5 * kPsPerUs;  // begins and ends are not known more exactly

using SameWork = std::tuple<uint32_t, int64_t, uint32_t, bool>;  // name, bytes, participants, pair
SameWork WorkOf(const CollectiveCalls& calls, const Link& link) {
  return {link.name, link.bytes, link.participants, calls.groups[link.group].from >= 0};
}

}  // namespace

std::vector<Link> CompareLinks(std::span<const RankFacts> facts, const RankJob& job) {
  std::map<std::tuple<uint32_t, uint32_t, int64_t, uint32_t>, std::vector<Ps>> transfers;
  for (size_t i = 0; i < job.calls.paired.size(); ++i) {
    const PairedCollective& c = job.calls.paired[i];
    if (!job.lateness.collectives[i].several) continue;
    const CollectiveCall& first = job.calls.calls[c.first];
    const int64_t bytes = facts[first.rank].calls[first.at].bytes;
    transfers[{first.group, first.name, bytes, c.count}].push_back(
        job.lateness.collectives[i].transfer);
  }
  std::vector<Link> links;
  std::map<SameWork, std::vector<Ps>> same;
  for (auto& [key, times] : transfers) {
    const auto& [group, name, bytes, participants] = key;
    links.push_back({group, name, bytes, participants, times.size(), Median(times)});
    same[WorkOf(job.calls, links.back())].push_back(links.back().transfer);
  }
  for (Link& link : links) {
    std::vector<Ps>& others = same[WorkOf(job.calls, link)];
    if (others.size() < kLeastEqualGroups) continue;
    link.others = LowerMedian(others);
    link.slow = link.Ratio() >= kSlowLink && link.transfer - link.others >= kLeastSlower;
  }
  std::stable_sort(links.begin(), links.end(),
                   [](const Link& a, const Link& b) { return a.Ratio() > b.Ratio(); });
  return links;
}

}  // namespace stepscope
