// The selection panel adds up and lists events.
#include "viewer/core/search/selection_stats.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <thread>

#include "loaders/loader.h"
#include "model/analysis/steps/scope.h"
#include "model/analysis/tables/cells.h"
#include "model/query/event_query.h"
#include "model/query/find_events.h"
#include "tests/support/gpu_profile.h"
#include "tests/support/samples.h"
#include "tests/viewer/open_trace.h"
#include "tests/viewer/viewer_fixture.h"
#include "viewer/core/state/track_rules.h"

using namespace stepscope;        // NOLINT
using namespace stepscope::test;  // NOLINT

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

int RowNamed(const ResultTable& table, std::string_view name) {
  for (size_t row = 0; row < table.size(); ++row) {
    if (TextAt(table, row, 0) == name) return static_cast<int>(row);
  }
  return -1;
}

double Number(const ResultTable& table, std::string_view name, const char* column) {
  const int row = RowNamed(table, name);
  REQUIRE(row >= 0);
  REQUIRE(table.Column(column) >= 0);
  return NumberAt(table, static_cast<size_t>(row), column);
}

// All samples, and a generated profile whose GPUs have many derived rows.
std::vector<Profile> Recordings() {
  std::vector<Profile> profiles;
  const auto add = [&](const Result<std::shared_ptr<const Trace>>& trace) {
    REQUIRE(trace.ok());
    profiles.push_back(ProfileOf(ProfileId(3), *trace));
  };
  for (const std::string& path : test::Samples()) {
    Progress progress;
    add(LoadPath(path, {}, {}, progress));
  }
  test::GpuProfileOptions options;
  options.steps = 4;
  options.layers = 6;
  options.gpus = 2;
  add(LoadBytes("h.xplane.pb", test::MakeGpuProfile(options), {}));
  return profiles;
}

// The statistics as `stepscope events --stats` gives them.
EventStats AsEventsCommand(const Profile& profile, const RowBits* rows, const Scope* scope) {
  StatsQuestion question;
  question.trace = profile.trace.get();
  question.parts = {{0, &profile.trace->set, rows}};
  question.scope = scope;
  return AddUp(question);
}

void CheckSame(const EventStats& window, const EventStats& command) {
  CHECK(window.total.count == command.total.count);
  CHECK(window.total.total == command.total.total);
  CHECK(window.total.self == command.total.self);
  REQUIRE(window.groups.size() == command.groups.size());
  for (size_t i = 0; i < window.groups.size(); ++i) {
    CHECK(window.groups[i].name == command.groups[i].name);
    CHECK(window.groups[i].count == command.groups[i].count);
  }
}

// Parts of names: what a person types.
std::string SomeText(const Profile& profile, std::mt19937& random) {
  const TrackSet& set = profile.trace->set;
  const std::string name(set.Name(EventRow(static_cast<uint32_t>(random() % set.rows))));
  const size_t from = random() % std::max<size_t>(1, name.size());
  return name.substr(from, 1 + random() % 6);
}

// The rows of all sets that lie in a box of time and tracks.
std::vector<Highlight::Rows> InBox(const Profile& profile, TimeRange time, std::mt19937& random) {
  std::vector<Highlight::Rows> rows;
  for (uint32_t s = 0; s < profile.sets(); ++s) {
    const TrackSet& set = profile.Set(s);
    const bool own_tracks = s > 0 || random() % 4 != 0;
    std::vector<uint32_t> inside;
    for (uint32_t row = 0; row < set.rows && own_tracks; ++row) {
      if (time.Contains(set.Start(EventRow(row)))) inside.push_back(row);
    }
    rows.push_back(RowsOf(profile.id, s, std::move(inside)));
  }
  return rows;
}

TimeRange SomeRange(const Profile& profile, std::mt19937& random) {
  const TimeRange span = profile.trace->span;
  std::uniform_int_distribution<Ps> time(span.begin, span.end);
  const Ps a = time(random), b = time(random);
  return {std::min(a, b), std::max(a, b) + 1};
}

}  // namespace

TEST_CASE("found events are those that `events --query --stats` counts") {
  std::mt19937 random(11);
  Scheduler scheduler(2);
  JobQueue searches(scheduler, Urgency::kFirst);
  for (const Profile& profile : Recordings()) {
    for (int i = 0; i < 20; ++i) {
      const std::string text = QueryForPart(SomeText(profile, random));
      const Result<EventQuery> query = EventQuery::Parse(text);
      if (!query.ok() || query->terms().empty()) continue;
      CAPTURE(text);
      Search search(searches);
      search.Set(text, std::span(&profile, 1));
      while (!search.Poll()) std::this_thread::yield();
      const Result<std::optional<RowBits>> rows = FindAsked(*profile.analysis, *query);
      REQUIRE(rows.ok());
      REQUIRE(rows->has_value());
      CHECK(search.hits().count == (*rows)->Count());
      SelectionRequest request;
      request.profile = profile.id;
      request.kind = SelectionKind::kFound;
      const SelectionStats s = AddUpSelection(profile, request, search.hits().rows);
      CHECK_FALSE(s.derived);
      CHECK(s.listed_of == (*rows)->Count());
      CheckSame(s.stats, AsEventsCommand(profile, &**rows, nullptr));
    }
  }
}

