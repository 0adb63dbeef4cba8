#include "viewer/core/state/view_state.h"

#include <doctest/doctest.h>

#include <vector>

namespace stepscope {
namespace {

EventRef At(uint32_t row, uint32_t trace = 0) { return {ProfileId(trace), 0, EventRow(row)}; }

// The starts of rows 0, 1, …: two lanes that overlap in time, as in a trace.
Ps StartOf(const EventRef& event) {
  constexpr Ps kStarts[] = {10, 30, 50, 5, 30, 40};
  return kStarts[event.row.value];
}

HighlightedEvents Shown(std::vector<EventRef> events) {
  HighlightedEvents shown;
  shown.Set(std::move(events));
  return shown;
}

TEST_CASE(
    "shown events: gone through by start, around the end, those that begin together in the "
    "order that they came in") {
  HighlightedEvents shown = Shown({At(0), At(1), At(2), At(3), At(4), At(5)});
  CHECK(shown.Earliest(StartOf) == At(3));
  for (uint32_t row : {0u, 1u, 4u, 5u, 2u, 3u, 0u}) CHECK(shown.Step(1, StartOf) == At(row));
  CHECK(shown.at() == 1);
  CHECK(shown.Step(-1, StartOf) == At(3));
  CHECK(shown.Step(-1, StartOf) == At(2));
  CHECK(shown.at() == 5);
}

TEST_CASE("shown events: a step back from the earliest leads to the last") {
  HighlightedEvents shown = Shown({At(0), At(3), At(5)});
  CHECK(shown.Step(-1, StartOf) == At(5));
}

TEST_CASE("shown events: a single event leads to itself") {
  HighlightedEvents shown = Shown({At(2)});
  CHECK(shown.Step(1, StartOf) == At(2));
  CHECK(shown.Step(-1, StartOf) == At(2));
}

TEST_CASE("shown events: derived rows are told from the recording's own") {
  HighlightedEvents shown = Shown({At(0), At(1), {ProfileId(0), 2, EventRow(0)}});
  CHECK(shown.size() == 3);
  CHECK(shown.recorded() == 2);
  shown.Drop([](const EventRef& e) { return e.set == 0; });
  CHECK(shown.recorded() == 0);
}

TEST_CASE("shown events: the version changes with the events, not with a step") {
  HighlightedEvents shown = Shown({At(1), At(3), At(0, 7)});
  const uint64_t before = shown.version();
  shown.Step(1, StartOf);
  shown.Drop([](const EventRef& e) { return e.trace == ProfileId(9); });
  CHECK(shown.version() == before);
  shown.Drop([](const EventRef& e) { return e.trace == ProfileId(7); });
  CHECK(shown.version() != before);
  CHECK(shown.size() == 2);
  CHECK(shown.at() == 0);
  shown.Set({});
  CHECK(shown.empty());
}

}  // namespace
}  // namespace stepscope
