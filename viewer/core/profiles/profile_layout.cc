#include "viewer/core/profiles/profile_layout.h"

#include <array>

#include "viewer/core/state/settings.h"

namespace stepscope {
namespace {

constexpr std::array<const char*, 3> kLayoutNames = {"one list", "above and below",
                                                     "left and right"};

}  // namespace

ProfileLayout ProfileLayoutFromName(std::string_view name) {
  for (size_t i = 0; i < kLayoutNames.size(); ++i) {
    if (name == kLayoutNames[i]) return static_cast<ProfileLayout>(i);
  }
  return ProfileLayout::kList;
}

const char* NameOf(ProfileLayout layout) { return kLayoutNames[static_cast<size_t>(layout)]; }

ProfileLayout LayoutOfProfiles(const Settings& settings, size_t profiles) {
  if (profiles < 2 || profiles > kMostSplitViews) return ProfileLayout::kList;
  return ProfileLayoutFromName(settings.Get("timeline.run_layout"));
}

}  // namespace stepscope
