// Groups of TPU cores (docs/rules.md#tpu): the events of a core's Steps line, or else of
// its XLA Modules line, are its groups, and every other event of the core joins the one it
// overlaps. Checked on synthetic input only. O(events * log groups).
#pragma once

#include "model/analysis/grouping.h"

namespace stepscope {

// After the groups of the hosts: a core's step belongs to the group that launched it, or something
// in it; where no core's step does, the k-th step of every core of a host is a group of its own,
// numbered after those of the host.
void GroupTpuCores(const Trace& trace, const StatTable& stats, Grouping* out);

}  // namespace stepscope
