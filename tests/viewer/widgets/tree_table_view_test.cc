#include "viewer/widgets/tree_table_view.h"

#include <doctest/doctest.h>

#include "tests/viewer/drawn_text.h"

namespace stepscope {
namespace {

constexpr const char* kTreeColumns[] = {"time", "percent"};

ResultTable TreeTable() {
  ResultTable t{"tree",
                "",
                {{"name", "Name", Unit::kNone, ValueType::kString, ""},
                 {"depth", "Depth", Unit::kNone, ValueType::kInt, ""},
                 {"time", "Time", Unit::kUs, ValueType::kReal, ""},
                 {"percent", "Share", Unit::kPercent, ValueType::kReal, ""}}};
  const auto add = [&](const char* name, int64_t depth, double time, uint32_t event) {
    t.AddRow({std::string(name), depth, time, time * 10});
    t.links.push_back(event == 0 ? RowLink() : LinkTo(EventRows({EventRow(event)})));
  };
  add("whole", 0, 10, 0), add("first", 1, 6, 1), add("second", 1, 4, 2);
  return t;
}

struct Drawn {
  PanelFixture f;
  ResultTable table = TreeTable();
  TreeTableView view;
  DrawnText Draw() {
    return DrawCalm(f, [&](const PanelContext& c) {
      view.DrawToolbar(c, table);
      view.Draw(c, table, 1, {.size_column = "time", .columns = kTreeColumns});
    });
  }
  void Click(ImVec2 at) {
    f.Click(at.x, at.y, [&](const PanelContext& c) {
      view.DrawToolbar(c, table);
      view.Draw(c, table, 1, {.size_column = "time", .columns = kTreeColumns});
    });
  }
};

TEST_CASE("a tree shows numbers, opens by its arrows, and chooses rows") {
  Drawn d;
  DrawnText text = d.Draw();
  CHECK(text.RightOf("first") == "6.000 | 60.0 %");
  const ImVec2 whole = text.At("whole").min;
  d.Click(ImVec2(whole.x - 8, whole.y + 6));
  CHECK_FALSE(d.Draw().Has("first"));
  CHECK(d.view.current() == 1);  // the largest, as before
  d.Click(ImVec2(whole.x - 8, whole.y + 6));
  d.Click(d.Draw().At("second").middle());
  CHECK(d.view.current() == 2);
}

TEST_CASE("a filter shows the rows that it matches with what they are in") {
  Drawn d;
  d.Draw();
  d.view.SetFilter("second");
  const DrawnText text = d.Draw();
  CHECK(text.Has("whole"));
  CHECK(text.Has("second"));
  CHECK_FALSE(text.Has("first"));
}

TEST_CASE("a row stands for the events of all rows in it") {
  Drawn d;
  const TreeRows tree(d.table, 1);
  const PanelContext context = d.f.Context();
  CHECK(TreeTableView::EventsOf(context, d.table, tree, 0).events.size() == 2);
  CHECK(TreeTableView::EventsOf(context, d.table, tree, 2).events.size() == 1);
}

}  // namespace
}  // namespace stepscope
