#include "model/analysis/ranks/rank_list.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <tuple>
#include <unordered_set>

#include "model/analysis/ranks/coordinates.h"

namespace stepscope {
namespace {

struct Candidate {
  HostId host;
  std::string name;  // the host's name
  std::string file;  // the file's name without folders
  std::vector<RankCoordinate> coordinates;
  std::vector<PlaneId> devices;
};

bool HasWork(const Trace& trace, PlaneId device) {
  const std::vector<const Lane*> lanes = WorkLanes(trace, trace.planes[device.value]);
  return std::any_of(lanes.begin(), lanes.end(), [](const Lane* l) { return l->size() > 0; });
}

// Orders texts with numbers as people expect: "rank2" before "rank10".
bool NaturallyLess(std::string_view a, std::string_view b) {
  const auto digit = [](std::string_view s, size_t i) {
    return i < s.size() && std::isdigit(static_cast<unsigned char>(s[i])) != 0;
  };
  const auto number = [&](std::string_view s, size_t* i) {
    while (*i < s.size() && s[*i] == '0') ++*i;
    const size_t from = *i;
    while (digit(s, *i)) ++*i;
    return s.substr(from, *i - from);
  };
  size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (digit(a, i) && digit(b, j)) {
      const std::string_view x = number(a, &i), y = number(b, &j);
      if (x != y) return x.size() != y.size() ? x.size() < y.size() : x < y;
    } else if (a[i] != b[j]) {
      return a[i] < b[j];
    } else {
      ++i, ++j;
    }
  }
  return a.size() - i < b.size() - j;
}

std::vector<Candidate> Candidates(const Trace& trace, const AnalysisParams& params,
                                  const DeviceEvents& events) {
  std::vector<Candidate> all(trace.hosts.size());
  for (uint32_t h = 0; h < all.size(); ++h) {
    all[h].host = HostId(h);
    all[h].name = std::string(trace.HostName(HostId(h)));
    const std::string& path = trace.hosts[h].file;
    all[h].file = path.substr(path.find_last_of('/') + 1);
    all[h].coordinates = CoordinatesIn(all[h].file);
    if (all[h].coordinates.empty()) all[h].coordinates = CoordinatesIn(all[h].name);
  }
  for (const PlaneId device : events.devices()) {
    if (HasWork(trace, device))
      all[trace.planes[device.value].host.value].devices.push_back(device);
  }
  std::erase_if(all, [&](const Candidate& c) { return !params.WantsHost(c.name); });
  const auto has_gpu = [](const Candidate& c) { return !c.devices.empty(); };
  if (std::any_of(all.begin(), all.end(), has_gpu)) std::erase_if(all, std::not_fn(has_gpu));
  std::stable_sort(all.begin(), all.end(), [](const Candidate& a, const Candidate& b) {
    return a.name != b.name ? NaturallyLess(a.name, b.name) : NaturallyLess(a.file, b.file);
  });
  return all;
}

// The numbers of all hosts; empty unless all have one and no two the same.
template <typename Number>
std::vector<int64_t> Numbers(const std::vector<Candidate>& candidates, Number number) {
  std::vector<int64_t> numbers;
  std::unordered_set<int64_t> seen;
  for (const Candidate& c : candidates) {
    numbers.push_back(number(c));
    if (numbers.back() < 0 || !seen.insert(numbers.back()).second) return {};
  }
  return numbers;
}

std::vector<int64_t> NumbersOf(const Trace& trace, const std::vector<Candidate>& candidates) {
  std::vector<int64_t> numbers = Numbers(candidates, [&](const Candidate& c) {
    return static_cast<int64_t>(trace.hosts[c.host.value].rank);
  });
  if (!numbers.empty()) return numbers;
  return Numbers(candidates, [](const Candidate& c) {
    for (const RankCoordinate& of : c.coordinates) {
      if (of.axis == "rank") return of.index;
    }
    return int64_t{-1};
  });
}

}  // namespace

std::vector<Rank> ListRanks(const Trace& trace, const AnalysisParams& params,
                            const DeviceEvents& events) {
  const std::vector<Candidate> candidates = Candidates(trace, params, events);
  const std::vector<int64_t> numbers = NumbersOf(trace, candidates);
  std::vector<Rank> ranks;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const Candidate& c = candidates[i];
    Rank rank{0, c.host, c.devices, CoordinatesText(c.coordinates)};
    if (!numbers.empty()) {
      rank.number = numbers[i];
      ranks.push_back(std::move(rank));
      continue;
    }
    std::vector<PlaneId> devices = c.devices;
    std::sort(devices.begin(), devices.end(), [&](PlaneId a, PlaneId b) {
      const auto key = [&](PlaneId p) {
        return std::make_tuple(trace.planes[p.value].device_ordinal, p.value);
      };
      return key(a) < key(b);
    });
    for (size_t d = 0; d < std::max<size_t>(1, devices.size()); ++d) {
      rank.number = static_cast<int64_t>(ranks.size());
      if (!devices.empty()) rank.devices = {devices[d]};
      ranks.push_back(rank);
    }
  }
  std::sort(ranks.begin(), ranks.end(),
            [](const Rank& a, const Rank& b) { return a.number < b.number; });
  return ranks;
}

}  // namespace stepscope
