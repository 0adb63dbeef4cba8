#include "model/analysis/ranks/collective_calls.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "model/analysis/grouping/host_collectives.h"
#include "model/string_pool.h"

namespace stepscope {
namespace {

// The numbers in "[0, 1, 5]"; empty if the list is cut ("[0, 1, ..., 63]") or is no list.
std::vector<int64_t> NumbersIn(std::string_view text) {
  std::vector<int64_t> numbers;
  if (text.find("..") != std::string_view::npos) return {};
  for (size_t at = 0; at < text.size();) {
    if (text[at] < '0' || text[at] > '9') {
      ++at;
      continue;
    }
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), value);
    if (error != std::errc()) return {};
    numbers.push_back(value);
    at = static_cast<size_t>(end - text.data());
  }
  return numbers;
}

class Collector {
 public:
  Collector(AnalysisContext& context, const std::vector<Rank>& ranks,
            const std::vector<std::vector<RankStep>>& steps, std::stop_token stop)
      : names_(context.trace().names()), stats_(context.stats(stop)), steps_(steps) {
    for (uint32_t r = 0; r < ranks.size(); ++r) rank_of_number_[ranks[r].number] = r;
  }

  void Add(uint32_t rank, const DeviceEvent& e);
  CollectiveCalls Finish();

 private:
  using GroupKey = std::tuple<uint32_t, uint32_t, bool, int64_t, int64_t>;
  struct ByName {
    uint32_t name = 0;
    bool two = false;  // a message between two ranks
  };
  const ByName& NameOf(const DeviceEvent& e, EventRow row);
  uint32_t GroupOf(EventRow row, bool two, bool has_order);
  std::vector<uint32_t> Members(std::string_view ranks) const;
  void CountNth();
  void FindMembers();
  void Pair();

  const NameTable& names_;
  const StatTable& stats_;
  const std::vector<std::vector<RankStep>>& steps_;
  std::unordered_map<int64_t, uint32_t> rank_of_number_;
  std::map<GroupKey, uint32_t> groups_;
  std::map<std::string, uint32_t> names_by_text_;
  std::map<std::pair<uint32_t, uint32_t>, ByName> name_of_;  // by recorded name and meta
  CollectiveCalls out_;
};

const Collector::ByName& Collector::NameOf(const DeviceEvent& e, EventRow row) {
  const StringId given = stats_.Text(StringStat::kCollectiveName).Find(row).value_or(StringId());
  const auto [it, added] = name_of_.try_emplace({given.value, given.valid() ? 0 : e.meta});
  if (!added) return it->second;
  const std::string_view of =
      given.valid() ? stats_.strings->View(given) : names_.DisplayName(MetaId(e.meta));
  const CollectiveKind kind = KindOfCollective(of);
  std::string text(of);
  if (!given.valid() && kind != CollectiveKind::kOther) text = stepscope::NameOf(kind);
  it->second.two = kind == CollectiveKind::kSendRecv;
  if (it->second.two) text = stepscope::NameOf(kind);  // a send and its receive are one collective
  const auto next = static_cast<uint32_t>(out_.names.size());
  const auto [named, is_new] = names_by_text_.try_emplace(text, next);
  if (is_new) out_.names.push_back({text, kind});
  it->second.name = named->second;
  return it->second;
}

std::vector<uint32_t> Collector::Members(std::string_view ranks) const {
  std::vector<uint32_t> members;
  for (const int64_t number : NumbersIn(ranks)) {
    const auto it = rank_of_number_.find(number);
    if (it != rank_of_number_.end()) members.push_back(it->second);
  }
  std::sort(members.begin(), members.end());
  members.erase(std::unique(members.begin(), members.end()), members.end());
  return members;
}

// The group of a call. A message between two ranks has a group of its two ends only.
uint32_t Collector::GroupOf(EventRow row, bool two, bool has_order) {
  int64_t from = -1, to = -1;
  if (two) {
    from = stats_.Int(IntStat::kSourceRank).Find(row).value_or(-1);
    to = stats_.Int(IntStat::kTargetRank).Find(row).value_or(-1);
    if (from < 0 || to < 0 || from == to) return CollectiveCall::kNone;
  }
  const StringId name = stats_.Text(StringStat::kProcessGroup).Find(row).value_or(StringId());
  const StringId ranks = stats_.Text(StringStat::kGroupRanks).Find(row).value_or(StringId());
  const auto next = static_cast<uint32_t>(out_.groups.size());
  const auto [it, added] =
      groups_.try_emplace({name.value, ranks.value, has_order, from, to}, next);
  if (!added) return it->second;
  CollectiveGroup group;
  if (name.valid()) group.name = std::string(stats_.strings->View(name));
  group.has_order = has_order;
  if (ranks.valid() && !two) group.members = Members(stats_.strings->View(ranks));
  group.has_ranks = !group.members.empty();
  out_.groups.push_back(std::move(group));
  return it->second;
}

