// Finds which item of A is which item of B (docs/compare.md#matching): by name, and for names that
// changed by op, by place in the call tree, by launch shape, by kind of work and count. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/analysis/naming/kernel_category.h"

namespace stepscope::compare {

// The facts that are known about an item. Borrows its texts. Items match only within one group.
struct Matchable {
  uint32_t group = 0;
  std::string_view name;
  std::string_view op;                              // the framework's op; may be empty
  const std::vector<std::string>* place = nullptr;  // what is around it, innermost first
  std::string_view shape;                           // grid and block of a kernel; may be empty
  KernelCategory category = KernelCategory::kOther;
  double count = 0, time = 0;  // per step; time in ps
  uint32_t order = 0;          // rank by first occurrence
  bool renames = true;         // false: it matches an item of the same name only
};

struct MatchedPair {
  static constexpr uint32_t kNone = 0xffffffffu;
  uint32_t a = kNone, b = kNone;  // indices; kNone: only the other profile has the item
  const char* by = "";            // how it was found if the names differ, else empty
};

// All items of both, each once: those of `a` in order, then those that only `b` has. O(n log n).
std::vector<MatchedPair> Match(std::span<const Matchable> a, std::span<const Matchable> b);

}  // namespace stepscope::compare
