// Self times of the ops on one line of a host (docs/rules.md#ops). Internal to op_collect_host.cc.
#pragma once

#include <string_view>
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

// `ops` by begin, as EventOrder has them. O(n log n).
LineOps SweepLine(const std::vector<OpInterval>& ops, const LineSweep& how);

}  // namespace stepscope
