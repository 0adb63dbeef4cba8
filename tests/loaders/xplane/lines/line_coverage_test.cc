#include "loaders/xplane/lines/line_sample.h"

#include <doctest/doctest.h>

#include <vector>

#include "loaders/xplane/lines/line_parser.h"

namespace stepscope::xplane {
namespace {

struct Slice {
  Ps begin, dur;
  uint32_t meta;
  bool operator==(const Slice&) const = default;
};

RawEvents Raw(const std::vector<Slice>& slices) {
  RawEvents events;
  for (const Slice& s : slices) events.Add(s.begin, s.dur, s.meta, 5);
  return events;
}

std::vector<Slice> Slices(const RawEvents& events) {
  std::vector<Slice> slices;
  for (size_t i = 0; i < events.start.size(); ++i) {
    slices.push_back({events.start[i], events.dur[i], events.meta[i]});
    CHECK(events.ref[i] == Lane::kNoRef);
  }
  return slices;
}

TEST_CASE("line coverage: a place stands for all bytes until the next one, as busy as its own") {
  LineCoverage coverage;
  coverage.Add(1000, 60, Raw({{1000, 10, 1}, {1020, 10, 2}, {1040, 500, 3}}), {});
  coverage.Add(0, 100, Raw({{0, 5, 1}, {10, 7, 2}, {20, 5, 1}}), {});
  RawEvents slices, instants;
  const Ps busy = coverage.Take(&slices, &instants);
  // 17 in 100 of 1000 bytes; the last place stands for itself.
  CHECK(Slices(slices) == std::vector<Slice>{{0, 170, 2}, {1000, 520, 3}});
  CHECK(busy == 690);
  CHECK(instants.start.empty());
}

TEST_CASE("line coverage: what is busy for longer than there is time ends at the next place") {
  LineCoverage coverage;
  coverage.Add(0, 10, Raw({{0, 100, 1}}), {});
  coverage.Add(1000, 10, Raw({{400, 100, 2}}), {});
  RawEvents slices, instants;
  CHECK(coverage.Take(&slices, &instants) == 500);
  CHECK(Slices(slices) == std::vector<Slice>{{0, 400, 1}, {400, 100, 2}});
}

TEST_CASE(
    "line coverage: nested events give a slice for each depth, no longer than the one above") {
  LineCoverage coverage;
  coverage.Add(0, 50, Raw({{10, 10, 3}, {0, 100, 1}, {5, 50, 2}, {60, 20, 2}, {100, 100, 1}}), {});
  coverage.Add(500, 10, Raw({{5000, 1, 4}}), {});
  RawEvents slices, instants;
  coverage.Take(&slices, &instants);
  CHECK(Slices(slices) == std::vector<Slice>{{0, 2000, 1}, {0, 700, 2}, {0, 100, 3}, {5000, 1, 4}});
}

TEST_CASE("line coverage: the first instant of a place stays; events without a name do not") {
  LineCoverage coverage;
  coverage.Add(0, 10, {}, Raw({{7, 0, 2}, {3, 0, 1}}));
  coverage.Add(10, 10, Raw({{50, 10, kMissingMeta}}), Raw({{60, 0, kMissingMeta + 1}}));
  coverage.Add(20, 10, Raw({{90, 10, 4}, {90, 10, kMissingMeta}}), Raw({{95, 0, 3}}));
  RawEvents slices, instants;
  CHECK(coverage.Take(&slices, &instants) == 10);
  CHECK(Slices(slices) == std::vector<Slice>{{90, 10, 4}});
  CHECK(Slices(instants) == std::vector<Slice>{{3, 0, 1}, {95, 0, 3}});
  CHECK(coverage.Take(&slices, &instants) == 0);  // used up
}

TEST_CASE("line coverage: two places with one begin, and times at the limits, are no harm") {
  constexpr uint64_t kMaxOffset = ~uint64_t{0};
  LineCoverage coverage;
  coverage.Add(0, 5, Raw({{5, 10, 1}, {20, 10, 1}}), {});
  coverage.Add(0, 0, Raw({{5, 10, 2}, {40, 10, 2}}), {});
  coverage.Add(kMaxOffset, 7, Raw({{kMinPs, kMaxPs, 1}, {kMaxPs, kMaxPs, 2}}), {});
  RawEvents slices, instants;
  coverage.Take(&slices, &instants);
  for (const Slice& s : Slices(slices)) CHECK(s.dur >= 0);
  CHECK(slices.start.size() >= 2);
}

}  // namespace
}  // namespace stepscope::xplane
