// An export that is read again has what was exported.
#include "app/report/chrome_export.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "loaders/files/compression.h"
#include "loaders/loader.h"
#include "model/analysis/analysis.h"
#include "model/analysis/grouping/grouping.h"
#include "model/capabilities.h"
#include "model/lookup.h"
#include "tests/support/gpu_profile.h"
#include "tests/support/loaded.h"
#include "tests/support/profile_database.h"
#include "tests/support/samples.h"
#include "tests/support/xspace_builder.h"

namespace stepscope {
namespace {

using TracePtr = std::shared_ptr<const Trace>;

TracePtr Load(const std::string& name, const std::string& bytes) {
  return test::Loaded(name, bytes);
}

std::string Export(const Trace& trace, TimeRange range = {}) {
  return Collected([&](const TextSink& sink) {
    const Status status = WriteChromeTrace(trace, range, sink);
    REQUIRE_MESSAGE(status.ok(), status.message());
  });
}

std::string ArgsText(const Trace& trace, EventRow row) {
  const Result<std::vector<Stat>> stats = trace.source->Decode(trace, row);
  REQUIRE(stats.ok());
  std::map<std::string, std::string> values;  // of equal names the last counts
  for (const Stat& stat : *stats) {
    const bool beside = CapabilitiesOf(trace).chrome_events && stat.from_metadata;
    if (!beside) values[stat.name] = ToText(stat);
  }
  std::string text;
  for (const auto& [name, value] : values) text += " " + name + "=" + value;
  return text;
}

// All events of each track that has events: kind, begin, duration, self time, name and arguments.
std::vector<std::string> Events(const Trace& trace, const Track& track, TimeRange range,
                                bool args) {
  std::vector<std::string> lines;
  for (const Lane& lane : trace.set.LanesOf(track)) {
    uint32_t first = 0, end = lane.size();
    if (!range.empty()) std::tie(first, end) = EventsIn(lane, range);
    for (uint32_t i = first; i < end; ++i) {
      const EventRow row(lane.first_row + i);
      std::string line = lane.kind == LaneKind::kInstant ? "i " : "X ";
      line += std::to_string(lane.start[i]) + "+" + std::to_string(lane.dur[i]) + " ";
      if (range.empty())
        line += std::to_string(lane.depth) + " " + std::to_string(SelfTime(trace.set, row)) + " ";
      line += trace.names().Name(MetaId(lane.meta[i]));
      if (args) line += ArgsText(trace, row);
      lines.push_back(std::move(line));
    }
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

// By process and thread. Threads of the same name are told apart by their order.
std::map<std::string, std::vector<std::vector<std::string>>> Contents(const Trace& trace,
                                                                      TimeRange range, bool args) {
  std::map<std::string, std::vector<std::vector<std::string>>> all;
  for (const Plane& plane : trace.planes) {
    for (const TrackId id : plane.tracks) {
      const Track& track = trace.set.tracks[id.value];
      std::vector<std::string> events = Events(trace, track, range, args);
      if (events.empty()) continue;
      all[std::string(trace.names().strings.View(plane.name)) + " / " +
          std::string(trace.names().strings.View(track.name))]
          .push_back(std::move(events));
    }
  }
  for (auto& [name, tracks] : all) std::sort(tracks.begin(), tracks.end());
  return all;
}

void CheckSame(const Trace& trace, const Trace& again) {
  const auto wanted = Contents(trace, {}, true), found = Contents(again, {}, true);
  std::vector<std::string> names, names_again;
  for (const auto& [name, tracks] : wanted) names.push_back(name);
  for (const auto& [name, tracks] : found) names_again.push_back(name);
  CHECK(names == names_again);
  for (const auto& [name, tracks] : wanted) {
    const auto other = found.find(name);
    if (other == found.end() || other->second == tracks) continue;
    CAPTURE(name);
    REQUIRE(tracks.size() == other->second.size());
    for (size_t t = 0; t < tracks.size(); ++t) {
      const auto [a, b] = std::mismatch(tracks[t].begin(), tracks[t].end(),
                                        other->second[t].begin(), other->second[t].end());
      const std::string was = a == tracks[t].end() ? "nothing" : *a;
      const std::string is = b == other->second[t].end() ? "nothing" : *b;
      CHECK(was == is);
    }
  }
}

}  // namespace

TEST_CASE("export: the samples, read again, have the same events, arguments, counters and flows") {
  for (const std::string& path : test::Samples()) {
    CAPTURE(path);
    Progress progress;
    const auto trace = LoadPath(path, {}, {}, progress);
    REQUIRE(trace.ok());
    const std::string text = Export(**trace);
    CHECK(nlohmann::json::accept(text));
    const TracePtr again = Load("again.trace.json", text);
    CHECK(again->counts.slices == (*trace)->counts.slices);
    CHECK(again->counts.instants == (*trace)->counts.instants);
    CHECK(again->counts.counter_samples == (*trace)->counts.counter_samples);
    CHECK(again->counts.flows == (*trace)->counts.flows);
    CHECK(again->span == (*trace)->span);
    CHECK(again->origin_unix_ns == (*trace)->origin_unix_ns);
    CHECK(again->kineto == (*trace)->kineto);
    REQUIRE(again->hosts.size() == 1);
    CHECK(again->HostName(HostId(0)) == (*trace)->HostName(HostId(0)));
    for (const Diagnostic& d : again->diagnostics.rows()) {
      CAPTURE(d.id);
      CHECK(d.id == "track.partial_overlap");
    }
    CheckSame(**trace, *again);
    CHECK(Export(*again).size() > text.size() / 2);
  }
}

TEST_CASE("export: a part has the events that touch it, whole and at their times") {
  for (const std::string& path : test::Samples()) {
    CAPTURE(path);
    Progress progress;
    const auto trace = LoadPath(path, {}, {}, progress);
    REQUIRE(trace.ok());
    const TimeRange span = (*trace)->span;
    const TimeRange part{span.begin + span.length() / 2, span.begin + span.length() * 2 / 3};
    const TracePtr again = Load("again.trace.json", Export(**trace, part));
    uint64_t events = 0;
    for (const Lane& lane : (*trace)->set.lanes) {
      const auto [first, end] = EventsIn(lane, part);
      events += end - first;
    }
    CHECK(again->counts.events() == events);
    const auto wanted = Contents(**trace, part, false);
    const auto found = Contents(*again, {kMinPs, kMaxPs}, false);
    CHECK((wanted == found));
  }
}

namespace {

// Checks what the Trace Event Format asks of each record, by its phase, and that both ends of an
// arrow are there, the begin first, with the same id, category and name.
struct FormatCheck {
  using Arrow = std::tuple<int64_t, std::string, std::string>;
  std::map<Arrow, double> begins;
  size_t ends = 0;
  std::string wrong;  // the first record that breaks a rule
  const nlohmann::json* current = nullptr;

  void Need(bool holds) {
    if (!holds && wrong.empty()) wrong = current->dump();
  }

  void Check(const nlohmann::json& record) {
    current = &record;
    const std::string ph = record.at("ph");
    Need(record.at("pid").is_number_integer());
    Need(record.at("tid").is_number_integer());
    Need(record.at("name").is_string());
    if (record.contains("args")) Need(record["args"].is_object());
    if (record.contains("cat")) Need(record["cat"].is_string());
    if (ph == "M") return CheckMetadata(record);
    Need(record.at("ts").is_number());
    if (ph == "X") {
      Need(record.at("dur").get<double>() >= 0);
    } else if (ph == "i") {
      Need(record.at("s") == "t");
    } else if (ph == "C") {
      Need(!record.at("args").empty());
      for (const auto& value : record["args"]) Need(value.is_number());
    } else {
      CheckArrow(ph, record);
    }
  }
  void CheckMetadata(const nlohmann::json& record) {
    const std::string name = record["name"];
    const char* what = name.ends_with("_sort_index") ? "sort_index"
                       : name == "process_labels"    ? "labels"
                                                     : "name";
    const auto value = record.at("args").find(what);
    if (value == record["args"].end()) return Need(false);
    Need(value->is_number_integer() == name.ends_with("_sort_index"));
    Need(name.starts_with("process_") || name.starts_with("thread_"));
  }
  void CheckArrow(const std::string& ph, const nlohmann::json& record) {
    const Arrow arrow{record.at("id"), record.at("cat"), record.at("name")};
    if (ph == "s") return Need(begins.emplace(arrow, record["ts"]).second);
    Need(ph == "f");
    Need(record.at("bp") == "e");  // bound to the slice around it, not to the next one
    const auto begin = begins.find(arrow);
    if (begin == begins.end()) return Need(false);
    Need(begin->second <= record["ts"].get<double>());
    ++ends;
  }
};

}  // namespace

TEST_CASE("export: the whole trace and a part of it keep to the rules of the format") {
  std::vector<TracePtr> traces;
  for (const std::string& path : test::Samples()) {
    const bool large =
        path.find("tf_") != std::string::npos || path.find("_stack") != std::string::npos;
    Progress progress;
    if (!large) traces.push_back(*LoadPath(path, {}, {}, progress));
  }
  test::GpuProfileOptions options;
  options.steps = options.layers = 3;
  traces.push_back(Load("h.xplane.pb", test::MakeGpuProfile(options)));
  size_t arrows = 0;
  for (const TracePtr& trace : traces) {
    const TimeRange span = trace->span;
    for (const TimeRange range :
         {TimeRange{}, TimeRange{span.begin + span.length() / 3, span.begin + span.length() / 2}}) {
      const auto json = nlohmann::json::parse(Export(*trace, range));
      FormatCheck check;
      for (const nlohmann::json& record : json.at("traceEvents")) check.Check(record);
      CHECK(check.wrong == "");
      CHECK(check.ends == check.begins.size());
      arrows += check.ends;
    }
  }
  CHECK(arrows > 0);
}

TEST_CASE("export: a generated GPU profile with several devices keeps its processes apart") {
  test::GpuProfileOptions options;
  options.steps = 3;
  options.layers = 3;
  options.gpus = 2;
  const TracePtr trace = Load("h.xplane.pb", test::MakeGpuProfile(options));
  const TracePtr again = Load("again.json", Export(*trace));
  std::vector<const Plane*> planes;  // the environment has no events
  for (const Plane& plane : trace->planes) {
    const auto& tracks = trace->set.tracks;
    if (std::any_of(plane.tracks.begin(), plane.tracks.end(),
                    [&](TrackId id) { return tracks[id.value].events > 0; }))
      planes.push_back(&plane);
  }
  REQUIRE(again->planes.size() == planes.size());
  for (size_t p = 0; p < planes.size(); ++p) {
    CHECK(again->planes[p].kind == planes[p]->kind);
    CHECK(again->planes[p].display_name == planes[p]->display_name);
    const auto with_events =
        std::count_if(planes[p]->tracks.begin(), planes[p]->tracks.end(),
                      [&](TrackId id) { return trace->set.tracks[id.value].events > 0; });
    CHECK(again->planes[p].tracks.size() == static_cast<size_t>(with_events));
  }
  CheckSame(*trace, *again);
}

TEST_CASE("export: a recording of Nsight Systems keeps its categories and launches") {
  const TracePtr trace = Load("n.sqlite", test::NsysBytes({}));
  const TracePtr again = Load("again.json", Export(*trace));
  CHECK(again->kineto);
  const auto counts = [](const Trace& of) {
    std::map<std::pair<EventCategory, PlaneKind>, uint64_t> events;
    for (const Lane& lane : of.set.lanes) {
      const PlaneId plane = of.set.tracks[lane.track.value].plane;
      for (uint32_t i = 0; i < lane.size(); ++i)
        ++events[{of.names().metas[lane.meta[i]].category, of.planes[plane.value].kind}];
    }
    return events;
  };
  CHECK(counts(*again) == counts(*trace));
  AnalysisContext before(trace, Definitions::kStepscope), after(again, Definitions::kStepscope);
  CHECK(before.Get<Grouping>().launches.size() > 0);
  CHECK(after.Get<Grouping>().launches.size() == before.Get<Grouping>().launches.size());
}

TEST_CASE("export: registers and launch shapes of other formats are found again") {
  const std::pair<std::string, std::string> files[] = {{"n.sqlite", test::NsysBytes({})},
                                                       {"r.db", test::RocpdBytes(5, true)}};
  for (const auto& [name, bytes] : files) {
    CAPTURE(name);
    const TracePtr trace = Load(name, bytes);
    const TracePtr again = Load("again.json", Export(*trace));
    AnalysisContext before(trace, Definitions::kStepscope), after(again, Definitions::kStepscope);
    const auto values = [](AnalysisContext& of, IntStat stat) {
      std::vector<int64_t> all;
      of.stats().Int(stat).ForRange(0, of.trace().set.rows,
                                    [&](uint32_t, int64_t value) { all.push_back(value); });
      std::sort(all.begin(), all.end());
      return all;
    };
    CHECK(values(before, IntStat::kRegisters).size() > 0);
    for (const IntStat stat :
         {IntStat::kRegisters, IntStat::kGridX, IntStat::kGridZ, IntStat::kBlockX, IntStat::kBlockY,
          IntStat::kStaticShared, IntStat::kDynamicShared, IntStat::kBytes}) {
      CAPTURE(static_cast<int>(stat));
      CHECK(values(after, stat) == values(before, stat));
    }
  }
}

TEST_CASE("export: hostile names, numbers and times come back") {
  test::XSpaceBuilder b;
  auto& line = b.Plane("/host:CPU \"q\"\n").Line(-5, "thread \\ \x01");
  line.TimestampNs(12'345'678'901'234)  // hours from the origin of the clock
      .Event("a \"b\" \\ \n \u202e", 1, 1)
      .Stat("i", int64_t{INT64_MIN})
      .Stat("u", uint64_t{UINT64_MAX})
      .Stat("d", 0.1)
      .Stat("one", 1.0)
      .Stat("text \"k\"", "[1, 2")
      .Stat("list", "[1,2]")
      .Event("b", 3, 999'999)
      .Event("", 7, 0);
  const TracePtr trace = Load("h.xplane.pb", b.Bytes());
  const std::string text = Export(*trace);
  REQUIRE(nlohmann::json::accept(text));
  const TracePtr again = Load("again.json", text);
  CheckSame(*trace, *again);
  CHECK(again->span == trace->span);
}

TEST_CASE("export: arrows are bound to the slices that they were bound to") {
  const std::string text = R"({"traceEvents":[
    {"ph":"X","pid":1,"tid":1,"ts":1,"dur":9,"name":"out"},
    {"ph":"X","pid":1,"tid":1,"ts":1,"dur":3,"name":"in"},
    {"ph":"X","pid":1,"tid":2,"ts":1,"dur":20,"name":"long"},
    {"ph":"X","pid":1,"tid":2,"ts":5,"dur":2,"name":"to"},
    {"ph":"s","pid":1,"tid":1,"ts":4.5,"id":7,"name":"n","cat":"c"},
    {"ph":"f","pid":1,"tid":2,"ts":5,"id":7,"name":"n","cat":"c","bp":"e"},
    {"ph":"s","pid":1,"tid":1,"ts":2,"id":8,"name":"n","cat":"c"},
    {"ph":"f","pid":1,"tid":2,"ts":8,"id":8,"name":"n","cat":"c","bp":"e"}]})";
  const auto arrows = [](const Trace& trace) {
    std::vector<std::string> all;
    for (const Flow& f : trace.flows)
      all.push_back(std::string(trace.set.Name(f.from)) + ">" + std::string(trace.set.Name(f.to)));
    std::sort(all.begin(), all.end());
    return all;
  };
  const TracePtr trace = Load("t.json", text);
  CHECK(arrows(*trace) == std::vector<std::string>{"in>long", "out>to"});
  CHECK(arrows(*Load("again.json", Export(*trace))) == arrows(*trace));
}

TEST_CASE("export: other programs read the compressed export") {
  std::string big;
  for (int i = 0; i < 200'000; ++i) big += std::to_string(i * 7919 % 10007) + ",";
  for (const std::string& text : {std::string("x"), big}) {
    const std::string json =
        R"({"traceEvents":[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":9,"name":")" + text + "\"}]}";
    const std::string packed = Collected([&](const TextSink& sink) {
      GzipWriter gzip(sink);
      for (size_t at = 0; at < json.size(); at += 1000) gzip.Write(json.substr(at, 1000));
      gzip.Finish();
    });
    const TracePtr trace = Load("t.json.gz", packed);
    REQUIRE(trace->counts.slices == 1);
    CHECK(trace->set.Name(EventRow(0)) == text);
    CHECK(trace->diagnostics.rows().empty());
  }
}

}  // namespace stepscope
