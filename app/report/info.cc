#include "app/report/info.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <nlohmann/json.hpp>

#include "app/report/text_layout.h"
#include "model/analysis/names.h"
#include "model/base/digits.h"
#include "model/capabilities.h"

namespace stepscope {
namespace {

using Json = nlohmann::ordered_json;

std::string TrackName(const Trace& trace, const Track& track) {
  return std::string(trace.names().strings.View(track.name));
}

std::string PlaneName(const Trace& trace, const Plane& plane) {
  return std::string(trace.names().strings.View(plane.name));
}

Json PlaneJson(const Trace& trace, const Plane& plane) {
  Json tracks = Json::array();
  for (TrackId id : plane.tracks) {
    const Track& track = trace.set.tracks[id.value];
    tracks.push_back({{"name", TrackName(trace, track)}, {"events", track.events}});
  }
  Json json;
  json["host"] = std::string(trace.HostName(plane.host));
  json["name"] = PlaneName(trace, plane);
  json["tracks"] = std::move(tracks);
  return json;
}

Json DiagnosticsJson(const Diagnostics& diagnostics) {
  Json rows = Json::array();
  for (const Diagnostic& d : diagnostics.rows()) {
    rows.push_back({{"id", d.id},
                    {"severity", SeverityName(d.severity)},
                    {"count", d.count},
                    {"text", d.text},
                    {"first", d.first}});
  }
  return rows;
}

std::string BytesText(uint64_t bytes) {
  if (bytes < 10'000) return GroupDigits(bytes) + " bytes";
  if (bytes < 10'000'000) return fmt::format("{:.1f} kB", static_cast<double>(bytes) / 1e3);
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

std::string RunText(const InfoInput& input) {
  std::string text = input.trace->run;
  if (input.runs.size() < 2) return text;
  text += fmt::format(" (of {}:", input.runs.size());
  constexpr size_t kShown = 5;
  for (size_t i = 0; i < std::min(input.runs.size(), kShown); ++i) {
    text += (i ? ", " : " ") + input.runs[i];
  }
  return text + (input.runs.size() > kShown ? ", …)" : ")");
}

std::string HostsText(const Trace& trace) {
  std::string text;
  for (size_t i = 0; i < trace.hosts.size(); ++i) {
    text += (i ? ", " : "") + std::string(trace.HostName(HostId(static_cast<uint32_t>(i))));
  }
  return text;
}

std::string RecordedText(const Trace& trace) {
  const std::time_t seconds = trace.origin_unix_ns / 1'000'000'000;
  std::tm utc{};
  if (!gmtime_r(&seconds, &utc)) return {};
  return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", utc);
}

void AddSummary(const InfoInput& input, TextRows* rows) {
  const Trace& trace = *input.trace;
  const auto add = [rows](const char* label, const std::string& value) {
    if (!value.empty()) rows->Add({label, value});
  };
  add("run", RunText(input));
  add("hosts", HostsText(trace));
  add("format", FormatName(trace.format));
  std::string size = BytesText(trace.file_bytes);
  if (trace.inflated_bytes > trace.file_bytes) {
    size += " (" + BytesText(trace.inflated_bytes) + " inflated)";
  }
  add("size", size);
  if (trace.origin_unix_ns > 0) add("recorded", RecordedText(trace));
  add("span", FormatDuration(trace.span.length()));
  add("events", fmt::format("{}  ({} slices, {} instants)", GroupDigits(trace.counts.events()),
                            GroupDigits(trace.counts.slices), GroupDigits(trace.counts.instants)));
  if (trace.counts.counter_samples)
    add("counters", GroupDigits(trace.counts.counter_samples) + " samples");
  if (trace.counts.flows) add("flows", GroupDigits(trace.counts.flows));
  add("steps", GroupDigits(input.steps));
}

std::string PlaneTitle(const Trace& trace, const Plane& plane) {
  std::string title = PlaneName(trace, plane);
  if (title.empty()) title = plane.display_name;
  if (!plane.display_name.empty() && plane.display_name != title) {
    title += "  " + plane.display_name;
  }
  if (!plane.subtitle.empty()) title += "  " + plane.subtitle;
  return title;
}

void AddPlanes(const Trace& trace, std::string* out) {
  for (const Plane& plane : trace.planes) {
    *out += "\n";
    if (trace.hosts.size() > 1) *out += std::string(trace.HostName(plane.host)) + "  ";
    *out += PlaneTitle(trace, plane) + "\n";
    TextRows rows;
    for (TrackId id : plane.tracks) {
      const Track& track = trace.set.tracks[id.value];
      std::string name = TrackName(trace, track);
      if (name.empty()) name = fmt::format("(unnamed {})", track.id);
      std::string note = track.derived_in_file ? "derived, in the file" : "";
      if (!track.counters.empty()) {
        uint64_t samples = 0;
        for (const CounterSeries& s : track.counters) samples += s.time.size();
        note = GroupDigits(samples) + " counter samples";
      }
      rows.Add({"  " + name, GroupDigits(track.events), note});
    }
    rows.RightAlign(1);
    *out += rows.Render();
  }
}

void AddDiagnostics(const Trace& trace, std::string* out) {
  if (!trace.skipped_files.empty()) *out += "\nNot read\n";
  for (const std::string& file : trace.skipped_files) *out += "  " + file + "\n";
  const auto& rows = trace.diagnostics.rows();
  if (!rows.empty()) *out += "\nDiagnostics\n";
  for (const Diagnostic& d : rows) {
    *out += fmt::format("  {} {}: {}\n", SeverityName(d.severity), GroupDigits(d.count), d.text);
    for (const std::string& place : d.first) *out += "    " + place + "\n";
  }
  for (const std::string& e : trace.errors) *out += "  recorded error: " + e + "\n";
  for (const std::string& w : trace.warnings) *out += "  recorded warning: " + w + "\n";
}

}  // namespace

std::string InfoJson(const InfoInput& input) {
  const Trace& trace = *input.trace;
  Json json;
  json["path"] = input.path;
  json["runs"] = input.runs;
  json["run"] = trace.run;
  json["hosts"] = Json::array();
  for (size_t i = 0; i < trace.hosts.size(); ++i) {
    json["hosts"].push_back(std::string(trace.HostName(HostId(static_cast<uint32_t>(i)))));
  }
  json["planes"] = Json::array();
  for (const Plane& plane : trace.planes) json["planes"].push_back(PlaneJson(trace, plane));
  json["events"] = trace.counts.events();
  json["slices"] = trace.counts.slices;
  json["instants"] = trace.counts.instants;
  json["counter_samples"] = trace.counts.counter_samples;
  json["flows"] = trace.counts.flows;
  json["span_ps"] = trace.span.length();
  json["steps"] = input.steps;
  json["skipped_files"] = trace.skipped_files;
  json["diagnostics"] = DiagnosticsJson(trace.diagnostics);
  // Names in a profile need not be UTF-8, JSON has to be.
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string InfoText(const InfoInput& input) {
  std::string out = input.path + "\n";
  TextRows summary;
  AddSummary(input, &summary);
  out += summary.Render("  ");
  AddPlanes(*input.trace, &out);
  AddDiagnostics(*input.trace, &out);
  return out;
}

}  // namespace stepscope
