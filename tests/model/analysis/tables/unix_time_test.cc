#include "model/analysis/tables/unix_time.h"

#include <doctest/doctest.h>

#include "model/analysis/tables/result_table.h"

namespace stepscope {
namespace {

using std::chrono::microseconds;
using std::chrono::seconds;

TEST_CASE("Unix time: a moment in UTC, with its fraction where it has one") {
  CHECK(UnixTimeText(seconds(0)) == "1970-01-01 00:00:00 UTC");
  CHECK(UnixTimeText(seconds(951782400)) == "2000-02-29 00:00:00 UTC");  // date -u -d @951782400
  CHECK(UnixTimeText(microseconds(1759252840749560)) == "2025-09-30 17:20:40.749560 UTC");
  CHECK(UnixTimeText(microseconds(-1)) == "1969-12-31 23:59:59.999999 UTC");
}

TEST_CASE("Unix time: no text for a year that nobody means") {
  CHECK(UnixTimeText(seconds(253402300799)) == "9999-12-31 23:59:59 UTC");
  CHECK(UnixTimeText(seconds(253402300800)).empty());
  CHECK(UnixTimeText(seconds(-62135596800)) == "0001-01-01 00:00:00 UTC");
  CHECK(UnixTimeText(seconds(-62135596801)).empty());
  CHECK(UnixTimeText(microseconds(INT64_MAX)).empty());
}

TEST_CASE("Unix time: a value of that unit is shown as a moment") {
  CHECK(FormatValue(Value(int64_t{1760000000022628}), Unit::kUnixUs) ==
        "2025-10-09 08:53:20.022628 UTC");
}

}  // namespace
}  // namespace stepscope
