// Compares the events that enclose others, asked one by one and in a row, with a plain search.
#include "model/analysis/intervals/enclosing.h"
#include "tests/support/loaded.h"

#include <doctest/doctest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

namespace stepscope {
namespace {

// Nested and overlapping spans and instants on three threads; every third is an annotation.
std::shared_ptr<const Trace> RandomTrace(uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  std::string text = "[";
  for (int i = 0; i < 400; ++i) {
    const bool instant = below(20) == 0;
    text += std::string(i > 0 ? "," : "") + R"({"ph":")" + (instant ? "i" : "X") +
            R"(","pid":1,"tid":)" + std::to_string(below(3)) + R"(,"ts":)" +
            std::to_string(below(1000)) + R"(,"dur":)" + std::to_string(below(1 << below(8))) +
            R"(,"cat":")" + (below(3) == 0 ? "user_annotation" : "cpu_op") + R"(","name":"n)" +
            std::to_string(below(4)) + "\"}";
  }
  return test::Loaded("t.json", text + "]");
}

// By the words of the header: each lane from the deepest, each event of it from the last.
EventRow PlainAround(const Trace& trace, EventRow row) {
  const TrackSet& set = trace.set;
  const Lane& own = set.lanes[set.LaneOf(row).value];
  const uint32_t at = row.value - own.first_row;
  std::vector<const Lane*> lanes;
  for (const Lane& lane : set.LanesOf(set.tracks[own.track.value])) lanes.push_back(&lane);
  for (auto lane = lanes.rbegin(); lane != lanes.rend(); ++lane) {
    if ((*lane)->kind == LaneKind::kInstant) continue;
    for (uint32_t i = (*lane)->size(); i-- > 0;) {
      if (trace.names().metas[(*lane)->meta[i]].category != EventCategory::kUserAnnotation)
        continue;
      if ((*lane)->start[i] > own.start[at]) continue;
      const EventRow found((*lane)->first_row + i);
      const bool outside = (*lane)->depth < own.depth || own.kind != LaneKind::kNested;
      if ((*lane)->end(i) >= own.end(at) && (found == row || outside)) return found;
      break;  // earlier ones of the lane end before this one begins
    }
  }
  return {};
}

TEST_CASE("Enclosing: a reader and a single question find what a plain search finds") {
  size_t found = 0;
  for (uint32_t seed = 0; seed < 30; ++seed) {
    const std::shared_ptr<const Trace> trace = RandomTrace(seed);
    const Enclosing annotations(*trace, EventCategory::kUserAnnotation);
    std::mt19937 random(seed);
    Enclosing::Reader in_order(annotations), anywhere(annotations);
    for (uint32_t row = 0; row < trace->set.rows; ++row) {
      const EventRow wanted = PlainAround(*trace, EventRow(row));
      found += wanted.valid();
      CAPTURE(seed);
      CAPTURE(row);
      REQUIRE(annotations.Around(EventRow(row)) == wanted);
      REQUIRE(in_order.Around(EventRow(row)) == wanted);
      const EventRow other(static_cast<uint32_t>(random() % trace->set.rows));
      REQUIRE(anywhere.Around(other) == PlainAround(*trace, other));
    }
    CHECK_FALSE(in_order.Around(EventRow()).valid());
  }
  CHECK(found > 1000);
}

TEST_CASE("Enclosing: without a wanted event nothing encloses") {
  const std::shared_ptr<const Trace> trace = RandomTrace(1);
  const Enclosing none(*trace, EventCategory::kKernel);
  CHECK(none.empty());
  Enclosing::Reader reader(none);
  CHECK_FALSE(none.Around(EventRow(0)).valid());
  CHECK_FALSE(reader.Around(EventRow(0)).valid());
}

}  // namespace
}  // namespace stepscope
