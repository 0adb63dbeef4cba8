#include "model/analysis/ranks/collective_calls.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <numeric>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "model/base/ascii.h"
#include "model/base/number_hash.h"
#include "model/jobs/job.h"

namespace stepscope {
namespace {

struct KindRow {
  std::string_view part;  // part of a name in lower case, letters and digits only
  CollectiveKind kind;
};
// Longer names stand before the names that they contain.
constexpr std::array kKinds = {
    KindRow{"allreduce", CollectiveKind::kAllReduce},
    KindRow{"crossdevicereduce", CollectiveKind::kAllReduce},
    KindRow{"reducescatter", CollectiveKind::kReduceScatter},
    KindRow{"allgather", CollectiveKind::kAllGather},
    KindRow{"alltoall", CollectiveKind::kAllToAll},
    KindRow{"broadcast", CollectiveKind::kBroadcast},
    KindRow{"bcast", CollectiveKind::kBroadcast},
    KindRow{"sendrecv", CollectiveKind::kSendRecv},
    KindRow{"barrier", CollectiveKind::kBarrier},
    KindRow{"gather", CollectiveKind::kGather},
    KindRow{"scatter", CollectiveKind::kScatter},
    KindRow{"reduce", CollectiveKind::kReduce},
    KindRow{"send", CollectiveKind::kSendRecv},
    KindRow{"recv", CollectiveKind::kSendRecv},
};

struct TypeRow {
  std::string_view name;
  int64_t bytes;
};
constexpr std::array kTypes = {
    TypeRow{"Byte", 1},
    TypeRow{"Char", 1},
    TypeRow{"Bool", 1},
    TypeRow{"Short", 2},
    TypeRow{"Half", 2},
    TypeRow{"BFloat16", 2},
    TypeRow{"Int", 4},
    TypeRow{"Float", 4},
    TypeRow{"Long", 8},
    TypeRow{"Double", 8},
    TypeRow{"ComplexFloat", 8},
    TypeRow{"ComplexDouble", 16},
    TypeRow{"UInt16", 2},
    TypeRow{"UInt32", 4},
    TypeRow{"UInt64", 8},
    TypeRow{"Float8_e5m2", 1},
    TypeRow{"Float8_e4m3fn", 1},
    TypeRow{"Float8_e4m3fnuz", 1},
    TypeRow{"Float8_e5m2fnuz", 1},
};

}  // namespace

CollectiveKind KindOfCollective(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    const char l = Lower(c);
    if ((l >= 'a' && l <= 'z') || (l >= '0' && l <= '9')) plain += l;
  }
  for (const KindRow& row : kKinds) {
    if (plain.find(row.part) != std::string::npos) return row.kind;
  }
  return CollectiveKind::kOther;
}

const char* NameOf(CollectiveKind kind) {
  static constexpr std::array<const char*, 11> kNames = {
      "AllReduce", "ReduceScatter", "AllGather", "AllToAll", "Broadcast", "SendRecv",
      "Barrier",   "Gather",        "Scatter",   "Reduce",   ""};
  return kNames[static_cast<size_t>(kind)];
}

bool EndsTogether(CollectiveKind kind) {
  return kind == CollectiveKind::kAllReduce || kind == CollectiveKind::kReduceScatter ||
         kind == CollectiveKind::kAllGather || kind == CollectiveKind::kAllToAll ||
         kind == CollectiveKind::kBarrier;
}

double BusFactor(CollectiveKind kind, int64_t n) {
  const double others = n > 1 ? static_cast<double>(n - 1) / static_cast<double>(n) : 0;
  switch (kind) {
    case CollectiveKind::kAllReduce:
      return 2 * others;
    case CollectiveKind::kReduceScatter:
    case CollectiveKind::kAllGather:
    case CollectiveKind::kAllToAll:
    case CollectiveKind::kGather:
    case CollectiveKind::kScatter:
      return others;
    default:
      return 1;
  }
}

int64_t ElementBytes(std::string_view dtype) {
  for (const TypeRow& row : kTypes) {
    if (row.name == dtype) return row.bytes;
  }
  return 0;
}

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
  explicit Collector(std::span<const RankFacts> facts) {
    size_t calls = 0;
    for (uint32_t r = 0; r < facts.size(); ++r) {
      rank_of_number_[facts[r].rank.number] = r;
      calls += facts[r].calls.size();
    }
    out_.calls.reserve(calls);
  }

  void Add(uint32_t rank, const RankFacts& facts);
  CollectiveCalls Finish();

 private:
  using GroupKey = std::tuple<std::string_view, std::string_view, bool, int64_t, int64_t>;
  uint32_t NameOf(const std::string& text);
  uint32_t GroupOf(const RankGroup& group);
  std::vector<uint32_t> Members(std::string_view ranks) const;
  void FindMembers();
  void Pair();

  std::unordered_map<int64_t, uint32_t> rank_of_number_;
  std::map<GroupKey, uint32_t> groups_;  // the texts are those of the facts
  std::map<std::string_view, uint32_t> names_;
  std::vector<size_t> first_ = {0};  // calls of each rank, in the order of adding, and the end
  CollectiveCalls out_;
};

