#include "viewer/core/run_layout.h"

#include <array>

#include "viewer/core/settings.h"

namespace stepscope {
namespace {

constexpr std::array<const char*, 3> kNames = {"one list", "above and below", "left and right"};

}  // namespace

RunLayout RunLayoutFromName(std::string_view name) {
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (name == kNames[i]) return static_cast<RunLayout>(i);
  }
  return RunLayout::kList;
}

const char* NameOf(RunLayout layout) { return kNames[static_cast<size_t>(layout)]; }

RunLayout LayoutOfRuns(const Settings& settings, size_t runs) {
  if (runs < 2 || runs > kMostRunAreas) return RunLayout::kList;
  return RunLayoutFromName(settings.Get("timeline.run_layout"));
}

}  // namespace stepscope
