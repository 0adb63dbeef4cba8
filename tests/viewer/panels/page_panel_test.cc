#include "viewer/panels/page_panel.h"

#include <doctest/doctest.h>

#include "tests/viewer/drawn_text.h"

namespace stepscope {
namespace {

AnalysisResult OnePage() {
  AnalysisResult result;
  result.findings.push_back({Finding::Grade::kInfo, "Seven toys were found.", "Tidy up.", ""});
  result.properties.push_back({"toys", "Toys", int64_t{7}, Unit::kCount, ""});
  result.properties.push_back({"lost", "Lost", Value(), Unit::kCount, ""});
  ResultTable& table = result.tables.emplace_back("boxes", "Boxes");
  table.SetColumns({{"box", "Box", Unit::kNone, ValueType::kString, ""}});
  table.AddRow({SharedText("the red box")});
  return result;
}

TEST_CASE("page panel: it shows the findings, the known numbers and the tables of a page") {
  PanelFixture f;
  const AnalysisResult result = OnePage();
  PagePanel panel("toys");
  const DrawnText text =
      DrawCalm(f, [&](const PanelContext& context) { panel.DrawResult(context, result, 1); });
  CAPTURE(text.All());
  CHECK(text.Has("Seven toys were found."));
  CHECK(text.RightOf("Toys") == "7");
  CHECK_FALSE(text.Has("Lost"));
  CHECK(text.Has("the red box"));
}

TEST_CASE("page panel: a page without a panel of its own gets one with its id and title") {
  const AnalysisDesc page{"toys", "Toys", "How many toys there are.", nullptr};
  const PanelDesc panel = PanelOfPage(page);
  CHECK(std::string_view(panel.id) == "toys");
  CHECK(std::string_view(panel.title) == "Toys");
  CHECK_FALSE(panel.open_by_default);
  CHECK(panel.create() != nullptr);
  for (const AnalysisDesc& analysis : Analyses()) CHECK(FindPanel(analysis.id) != nullptr);
}

}  // namespace
}  // namespace stepscope
