#include "model/analysis/params.h"

#include <doctest/doctest.h>

namespace stepscope {

TEST_CASE("a range of steps is two whole numbers, the first not above the last") {
  CHECK(ParseSteps("3..7") == StepInterval{3, 7});
  CHECK(ParseSteps("0..0") == StepInterval{0, 0});
  for (const char* text :
       {"", "3", "3..", "..7", "7..3", "-1..3", "3..7x", "3...7", "3.7", "a..b"}) {
    CAPTURE(text);
    CHECK_FALSE(ParseSteps(text).has_value());
  }
}

}  // namespace stepscope
