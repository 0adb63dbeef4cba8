// Pairs of allocations and deallocations by address, compared with a map.
#include "model/analysis/memory/address_table.h"

#include <doctest/doctest.h>

#include <map>
#include <random>
#include <utility>
#include <vector>

namespace stepscope {
namespace {

using Pairs = std::vector<std::pair<uint32_t, uint32_t>>;

TEST_CASE("addresses: an allocation ends where its address is freed, unless it is made again") {
  std::mt19937_64 random(3);
  AllocatorProfile profile;
  for (int i = 0; i < 20'000; ++i) {
    MemorySnapshot s;
    s.allocation = random() % 2 == 0;
    s.address = static_cast<int64_t>(random() % 700) * 256 - 1'000;
    profile.snapshots.push_back(s);
  }
  Pairs expected, found;
  std::map<int64_t, uint32_t> live;
  for (uint32_t i = 0; i < profile.snapshots.size(); ++i) {
    const MemorySnapshot& s = profile.snapshots[i];
    if (s.allocation) {
      live[s.address] = i;
    } else if (const auto at = live.find(s.address); at != live.end()) {
      expected.emplace_back(at->second, i);
      live.erase(at);
    }
  }
  PairByAddress(
      profile, [](uint32_t i) { return i; },
      [&](uint32_t made, uint32_t freed) { found.emplace_back(made, freed); });
  CHECK(found == expected);
  CHECK(found.size() > 4'000);
}

TEST_CASE("addresses: what is live is told once each") {
  AddressTable table;
  for (uint32_t i = 0; i < 1'000; ++i) table.Of(int64_t{i} << 12) = i;
  for (uint32_t i = 0; i < 1'000; i += 3) table.Of(int64_t{i} << 12) = AddressTable::kNone;
  CHECK(table.Of(-8) == AddressTable::kNone);
  std::map<uint32_t, int> seen;
  table.ForLive([&](uint32_t number) { ++seen[number]; });
  CHECK(seen.size() == 1'000 - 334);
  for (const auto& [number, times] : seen) {
    CHECK(number % 3 != 0);
    CHECK(times == 1);
  }
}

}  // namespace
}  // namespace stepscope
