// A test looks up what a trace holds under a name here.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "model/stats.h"
#include "model/trace.h"

namespace stepscope::test {

// The count of a diagnosis; 0 where it was not made.
inline uint64_t CountOf(const Trace& trace, std::string_view id) {
  const Diagnostic* d = trace.diagnostics.Find(id);
  return d == nullptr ? 0 : d->count;
}

// The first track of a name, or null.
inline const Track* TrackNamed(const Trace& trace, std::string_view name) {
  for (const Track& track : trace.set.tracks) {
    if (trace.names().strings.View(track.name) == name) return &track;
  }
  return nullptr;
}

// The first event of a name. A test ends here where there is none.
inline EventRow RowNamed(const Trace& trace, std::string_view name) {
  for (uint32_t row = 0; row < trace.set.rows; ++row) {
    if (trace.names().Name(trace.set.Meta(EventRow(row))) == name) return EventRow(row);
  }
  FAIL("no event named ", name);
  return {};
}

// An event's stat as text, empty where the event has none of that name.
inline std::string StatOf(const Trace& trace, EventRow row, std::string_view name) {
  const auto stats = trace.source->Decode(trace, row);
  REQUIRE(stats.ok());
  for (const Stat& stat : *stats) {
    if (stat.name == name) return ToText(stat);
  }
  return "";
}

}  // namespace stepscope::test
