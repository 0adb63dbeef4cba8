// Tests of where highlighted events lie on the minimap.
#include "viewer/timeline/slices/minimap.h"

#include <doctest/doctest.h>

#include <array>
#include <numeric>

#include "tests/viewer/viewer_fixture.h"
#include "viewer/core/look/time_axis.h"

using namespace stepscope;        // NOLINT
using namespace stepscope::test;  // NOLINT

TEST_CASE("the minimap marks where bright events begin, and nothing without any") {
  Profile profile;
  profile.id = ProfileId(0);
  profile.trace = TrainingTrace();
  const TimeRange span{0, 10 * kPsPerMs};
  Highlight bright;
  MinimapMarks marks;
  marks.Update(std::array{MinimapPart{&profile, span}}, bright, 100);
  CHECK(marks.columns() == std::vector<uint8_t>(100, 0));
  // The copies of GPU 0 begin with each of the ten steps.
  const TrackSet& set = profile.trace->set;
  std::vector<uint32_t> copies;
  for (uint32_t row = 0; row < set.rows; ++row) {
    if (set.Name(EventRow(row)) == "MemcpyH2D") copies.push_back(row);
  }
  bright.version = 1;
  bright.rows = {RowsOf(ProfileId(0), 0, copies), RowsOf(ProfileId(9), 0, {1, 2, 3})};
  marks.Update(std::array{MinimapPart{&profile, span}}, bright, 100);
  const auto& columns = marks.columns();
  CHECK(std::accumulate(columns.begin(), columns.end(), 0) == 10);
  for (size_t step = 0; step < 10; ++step) CHECK(columns[step * 10] == 1);
  // The minimap shows a part of the profile; events outside are not marked.
  marks.Update(std::array{MinimapPart{&profile, {5 * kPsPerMs, 10 * kPsPerMs}}}, bright, 100);
  CHECK(std::accumulate(columns.begin(), columns.end(), 0) == 5);
}

TEST_CASE("every column in which a bright event begins has a mark, and no other") {
  Profile profile;
  profile.id = ProfileId(0);
  profile.trace = TrainingTrace();
  const TrackSet& set = profile.trace->set;
  for (const uint32_t every : {1u, 2u, 13u, 101u}) {
    std::vector<uint32_t> rows;
    for (uint32_t row = 0; row < set.rows; row += every) rows.push_back(row);
    Highlight bright;
    bright.version = every;
    bright.rows = {RowsOf(ProfileId(0), 0, rows)};
    const TimeRange span{kPsPerMs, 9 * kPsPerMs};
    for (const uint32_t width : {1u, 97u, 1777u}) {
      std::vector<uint8_t> expected(width, 0);
      const TimeAxis axis(span, width);
      for (const uint32_t row : rows) {
        const double x = axis.X(set.Start(EventRow(row)));
        if (x >= 0 && x < width) expected[static_cast<size_t>(x)] = 1;
      }
      MinimapMarks marks;
      marks.Update(std::array{MinimapPart{&profile, span}}, bright, width);
      REQUIRE(marks.columns() == expected);
    }
  }
}
