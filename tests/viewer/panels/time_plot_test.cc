#include "viewer/panels/time_plot.h"

#include <doctest/doctest.h>

#include <array>
#include <string>

namespace stepscope {
namespace {

std::string Label(double ms, double span_ms) {
  std::array<char, 32> buffer{};
  TimePlot::FormatTime(ms, buffer.data(), static_cast<int>(buffer.size()), &span_ms);
  return buffer.data();
}

TEST_CASE("time plot: ticks have the digits of what the axis spans, long ones are in seconds") {
  CHECK(Label(50'000, 268'200) == "50 s");
  CHECK(Label(12'500, 20'000) == "12.5 s");
  CHECK(Label(5'000, 9'000) == "5000 ms");
  CHECK(Label(1.25, 3) == "1.25 ms");
}

}  // namespace
}  // namespace stepscope
