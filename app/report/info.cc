#include "app/report/info.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "app/report/report_text.h"
#include "model/analysis/tables/json_stream.h"
#include "model/analysis/tables/unit_names.h"
#include "model/analysis/tables/unix_time.h"
#include "model/base/digits.h"
#include "model/base/terminal_text.h"
#include "viewer/widgets/draw_text.h"

namespace stepscope {
namespace {

std::string TrackName(const Trace& trace, const Track& track) {
  return std::string(trace.names().strings.View(track.name));
}

std::string PlaneName(const Trace& trace, const Plane& plane) {
  return std::string(trace.names().strings.View(plane.name));
}

void WritePlane(const Trace& trace, const Plane& plane, JsonStream* json) {
  json->BeginObject();
  json->Member("host", trace.HostName(plane.host));
  json->Member("name", PlaneName(trace, plane));
  json->BeginArray("tracks");
  for (TrackId id : plane.tracks) {
    const Track& track = trace.set.tracks[id.value];
    json->BeginObject();
    json->Member("name", TrackName(trace, track));
    json->Member("events", track.events);
    json->EndObject();
  }
  json->EndArray();
  json->EndObject();
}

void WriteTexts(std::string_view key, const std::vector<std::string>& texts, JsonStream* json) {
  json->BeginArray(key);
  for (const std::string& text : texts) json->Text(text);
  json->EndArray();
}

void WriteDiagnostics(const Diagnostics& diagnostics, JsonStream* json) {
  json->BeginArray();
  for (const Diagnostic& d : diagnostics.rows()) {
    json->BeginObject();
    json->Member("id", d.id);
    json->Member("severity", SeverityName(d.severity));
    json->Member("count", d.count);
    json->Member("text", d.text);
    WriteTexts("first", d.first, json);
    json->EndObject();
  }
  json->EndArray();
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
  const std::chrono::nanoseconds since_1970(trace.origin_unix_ns);
  return UnixTimeText(std::chrono::floor<std::chrono::seconds>(since_1970));
}

// Events seldom begin at 0, and parts of a trace (--range) are given on its own clock.
std::string SpanText(TimeRange span) {
  std::string text = FormatDuration(span.length());
  const auto exact = [](Ps t) { return WithoutZeros(FormatDuration(t, 12)); };
  if (span.begin != 0) text += fmt::format("  (from {} to {})", exact(span.begin), exact(span.end));
  return text;
}

void AddSummary(const InfoInput& input, TextRows* rows) {
  const Trace& trace = *input.trace;
  const auto add = [rows](const char* label, const std::string& value) {
    if (!value.empty()) rows->Add({label, value});
  };
  add("run", RunText(input));
  add("hosts", HostsText(trace));
  add("format", trace.format->name);
  std::string size = BytesText(trace.file_bytes);
  if (trace.inflated_bytes > trace.file_bytes) {
    size += " (" + BytesText(trace.inflated_bytes) + " inflated)";
  }
  add("size", size);
  if (trace.origin_unix_ns > 0) add("recorded", RecordedText(trace));
  add("span", SpanText(trace.span));
  add("events", fmt::format("{}  ({}, {})", GroupDigits(trace.counts.events()),
                            Counted(trace.counts.slices, "slices"),
                            Counted(trace.counts.instants, "instants")));
  if (trace.counts.counter_samples)
    add("counters", Counted(trace.counts.counter_samples, "samples"));
  if (trace.counts.flows) add("flows", GroupDigits(trace.counts.flows));
  add("steps", GroupDigits(input.steps));
  if (input.recording == nullptr) return;
  add("recorder", input.recording->RecorderText());
  add("devices", input.recording->DevicesText());
  std::string absent;
  for (size_t i = 0; i < static_cast<size_t>(Layer::kCount); ++i) {
    const auto layer = static_cast<Layer>(i);
    if (input.recording->Has(layer) || !input.recording->Lists(layer)) continue;
    absent += (absent.empty() ? "" : ", ") + std::string(LabelOf(layer));
  }
  add("missing", absent);
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

void AddPlanes(const Trace& trace, TextBuffer* out) {
  for (const Plane& plane : trace.planes) {
    *out += "\n";
    if (trace.hosts.size() > 1) *out += TerminalText(trace.HostName(plane.host)) + "  ";
    *out += TerminalText(PlaneTitle(trace, plane)) + "\n";
    TextRows rows;
    for (TrackId id : plane.tracks) {
      const Track& track = trace.set.tracks[id.value];
      std::string name = TrackName(trace, track);
      if (name.empty()) name = fmt::format("(unnamed {})", track.id);
      std::string note = track.derived_in_file ? "derived, in the file" : "";
      if (!track.counters.empty()) {
        uint64_t samples = 0;
        for (const CounterSeries& s : track.counters) samples += s.time.size();
        note = Counted(samples, "counter samples");
      }
      rows.Add({"  " + name, GroupDigits(track.events), note});
    }
    rows.RightAlign(1);
    *out += rows.Render();
  }
}

void WriteRecording(const Recording& recording, JsonStream* json) {
  json->Key("recording");
  json->BeginObject();
  json->Member("recorder", std::string(NameOf(recording.header.recorder)));
  json->Member("version", recording.header.version);
  json->Member("devices_used", uint64_t{recording.devices.used});
  json->Member("devices_named", uint64_t{recording.devices.named});
  json->Key("device_part_missing");
  json->Bool(recording.devices.part_missing);
  std::vector<std::string> recorded;
  for (size_t i = 0; i < static_cast<size_t>(Layer::kCount); ++i) {
    if (recording.Has(static_cast<Layer>(i))) recorded.emplace_back(IdOf(static_cast<Layer>(i)));
  }
  WriteTexts("layers", recorded, json);
  json->EndObject();
}

void AddDiagnostics(const Trace& trace, TextBuffer* out) {
  if (!trace.skipped_files.empty()) *out += "\nNot read\n";
  for (const std::string& file : trace.skipped_files) *out += "  " + TerminalText(file) + "\n";
  const auto& rows = trace.diagnostics.rows();
  if (!rows.empty()) *out += "\nDiagnostics\n";
  for (const Diagnostic& d : rows) {
    *out += fmt::format("  {} {}: {}\n", SeverityName(d.severity), GroupDigits(d.count),
                        TerminalText(d.text));
    for (const std::string& place : d.first) *out += "    " + TerminalText(place) + "\n";
  }
  for (const std::string& e : trace.errors) *out += "  recorded error: " + TerminalText(e) + "\n";
  for (const std::string& w : trace.warnings)
    *out += "  recorded warning: " + TerminalText(w) + "\n";
}

}  // namespace

void WriteInfoJson(const InfoInput& input, const TextSink& sink) {
  const Trace& trace = *input.trace;
  JsonStream json(sink);
  json.BeginObject();
  json.Member("path", input.path);
  WriteTexts("runs", input.runs, &json);
  json.Member("run", trace.run);
  json.BeginArray("hosts");
  for (size_t i = 0; i < trace.hosts.size(); ++i) {
    json.Text(trace.HostName(HostId(static_cast<uint32_t>(i))));
  }
  json.EndArray();
  json.BeginArray("planes");
  for (const Plane& plane : trace.planes) WritePlane(trace, plane, &json);
  json.EndArray();
  json.Member("events", trace.counts.events());
  json.Member("slices", trace.counts.slices);
  json.Member("instants", trace.counts.instants);
  json.Member("counter_samples", trace.counts.counter_samples);
  json.Member("flows", trace.counts.flows);
  json.Member("span_ps", trace.span.length());
  json.Member("begin_ps", trace.span.begin);
  json.Member("end_ps", trace.span.end);
  json.Member("steps", uint64_t{input.steps});
  if (input.recording != nullptr) WriteRecording(*input.recording, &json);
  WriteTexts("skipped_files", trace.skipped_files, &json);
  json.Key("diagnostics");
  WriteDiagnostics(trace.diagnostics, &json);
  json.EndObject();
  json.Finish();
}

void WriteInfoText(const InfoInput& input, const TextSink& sink) {
  TextBuffer out(sink);
  out += TerminalText(input.path) + "\n";
  TextRows summary;
  AddSummary(input, &summary);
  out += summary.Render("  ");
  AddPlanes(*input.trace, &out);
  AddDiagnostics(*input.trace, &out);
}

}  // namespace stepscope
