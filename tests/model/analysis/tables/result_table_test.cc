#include "model/analysis/tables/result_table.h"

#include <doctest/doctest.h>

namespace stepscope {

TEST_CASE("CSV quotes what needs it and leaves numbers unrounded") {
  ResultTable t{"x",
                "X",
                {{"name", "Name", Unit::kNone, ValueType::kString, ""},
                 {"v", "V", Unit::kUs, ValueType::kReal, ""}}};
  t.AddRow({std::string("a,\"b\""), 0.1});
  t.AddRow({std::string("plain"), std::monostate{}});
  CHECK(ToCsv(t) == "name,v\r\n\"a,\"\"b\"\"\",0.1\r\nplain,\r\n");
}

TEST_CASE("text tables align numbers right, put units in the header and say what was left out") {
  ResultTable t{"x",
                "X",
                {{"name", "Name", Unit::kNone, ValueType::kString, ""},
                 {"v", "Total", Unit::kUs, ValueType::kReal, ""}}};
  t.AddRow({std::string("a"), 12345.67});
  t.AddRow({std::string("longer"), 1.0});
  CHECK(ToText(t) == "Name    Total (\u00b5s)\na         12\u2009345.7\nlonger         1.0\n");
  CHECK(ToText(t, {1, 0}).find("1 more") != std::string::npos);
}

TEST_CASE("values for people") {
  CHECK(FormatValue(Value(int64_t{1234567}), Unit::kCount) == "1\u2009234\u2009567");
  CHECK(FormatValue(Value(int64_t{1536}), Unit::kBytes) == "1.500 KiB");
  CHECK(FormatValue(Value(0.125), Unit::kFraction) == "12.5 %");
  CHECK(FormatValue(Value(true), Unit::kNone) == "yes");
  CHECK(FormatValue(Value(std::monostate{}), Unit::kNone).empty());
  CHECK(FormatValue(Value(-1234.5), Unit::kUs) == "-1\u2009234.5");
}

TEST_CASE("columns, tables and properties are found by id") {
  AnalysisResult r;
  r.tables.push_back({"t", "T", {{"a", "A", Unit::kNone, ValueType::kString, ""}}});
  r.properties.push_back({"p", "P", 1.5, Unit::kMs, ""});
  REQUIRE(r.Table("t"));
  CHECK(r.Table("t")->Column("a") == 0);
  CHECK(r.Table("t")->Column("b") == -1);
  CHECK(r.Table("u") == nullptr);
  CHECK(r.Find("p")->value == Value(1.5));
  CHECK(r.Find("q") == nullptr);
}

TEST_CASE(
    "Text fits a width: empty columns go first, then text is cut, then more columns go; it says "
    "which") {
  ResultTable t;
  t.id = "t";
  t.SetColumns({{"name", "Name", Unit::kNone, ValueType::kString, ""},
                {"none", "Nothing at all", Unit::kMs, ValueType::kReal, ""},
                {"a", "First number", Unit::kMs, ValueType::kReal, ""},
                {"b", "Second number", Unit::kMs, ValueType::kReal, ""},
                {"total", "Total", Unit::kMs, ValueType::kReal, "", true}});
  t.AddRow({std::string(50, 'n'), 0.0, 1.0, 2.0, 3.0});
  const auto longest = [](const std::string& text) {
    size_t most = 0, at = 0;
    for (size_t end; (end = text.find('\n', at)) != std::string::npos; at = end + 1)
      most = std::max(most, end - at);
    return most;
  };
  CHECK(ToText(t).find("Nothing at all") != std::string::npos);
  const std::string wide = ToText(t, {0, 104}), narrow = ToText(t, {0, 60}),
                    least = ToText(t, {0, 45});
  CHECK(longest(wide) <= 104);
  CHECK(wide.find(std::string(50, 'n')) != std::string::npos);
  CHECK(wide.find("Not shown: Nothing at all (--wide shows all)") != std::string::npos);
  CHECK(longest(narrow) <= 62);  // the ellipsis is three bytes and one column
  CHECK(narrow.find("Second number") != std::string::npos);
  CHECK(least.find("Total") < least.find("Not shown:"));  // the key column stays
  CHECK(least.find("Second number") > least.find("Not shown:"));
}

TEST_CASE("Text fits a width: constant columns go before text is cut, and are named") {
  ResultTable t;
  t.id = "t";
  t.SetColumns({{"step", "Step", Unit::kNone, ValueType::kString, ""},
                {"device", "Device", Unit::kNone, ValueType::kString, ""},
                {"class", "Class", Unit::kNone, ValueType::kString, "", true},
                {"share", "Share", Unit::kPercent, ValueType::kReal, ""},
                {"cut", "Cut", Unit::kNone, ValueType::kBool, "", true},
                {"partial", "Partial", Unit::kNone, ValueType::kBool, "", true}});
  t.AddRow({std::string("step 1"), std::string("GPU 0"), std::string("host"), 5.0, false, true});
  t.AddRow({std::string("step 1"), std::string("GPU 0"), std::string("sync"), 7.0, false, false});
  const std::string text = ToText(t, {0, 36});
  CHECK(text.find("Partial") < text.find("Not shown:"));
  CHECK(text.find("Share") < text.find("Not shown:"));
  CHECK(text.find("Device = GPU 0,") > text.find("Not shown:"));
  CHECK(text.find("Cut (--wide shows all)") != std::string::npos);
  CHECK(ToText(t, {0, 60}).find("Not shown") == std::string::npos);
}

TEST_CASE("columns have values of one type, each of which may be absent") {
  ColumnValues reals(ValueType::kReal);
  reals.Add(int64_t{2});  // a whole number becomes a real one
  reals.AddAbsent();
  reals.Add(Value(0.5));
  REQUIRE(reals.size() == 3);
  CHECK(reals[0] == Cell(2.0));
  CHECK(reals[1] == Cell());
  CHECK_FALSE(reals.Has(1));
  CHECK(reals.Has(2));
  CHECK(reals.Own(2) == Value(0.5));
  ColumnValues texts(ValueType::kString);
  texts.Add(SharedText("a"));
  texts.Add(Value());
  CHECK(texts[0] == Cell(std::string_view("a")));
  CHECK(texts.Text(1).empty());
  CHECK(texts.Own(0) == Value(SharedText("a")));
  CHECK(texts.Own(1) == Value());
  ColumnValues flags(ValueType::kBool);
  flags.Add(true);
  CHECK(flags[0] == Cell(true));
}

TEST_CASE("a table has the rows of another one, some of them or all") {
  ResultTable t("t", "T",
                {{"name", "Name", Unit::kNone, ValueType::kString, ""},
                 {"n", "N", Unit::kCount, ValueType::kInt, ""}});
  CHECK(t.empty());
  for (int64_t n = 0; n < 4; ++n) {
    t.AddRow({"row " + std::to_string(n), n});
    t.links.push_back(LinkTo(EventRows({EventRow(static_cast<uint32_t>(n))})));
    t.readable.push_back(SharedText(n == 2 ? "two" : ""));
  }
  t.readable_column = 0;
  t.AddRow({"last"});  // what is left out is absent
  t.links.emplace_back();
  t.readable.emplace_back();
  CHECK(t.At(4, 1) == Cell());
  CHECK(t.ShownText(2, 0) == "two");
  CHECK(t.ShownText(3, 0) == "row 3");
  CHECK(t.ShownText(3, 1).empty());
  CHECK(t.ShownText(9, 0).empty());
  const std::vector<uint32_t> some = {2, 0, 4};
  const ResultTable part = t.WithRows(some);
  REQUIRE(part.size() == 3);
  CHECK(part.id == "t");
  CHECK(part.At(0, 1) == Cell(int64_t{2}));
  CHECK(part.At(1, 0) == Cell(std::string_view("row 0")));
  CHECK(part.links[0].rows.front() == EventRow(2));
  CHECK(part.ShownText(0, 0) == "two");
  CHECK(part.links.size() == 3);
  CHECK(part.At(2, 0) == Cell(std::string_view("last")));
  CHECK(part.At(2, 1) == Cell());
  CHECK(t.WithRows({}).columns.size() == 2);
}

}  // namespace stepscope
