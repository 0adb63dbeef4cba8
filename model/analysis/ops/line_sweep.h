// Self times of the ops on one line of a host (docs/rules.md#ops). Internal to op_collect_host.cc.
#pragma once

#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/analysis/ops/op_collect.h"

namespace stepscope {

// The op of an event: the number of its name among the host's ops, and its type.
struct OpId {
  static constexpr uint32_t kNone = 0xffffffffu;
  uint32_t slot = kNone;
  std::string_view type;
  bool IsEnqueue() const { return type.starts_with("InfeedEnqueue"); }
};

struct HostSum : OpSum {
  std::string_view type;
};

// One op of an event on a line.
struct OpInterval {
  Ps begin, end;
  const OpId* op;
  uint32_t row;
  bool eager;
};

struct LineOps {
  std::vector<std::pair<uint32_t, HostSum>> sums;  // with their slots, as met
  Ps total = 0, busy = 0;
  EnqueueRatio enqueue;
};

// How self times are counted, and how many ops the host has.
struct LineSweep {
  const TimeScope& scope;  // ops that begin in it are added; the whole line is swept
  size_t slots;
  bool enqueues;  // the host has infeed enqueue calls
  // XProf's way: where nested ops end together the outer one is closed first.
  bool outer_closed_first;
};

// Takes the ops of a line by begin, as EventOrder has them, and sums them by slot. One thread at a
// time. O(1) amortised for each op; XProf's way O(log n).
class LineSweeper {
 public:
  // `events`: about as many ops come. `how` must outlive it.
  LineSweeper(const LineSweep& how, size_t events) : how_(how), index_(how.slots, events) {}
  void Add(const OpInterval& op);
  LineOps Take();  // after the last op

 private:
  // The place of each slot's sum on a line. A file may have a million short lines and a million
  // ops, so a line with few events has a map in place of a list of all slots.
  class SumIndex {
   public:
    SumIndex(size_t slots, size_t events) {
      if (slots <= 8 * events) dense_.assign(slots, OpId::kNone);
    }
    uint32_t& operator[](uint32_t slot) {
      return dense_.empty() ? sparse_.try_emplace(slot, OpId::kNone).first->second : dense_[slot];
    }

   private:
    std::vector<uint32_t> dense_;
    std::unordered_map<uint32_t, uint32_t> sparse_;
  };
  struct Open {
    Ps end;
    uint32_t sum;  // index into LineOps::sums; kNone: the op does not count
  };
  uint32_t Count(const OpInterval& op);
  void AddSelf(uint32_t sum, Ps self);
  void AddEnqueue(const OpInterval& op);
  void Advance(Ps to);
  void SweepXprof();

  const LineSweep& how_;
  SumIndex index_;
  LineOps line_;
  Extent all_, counted_;
  std::vector<Open> open_;  // by begin
  Ps now_ = kMinPs;
  bool any_enqueue_ = false;
  TimeRange enqueue_;            // the last one
  std::vector<OpInterval> ops_;  // XProf's way needs all
};

}  // namespace stepscope
