#include "model/analysis/ranks/rank_facts.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <unordered_set>

#include "model/base/ascii.h"
#include "model/base/digits.h"
#include "model/shift_hosts.h"

namespace stepscope {
namespace {

constexpr std::array<std::string_view, 7> kAxes = {"rank", "dp", "tp", "pp", "ep", "cp", "sp"};
constexpr size_t kMostDigits = 9;

bool IsLetter(char c) { return Lower(c) >= 'a' && Lower(c) <= 'z'; }

// Reads the number after the axis that ends at `at`; returns false if there is none.
bool IndexAt(std::string_view name, size_t at, int64_t* index) {
  constexpr std::string_view kBetween = "-_= ";
  if (at < name.size() && kBetween.find(name[at]) != std::string_view::npos) ++at;
  size_t digits = 0;
  *index = 0;
  for (; at < name.size() && IsDigit(name[at]) && digits <= kMostDigits; ++at, ++digits)
    *index = *index * 10 + (name[at] - '0');
  return digits > 0 && digits <= kMostDigits;
}

}  // namespace

std::vector<RankCoordinate> CoordinatesIn(std::string_view name) {
  std::vector<RankCoordinate> found;
  const std::string lower = Lower(name);
  for (size_t at = 0; at < lower.size(); ++at) {
    if (at > 0 && IsLetter(lower[at - 1])) continue;
    for (const std::string_view axis : kAxes) {
      int64_t index = 0;
      if (lower.compare(at, axis.size(), axis) != 0) continue;
      if (!IndexAt(lower, at + axis.size(), &index)) continue;
      const bool known = std::any_of(found.begin(), found.end(),
                                     [&](const RankCoordinate& c) { return c.axis == axis; });
      if (!known) found.push_back({std::string(axis), index});
    }
  }
  return found;
}

std::string CoordinatesText(const std::vector<RankCoordinate>& coordinates) {
  std::string text;
  for (const RankCoordinate& c : coordinates) {
    if (c.axis == "rank") continue;
    text += (text.empty() ? "" : ", ") + c.axis + " " + std::to_string(c.index);
  }
  return text;
}

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

namespace {

Ps BusyOf(const StepClassTimes& times) {
  return At(times, StepTimeClass::kCompute) + At(times, StepTimeClass::kHostToDevice) +
         At(times, StepTimeClass::kDeviceToHost) + At(times, StepTimeClass::kDeviceToDevice);
}

RankStep OfDevice(const Step& step, const DeviceStep& device) {
  return {step.number,   device.span,       device.span.length(), BusyOf(device.class_times),
          step.counts(), device.class_times};
}

// The step of a host whose steps are not divided among devices.
RankStep OfHost(const Step& step) {
  StepClassTimes times{};
  for (size_t c = 0; c < kStepTimeClasses; ++c) times[c] = static_cast<Ps>(step.class_times[c]);
  return {step.number, step.span, step.span.length(), BusyOf(times), step.counts(), times};
}

// Joins the parts of one step on several devices of a rank, by number.
void Join(std::vector<RankStep>* steps) {
  std::vector<RankStep> joined;
  int64_t parts = 0;
  for (const RankStep& s : *steps) {
    if (joined.empty() || joined.back().number != s.number) {
      joined.push_back(s);
      parts = 1;
      continue;
    }
    RankStep& to = joined.back();
    to.span.begin = std::min(to.span.begin, s.span.begin);
    to.span.end = std::max(to.span.end, s.span.end);
    ++parts;
    to.total += (s.total - to.total) / parts;  // a running mean does not overflow
    to.busy += (s.busy - to.busy) / parts;
    for (size_t c = 0; c < kStepTimeClasses; ++c)
      to.losses[c] += (s.losses[c] - to.losses[c]) / parts;
  }
  *steps = std::move(joined);
}

}  // namespace

std::vector<std::vector<RankStep>> StepsOfRanks(const std::vector<Rank>& ranks,
                                                const StepDatabase& db, const Scope& scope) {
  std::vector<std::vector<RankStep>> steps(ranks.size());
  std::vector<size_t> by_plane;
  std::vector<std::vector<size_t>> by_host;  // ranks without steps of devices
  const auto put = [](std::vector<size_t>* at, size_t key, size_t rank) {
    if (at->size() <= key) at->resize(key + 1, SIZE_MAX);
    (*at)[key] = rank;
  };
  const auto find = [](const std::vector<size_t>& at, size_t key) {
    return key < at.size() ? at[key] : SIZE_MAX;
  };
  for (size_t r = 0; r < ranks.size(); ++r) {
    for (const PlaneId device : ranks[r].devices) put(&by_plane, device.value, r);
    if (!ranks[r].devices.empty() && !db.device_steps.empty()) continue;
    if (by_host.size() <= ranks[r].host.value) by_host.resize(ranks[r].host.value + size_t{1});
    by_host[ranks[r].host.value].push_back(r);
  }
  for (const DeviceStep& d : db.device_steps) {
    const size_t r = find(by_plane, d.device.value);
    if (r != SIZE_MAX && scope.Has(db.steps[d.step]))
      steps[r].push_back(OfDevice(db.steps[d.step], d));
  }
  for (const Step& s : db.steps) {
    if (s.host.value >= by_host.size() || !scope.Has(s)) continue;
    for (const size_t r : by_host[s.host.value]) steps[r].push_back(OfHost(s));
  }
  const auto by_number = [](const RankStep& a, const RankStep& b) {
    return a.number != b.number ? a.number < b.number : a.span.begin < b.span.begin;
  };
  for (std::vector<RankStep>& of : steps) {
    std::sort(of.begin(), of.end(), by_number);
    Join(&of);
    std::sort(of.begin(), of.end(),
              [](const RankStep& a, const RankStep& b) { return a.span.begin < b.span.begin; });
  }
  return steps;
}

const RankStep* StepAt(const std::vector<RankStep>& steps, Ps t) {
  auto it = std::upper_bound(steps.begin(), steps.end(), t,
                             [](Ps at, const RankStep& s) { return at < s.span.begin; });
  if (it == steps.begin()) return nullptr;
  --it;
  return it->span.Contains(t) ? &*it : nullptr;
}

}  // namespace stepscope
