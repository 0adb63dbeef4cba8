#include "model/base/natural_order.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace stepscope;  // NOLINT

TEST_CASE("natural order: numbers go by their values, all else by its bytes") {
  std::vector<std::string> names = {"Stream #14", "b",  "Stream #7",   "Stream #7 copy", "",
                                    "a10b2",      "a9", "Stream #007", "a10b11",         "10"};
  std::stable_sort(names.begin(), names.end(), NaturalLess);
  CHECK(names == std::vector<std::string>{"", "10", "Stream #7", "Stream #007", "Stream #7 copy",
                                          "Stream #14", "a9", "a10b2", "a10b11", "b"});
  // Numbers larger than any integer type.
  CHECK(NaturalLess("x99999999999999999999998", "x99999999999999999999999"));
  CHECK_FALSE(NaturalLess("x7", "x7"));
  CHECK(NaturalLess("z", "\xC3\xA4"));
}
