#include "model/analysis/ranks/rank_calls.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "model/analysis/grouping/host_collectives.h"
#include "model/analysis/ranks/collective_kind.h"
#include "model/string_pool.h"

namespace stepscope {
namespace {

class CallReader {
 public:
  CallReader(AnalysisContext& context, RankFacts* facts)
      : names_(context.trace().names()), stats_(context.stats()), facts_(*facts) {}
  void Add(const DeviceEvent& e);

 private:
  using GroupKey = std::tuple<uint32_t, uint32_t, bool, int64_t, int64_t>;
  struct ByName {
    uint32_t name = 0;
    bool two = false;  // a message between two ranks
  };
  const ByName& NameOf(const DeviceEvent& e, EventRow row);
  uint32_t GroupOf(EventRow row, bool two, bool has_order);
  int64_t BytesOf(EventRow row) const;

  const NameTable& names_;
  const StatTable& stats_;
  RankFacts& facts_;
  std::map<GroupKey, uint32_t> groups_;
  std::map<std::string, uint32_t> names_by_text_;
  std::map<std::pair<uint32_t, uint32_t>, ByName> name_of_;  // by recorded name and meta
};

const CallReader::ByName& CallReader::NameOf(const DeviceEvent& e, EventRow row) {
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
  const auto next = static_cast<uint32_t>(facts_.names.size());
  const auto [named, is_new] = names_by_text_.try_emplace(text, next);
  if (is_new) facts_.names.push_back(text);
  it->second.name = named->second;
  return it->second;
}

// The group of a call. A message between two ranks has a group of its two ends only.
uint32_t CallReader::GroupOf(EventRow row, bool two, bool has_order) {
  RankGroup group;
  group.has_order = has_order;
  if (two) {
    group.from = stats_.Int(IntStat::kSourceRank).Find(row).value_or(-1);
    group.to = stats_.Int(IntStat::kTargetRank).Find(row).value_or(-1);
    if (group.from < 0 || group.to < 0 || group.from == group.to) return RankCall::kNoGroup;
  }
  const StringId name = stats_.Text(StringStat::kProcessGroup).Find(row).value_or(StringId());
  const StringId ranks = stats_.Text(StringStat::kGroupRanks).Find(row).value_or(StringId());
  const auto next = static_cast<uint32_t>(facts_.groups.size());
  const auto [it, added] =
      groups_.try_emplace({name.value, ranks.value, has_order, group.from, group.to}, next);
  if (!added) return it->second;
  if (name.valid()) group.name = std::string(stats_.strings->View(name));
  if (ranks.valid()) group.ranks = std::string(stats_.strings->View(ranks));
  facts_.groups.push_back(std::move(group));
  return it->second;
}

// Bytes of the larger side; -1 if unknown.
int64_t CallReader::BytesOf(EventRow row) const {
  const int64_t in = stats_.Int(IntStat::kInElements).Find(row).value_or(0);
  const int64_t out = stats_.Int(IntStat::kOutElements).Find(row).value_or(0);
  const auto type = stats_.Text(StringStat::kElementType).Find(row);
  const int64_t each = type ? ElementBytes(stats_.strings->View(*type)) : 0;
  int64_t bytes = 0;
  if (each == 0 || std::max(in, out) <= 0) return -1;
  return __builtin_mul_overflow(std::max(in, out), each, &bytes) ? -1 : bytes;
}

void CallReader::Add(const DeviceEvent& e) {
  const EventRow row(e.row);
  const ByName name = NameOf(e, row);
  const std::optional<int64_t> seq = stats_.Int(IntStat::kCollectiveSeq).Find(row);
  const bool has_order = seq.has_value() && !name.two;  // a rank's messages are counted here
  RankCall call;
  call.row = e.row;
  call.begin = call.since = e.begin;
  call.end = e.end;
  call.name = name.name;
  call.group = GroupOf(row, name.two, has_order);
  call.bytes = BytesOf(row);
  call.group_size = stats_.Int(IntStat::kGroupSize).Find(row).value_or(0);
  if (const RankStep* step = StepAt(facts_.steps, e.begin)) {
    call.in_step = true;
    call.step = step->number;
  } else if (!facts_.steps.empty() && e.begin < facts_.steps.front().span.begin) {
    call.order = std::numeric_limits<int64_t>::min();
  } else if (!facts_.steps.empty()) {
    call.order = std::numeric_limits<int64_t>::max();
  }
  if (call.in_step) call.order = call.step;
  if (has_order) call.order = *seq;
  facts_.calls.push_back(call);
}

}  // namespace

void AddCalls(AnalysisContext& context, const DeviceEvents& events,
              const std::vector<uint8_t>& on_host, RankFacts* facts) {
  CallReader reader(context, facts);
  const Rank& rank = facts->rank;
  if (rank.devices.empty()) {
    const TimeScope& scope = events.scope().OfHost(rank.host);
    for (const HostCollective& c : CollectivesOfHost(context.trace(), rank.host, on_host)) {
      if (scope.Contains(c.call))
        reader.Add({c.row, c.meta, c.track, c.begin, c.end, TimeClass::kCollectives, {}});
    }
  }
  for (const PlaneId device : rank.devices) {
    CheckStop();
    events.ForEach(device, [&](const DeviceEvent& e) {
      if (e.time_class == TimeClass::kCollectives) reader.Add(e);
    });
  }
}

}  // namespace stepscope
