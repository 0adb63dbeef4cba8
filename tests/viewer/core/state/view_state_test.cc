// Views as text.
#include "viewer/core/state/view_state.h"

#include <doctest/doctest.h>

using namespace stepscope;  // NOLINT

TEST_CASE("a view comes back from its token") {
  ViewPlace place;
  place.visible = {-5, 12'000'000};
  place.measured = {1, 2};
  place.filter = {100, 9'000'000'000'000};
  place.selected = {ProfileId(), 2, EventRow(17)};
  place.scroll_y = 120;
  place.recorded_clocks = true;
  place.ranks = RankLayout::kLane;
  place.host = "vm-1:8 \"a\" ü%41";
  place.panel = "memory/lifetimes";
  const std::string token = ToToken(place);
  CHECK(token.find_first_of(" \"'$;&|<>()") == token.npos);
  const auto again = ParseViewToken(token);
  REQUIRE(again.has_value());
  CHECK(*again == place);
}

TEST_CASE("a token of an unknown version is refused, and unknown parts are left out") {
  CHECK_FALSE(ParseViewToken("").has_value());
  CHECK_FALSE(ParseViewToken("v2:r0-1").has_value());
  CHECK_FALSE(ParseViewToken("12ms..15ms").has_value());
  const auto place = ParseViewToken(" v1:z9:r5-9:e1:m9-5::hx\n");
  REQUIRE(place.has_value());
  CHECK(place->visible == TimeRange{5, 9});
  CHECK(place->measured.empty());
  CHECK_FALSE(place->selected.valid());
  CHECK(place->host == "x");
}
