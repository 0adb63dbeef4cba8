// How the tracks of several open runs lie in the timeline: in one list that scrolls as a whole, or
// each run with rows of its own, above each other or beside each other. Pure.
#pragma once

#include <cstddef>
#include <string_view>

namespace stepscope {

class Settings;

enum class RunLayout { kList, kAbove, kBeside };

inline constexpr size_t kMostRunAreas = 4;  // of more runs none would have room

// By the words of the setting "timeline.run_layout"; kList for any others.
RunLayout RunLayoutFromName(std::string_view name);
const char* NameOf(RunLayout layout);
// What the setting says, as far as it can be done with so many runs.
RunLayout LayoutOfRuns(const Settings& settings, size_t runs);

}  // namespace stepscope
