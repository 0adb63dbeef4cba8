// Tables that put side by side what the pages Input pipeline and Memory and those of XLA's programs
// say of each profile. Pure.
#pragma once

#include <optional>

#include "model/compare/compared_profile.h"

namespace stepscope::compare {

// Reads the profile's input operations, memory and HLO ops; its steps must be known. Times of input
// operations are self times on all threads / steps, those of HLO ops self times / steps / devices.
// O(events log events), and the decoding of the programs that ran.
PageAmounts ReadPages(const ComparedProfile& profile);

// Bytes in use at the peak of the fullest allocator; none without a record of memory.
std::optional<double> MemoryPeakOf(const PageAmounts& pages);
// The allocations live at the peaks whose bytes differ, the largest change first. The key of a row:
// op, region, type, shape.
AmountChanges ChangedAllocations(const PageAmounts& a, const PageAmounts& b);

// `input_ops`: self times of input operations in an average step. `memory`: peaks of allocators,
// and what was live at them by region. `allocations`: ChangedAllocations(). `hlo_ops`,
// `hlo_categories`: self times of the ops of programs, known by module and name, in an average step
// of one device. What neither profile has is left out. O(n log n).
void AddPageTables(const PageAmounts& a, const PageAmounts& b, const AmountChanges& allocations,
                   AnalysisResult* to);

}  // namespace stepscope::compare