void Collector::Add(uint32_t rank, const DeviceEvent& e) {
  const EventRow row(e.row);
  const ByName name = NameOf(e, row);
  const std::optional<int64_t> seq = stats_.Int(IntStat::kCollectiveSeq).Find(row);
  const bool has_order = seq.has_value() && !name.two;  // a rank's messages are counted here
  CollectiveCall call;
  call.rank = rank;
  call.row = e.row;
  call.begin = e.begin;
  call.end = e.end;
  call.name = name.name;
  call.group = GroupOf(row, name.two, has_order);
  if (const RankStep* step = StepAt(steps_[rank], e.begin)) {
    call.in_step = true;
    call.step = step->number;
  } else if (!steps_[rank].empty() && e.begin < steps_[rank].front().span.begin) {
    call.order = std::numeric_limits<int64_t>::min();
  } else if (!steps_[rank].empty()) {
    call.order = std::numeric_limits<int64_t>::max();
  }
  if (call.in_step) call.order = call.step;
  if (has_order) call.order = *seq;
  out_.calls.push_back(call);
}

// Counts calls with equal numbers: the n-th of one rank pairs with the n-th of the others.
void Collector::CountNth() {
  const auto key = [](const CollectiveCall& c) {
    return std::make_tuple(c.group, c.name, c.order, c.rank);
  };
  std::sort(
      out_.calls.begin(), out_.calls.end(), [&](const CollectiveCall& a, const CollectiveCall& b) {
        return std::make_tuple(key(a), a.begin, a.row) < std::make_tuple(key(b), b.begin, b.row);
      });
  for (size_t i = 1; i < out_.calls.size(); ++i) {
    if (key(out_.calls[i]) == key(out_.calls[i - 1])) out_.calls[i].nth = out_.calls[i - 1].nth + 1;
  }
}

void Collector::Pair() {
  const auto key = [](const CollectiveCall& c) {
    return std::make_tuple(c.group, c.name, c.order, c.nth);
  };
  std::sort(out_.calls.begin(), out_.calls.end(),
            [&](const CollectiveCall& a, const CollectiveCall& b) {
              return std::make_pair(key(a), a.rank) < std::make_pair(key(b), b.rank);
            });
  for (uint32_t i = 0; i < out_.calls.size(); ++i) {
    if (out_.calls[i].group == CollectiveCall::kNone) break;  // calls without a group come last
    if (i == 0 || key(out_.calls[i]) != key(out_.calls[i - 1])) out_.paired.push_back({i, 0});
    ++out_.paired.back().count;
  }
}

// Sets the members of groups that do not record them: the ranks that ever take part.
void Collector::FindMembers() {
  std::vector<std::pair<uint32_t, uint32_t>> seen;
  for (const CollectiveCall& c : out_.calls) {
    if (c.group == CollectiveCall::kNone || out_.groups[c.group].has_ranks) continue;
    if (seen.empty() || seen.back() != std::pair(c.group, c.rank))
      seen.emplace_back(c.group, c.rank);
  }
  std::sort(seen.begin(), seen.end());
  seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
  for (const auto& [group, rank] : seen) out_.groups[group].members.push_back(rank);
}

CollectiveCalls Collector::Finish() {
  CountNth();
  FindMembers();
  Pair();
  return std::move(out_);
}

}  // namespace

void KeepScope(const Scope& scope, const std::vector<Rank>& ranks, CollectiveCalls* calls) {
  const auto counts = [&](const CollectiveCall& c) {
    return scope.OfHost(ranks[c.rank].host).Contains(c.begin);
  };
  std::vector<CollectiveCall> kept;
  std::vector<PairedCollective> paired;
  size_t grouped = 0;  // calls with a group come first
  for (const PairedCollective& c : calls->paired) {
    grouped = c.first + size_t{c.count};
    const auto of = calls->Of(c);
    const auto first = std::min_element(
        of.begin(), of.end(),
        [](const CollectiveCall& a, const CollectiveCall& b) { return a.begin < b.begin; });
    if (!counts(*first)) continue;
    paired.push_back({static_cast<uint32_t>(kept.size()), c.count});
    kept.insert(kept.end(), of.begin(), of.end());
  }
  for (size_t i = grouped; i < calls->calls.size(); ++i) {
    if (counts(calls->calls[i])) kept.push_back(calls->calls[i]);
  }
  calls->calls = std::move(kept);
  calls->paired = std::move(paired);
}

CollectiveCalls PairCollectives(AnalysisContext& context, const std::vector<Rank>& ranks,
                                const std::vector<std::vector<RankStep>>& steps,
                                const DeviceEvents& events, std::stop_token stop) {
  Collector collector(context, ranks, steps, stop);
  const Trace& trace = context.trace();
  const std::vector<uint8_t> on_host = HostCollectiveMetas(trace.names());
  for (uint32_t r = 0; r < ranks.size(); ++r) {
    if (stop.stop_requested()) return {};
    if (ranks[r].devices.empty()) {
      const TimeScope& scope = events.scope().OfHost(ranks[r].host);
      for (const HostCollective& c : CollectivesOfHost(trace, ranks[r].host, on_host)) {
        if (scope.Contains(c.call))
          collector.Add(r, {c.row, c.meta, c.track, c.begin, c.end, TimeClass::kCollectives, {}});
      }
    }
    for (const PlaneId device : ranks[r].devices) {
      if (stop.stop_requested()) return {};
      events.ForEach(device, [&](const DeviceEvent& e) {
        if (e.time_class == TimeClass::kCollectives) collector.Add(r, e);
      });
    }
  }
  return collector.Finish();
}

}  // namespace stepscope
