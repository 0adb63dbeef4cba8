#include "model/analysis/ranks/rank_list.h"

#include <algorithm>
#include <tuple>
#include <unordered_set>

#include "model/analysis/ranks/coordinates.h"
#include "model/base/digits.h"
#include "model/shift_hosts.h"

namespace stepscope {
namespace {

bool HasWork(const Trace& trace, PlaneId device) {
  const std::vector<const Lane*> lanes = WorkLanes(trace, trace.planes[device.value]);
  return std::any_of(lanes.begin(), lanes.end(), [](const Lane* l) { return l->size() > 0; });
}

// The coordinates in the name of the host's file, else in the host's name.
std::vector<RankCoordinate> CoordinatesOf(const Rank& rank) {
  std::vector<RankCoordinate> found = CoordinatesIn(rank.file);
  return found.empty() ? CoordinatesIn(rank.host_name) : found;
}

std::string DevicesText(const Trace& trace, const std::vector<PlaneId>& devices) {
  std::string text;
  for (const PlaneId device : devices) {
    const Plane& plane = trace.planes[device.value];
    text += text.empty() ? "" : ", ";
    text += plane.display_name.empty() ? std::string(trace.names().strings.View(plane.name))
                                       : plane.display_name;
  }
  return text;
}

// A rank for each host that params name, with all its devices.
std::vector<Rank> RanksOfHosts(const Trace& trace, const AnalysisParams& params,
                               const DeviceEvents& events) {
  std::vector<Rank> all(trace.hosts.size());
  for (uint32_t h = 0; h < all.size(); ++h) {
    Rank& rank = all[h];
    rank.host = HostId(h);
    rank.host_name = std::string(trace.HostName(rank.host));
    const std::string& path = trace.hosts[h].file;
    rank.file = path.substr(path.find_last_of('/') + 1);
    rank.own_number = trace.hosts[h].rank;
    const std::vector<RankCoordinate> coordinates = CoordinatesOf(rank);
    for (const RankCoordinate& of : coordinates) {
      if (of.axis == "rank" && rank.file_number < 0) rank.file_number = of.index;
    }
    rank.coordinates = CoordinatesText(coordinates);
    rank.clock_taken = ClockOffsetOf(trace, rank.host);
  }
  for (const PlaneId device : events.devices()) {
    if (HasWork(trace, device))
      all[trace.planes[device.value].host.value].devices.push_back(device);
  }
  for (Rank& rank : all) rank.has_device = !rank.devices.empty();
  std::erase_if(all, [&](const Rank& rank) { return !params.WantsHost(rank.host_name); });
  return all;
}

// The numbers of all ranks; empty unless all have one and no two the same.
std::vector<int64_t> Numbers(const std::vector<Rank>& ranks, const std::vector<uint32_t>& order,
                             int64_t Rank::*number) {
  std::vector<int64_t> numbers;
  std::unordered_set<int64_t> seen;
  for (const uint32_t r : order) {
    numbers.push_back(ranks[r].*number);
    if (numbers.back() < 0 || !seen.insert(numbers.back()).second) return {};
  }
  return numbers;
}

// The ranks of one host: itself where it has a number, else one for each of its devices.
void AddRanks(const Trace& trace, Rank rank, std::vector<Rank>* to) {
  if (rank.own_number >= 0 || rank.file_number >= 0 || rank.devices.size() < 2) {
    rank.device_names = DevicesText(trace, rank.devices);
    to->push_back(std::move(rank));
    return;
  }
  std::vector<PlaneId> devices = std::move(rank.devices);
  std::sort(devices.begin(), devices.end(), [&](PlaneId a, PlaneId b) {
    const auto key = [&](PlaneId p) {
      return std::make_tuple(trace.planes[p.value].device_ordinal, p.value);
    };
    return key(a) < key(b);
  });
  for (const PlaneId device : devices) {
    rank.devices = {device};
    rank.device_names = DevicesText(trace, rank.devices);
    to->push_back(rank);
    ++rank.place;
  }
}

}  // namespace

std::vector<uint32_t> NumberRanks(std::vector<Rank>* ranks) {
  const auto has_device = [](const Rank& rank) { return rank.has_device; };
  const bool any = std::any_of(ranks->begin(), ranks->end(), has_device);
  std::vector<uint32_t> order;
  for (uint32_t r = 0; r < ranks->size(); ++r) {
    if (!any || (*ranks)[r].has_device) order.push_back(r);
  }
  std::stable_sort(order.begin(), order.end(), [&](uint32_t x, uint32_t y) {
    const Rank &a = (*ranks)[x], &b = (*ranks)[y];
    if (a.host_name != b.host_name) return NaturalLess(a.host_name, b.host_name);
    return a.file != b.file ? NaturalLess(a.file, b.file) : a.place < b.place;
  });
  std::vector<int64_t> numbers = Numbers(*ranks, order, &Rank::own_number);
  if (numbers.empty()) numbers = Numbers(*ranks, order, &Rank::file_number);
  for (size_t i = 0; i < order.size(); ++i)
    (*ranks)[order[i]].number = numbers.empty() ? static_cast<int64_t>(i) : numbers[i];
  std::sort(order.begin(), order.end(),
            [&](uint32_t a, uint32_t b) { return (*ranks)[a].number < (*ranks)[b].number; });
  return order;
}

std::vector<Rank> ListRanks(const Trace& trace, const AnalysisParams& params,
                            const DeviceEvents& events) {
  std::vector<Rank> all, ranks;
  for (Rank& rank : RanksOfHosts(trace, params, events)) AddRanks(trace, std::move(rank), &all);
  for (const uint32_t r : NumberRanks(&all)) ranks.push_back(std::move(all[r]));
  return ranks;
}

}  // namespace stepscope
