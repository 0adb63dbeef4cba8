#include "model/analysis/result_table.h"

#include <doctest/doctest.h>

namespace stepscope {

TEST_CASE("CSV quotes what needs it and leaves numbers unrounded") {
  ResultTable t{"x",
                "X",
                {{"name", "Name", Unit::kNone, ValueType::kString, ""},
                 {"v", "V", Unit::kUs, ValueType::kReal, ""}},
                {},
                {}};
  t.rows.push_back({std::string("a,\"b\""), 0.1});
  t.rows.push_back({std::string("plain"), std::monostate{}});
  CHECK(ToCsv(t) == "name,v\r\n\"a,\"\"b\"\"\",0.1\r\nplain,\r\n");
}

TEST_CASE("text tables align numbers right, put units in the header and say what was left out") {
  ResultTable t{"x",
                "X",
                {{"name", "Name", Unit::kNone, ValueType::kString, ""},
                 {"v", "Total", Unit::kUs, ValueType::kReal, ""}},
                {},
                {}};
  t.rows.push_back({std::string("a"), 12345.67});
  t.rows.push_back({std::string("longer"), 1.0});
  CHECK(ToText(t) == "Name    Total (\u00b5s)\na         12\u2009345.7\nlonger         1.0\n");
  CHECK(ToText(t, 1).find("1 more") != std::string::npos);
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

}  // namespace stepscope
