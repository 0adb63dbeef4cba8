#include "capi/event_columns.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/lookup.h"
#include "model/query/find_events.h"
#include "model/query/time_order.h"
#include "tests/capi/arrow_reader.h"
#include "tests/support/gpu_profile.h"
#include "tests/support/loaded.h"
#include "tests/support/xspace_builder.h"

namespace stepscope {
namespace {

using test::Released;

std::shared_ptr<const Trace> Load(const std::string& bytes) {
  return test::Loaded("p.xplane.pb", bytes);
}

struct ListedRow {
  Ps begin, dur, self;
  std::string name, track, process;
  bool operator==(const ListedRow&) const = default;
};

// All batches of the table, read from its stream.
std::vector<ListedRow> RowsOf(std::shared_ptr<const ArrowTable> table, size_t* batches) {
  Released<ArrowArrayStream> stream;
  ExportStream(std::move(table), stream.get());
  std::vector<ListedRow> rows;
  for (*batches = 0;; ++*batches) {
    Released<ArrowArray> batch;
    REQUIRE(stream->get_next(stream.get(), batch.get()) == 0);
    if (batch->release == nullptr) return rows;
    const auto begin = test::NumbersOf<Ps>(*batch->children[0]);
    const auto dur = test::NumbersOf<Ps>(*batch->children[1]);
    const auto self = test::NumbersOf<Ps>(*batch->children[2]);
    const auto name = test::TextsOf(*batch->children[3]);
    const auto track = test::TextsOf(*batch->children[4]);
    const auto process = test::TextsOf(*batch->children[5]);
    for (size_t i = 0; i < begin.size(); ++i)
      rows.push_back({begin[i], dur[i], self[i], name[i], track[i], process[i]});
  }
}

// The same values, collected one event after the other.
std::vector<ListedRow> Expected(const Trace& trace, const Scope& scope, const RowBits* bits,
                                bool by_track = false) {
  std::vector<ListedRow> rows;
  const StringPool& strings = trace.names().strings;
  const std::vector<LaneRange> lanes = LanesBeginningIn(trace, scope);
  const auto add = [&](const Lane& lane, uint32_t i) {
    const EventRow row(lane.first_row + i);
    if (bits != nullptr && !bits->Has(row.value)) return true;
    const Track& track = trace.set.tracks[lane.track.value];
    rows.push_back({lane.start[i], lane.dur[i], SelfTime(trace.set, row),
                    std::string(trace.names().Name(trace.set.Meta(row))),
                    std::string(strings.View(track.name)),
                    std::string(strings.View(trace.planes[track.plane.value].name))});
    return true;
  };
  if (!by_track) ForEachInTimeOrder(lanes, add);
  for (const LaneRange& lane : lanes) {
    for (uint32_t i = lane.first; by_track && i < lane.end; ++i) add(*lane.lane, i);
  }
  return rows;
}

TEST_CASE("batches that are made in parallel have the events in order") {
  test::GpuProfileOptions options;
  options.steps = 3;
  options.layers = 10;
  const auto trace = Load(MakeGpuProfile(options));
  AnalysisContext context(trace, Definitions::kStepscope);
  AnalysisParams part;
  for (const bool ranged : {false, true}) {
    if (ranged)
      part.range = {trace->span.begin + trace->span.length() / 3,
                    trace->span.begin + trace->span.length() / 2};
    const Scope scope = ScopeOf(context, part);
    const auto query = EventQuery::Parse("name:e dur>1us");
    const auto bits = FindEvents(*query, *trace, trace->set);
    REQUIRE(bits.ok());
    for (const RowBits* rows : {static_cast<const RowBits*>(nullptr), &*bits}) {
      const std::vector<ListedRow> expected = Expected(*trace, scope, rows);
      REQUIRE(expected.size() > 10);
      for (const size_t batch_events : {size_t{1}, size_t{100}, size_t{0}}) {
        CAPTURE(batch_events);
        const auto table = EventTable({trace.get(), rows, &scope, false, false, batch_events});
        REQUIRE(table.ok());
        size_t batches = 0;
        CHECK(RowsOf(*table, &batches) == expected);
        CHECK((batches > 1) == (batch_events != 0));
        CHECK(static_cast<size_t>((*table)->rows()) == expected.size());
        const auto by_track = EventTable({trace.get(), rows, &scope, false, true, batch_events});
        REQUIRE(by_track.ok());
        CHECK(RowsOf(*by_track, &batches) == Expected(*trace, scope, rows, true));
      }
    }
  }
}

TEST_CASE("a dictionary has each text in use once, even if none is UTF-8") {
  test::XSpaceBuilder b;
  b.Plane("/host:CPU")
      .Line(1, "one")
      .Event("b", 10, 5)
      .Event("bad \xff", 20, 0)
      .Line()
      .Event("b", 30, 5);
  b.Plane("/host:CPU").EventMetadata(9, "unused");
  const auto trace = Load(b.Bytes());
  AnalysisContext context(trace, Definitions::kStepscope);
  const Scope scope = ScopeOf(context, {});
  const auto table = EventTable({trace.get(), nullptr, &scope});
  REQUIRE(table.ok());
  Released<ArrowArrayStream> stream;
  ExportStream(*table, stream.get());
  Released<ArrowSchema> schema;
  REQUIRE(stream->get_schema(stream.get(), schema.get()) == 0);
  CHECK(test::FormOf(schema.value) ==
        "+s<begin_ps:l dur_ps:l self_ps:l name:i<U> track:i<U> process:i<U>>");
  Released<ArrowArray> batch;
  REQUIRE(stream->get_next(stream.get(), batch.get()) == 0);
  CHECK(batch->children[3]->dictionary->length == 2);
  CHECK(test::TextsOf(*batch->children[3]) ==
        std::vector<std::string>{"b", "bad \xef\xbf\xbd", "b"});
}

TEST_CASE("arguments are a map for each event") {
  test::XSpaceBuilder b;
  b.Plane("/host:CPU")
      .Line(1, "one")
      .Event("a", 10, 5)
      .Stat("n", uint64_t{7})
      .Stat("text", "x y")
      .Event("b", 20, 5);
  const auto trace = Load(b.Bytes());
  AnalysisContext context(trace, Definitions::kStepscope);
  const Scope scope = ScopeOf(context, {});
  const auto table = EventTable({trace.get(), nullptr, &scope, true});
  REQUIRE(table.ok());
  Released<ArrowArrayStream> stream;
  ExportStream(*table, stream.get());
  Released<ArrowArray> batch;
  REQUIRE(stream->get_next(stream.get(), batch.get()) == 0);
  const ArrowArray& args = *batch->children[6];
  const auto* offsets = static_cast<const int32_t*>(args.buffers[1]);
  CHECK(std::vector<int32_t>(offsets, offsets + 3) == std::vector<int32_t>{0, 2, 2});
  const ArrowArray& entries = *args.children[0];
  CHECK(test::TextsOf(*entries.children[0]) == std::vector<std::string>{"n", "text"});
  CHECK(test::TextsOf(*entries.children[1]) == std::vector<std::string>{"7", "x y"});
}

}  // namespace
}  // namespace stepscope
