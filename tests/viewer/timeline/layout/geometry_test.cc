#include "viewer/timeline/layout/geometry.h"

#include <doctest/doctest.h>

namespace stepscope {

TEST_CASE("geometry: a label lies around its place, inside, and at the left where it is too wide") {
  CHECK(PlaceAround(50, 20, 0, 100) == 40);
  CHECK(PlaceAround(5, 20, 0, 100) == 0);
  CHECK(PlaceAround(95, 20, 0, 100) == 80);
  CHECK(PlaceAround(95, 200, 10, 100) == 10);
  CHECK(PlaceAround(-1e9f, 200, 10, 5) == 10);
}

}  // namespace stepscope
