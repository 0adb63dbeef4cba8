#include "model/analysis/fleet/fact_tables.h"

#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <tuple>

#include "model/analysis/memory/memory_profile.h"
#include "model/analysis/tables/schema.h"

namespace stepscope {
namespace {

bool IsOfDevice(std::string_view allocator) {
  return allocator.find("GPU") != allocator.npos || allocator.find("cuda") != allocator.npos ||
         allocator.find("gpu") != allocator.npos;
}

std::optional<int64_t> Known(int64_t value) {
  return value < 0 ? std::nullopt : std::optional(value);
}

int64_t NumberOfRank(const RankFacts& facts) {
  const Rank& rank = facts.rank;
  if (rank.own_number >= 0) return rank.own_number;
  return rank.file_number >= 0 ? rank.file_number : rank.place;
}

// A step, call, wait or kernel, by its index among those of its rank.
template <typename T>
struct FactRow {
  const RankFacts* rank;
  const T* fact;
  size_t index;
  const T* operator->() const { return fact; }
};

template <typename T>
std::vector<FactRow<T>> RowsOf(std::span<const RankFacts> facts,
                               const std::vector<T> RankFacts::*field) {
  std::vector<FactRow<T>> rows;
  for (const RankFacts& f : facts) {
    for (size_t i = 0; i < (f.*field).size(); ++i) rows.push_back({&f, &(f.*field)[i], i});
  }
  return rows;
}

constexpr const char* kPlaceHow = "its number, else its place in the profile";

template <typename T>
typename Schema<FactRow<T>>::Field RankField() {
  return {"rank", "Rank", Unit::kNone, [](const FactRow<T>& r) { return NumberOfRank(*r.rank); },
          kPlaceHow};
}

ResultTable RankFactTable(std::span<const RankFacts> facts) {
  using R = RankFacts;
  return Schema<R>(
             "ranks", "Ranks",
             {{"rank", "Rank", Unit::kNone, NumberOfRank, kPlaceHow},
              {"host", "Host", Unit::kNone, [](const R& r) { return r.rank.host_name; }},
              {"file_name", "File", Unit::kNone, [](const R& r) { return r.rank.file; }},
              {"coordinates", "Coordinates", Unit::kNone,
               [](const R& r) { return r.rank.coordinates; }},
              {"devices", "Devices", Unit::kNone, [](const R& r) { return r.rank.device_names; }},
              {"peak_bytes", "Memory peak", Unit::kBytes,
               [](const R& r) { return Known(r.peak_bytes); }},
              {"capacity_bytes", "Memory", Unit::kBytes,
               [](const R& r) { return Known(r.capacity_bytes); }}})
      .Make(facts);
}

ResultTable Steps(std::span<const RankFacts> facts) {
  using R = FactRow<RankStep>;
  return Schema<R>("rank_steps", "Steps",
                   {RankField<RankStep>(),
                    {"step", "Step", Unit::kNone, [](const R& r) { return r->number; }},
                    {"begin_ps", "Begin", Unit::kPs, [](const R& r) { return r->span.begin; }},
                    {"dur_ps", "Time", Unit::kPs, [](const R& r) { return r->total; },
                     "mean over the rank's devices"},
                    {"busy_ps", "Busy", Unit::kPs, [](const R& r) { return r->busy; },
                     "compute and copies"},
                    {"counts", "In averages", Unit::kNone, [](const R& r) { return r->counts; }}})
      .Make(RowsOf(facts, &RankFacts::steps));
}

const RankGroup& GroupOf(const FactRow<RankCall>& call) {
  static const RankGroup kNone;
  return call->group == RankCall::kNoGroup ? kNone : call.rank->groups[call->group];
}

ResultTable Calls(std::span<const RankFacts> facts) {
  using R = FactRow<RankCall>;
  return Schema<R>(
             "collectives", "Collectives",
             {RankField<RankCall>(),
              {"step", "Step", Unit::kNone,
               [](const R& r) { return r->in_step ? std::optional(r->step) : std::nullopt; }},
              {"call", "Call", Unit::kNone, &R::index, "its place among the rank's"},
              {"group", "Group", Unit::kNone, [](const R& r) { return GroupOf(r).name; },
               "the process group"},
              {"group_ranks", "Members", Unit::kNone, [](const R& r) { return GroupOf(r).ranks; },
               "as recorded"},
              {"name", "Collective", Unit::kNone,
               [](const R& r) { return r.rank->names[r->name]; }},
              {"begin_ps", "Begin", Unit::kPs, [](const R& r) { return r->begin; }},
              {"dur_ps", "Duration", Unit::kPs, [](const R& r) { return r->end - r->begin; },
               "waiting included"},
              {"work_ps", "Work before", Unit::kPs, [](const R& r) { return r->begin - r->since; },
               "since earlier collectives ended"},
              {"bytes", "Bytes", Unit::kBytes, [](const R& r) { return Known(r->bytes); }}})
      .Make(RowsOf(facts, &RankFacts::calls));
}

ResultTable Waits(std::span<const RankFacts> facts) {
  using R = FactRow<RankWait>;
  return Schema<R>("waits", "Before collectives",
                   {RankField<RankWait>(),
                    {"call", "Call", Unit::kNone, [](const R& r) { return r->call; },
                     "in the table of collectives"},
                    {"loss", "Class", Unit::kNone, [](const R& r) { return IdOf(r->loss); }},
                    {"dur_ps", "Time", Unit::kPs, [](const R& r) { return r->time; }}})
      .Make(RowsOf(facts, &RankFacts::waits));
}

ResultTable Kernels(std::span<const RankFacts> facts) {
  using R = FactRow<RankKernel>;
  return Schema<R>("rank_kernels", "Kernels",
                   {RankField<RankKernel>(),
                    {"kernel", "Kernel", Unit::kNone, [](const R& r) { return r->name; }},
                    {"count", "Count", Unit::kCount, [](const R& r) { return r->count; }},
                    {"total_ps", "Total", Unit::kPs, [](const R& r) { return r->total; }},
                    {"median_ps", "Median", Unit::kPs, [](const R& r) { return r->median; },
                     "of one run"}})
      .Make(RowsOf(facts, &RankFacts::kernels));
}

}  // namespace

void AddMemory(AnalysisContext& context, std::vector<RankFacts>* facts) {
  std::map<uint32_t, size_t> ranks_on_host;
  for (const RankFacts& f : *facts) ++ranks_on_host[f.rank.host.value];
  const std::shared_ptr<const MemoryProfile> memory = context.Get<MemoryProfile>(AnalysisParams());
  std::map<uint32_t, const AllocatorProfile*> largest;  // by host
  const auto key = [](const AllocatorProfile& a) {
    return std::make_tuple(IsOfDevice(a.id), a.snapshots[a.peak].in_use);
  };
  for (const AllocatorProfile& a : memory->allocators) {
    if (a.peak >= a.snapshots.size()) continue;
    const AllocatorProfile*& most = largest[a.host.value];
    if (most == nullptr || key(*most) < key(a)) most = &a;
  }
  for (RankFacts& f : *facts) {
    const auto it = largest.find(f.rank.host.value);
    if (it == largest.end() || ranks_on_host[f.rank.host.value] != 1) continue;
    f.peak_bytes = it->second->snapshots[it->second->peak].in_use;
    if (it->second->capacity > 0) f.capacity_bytes = it->second->capacity;
  }
}

std::vector<ResultTable> FactTables(std::span<const RankFacts> facts) {
  return {RankFactTable(facts), Steps(facts), Calls(facts), Waits(facts), Kernels(facts)};
}

}  // namespace stepscope
