// The selection panel adds up and lists events.
#include "viewer/core/search/selection_stats.h"

#include <doctest/doctest.h>

#include "tests/viewer/viewer_fixture.h"

using namespace stepscope;           // NOLINT
using namespace stepscope::testing;  // NOLINT

namespace {

Profile Training() {
  Profile profile;
  profile.id = ProfileId(3);
  profile.trace = TrainingTrace();
  return profile;
}

SelectionRequest InRange(Ps begin, Ps end) {
  SelectionRequest request;
  request.profile = ProfileId(3);
  request.kind = SelectionKind::kMeasured;
  request.range = {begin, end};
  return request;
}

const std::vector<Value>* RowOf(const ResultTable& table, std::string_view name) {
  for (const auto& row : table.rows) {
    if (std::get<SharedText>(row[0]).view() == name) return &row;
  }
  return nullptr;
}

double Number(const ResultTable& table, std::string_view name, const char* column) {
  const auto* row = RowOf(table, name);
  REQUIRE(row != nullptr);
  const Value& value = (*row)[static_cast<size_t>(table.Column(column))];
  const auto* count = std::get_if<int64_t>(&value);
  return count != nullptr ? static_cast<double>(*count) : std::get<double>(value);
}

}  // namespace

TEST_CASE("a range adds up the events that begin in it, by name") {
  const SelectionStats s = AddUpSelection(Training(), InRange(0, kPsPerMs), {}, {});
  CHECK(Number(s.groups, "sgemm_128x64", "count") == 8);  // four on each GPU
  CHECK(Number(s.groups, "sgemm_128x64", "total_us") == doctest::Approx(720));
  CHECK(Number(s.groups, "sgemm_128x64", "share") == doctest::Approx(72));
  CHECK(Number(s.groups, "train 0", "self_us") == doctest::Approx(350));
  CHECK(Number(s.groups, "FunctionRun", "self_us") == doctest::Approx(590));
  // Slices and the instant are listed, the earliest first.
  CHECK(s.listed_of == 2 * 9 + 4);
  REQUIRE(s.events.rows.size() == s.listed_of);
  CHECK(s.events.links.front().range.begin == 0);
}

TEST_CASE("rows lead to their events") {
  const Profile profile = Training();
  const SelectionStats s = AddUpSelection(profile, InRange(0, kPsPerMs), {}, {});
  REQUIRE(s.groups.links.size() == s.groups.rows.size());
  for (size_t i = 0; i < s.groups.rows.size(); ++i) {
    CHECK(s.groups.links[i].rows.size() ==
          static_cast<size_t>(std::get<int64_t>(s.groups.rows[i][1])));
    for (const EventRow row : s.groups.links[i].rows)
      CHECK(profile.trace->set.Name(row) == std::get<SharedText>(s.groups.rows[i][0]).view());
  }
}

TEST_CASE("groups by track have the same total") {
  SelectionRequest request = InRange(2 * kPsPerMs, 7 * kPsPerMs);
  const Profile profile = Training();
  const SelectionStats names = AddUpSelection(profile, request, {}, {});
  request.by = GroupBy::kTrack;
  const SelectionStats tracks = AddUpSelection(profile, request, {}, {});
  CHECK(tracks.groups.rows.size() == 5);
  CHECK(names.stats.total.total == tracks.stats.total.total);
  Ps sum = 0;
  for (const EventStatsRow& row : tracks.stats.groups) sum += row.total;
  CHECK(sum == tracks.stats.total.total);
}

TEST_CASE("selected events count, but not those of other profiles") {
  SelectionRequest request;
  request.profile = ProfileId(3);
  request.kind = SelectionKind::kSelected;
  const SelectionStats s = AddUpSelection(
      Training(), request, {RowsOf(ProfileId(3), 0, {0, 1}), RowsOf(ProfileId(4), 0, {5})}, {});
  CHECK(s.stats.total.count == 2);
  CHECK(s.listed_of == 2);
  CHECK(s.range == TimeRange{0, 190 * kPsPerUs});
}

TEST_CASE("an empty selection gives empty tables") {
  const SelectionStats s =
      AddUpSelection(Training(), InRange(960 * kPsPerUs, 990 * kPsPerUs), {}, {});
  CHECK(s.listed_of == 0);
  CHECK(s.groups.rows.empty());
}

TEST_CASE("the panel follows what is selected, found, measured and in view") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  CommandArgs panel;
  panel.text = "selection";
  f.Push("panel.show", panel);
  f.Frame(4);
  f.WaitIdle();
  CommandArgs search;
  search.text = "sgemm";
  f.Push("search.set", search);
  f.WaitIdle();
  f.Push("select.hits");
  f.Frame(2);
  f.WaitIdle();
  CHECK(f.viewer->view().shown.size() == 80);
  CommandArgs range;
  range.range = {0, kPsPerMs};
  f.Push("measure.set", range);
  f.Push("select.clear");
  f.Frame(3);
  f.WaitIdle();
  CHECK(f.viewer->view().shown.empty());
}
