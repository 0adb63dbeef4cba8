#include "viewer/widgets/tree_table_view.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/support/table_rows.h"
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
namespace {

// all(10): a(6): a1(2), a2(4); b(3); c(1): c1(1)
ResultTable Tree() {
  ResultTable t{"tree",
                "",
                {{"name", "Name", Unit::kNone, ValueType::kString, ""},
                 {"depth", "Depth", Unit::kNone, ValueType::kInt, ""},
                 {"time", "Time", Unit::kUs, ValueType::kReal, ""}}};
  const auto add = [&](const char* name, int64_t depth, double time) {
    t.AddRow({std::string(name), depth, time});
  };
  add("all", 0, 10), add("a", 1, 6), add("a1", 2, 2), add("a2", 2, 4), add("b", 1, 3),
      add("c", 1, 1), add("c1", 2, 1);
  return t;
}

std::string Names(const ResultTable& table, TreeRows& tree) {
  std::string names;
  for (const uint32_t row : tree.Shown())
    names += std::string(names.empty() ? "" : " ") + std::string(table.ShownText(row, 0));
  return names;
}

TEST_CASE("rows are in those of smaller depth above them") {
  const ResultTable t = Tree();
  TreeRows tree(t, 1);
  CHECK(tree.parent(0) == TreeRows::kNone);
  CHECK(tree.parent(3) == 1);
  CHECK(tree.end(1) == 4);
  CHECK(tree.end(0) == 7);
  CHECK(tree.leaf(4));
  CHECK_FALSE(tree.leaf(5));
  CHECK(tree.depth(6) == 2);
  CHECK(Names(t, tree) == "all");
}

TEST_CASE("rows open and close; those with most time open first") {
  const ResultTable t = Tree();
  TreeRows tree(t, 1);
  tree.SetOpen(0, true);
  CHECK(Names(t, tree) == "all a b c");
  tree.SetOpen(5, true);
  CHECK(Names(t, tree) == "all a b c c1");
  tree.SetOpen(0, false);
  CHECK(Names(t, tree) == "all");
  TreeRows some(t, 1);
  some.OpenLargest(t, 2, 6);
  CHECK(Names(t, some) == "all a a1 a2 b c");
  some.OpenParents(6);
  CHECK(Names(t, some) == "all a a1 a2 b c c1");
}

TEST_CASE("siblings are sorted, each below what it is in") {
  const ResultTable t = Tree();
  TreeRows tree(t, 1);
  tree.OpenLargest(t, 2, 100);
  tree.Sort(t, 2, true);
  CHECK(Names(t, tree) == "all a a2 a1 b c c1");
  tree.Sort(t, 2, false);
  CHECK(Names(t, tree) == "all c c1 b a a1 a2");
  tree.Sort(t, 0, true);
  CHECK(Names(t, tree) == "all c c1 b a a2 a1");
  tree.Sort(t, -1, false);
  CHECK(Names(t, tree) == "all a a1 a2 b c c1");
}

TEST_CASE("a filter shows what it matches with all that it is in, and what is in it") {
  const ResultTable t = Tree();
  TreeRows tree(t, 1);
  tree.Filter([&](size_t row) { return t.ShownText(row, 0) == "c1"; });
  CHECK(Names(t, tree) == "all c c1");
  tree.Filter([&](size_t row) { return t.ShownText(row, 0) == "a"; });
  CHECK(Names(t, tree) == "all a a1 a2");
  tree.Filter([](size_t) { return false; });
  CHECK(Names(t, tree).empty());
  tree.Filter({});
  CHECK(Names(t, tree) == "all");
}

TEST_CASE("depths that make no tree, and no rows at all") {
  ResultTable t = Tree();
  test::SetCell(&t, 1, 1, int64_t{50});
  test::SetCell(&t, 2, 1, int64_t{-3});
  test::SetCell(&t, 3, 1, Value());
  TreeRows tree(t, 1);
  CHECK(tree.depth(1) == 1);
  CHECK(tree.parent(2) == TreeRows::kNone);
  CHECK(tree.size() == 7);
  test::SetRows(&t, {});
  TreeRows none(t, 1);
  CHECK(none.Shown().empty());
  TreeRows().Shown();
}

}  // namespace
}  // namespace stepscope
