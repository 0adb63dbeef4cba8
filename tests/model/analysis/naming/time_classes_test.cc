#include "model/analysis/naming/time_classes.h"

#include <doctest/doctest.h>

namespace stepscope {

TEST_CASE("The higher class hides the lower one, and the whole is the union") {
  ClassUnion u;
  const TimeRange clip{0, 100};
  u.Add(0, 10, TimeClass::kHostToDevice, clip);
  u.Add(5, 20, TimeClass::kCompute32, clip);
  u.Add(15, 30, TimeClass::kHostToDevice, clip);
  u.Add(90, 120, TimeClass::kCompute16, clip);
  CHECK(u.InsideExclusive(TimeClass::kHostToDevice) == 15);
  CHECK(u.InsideExclusive(TimeClass::kCompute32) == 15);
  CHECK(u.InsideExclusive(TimeClass::kCompute16) == 10);
  CHECK(u.WholeExclusive(TimeClass::kCompute16) == 30);
  CHECK(u.Inside() == 40);
}

}  // namespace stepscope
