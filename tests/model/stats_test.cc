#include "model/stats.h"

#include <doctest/doctest.h>

#include "model/string_pool.h"

namespace stepscope {
namespace {

TEST_CASE("values are printed as XProf prints them") {
  CHECK(ToText(Stat{"n", int64_t{-5}}) == "-5");
  CHECK(ToText(Stat{"n", ~uint64_t{0}}) == "18446744073709551615");
  CHECK(ToText(Stat{"n", 0.1}) == "0.1");
  CHECK(ToText(Stat{"n", 123456789.0}) == "1.23457e+08");
  CHECK(ToText(Stat{"n", std::string("text")}) == "text");
}

TEST_CASE("sparse columns find what they hold") {
  StatTable table;
  auto& column = table.ints[static_cast<size_t>(IntStat::kGroupId)];
  for (uint32_t i = 0; i < 100; ++i) {
    column.Append(std::vector{i * 3}, std::vector{int64_t{i}});
  }
  CHECK(table.Int(IntStat::kGroupId).Find(EventRow(297)) == 99);
  CHECK(table.Int(IntStat::kGroupId).Find(EventRow(0)) == 0);
  CHECK_FALSE(table.Int(IntStat::kGroupId).Find(EventRow(1)).has_value());
  CHECK_FALSE(table.Int(IntStat::kGroupId).Find(EventRow()).has_value());
  CHECK_FALSE(table.Int(IntStat::kId).Find(EventRow(0)).has_value());
  auto& text = table.texts[static_cast<size_t>(StringStat::kTfOp)];
  text.Append(std::vector{4u}, std::vector{table.strings->Intern("op")});
  CHECK(table.strings->View(*table.Text(StringStat::kTfOp).Find(EventRow(4))) == "op");
  CHECK(table.reals.size() == static_cast<size_t>(RealStat::kCount));
  CHECK(table.bytes() > 0);
}

}  // namespace
}  // namespace stepscope
