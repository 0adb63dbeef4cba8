// Which item of one run is which of the other (docs/compare.md#matching): by name, and where names
// changed by op, by place in the call tree, by launch shape, by kind of work and count. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/analysis/kernel_category.h"

namespace stepscope {

// What is known of an item; views what made it. Only items of one group match.
struct Matchable {
  uint32_t group = 0;
  std::string_view name;
  std::string_view op;                              // that it is of; may be empty
  const std::vector<std::string>* place = nullptr;  // what is around it, innermost first
  std::string_view shape;                           // grid and block of a kernel; may be empty
  KernelCategory category = KernelCategory::kOther;
  double count = 0, time = 0;  // per step
  uint32_t order = 0;          // of first occurrences
  bool renames = true;         // else by its name only
};

struct MatchedPair {
  static constexpr uint32_t kNone = 0xffffffffu;
  uint32_t a = kNone, b = kNone;  // kNone: only the other run has it
  const char* by = "";            // how, of those whose names differ
};

// All items of both, each once: those of a in order, then those that only b has. O(n log n).
std::vector<MatchedPair> Match(std::span<const Matchable> a, std::span<const Matchable> b);

// Runs of digits as '#': "fused_add_12" -> "fused_add_#". O(length).
std::string WithoutNumbers(std::string_view name);

}  // namespace stepscope
