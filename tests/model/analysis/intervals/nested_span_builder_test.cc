#include "model/analysis/intervals/nested_span_builder.h"

#include <doctest/doctest.h>

#include <vector>

namespace stepscope {

namespace {

void Add(NestedSpanBuilder* line, const std::vector<uint32_t>& metas, TimeRange range,
         int32_t group = 0) {
  line->Add(metas,
            {range.begin, range.end, group, {}, EventRow(static_cast<uint32_t>(range.begin))});
}

}  // namespace

TEST_CASE("nested spans: a level grows across gaps until what it stands for changes") {
  NestedSpanBuilder line;
  Add(&line, {1, 2}, {0, 10});
  Add(&line, {1, 3}, {20, 30});     // the outer level goes on, a new inner one begins
  Add(&line, {1, 3}, {30, 40}, 1);  // another group closes both
  const RawEvents events = line.TakeEvents();
  REQUIRE(events.start.size() == 5);
  CHECK(events.start[0] == 0);
  CHECK(events.dur[0] == 30);
  CHECK(events.dur[1] == 10);
  CHECK(events.start[2] == 20);
  CHECK(events.start[3] == 30);
  CHECK(events.meta[4] == 3);
  CHECK(line.TakeSources() ==
        std::vector<EventRow>{EventRow(0), EventRow(0), EventRow(20), EventRow(30), EventRow(30)});
}

TEST_CASE("nested spans: closing the top level closes the lines that depend on it") {
  NestedSpanBuilder modules, scopes;
  modules.AddDependent(&scopes);
  Add(&modules, {1}, {0, 10});
  Add(&scopes, {7}, {0, 10});
  Add(&modules, {2}, {20, 30});
  Add(&scopes, {7}, {20, 30});
  CHECK(scopes.TakeEvents().start.size() == 2);
}

}  // namespace stepscope
