#include "model/lookup.h"

#include <doctest/doctest.h>

#include "model/trace_builder.h"
#include "tests/model/lane_support.h"
#include "tests/support/stopped_job.h"

namespace stepscope {
namespace {

class Fixture {
 public:
  uint32_t Name(const char* text) {
    EventMeta meta;
    meta.name = builder_.strings().Intern(text);
    return builder_.AddMeta(meta).value;
  }
  TrackId Add(TrackData data) { return builder_.AddTrack(std::move(data)); }
  const TrackSet& Finish() {
    auto result = builder_.Finish();
    REQUIRE(result.ok());
    trace_ = *result;
    return trace_->set;
  }

 private:
  TraceBuilder builder_;
  std::shared_ptr<const Trace> trace_;
};

TEST_CASE("the event at a time") {
  Fixture f;
  TrackData data;
  for (const Ps t : {0, 10, 30}) data.slices.Add(t, 10, 0, 0);
  data.slices.Add(25, 0, 0, 0);
  for (const Ps t : {5, 5, 100}) data.instants.Add(t, 0, 0, 0);
  f.Add(std::move(data));
  const TrackSet& set = f.Finish();
  const Lane& lane = set.lanes[0];
  CHECK(EventAt(lane, 0) == 0);
  CHECK(EventAt(lane, 9) == 0);
  CHECK(EventAt(lane, 10) == 1);
  CHECK_FALSE(EventAt(lane, 20).has_value());
  CHECK_FALSE(EventAt(lane, -1).has_value());
  CHECK(EventAt(lane, 39) == 3);
  CHECK_FALSE(EventAt(lane, 40, 100).has_value());  // slop is for instants
  CHECK(EventAt(lane, 25) == 2);                    // a slice without duration
  CHECK(EventAt(lane, 23, 2) == 2);
  CHECK_FALSE(EventAt(lane, 22, 2).has_value());
  const Lane& instants = set.lanes[1];
  CHECK(EventAt(instants, 5) == 1);
  CHECK(EventAt(instants, 4, 3) == 0);
  CHECK(EventAt(instants, 99, 3) == 2);
  CHECK(EventAt(instants, kMinPs, kMaxPs - 1).has_value() == false);
  CHECK(EventsIn(lane, {5, 26}) == std::pair{0u, 3u});
  CHECK(EventsIn(lane, {10, 25}) == std::pair{1u, 2u});
  CHECK(EventsIn(lane, {25, 26}) == std::pair{2u, 3u});
  CHECK(EventsIn(instants, {5, 6}) == std::pair{0u, 2u});
}

TEST_CASE("instants lie in the innermost slice; spilled events stand alone") {
  Fixture f;
  TrackData data;
  data.slices.Add(0, 100, 0, 0);
  data.slices.Add(10, 20, 1, 0);
  data.slices.Add(12, 5, 2, 0);
  data.slices.Add(50, 100, 3, 0);  // overlaps the first
  for (const Ps t : {13, 17, 40, 120}) data.instants.Add(t, 0, 9, 0);
  f.Add(std::move(data));
  const TrackSet& set = f.Finish();
  const auto meta_of_parent = [&](uint32_t row) {
    const EventRow parent = Parent(set, EventRow(row));
    return parent.valid() ? static_cast<int>(set.Meta(parent).value) : -1;
  };
  const uint32_t spill = set.lanes[3].first_row, instants = set.lanes[4].first_row;
  CHECK(meta_of_parent(instants) == 2);
  CHECK(meta_of_parent(instants + 1) == 1);
  CHECK(meta_of_parent(instants + 2) == 0);
  CHECK(meta_of_parent(instants + 3) == -1);
  CHECK(meta_of_parent(spill) == -1);
  CHECK(Children(set, EventRow(spill)).empty());
  CHECK(SelfTime(set, EventRow(spill)) == 100);
  CHECK(SelfTime(set, EventRow(0)) == 80);
  CHECK(SelfTime(set, EventRow(instants)) == 0);
  CHECK_FALSE(Parent(set, EventRow(1000)).valid());
  CHECK(Children(set, EventRow()).empty());
  CHECK(SelfTime(set, EventRow()) == 0);
}

TEST_CASE("the next and the previous event of the same name, over all depths") {
  Fixture f;
  TrackData data;
  const uint32_t a = f.Name("a"), b = f.Name("b"), a2 = f.Name("a");  // two metadata, one name
  data.slices.Add(0, 100, a, 0);
  data.slices.Add(10, 10, a, 0);
  data.slices.Add(30, 10, b, 0);
  data.slices.Add(200, 10, a2, 0);
  f.Add(std::move(data));
  TrackData other;
  other.slices.Add(50, 1, a, 0);  // another track does not count
  f.Add(std::move(other));
  const TrackSet& set = f.Finish();
  std::vector<Ps> starts;
  EventRow row(0);
  for (; row.valid(); row = NextSameName(set, row, 1)) starts.push_back(set.Start(row));
  CHECK(starts == std::vector<Ps>{0, 10, 200});
  CHECK(set.Start(NextSameName(set, EventRow(1), -1)) == 10);
  CHECK(NextSameName(set, EventRow(0), -1).valid() == false);
  CHECK(NextSameName(set, EventRow(0), 0).valid() == false);
}

TEST_CASE("all events of the same name on a track, no more than asked for but all counted") {
  Fixture f;
  const uint32_t a = f.Name("a"), b = f.Name("b");
  TrackData data, other;
  for (Ps t = 0; t < 100; t += 10) data.slices.Add(t, 5, t % 20 == 0 ? a : b, 0);
  data.slices.Add(41, 2, a, 0);  // inside another event, so on another lane
  data.instants.Add(7, 0, a, 0);
  other.slices.Add(50, 1, a, 0);
  const TrackId track = f.Add(std::move(data));
  f.Add(std::move(other));
  const TrackSet& set = f.Finish();
  const SameNameEvents all = AllOfSameName(set, EventRow(0), 100);
  CHECK(all.total == 7);
  REQUIRE(all.rows.size() == 7);
  for (EventRow row : all.rows) {
    CHECK(set.Name(row) == "a");
    CHECK(set.TrackOf(row) == track);
  }
  const SameNameEvents few = AllOfSameName(set, all.rows.back(), 3);
  CHECK(few.total == 7);
  CHECK(few.rows == std::vector<EventRow>(all.rows.begin(), all.rows.begin() + 3));
  CHECK_THROWS_AS(test::RunStopped([&] { AllOfSameName(set, EventRow(0), 100); }), Stopped);
}

}  // namespace
}  // namespace stepscope
