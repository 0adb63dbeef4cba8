// Steps of TPU profiles (docs/rules.md#tpu): the events of each core's Steps line; by our
// definitions else the runs of programs that the host marked, else those of the program with most
// time. Ops have the times of their core's own clock, and spans are on the session's.
// O(events log events).
#pragma once

#include <vector>

#include "model/analysis/grouping/grouping.h"
#include "model/analysis/steps/steps.h"
#include "model/analysis/tpu/async_waits.h"
#include "model/stats.h"

namespace stepscope {

// The steps of all hosts: the k-th steps of all cores of a host are one step, the mean over cores.
// Each op counts for the class of what it does or waits for (core_op.h). Empty if no core has a
// Steps line, nor any op of a program.
StepDatabase TpuSteps(const Trace& trace, const StatTable& stats, const Grouping& grouping);

// As XProf has them: only those of a Steps line. The time and the infeed of a step are those of the
// slowest core, compute is the least of any core, other times are the mean over cores.
StepDatabase XprofTpuSteps(const Trace& trace, const StatTable& stats);

// The waits of the cores in the steps that count, by falling time. O(events log events).
std::vector<AsyncWait> AsyncWaitsOf(const Trace& trace, const StatTable& stats,
                                    const StepDatabase& db);

}  // namespace stepscope
