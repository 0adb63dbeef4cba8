// A recording of Chromium drawing a page: it writes Perfetto traces itself. The expected numbers
// are those of Perfetto's own trace processor (v52.0); tests/data/README.md has the queries.
#include <doctest/doctest.h>

#include <set>
#include <string>

#include "loaders/loader.h"
#include "tests/support/source_paths.h"
#include "tests/support/trace_lookup.h"

namespace stepscope {
namespace {

using test::CountOf;

std::shared_ptr<const Trace> Sample() {
  Progress progress;
  const auto trace =
      LoadPath(test::SourcePath("tests/data/chromium.pftrace.zst"), {}, {}, progress);
  REQUIRE_MESSAGE(trace.ok(), trace.status().message());
  return *trace;
}

TEST_CASE("Perfetto: a recording of Chromium has what Perfetto finds in it") {
  const auto trace = Sample();
  CHECK(trace->counts.events() == 25'109);
  CHECK(trace->counts.counter_samples == 49'123);
  // Perfetto has 673 arrows, 36 of which begin or end at an instant: ours lead from slice to slice.
  CHECK(trace->counts.flows == 637);
  CHECK(CountOf(*trace, "perfetto.unmatched_begin") == 11);
  std::set<std::string_view> names;
  const TrackSet& set = trace->set;
  for (const Lane& lane : set.lanes) {
    for (uint32_t i = 0; i < lane.size(); ++i) names.insert(set.names->Name(MetaId(lane.meta[i])));
  }
  CHECK(names.size() == 334);
}

}  // namespace
}  // namespace stepscope
