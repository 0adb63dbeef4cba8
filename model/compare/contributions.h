// Contributions: what the change of the step time is made of (docs/compare.md#contributions). Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/compare/compare_table.h"
#include "model/compare/step_items.h"

namespace stepscope::compare {

enum class Change : uint8_t { kSlower, kFaster, kMore, kFewer, kAdded, kRemoved, kRenamed };
const char* IdOf(Change change);

// The change of something that both profiles have: kMore or kFewer if the number of calls accounts
// for more of the change than their length does, else kSlower or kFaster. Formulas:
// docs/compare.md#contributions.
Change ChangeOfCalls(double time_a, double count_a, double time_b, double count_b);
// Whether the numbers differ by more than 2 % of the larger one.
bool CountDiffers(double a, double b);

// The times that one item, or several alike, have in both profiles. Times are ps of an average
// step.
struct Contribution {
  WorkKind kind = WorkKind::kOp;
  StepTimeClass loss = StepTimeClass::kCompute;
  Change change = Change::kSlower;
  std::string name;
  std::string matched_as;           // the name in A if it is another one, else empty
  const char* matched_by = "";      // how that name was found (match.h)
  double a = 0, b = 0;              // parts of the step's time
  double count_a = 0, count_b = 0;  // events of a step
  double busy_a = 0, busy_b = 0;    // whole durations of those events
  double variance = 0;              // variance of b - a, in ps^2
  size_t items = 1;                 // items that this row stands for
  EventRows rows_a, rows_b;
  double delta() const { return b - a; }
  double delta_ms() const { return MsOf(delta()); }
  // Percent of `whole_ms`, the change of the whole step; none where that is 0.
  std::optional<double> share_of(double whole_ms) const {
    return whole_ms != 0 ? std::optional(100 * delta_ms() / whole_ms) : std::nullopt;
  }
};

// Whether the change exceeds 4 standard errors, so that it is hardly chance. They allow for steps
// that depend on the one before (VarianceOfShift).
bool StandsOut(const Contribution& contribution);

struct Contributions {
  std::vector<Contribution> rows;  // the largest change first
  double noise = 0;                // ps: sum of the changes that are not listed
  // The part of the device time of both profiles that is the same work: of each pair that was
  // matched by name or op the smaller share, summed. 100 where a profile has no device time.
  double shared_percent = 100;
  // The part of the names of kernels that both profiles have; 100 if neither has any.
  // Where no kernels ran the names are those of ops. Numbers in names do not count.
  double shared_names_percent = 100;
  // False if they share less of their work than two versions of one program do.
  bool same_program() const { return shared_percent >= 100.0 / 3; }
};

// Limits in ps. A change below `least` is not listed, one below `large` only if it stands out.
struct Floors {
  double least = 0, large = 0;
};
// Matches the items of both profiles and lists what changed. O(n log n) for n items.
Contributions FindContributions(const StepItems& a, const StepItems& b, Floors floors);

// One pattern for names that are alike but for numbers, with '*' for the numbers that differ:
// "block1/conv", "block2/conv" -> "block*/conv". O(length of all names).
std::string PatternOf(const std::vector<std::string>& names);

}  // namespace stepscope::compare
