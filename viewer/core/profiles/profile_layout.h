// ProfileLayout: where the tracks of several open profiles lie in the timeline: in one list that
// scrolls as a whole, or in rows of their own, above or beside each other. Pure.
#pragma once

#include <cstddef>
#include <string_view>

namespace stepscope {

class Settings;

enum class ProfileLayout { kList, kAbove, kBeside };

inline constexpr size_t kMostSplitViews = 4;  // with more profiles none would have room

// The layout that a value of the setting "timeline.run_layout" names; kList for any other text.
ProfileLayout ProfileLayoutFromName(std::string_view name);
const char* NameOf(ProfileLayout layout);
// The layout that the setting asks for; kList with fewer than 2 or more
// than kMostSplitViews profiles.
ProfileLayout LayoutOfProfiles(const Settings& settings, size_t profiles);

}  // namespace stepscope