uint32_t Collector::NameOf(const std::string& text) {
  const auto next = static_cast<uint32_t>(out_.names.size());
  const auto [it, added] = names_.try_emplace(text, next);
  if (added) out_.names.push_back({text, KindOfCollective(text)});
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

uint32_t Collector::GroupOf(const RankGroup& group) {
  const auto next = static_cast<uint32_t>(out_.groups.size());
  const auto [it, added] =
      groups_.try_emplace({group.name, group.ranks, group.has_order, group.from, group.to}, next);
  if (!added) return it->second;
  CollectiveGroup found;
  found.name = group.name;
  found.has_order = group.has_order;
  found.from = group.from;
  found.to = group.to;
  if (group.from < 0) found.members = Members(group.ranks);
  found.has_ranks = !found.members.empty();
  out_.groups.push_back(std::move(found));
  return it->second;
}

void Collector::Add(uint32_t rank, const RankFacts& facts) {
  std::vector<uint32_t> names, groups;
  for (const std::string& name : facts.names) names.push_back(NameOf(name));
  for (const RankGroup& group : facts.groups) groups.push_back(GroupOf(group));
  for (uint32_t i = 0; i < facts.calls.size(); ++i) {
    const RankCall& from = facts.calls[i];
    CollectiveCall call;
    call.rank = rank;
    call.at = i;
    call.row = from.row;
    call.begin = from.begin;
    call.end = from.end;
    call.name = names[from.name];
    if (from.group != RankCall::kNoGroup) call.group = groups[from.group];
    call.order = from.order;
    call.in_step = from.in_step;
    call.step = from.step;
    out_.calls.push_back(call);
  }
  first_.push_back(out_.calls.size());
}

// Counts a rank's calls with equal numbers: the n-th of one rank pairs with the n-th of the others.
void CountNth(std::span<CollectiveCall> calls) {
  const auto key = [](const CollectiveCall& c) {
    return std::make_tuple(c.group, c.name, c.order);
  };
  std::sort(calls.begin(), calls.end(), [&](const CollectiveCall& a, const CollectiveCall& b) {
    return std::make_tuple(key(a), a.begin, a.row) < std::make_tuple(key(b), b.begin, b.row);
  });
  for (size_t i = 1; i < calls.size(); ++i) {
    if (key(calls[i]) == key(calls[i - 1])) calls[i].nth = calls[i - 1].nth + 1;
  }
}

// The calls of one collective have equal keys.
using PairKey = std::tuple<uint32_t, uint32_t, int64_t, uint32_t>;
PairKey PairKeyOf(const CollectiveCall& c) { return {c.group, c.name, c.order, c.nth}; }

struct HashOfPairKey {
  SeededHash seeded;  // the order is a number of the file
  size_t operator()(const PairKey& key) const {
    const auto& [group, name, order, nth] = key;
    return HashOf({group, name, seeded(static_cast<uint64_t>(order)), nth});
  }
};

// Sorts calls by key, then by rank, in which they are now. There are far more calls than keys, so
// only keys are compared.
void SortByKey(std::vector<CollectiveCall>* calls) {
  std::unordered_map<PairKey, uint32_t, HashOfPairKey> buckets;
  std::vector<PairKey> keys;
  std::vector<uint32_t> bucket_of, sizes;
  bucket_of.reserve(calls->size());
  for (const CollectiveCall& call : *calls) {
    const PairKey key = PairKeyOf(call);
    const auto [it, added] = buckets.try_emplace(key, static_cast<uint32_t>(keys.size()));
    if (added) keys.push_back(key), sizes.push_back(0);
    bucket_of.push_back(it->second);
    ++sizes[it->second];
  }
  std::vector<uint32_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return keys[a] < keys[b]; });
  std::vector<size_t> next(keys.size());
  size_t begin = 0;
  for (const uint32_t bucket : order) next[bucket] = std::exchange(begin, begin + sizes[bucket]);
  std::vector<CollectiveCall> sorted(calls->size());
  for (size_t i = 0; i < calls->size(); ++i) sorted[next[bucket_of[i]]++] = (*calls)[i];
  *calls = std::move(sorted);
}

void Collector::Pair() {
  SortByKey(&out_.calls);
  for (uint32_t i = 0; i < out_.calls.size(); ++i) {
    if (out_.calls[i].group == CollectiveCall::kNone) break;  // calls without a group come last
    if (i == 0 || PairKeyOf(out_.calls[i]) != PairKeyOf(out_.calls[i - 1]))
      out_.paired.push_back({i, 0});
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
  ParallelFor(first_.size() - 1, [&](size_t rank) {
    CountNth(std::span(out_.calls).subspan(first_[rank], first_[rank + 1] - first_[rank]));
  });
  FindMembers();
  Pair();
  return std::move(out_);
}

}  // namespace

void KeepCalls(const std::function<bool(const CollectiveCall&)>& counts, CollectiveCalls* calls) {
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

CollectiveCalls PairCollectives(std::span<const RankFacts> facts) {
  Collector collector(facts);
  for (uint32_t r = 0; r < facts.size(); ++r) collector.Add(r, facts[r]);
  return collector.Finish();
}

}  // namespace stepscope
