// Text that is drawn in one or several lines.
#include "viewer/widgets/draw_text.h"

#include <doctest/doctest.h>

namespace stepscope {
namespace {

TEST_CASE("text: a line does not end between a number and its unit") {
  CHECK(WithUnitsKept("64 % of 11.8 ms") == "64\u00a0% of 11.8\u00a0ms");
  CHECK(WithUnitsKept("1.0 of 37.3 GiB; 20 \u00b5s.") == "1.0 of 37.3\u00a0GiB; 20\u00a0\u00b5s.");
  CHECK(WithUnitsKept("takes 3 s") == "takes 3\u00a0s");
  CHECK(WithUnitsKept("50 steps of 4 GPUs, 2 msgs") == "50 steps of 4 GPUs, 2 msgs");
  CHECK(WithUnitsKept("Bytes 4 ") == "Bytes 4 ");
  CHECK(WithUnitsKept("").empty());
}

}  // namespace
}  // namespace stepscope
