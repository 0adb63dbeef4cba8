// Reads of one profile what the pages say that a comparison puts side by side. Pure.
#pragma once

#include "model/compare/compared_profile.h"

namespace stepscope::compare {

// Reads the profile's input operations, memory and HLO ops; its steps must be known. Times of input
// operations are self times on all threads / steps, those of HLO ops self times / steps / devices.
// O(events log events), and the decoding of the programs that ran.
PageAmounts ReadPages(const ComparedProfile& profile);

}  // namespace stepscope::compare
