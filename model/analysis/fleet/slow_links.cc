#include "model/analysis/fleet/slow_links.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "model/base/statistics.h"

namespace stepscope {
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
    link.others = Median(std::move(others));
    link.slow = link.Ratio() >= kSlowLink && link.transfer - link.others >= kLeastSlower;
  }
  std::stable_sort(links.begin(), links.end(),
                   [](const Link& a, const Link& b) { return a.Ratio() > b.Ratio(); });
  return links;
}

}  // namespace stepscope
