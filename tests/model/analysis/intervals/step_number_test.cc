#include "model/analysis/intervals/step_number.h"

#include <doctest/doctest.h>

#include <array>
#include <string>

namespace stepscope {

namespace {

struct Named {
  std::string label;
  int64_t number = -1;
};

}  // namespace

TEST_CASE("step numbers: the number at the end of a label") {
  CHECK(LastNumber("train 12") == 12);
  CHECK(LastNumber("ProfilerStep#007") == 7);
  CHECK(LastDigits("ProfilerStep#007") == "007");
  CHECK_FALSE(LastNumber("train").has_value());
  CHECK_FALSE(LastNumber("").has_value());
  CHECK_FALSE(LastNumber("step 99999999999999999999").has_value());
}

TEST_CASE("step numbers: labels count if their numbers rise, else places do") {
  std::array<Named, 3> rising{{{"train 3"}, {"train 4"}, {"train 9"}}};
  NumberByLabel<Named>(rising);
  CHECK(rising[0].number == 3);
  CHECK(rising[2].number == 9);
  std::array<Named, 3> falling{{{"train 3"}, {"train 3"}, {"warm-up"}}};
  NumberByLabel<Named>(falling);
  CHECK(falling[0].number == 0);
  CHECK(falling[2].number == 2);
}

}  // namespace stepscope
