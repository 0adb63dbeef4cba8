// Contributions: what the change of the step time is made of (docs/compare.md#contributions). Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/compare/run_items.h"

namespace stepscope {

enum class Change : uint8_t { kSlower, kFaster, kMore, kFewer, kAdded, kRemoved, kRenamed };
const char* IdOf(Change change);

// Of what is there in both: more calls, or longer ones, whichever accounts for more of the change.
Change ChangeOfCalls(double time_a, double count_a, double time_b, double count_b);
bool CountDiffers(double a, double b);  // by more than 2 %

// What one item, or several alike, has in both runs. Times are ps of an average step.
struct Contribution {
  ItemKind kind = ItemKind::kOp;
  LossClass loss = LossClass::kCompute;
  Change change = Change::kSlower;
  std::string name;
  std::string matched_as;           // renamed: the name in a
  const char* matched_by = "";      // and how it was found
  double a = 0, b = 0;              // of the step's time
  double count_a = 0, count_b = 0;  // events
  double busy_a = 0, busy_b = 0;    // their whole durations
  double variance = 0;              // of b - a
  size_t items = 1;                 // that the row stands for
  std::vector<EventRow> rows_a, rows_b;
  double delta() const { return b - a; }
};

// More than 4 standard errors: no chance.
bool StandsOut(const Contribution& contribution);

struct Contributions {
  std::vector<Contribution> rows;  // by falling size of the change
  double noise = 0;                // ps: changes that are not listed, together
};

// ps: changes of less than `least` are not listed, those of less than `large` only if they stand
// out.
struct Floors {
  double least = 0, large = 0;
};
Contributions FindContributions(const RunItems& a, const RunItems& b, Floors floors);

// Of names that are alike but for numbers, the numbers that differ as '*':
// "block1/conv", "block2/conv" -> "block*/conv". O(length of all).
std::string PatternOf(const std::vector<std::string>& names);

}  // namespace stepscope
