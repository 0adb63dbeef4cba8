// Steps where nothing marks them (docs/rules.md#how-steps-are-found): by the calls that a program
// repeats on purpose (infer_by_calls.cc), else by the period of what its busiest stream runs
// (infer_by_period.cc). Pure functions; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/analysis/grouping/grouping.h"
#include "model/analysis/steps/steps.h"

namespace stepscope {

// One step for each call that the program repeats, or one for the single call that encloses nearly
// all launches. An empty plan if there is neither. O(events log events).
StepPlan InferByCalls(const Trace& trace, const Grouping& grouping);

// One step for each period of the kernel sequence on the busiest stream of the first host that has
// a period; an empty plan if none has. `confidence`, 0 to 1, is the share of the sequence that
// repeats, less for few steps. O(events log events).
StepPlan InferByPeriod(const Trace& trace, const Grouping& grouping, double* confidence);

// The pattern that repeats inside one step on the busiest stream, usually a layer. count is 0 if
// there is none.
struct EqualParts {
  size_t count = 0;
  Ps each = 0;  // mean length of a part
};
EqualParts FindEqualParts(const Trace& trace, const Step& step);  // O(events)

// The smallest period p with s[i] == s[i + p] for at least the share `least` of all i; 0 if there
// is none. `share` gets that share. Looks at the first 200,000 elements.
size_t FindPeriod(const std::vector<uint32_t>& sequence, double least, double* share);

}  // namespace stepscope
