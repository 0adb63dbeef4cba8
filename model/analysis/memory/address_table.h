// AddressTable: which allocation is live at each address. Allocators use addresses again, so an
// address stays in the table when it is freed, and no event takes memory of its own. Owns its
// slots, at most 32 bytes an address. One thread uses it; O(1) amortised.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "model/analysis/memory/memory_profile.h"
#include "model/base/number_hash.h"

namespace stepscope {

class AddressTable {
 public:
  static constexpr uint32_t kNone = ~uint32_t{0};

  // The number of the allocation that is live there, to be read and set; kNone: none is. Valid
  // until the next call.
  uint32_t& Of(int64_t address) {
    if (2 * (used_ + 1) > slots_.size()) Grow();
    Slot& slot = SlotOf(address);
    if (!slot.used) {
      slot = {address, kNone, true};
      ++used_;
    }
    return slot.number;
  }
  // Calls fn(number) for each, in no order.
  template <typename Fn>
  void ForLive(Fn fn) const {
    for (const Slot& slot : slots_) {
      if (slot.number != kNone) fn(slot.number);
    }
  }

 private:
  struct Slot {
    int64_t address = 0;
    uint32_t number = kNone;
    bool used = false;
  };

  Slot& SlotOf(int64_t address) {
    size_t at = hash_(static_cast<uint64_t>(address)) & (slots_.size() - 1);
    while (slots_[at].used && slots_[at].address != address) at = (at + 1) & (slots_.size() - 1);
    return slots_[at];
  }
  void Grow() {
    std::vector<Slot> old(slots_.empty() ? 64 : 2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.used) SlotOf(slot.address) = slot;
    }
  }

  SeededHash hash_;
  std::vector<Slot> slots_;  // a power of two
  size_t used_ = 0;
};

// Walks an allocator's snapshots in order: made(i) is called for each allocation and returns the
// number by which it is known; freed(number, i) is called where its address is freed. An address
// that is allocated again first is not freed. O(n).
template <typename Made, typename Freed>
void PairByAddress(const AllocatorProfile& allocator, Made made, Freed freed) {
  AddressTable live;
  for (uint32_t i = 0; i < allocator.snapshots.size(); ++i) {
    const MemorySnapshot& s = allocator.snapshots[i];
    uint32_t& number = live.Of(s.address);
    if (s.allocation) {
      number = made(i);
    } else if (number != AddressTable::kNone) {
      freed(std::exchange(number, AddressTable::kNone), i);
    }
  }
}

}  // namespace stepscope
