// The tests of the Chrome loader share a trace from text or from a sample, and its tracks and
// diagnostics as text.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/loader.h"
#include "model/trace.h"
#include "tests/support/source_paths.h"

namespace stepscope {

using TracePtr = std::shared_ptr<const Trace>;

inline const LoaderDesc& ChromeLoader() {
  for (const LoaderDesc* loader : Loaders()) {
    if (loader->format->capabilities.chrome_events) return *loader;
  }
  FAIL("no loader of Chrome traces");
  return *Loaders().front();
}

// Loads one file by the loader itself, whatever its content looks like.
inline Result<TracePtr> TryChromeFile(const InputFile& file, const LoadOptions& options) {
  TraceBuilder builder;
  Progress progress;
  const Status status = ChromeLoader().load(builder, std::span(&file, 1), options, {}, progress);
  if (!status.ok()) return status;
  return builder.Finish();
}

inline Result<TracePtr> TryChrome(std::string text) {
  const Result<std::shared_ptr<const ByteSource>> source =
      MakeByteSource("test.json", std::move(text), uint64_t{1} << 30);
  if (!source.ok()) return source.status();
  LoadOptions options;
  options.threads = 1;
  return TryChromeFile({"test.json", "", *source}, options);
}

inline TracePtr Chrome(std::string text) {
  Result<TracePtr> trace = TryChrome(std::move(text));
  REQUIRE_MESSAGE(trace.ok(), trace.status().message());
  return *trace;
}

// Loads a file of tests/data.
inline TracePtr LoadSample(const std::string& name) {
  Progress progress;
  const std::string path = test::SourcePath("tests/data/") + name;
  Result<TracePtr> trace = LoadPath(path, {}, {}, progress);
  REQUIRE_MESSAGE(trace.ok(), trace.status().message());
  return *trace;
}

// Every event, one line each: "process / track | depth | start+duration name" with times in ps;
// then counters and flows.
inline std::string Dump(const Trace& trace) {
  std::string out;
  const auto name = [&](StringId id) { return std::string(trace.names().strings.View(id)); };
  for (const Plane& plane : trace.planes) {
    for (const TrackId id : plane.tracks) {
      const Track& track = trace.set.tracks[id.value];
      for (const Lane& lane : trace.set.LanesOf(track)) {
        for (uint32_t i = 0; i < lane.size(); ++i) {
          const bool instant = lane.kind == LaneKind::kInstant;
          const char* kind = instant ? "i" : lane.kind == LaneKind::kSpill ? "o" : "";
          out += plane.display_name + " / " + name(track.name) + " | " + kind +
                 (instant ? "" : std::to_string(lane.depth)) + " | " +
                 std::to_string(lane.start[i]) + "+" + std::to_string(lane.dur[i]) + " " +
                 std::string(trace.names().DisplayName(MetaId(lane.meta[i]))) + "\n";
        }
      }
      for (const CounterSeries& series : track.counters) {
        out += plane.display_name + " / " + name(track.name) + " | " + name(series.name) + ":";
        for (size_t i = 0; i < series.time.size(); ++i) {
          out += " " + std::to_string(series.time[i]) + "=" + std::to_string(series.value[i]);
        }
        out += "\n";
      }
    }
  }
  for (const Flow& flow : trace.flows) {
    out += "flow " + std::string(trace.set.Name(flow.from)) + " -> " +
           std::string(trace.set.Name(flow.to)) + " id " + std::to_string(flow.id) + " " +
           name(flow.category) + "\n";
  }
  return out;
}

inline uint64_t DiagnosticCount(const Trace& trace, std::string_view id) {
  for (const Diagnostic& d : trace.diagnostics.rows()) {
    if (d.id == id) return d.count;
  }
  return 0;
}

inline std::string FirstPlace(const Trace& trace, std::string_view id) {
  for (const Diagnostic& d : trace.diagnostics.rows()) {
    if (d.id == id && !d.first.empty()) return d.first.front();
  }
  return {};
}

// The first event of that name, searched in all lanes.
inline EventRow FindEvent(const Trace& trace, std::string_view name) {
  for (const Lane& lane : trace.set.lanes) {
    for (uint32_t i = 0; i < lane.size(); ++i) {
      if (trace.names().Name(MetaId(lane.meta[i])) == name) return EventRow(lane.first_row + i);
    }
  }
  return {};
}

inline std::optional<std::string> Arg(const Trace& trace, EventRow row, std::string_view key) {
  const Result<std::vector<Stat>> stats = trace.source->Decode(trace, row);
  REQUIRE(stats.ok());
  for (const Stat& stat : *stats) {
    if (stat.name == key) return ToText(stat);
  }
  return std::nullopt;
}

}  // namespace stepscope
