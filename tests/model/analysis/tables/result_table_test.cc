#include "model/analysis/tables/result_table.h"

#include <doctest/doctest.h>

namespace stepscope {

TEST_CASE("CSV quotes what needs it and leaves numbers unrounded") {
  ResultTable t{"x",
                "X",
                {{"name", "Name", Unit::kNone, ValueType::kString, ""},
                 {"v", "V", Unit::kUs, ValueType::kReal, ""}}};
  t.rows.push_back({std::string("a,\"b\""), 0.1});
  t.rows.push_back({std::string("plain"), std::monostate{}});
  CHECK(ToCsv(t) == "name,v\r\n\"a,\"\"b\"\"\",0.1\r\nplain,\r\n");
}

TEST_CASE("text tables align numbers right, put units in the header and say what was left out") {
  ResultTable t{"x",
                "X",
                {{"name", "Name", Unit::kNone, ValueType::kString, ""},
                 {"v", "Total", Unit::kUs, ValueType::kReal, ""}}};
  t.rows.push_back({std::string("a"), 12345.67});
  t.rows.push_back({std::string("longer"), 1.0});
  CHECK(ToText(t) == "Name    Total (\u00b5s)\na         12\u2009345.7\nlonger         1.0\n");
  CHECK(ToText(t, {1, 0}).find("1 more") != std::string::npos);
}

TEST_CASE("values for people") {
  CHECK(FormatValue(int64_t{1234567}, Unit::kCount) == "1\u2009234\u2009567");
  CHECK(FormatValue(int64_t{1536}, Unit::kBytes) == "1.500 KiB");
  CHECK(FormatValue(0.125, Unit::kFraction) == "12.5 %");
  CHECK(FormatValue(true, Unit::kNone) == "yes");
  CHECK(FormatValue(std::monostate{}, Unit::kNone).empty());
  CHECK(FormatValue(-1234.5, Unit::kUs) == "-1\u2009234.5");
}

TEST_CASE("columns, tables and properties are found by id") {
  AnalysisResult r;
  r.tables.push_back({"t", "T", {{"a", "A", Unit::kNone, ValueType::kString, ""}}, {}, {}});
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
  t.rows.push_back({std::string(50, 'n'), 0.0, 1.0, 2.0, 3.0});
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
  t.rows.push_back(
      {std::string("step 1"), std::string("GPU 0"), std::string("host"), 5.0, false, true});
  t.rows.push_back(
      {std::string("step 1"), std::string("GPU 0"), std::string("sync"), 7.0, false, false});
  const std::string text = ToText(t, {0, 36});
  CHECK(text.find("Partial") < text.find("Not shown:"));
  CHECK(text.find("Share") < text.find("Not shown:"));
  CHECK(text.find("Device = GPU 0,") > text.find("Not shown:"));
  CHECK(text.find("Cut (--wide shows all)") != std::string::npos);
  CHECK(ToText(t, {0, 60}).find("Not shown") == std::string::npos);
}

}  // namespace stepscope
