#include "model/analysis/fleet/rank_memory.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string_view>
#include <tuple>

#include "model/analysis/memory/memory_profile.h"

namespace stepscope {
namespace {

bool IsOfDevice(std::string_view allocator) {
  return allocator.find("GPU") != allocator.npos || allocator.find("cuda") != allocator.npos ||
         allocator.find("gpu") != allocator.npos;
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

}  // namespace stepscope
