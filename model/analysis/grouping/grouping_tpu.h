// Groups of TPU cores (docs/rules.md#tpu): each event of a core's Steps line, or else of its XLA
// Modules line, is a group, and every other event of the core joins the one that it overlaps.
// Checked on synthetic input only. O(events log groups).
#pragma once

#include "model/analysis/grouping/grouping.h"

namespace stepscope {

// Adds to groups that hosts have already. A core's step joins the group that launched it or
// something in it. If that is known of no step on a host, the k-th steps of all its cores are one
// new group, numbered after the host's groups.
void GroupTpuCores(const Trace& trace, const StatTable& stats, Grouping* out);

}  // namespace stepscope
