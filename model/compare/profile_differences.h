// In which facts two profiles differ: devices, versions, sizes. A difference is no contribution to
// a change, but it may be its reason.
#pragma once

#include <string>
#include <vector>

#include "model/compare/compare_table.h"
#include "model/compare/compared_profile.h"

namespace stepscope::compare {

struct ProfileDifference {
  std::string id, what, a, b;  // `what`: a label; a and b: the fact in each profile
  // Devices, hosts or steps: small changes of times mean nothing if these differ
  bool size = false;
  // Another device, type of numbers or batch: the programs do other work, whatever else changed.
  bool leads = false;
};

// Reads the facts of a profile whose steps and items are known. O(events).
Facts FactsOf(const ComparedProfile& profile);
// Sorted by id. Numbers that scatter, such as kernels per step, may differ by 2 %, the share of
// 16-bit compute by 20 points. O(facts), with recorded sizes of inputs O(events).
std::vector<ProfileDifference> FindDifferences(const ComparedProfile& a, const ComparedProfile& b);
// The table `differences`.
ResultTable DifferenceTable(const std::vector<ProfileDifference>& differences);

}  // namespace stepscope::compare
