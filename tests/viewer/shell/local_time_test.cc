#include "viewer/shell/shell.h"

#include <doctest/doctest.h>

namespace stepscope {
namespace {

TEST_CASE("a Unix time is written by the local clock, or not at all") {
  CHECK(LocalTime(1'700'000'000, "%Y-%m") == "2023-11");
  CHECK(LocalTime(INT64_MAX, "%Y").empty());
}

}  // namespace
}  // namespace stepscope
