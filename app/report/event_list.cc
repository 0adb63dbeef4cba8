#include "app/report/event_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/report/report_text.h"
#include "model/analysis/devices/launch_facts.h"
#include "model/analysis/tables/json_stream.h"
#include "model/analysis/tables/result_table.h"
#include "model/base/digits.h"
#include "model/base/terminal_text.h"
#include "model/jobs/job.h"
#include "model/lookup.h"
#include "model/query/event_args.h"
#include "model/query/time_order.h"

namespace stepscope {
namespace {

constexpr size_t kReadBatch = 8192;  // events whose arguments are read side by side
constexpr size_t kReadAtOnce = 64;   // by one thread
constexpr size_t kListWidth = 100;

struct ListedEvent {
  const Lane* lane = nullptr;
  uint32_t index = 0;
  std::vector<Stat> args = {};
  EventRow row() const { return EventRow(lane->first_row + index); }
};

Status ReadBatch(const Trace& trace, std::vector<ListedEvent>* batch) {
  std::vector<Status> errors((batch->size() + kReadAtOnce - 1) / kReadAtOnce);
  ParallelFor(errors.size(), [&](size_t task) {
    const size_t end = std::min(batch->size(), (task + 1) * kReadAtOnce);
    ArgsReader reader(trace);
    for (size_t i = task * kReadAtOnce; i < end && errors[task].ok(); ++i) {
      ListedEvent& event = (*batch)[i];
      Result<std::vector<Stat>> args = reader.Read(event.row());
      if (!args.ok()) {
        errors[task] = args.status();
        continue;
      }
      event.args = std::move(args).value();
    }
  });
  for (const Status& error : errors) {
    if (!error.ok()) return error;
  }
  return {};
}

// Calls write(event) for the events of the list, in their order.
template <typename Write>
Status ForListed(const EventListInput& input, Write write) {
  const std::vector<LaneRange> ranges = LanesBeginningIn(*input.trace, *input.scope);
  std::vector<ListedEvent> batch;
  Status status;
  const auto flush = [&] {
    if (input.args) status = ReadBatch(*input.trace, &batch);
    if (status.ok()) {
      for (const ListedEvent& event : batch) write(event);
    }
    batch.clear();
    return status.ok();
  };
  ForEachInTimeOrder(ranges, [&](const Lane& lane, uint32_t index) {
    if (input.rows != nullptr && !input.rows->Has(lane.first_row + index)) return true;
    batch.push_back({&lane, index});
    return batch.size() < kReadBatch || flush();
  });
  if (status.ok()) flush();
  return status;
}

std::string_view RecordedName(const Trace& trace, EventRow row) {
  return trace.names().Name(trace.set.Meta(row));
}

std::string_view RecordedName(const Trace& trace, const ListedEvent& event) {
  return trace.names().Name(MetaId(event.lane->meta[event.index]));
}

std::string_view TrackName(const Trace& trace, const Lane& lane) {
  return trace.names().strings.View(trace.set.tracks[lane.track.value].name);
}

const Plane* PlaneOf(const Trace& trace, const Lane& lane) {
  const PlaneId plane = trace.set.tracks[lane.track.value].plane;
  return plane.value < trace.planes.size() ? &trace.planes[plane.value] : nullptr;
}

std::string_view ProcessName(const Trace& trace, const Lane& lane) {
  const Plane* plane = PlaneOf(trace, lane);
  return plane != nullptr ? trace.names().strings.View(plane->name) : std::string_view();
}

std::string_view HostName(const Trace& trace, const Lane& lane) {
  const Plane* plane = PlaneOf(trace, lane);
  return plane != nullptr ? trace.HostName(plane->host) : std::string_view();
}

void WriteArgs(const std::vector<Stat>& args, JsonStream* json) {
  json->BeginObject();
  for (const Stat& stat : args)
    std::visit([&](const auto& value) { json->Member(stat.name, value); }, stat.value);
  json->EndObject();
}

std::optional<LaunchFacts> LaunchOf(const EventListInput& input, const ListedEvent& event) {
  if (input.flows == nullptr) return std::nullopt;
  return FindLaunchFacts(*input.trace, *input.flows, event.row());
}

void WriteLaunch(const Trace& trace, const LaunchFacts& launch, JsonStream* json) {
  json->BeginObject();
  json->Member("call", RecordedName(trace, launch.call));
  json->Member("delay_ps", launch.delay);
  json->Member("queue_length", launch.queue_length);
  json->BeginArray("stack");
  for (const EventRow row : launch.stack) json->Text(RecordedName(trace, row));
  json->EndArray();
  json->EndObject();
}

void Add(std::string_view key, std::string_view value, std::string* text) {
  *text += fmt::format("{}{}={}", text->empty() ? "" : " ", key, value);
}

std::string Joined(const std::vector<Stat>& args) {
  std::string text;
  for (const Stat& stat : args) Add(stat.name, ToText(stat), &text);
  return text;
}

std::string JoinedLaunch(const Trace& trace, const LaunchFacts& launch) {
  std::string text, stack;
  Add("launch.call", RecordedName(trace, launch.call), &text);
  Add("launch.delay_ps", fmt::format("{}", launch.delay), &text);
  Add("launch.queue_length", fmt::format("{}", launch.queue_length), &text);
  for (const EventRow row : launch.stack)
    stack += (stack.empty() ? "" : " < ") + std::string(RecordedName(trace, row));
  if (!stack.empty()) Add("launch.stack", stack, &text);
  return text;
}

// Cuts a text to so many terminal columns; a cut one ends with an ellipsis.
std::string Cut(std::string text, size_t cells) {
  if (CellsOf(text) <= cells) return text;
  return std::string(FirstCells(text, cells - 1)) + "\u2026";
}

// A cell of a column, padded or cut to `cells` columns; 0: as long as the text is.
std::string PaddedCell(std::string_view text, size_t cells, bool right = false) {
  std::string cell = TerminalText(text);
  if (cells == 0) return cell;
  cell = Cut(std::move(cell), cells);
  const std::string pad(cells - CellsOf(cell), ' ');
  return right ? pad + cell : cell + pad;
}

// The columns of the text. With --wide the last three are neither cut nor padded.
struct TextForm {
  explicit TextForm(bool wide_lines) : wide(wide_lines) {}
  std::string Line(const std::string& begin, const std::string& dur, const std::string& self,
                   std::string_view name, std::string_view track, std::string_view process) const {
    constexpr size_t kBegin = 15, kTime = 11, kName = 28, kTrack = 14;
    std::string line = PaddedCell(begin, kBegin, true) + "  " + PaddedCell(dur, kTime, true) +
                       "  " + PaddedCell(self, kTime, true) + "  " +
                       PaddedCell(name, wide ? 0 : kName) + "  " +
                       PaddedCell(track, wide ? 0 : kTrack) + "  ";
    line += wide ? TerminalText(process) : Cut(TerminalText(process), kListWidth - CellsOf(line));
    line.erase(line.find_last_not_of(' ') + 1);
    return line + "\n";
  }
  bool wide;
};

}  // namespace

Status WriteEventsJson(const EventListInput& input, const TextSink& sink) {
  const Trace& trace = *input.trace;
  JsonStream json(sink);
  json.BeginObject();
  json.BeginArray("events");
  Status status = ForListed(input, [&](const ListedEvent& event) {
    json.BeginObject();
    json.Member("begin_ps", event.lane->start[event.index]);
    json.Member("duration_ps", event.lane->dur[event.index]);
    json.Member("self_ps", SelfTime(trace.set, event.row()));
    json.Member("name", RecordedName(trace, event));
    json.Member("track", TrackName(trace, *event.lane));
    json.Member("process", ProcessName(trace, *event.lane));
    if (trace.hosts.size() > 1) json.Member("host", HostName(trace, *event.lane));
    if (input.args) {
      json.Key("args");
      WriteArgs(event.args, &json);
    }
    if (const std::optional<LaunchFacts> launch = LaunchOf(input, event)) {
      json.Key("launch");
      WriteLaunch(trace, *launch, &json);
    }
    json.EndObject();
  });
  json.EndArray();
  json.EndObject();
  json.Finish();
  return status;
}

Status WriteEventsCsv(const EventListInput& input, const TextSink& sink) {
  const Trace& trace = *input.trace;
  TextBuffer out(sink);
  const bool hosts = trace.hosts.size() > 1;
  out += fmt::format("begin_ps,duration_ps,self_ps,name,track,process{}{}\r\n",
                     hosts ? ",host" : "", input.args ? ",args" : "");
  return ForListed(input, [&](const ListedEvent& event) {
    const auto field = [](std::string_view text) { return CsvField(std::string(text)); };
    out += fmt::format("{},{},{},{},{},{}", event.lane->start[event.index],
                       event.lane->dur[event.index], SelfTime(trace.set, event.row()),
                       field(RecordedName(trace, event)), field(TrackName(trace, *event.lane)),
                       field(ProcessName(trace, *event.lane)));
    if (hosts) out += "," + field(HostName(trace, *event.lane));
    if (input.args) {
      std::string args = Joined(event.args);
      if (const auto launch = LaunchOf(input, event))
        args += (args.empty() ? "" : " ") + JoinedLaunch(trace, *launch);
      out += "," + CsvField(args);
    }
    out += "\r\n";
  });
}

Status WriteEventsText(const EventListInput& input, const TextSink& sink) {
  const Trace& trace = *input.trace;
  TextBuffer out(sink);
  constexpr int kDigits = 9;  // of the begin of an event
  const TextForm form(input.wide);
  uint64_t count = 0;
  out += form.Line("begin", "duration", "self", "name", "track", "process");
  Status status = ForListed(input, [&](const ListedEvent& event) {
    const bool instant = event.lane->kind == LaneKind::kInstant;
    out += form.Line(FormatDuration(event.lane->start[event.index], kDigits),
                     instant ? "" : FormatDuration(event.lane->dur[event.index]),
                     instant ? "" : FormatDuration(SelfTime(trace.set, event.row())),
                     trace.set.Name(event.row()), TrackName(trace, *event.lane),
                     ProcessName(trace, *event.lane));
    ++count;
    const auto add = [&](std::string_view below) {
      std::string line = "    " + TerminalText(below);
      out += (input.wide ? std::move(line) : Cut(std::move(line), kListWidth)) + "\n";
    };
    if (!event.args.empty()) add(Joined(event.args));
    if (const auto launch = LaunchOf(input, event)) add(JoinedLaunch(trace, *launch));
  });
  if (count == 0 && status.ok()) out += "no events\n";
  return status;
}

namespace {

void WriteRow(const EventStatsReport& report, const EventStatsRow& row, bool group,
              JsonStream* json) {
  json->BeginObject();
  json->Member("name", row.name);
  if (group && report.by == GroupBy::kTrack)
    json->Member("process", PlaceOfGroup(report, row).process);
  if (group && GroupsHaveHosts(report)) json->Member("host", PlaceOfGroup(report, row).host);
  json->Member("count", row.count);
  json->Member("total_ps", row.total);
  json->Member("self_ps", row.self);
  json->Member("mean_ps", row.mean);
  json->Member("median_ps", row.median);
  json->Member("p95_ps", row.p95);
  json->Member("p99_ps", row.p99);
  json->Member("min_ps", row.min);
  json->Member("max_ps", row.max);
  json->Member("stddev_ps", row.stddev);
  json->EndObject();
}

}  // namespace

void WriteStatsJson(const EventStatsReport& report, const TextSink& sink) {
  JsonStream json(sink);
  json.BeginObject();
  json.Key("total");
  WriteRow(report, report.stats->total, false, &json);
  json.BeginArray("groups");
  for (const EventStatsRow& row : report.stats->groups) WriteRow(report, row, true, &json);
  json.EndArray();
  json.EndObject();
  json.Finish();
}

void WriteStatsCsv(const EventStatsReport& report, const TextSink& sink) {
  WriteCsv(StatsTable(report, false), sink);
}

void WriteStatsText(const EventStatsReport& report, const TextSink& sink) {
  const EventStatsRow& total = report.stats->total;
  TextRows rows;
  const auto add = [&rows](const char* label, Ps time) { rows.Add({label, FormatDuration(time)}); };
  rows.Add({"events", GroupDigits(total.count)});
  if (total.count > 0) {
    add("total", total.total);
    add("self", total.self);
    add("mean", static_cast<Ps>(std::min(total.mean, 9e18)));
    add("median", total.median);
    add("p95", total.p95);
    add("p99", total.p99);
    add("min", total.min);
    add("max", total.max);
    add("deviation", static_cast<Ps>(std::min(total.stddev, 9e18)));
  }
  TextBuffer out(sink);
  if (!report.about.empty()) out += TerminalText(report.about) + "\n";
  out += rows.Render();
  if (report.stats->groups.empty()) return;
  out += "\n";
  out.Flush();
  WriteText(StatsTable(report, true), {0, report.wide ? size_t{0} : size_t{100}}, sink);
}

}  // namespace stepscope