TEST_CASE("a box counts the recorded events in it, and no derived rows") {
  std::mt19937 random(12);
  for (const Profile& profile : Recordings()) {
    for (int i = 0; i < 20; ++i) {
      const std::vector<Highlight::Rows> box = InBox(profile, SomeRange(profile, random), random);
      SelectionRequest request;
      request.profile = profile.id;
      request.kind = SelectionKind::kSelected;
      const SelectionStats s = AddUpSelection(profile, request, box);
      RowBits bits(profile.trace->set.rows);
      for (const uint32_t row : *box.front().rows) bits.Set(row);
      if (s.derived) {
        CHECK(box.front().rows->empty());
      } else {
        CHECK(s.listed_of == bits.Count());
        CheckSame(s.stats, AsEventsCommand(profile, &bits, nullptr));
      }
    }
  }
}

TEST_CASE("a range counts what `events --stats` counts in it") {
  std::mt19937 random(13);
  for (const Profile& profile : Recordings()) {
    for (int i = 0; i < 20; ++i) {
      const TimeRange range = SomeRange(profile, random);
      SelectionRequest request;
      request.profile = profile.id;
      request.kind = SelectionKind::kMeasured;
      request.range = range;
      AnalysisParams params;
      params.range = range;
      const Scope scope = ScopeOf(*profile.analysis, params);
      CheckSame(AddUpSelection(profile, request, {}).stats,
                AsEventsCommand(profile, nullptr, &scope));
    }
  }
}

TEST_CASE("derived rows are added up where nothing else is selected, and called that") {
  const Profile profile = Recordings().back();
  REQUIRE(profile.sets() > 1);
  SelectionRequest request;
  request.profile = profile.id;
  request.kind = SelectionKind::kSelected;
  const SelectionStats s = AddUpSelection(profile, request, {RowsOf(profile.id, 1, {0, 1, 2})});
  CHECK(s.derived);
  CHECK(s.stats.total.count == 3);
}

TEST_CASE("a range adds up the events that begin in it, by name") {
  const SelectionStats s = AddUpSelection(Training(), InRange(0, kPsPerMs), {});
  CHECK(Number(s.groups, "sgemm_128x64", "count") == 8);  // four on each GPU
  CHECK(Number(s.groups, "sgemm_128x64", "total_us") == doctest::Approx(720));
  CHECK(Number(s.groups, "sgemm_128x64", "share") == doctest::Approx(72));
  CHECK(Number(s.groups, "train 0", "self_us") == doctest::Approx(350));
  CHECK(Number(s.groups, "FunctionRun", "self_us") == doctest::Approx(590));
  // Slices and the instant are listed, the earliest first.
  CHECK(s.listed_of == 2 * 9 + 4);
  REQUIRE(s.events.size() == s.listed_of);
  CHECK(s.events.links.front().range.begin == 0);
}

TEST_CASE("rows lead to their events") {
  const Profile profile = Training();
  const SelectionStats s = AddUpSelection(profile, InRange(0, kPsPerMs), {});
  REQUIRE(s.groups.links.size() == s.groups.size());
  for (size_t i = 0; i < s.groups.size(); ++i) {
    CHECK(s.groups.links[i].rows.size() ==
          static_cast<size_t>(std::get<int64_t>(s.groups.At(i, 1))));
    for (const EventRow row : s.groups.links[i].rows)
      CHECK(profile.trace->set.Name(row) == std::get<std::string_view>(s.groups.At(i, 0)));
  }
}

TEST_CASE("groups by track have the same total") {
  SelectionRequest request = InRange(2 * kPsPerMs, 7 * kPsPerMs);
  const Profile profile = Training();
  const SelectionStats names = AddUpSelection(profile, request, {});
  request.by = GroupBy::kTrack;
  const SelectionStats tracks = AddUpSelection(profile, request, {});
  CHECK(tracks.groups.size() == 5);
  CHECK(names.stats.total.total == tracks.stats.total.total);
  Ps sum = 0;
  for (const EventStatsRow& row : tracks.stats.groups) sum += row.total;
  CHECK(sum == tracks.stats.total.total);
}

TEST_CASE("groups and events call tracks as the user does") {
  SelectionRequest request = InRange(2 * kPsPerMs, 7 * kPsPerMs);
  request.by = GroupBy::kTrack;
  const Profile profile = Training();
  const Trace& trace = *profile.trace;
  request.names = {{TrackPath(trace, trace.set, TrackId(0)), "compute"},
                   {PlanePath(trace, trace.set.tracks[0].plane), "first"}};
  const SelectionStats s = AddUpSelection(profile, request, {});
  CHECK(Number(s.groups, "compute", "count") == 40);
  const size_t track = static_cast<size_t>(s.events.Column("track"));
  CHECK(std::get<std::string_view>(s.events.At(0, track)) == "compute \u00b7 first");
}

TEST_CASE("selected events count, but not those of other profiles") {
  SelectionRequest request;
  request.profile = ProfileId(3);
  request.kind = SelectionKind::kSelected;
  const SelectionStats s = AddUpSelection(
      Training(), request, {RowsOf(ProfileId(3), 0, {0, 1}), RowsOf(ProfileId(4), 0, {5})});
  CHECK(s.stats.total.count == 2);
  CHECK(s.listed_of == 2);
  CHECK(s.range == TimeRange{0, 190 * kPsPerUs});
}

TEST_CASE("an empty selection gives empty tables") {
  const SelectionStats s = AddUpSelection(Training(), InRange(960 * kPsPerUs, 990 * kPsPerUs), {});
  CHECK(s.listed_of == 0);
  CHECK(s.groups.empty());
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
