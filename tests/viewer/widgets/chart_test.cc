#include <doctest/doctest.h>

#include <vector>

#include "viewer/core/look/theme.h"
#include "viewer/widgets/chart.h"

namespace stepscope {
namespace {

TEST_CASE("a name's colour, unless an entry above has it") {
  const Theme theme = MakeTheme(ThemeKind::kDark);
  std::vector<ChartSeries> taken;
  const Rgba usual = FreshColor(theme, "relu", taken);
  CHECK(usual == theme.NameColor("relu"));
  taken.push_back({"other", usual, {}});
  CHECK(FreshColor(theme, "relu", taken) != usual);
}

}  // namespace
}  // namespace stepscope
