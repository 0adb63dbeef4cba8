#include "tests/support/shape_profiles.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "tests/support/wire.h"

namespace stepscope::test {
namespace {

// ---- Chrome JSON ------------------------------------------------------------

template <typename... Args>
void Put(std::string* out, fmt::format_string<Args...> format, Args&&... args) {
  fmt::format_to(std::back_inserter(*out), format, std::forward<Args>(args)...);
}

void ChromeSeries(std::uint32_t n, std::string* out) {
  *out += R"({"ph":"C","name":"counter","pid":1,"tid":1,"ts":10,"args":{)";
  for (std::uint32_t i = 0; i < n; ++i) Put(out, "{}\"series {}\":{}", i ? "," : "", i, i);
  *out += "}},\n";
}

// Writes event number `i` of a shape that consists of single events.
void ChromeEvent(Shape shape, std::uint32_t i, std::string* out) {
  switch (shape) {
    case Shape::kSteps:
      return Put(out,
                 R"({{"ph":"X","cat":"user_annotation","name":"ProfilerStep#{0}","pid":1,"tid":1,)"
                 R"("ts":{1},"dur":8}},)",
                 i, 10 * i);
    case Shape::kThreads:
      return Put(out,
                 R"({{"ph":"M","name":"thread_name","pid":1,"tid":{0},)"
                 R"("args":{{"name":"worker number {0}"}}}},)"
                 R"({{"ph":"X","name":"work","pid":1,"tid":{0},"ts":{1},"dur":8}},)",
                 i + 1, i);
    case Shape::kProcesses:
      return Put(out,
                 R"({{"ph":"M","name":"process_name","pid":{0},)"
                 R"("args":{{"name":"process number {0}"}}}},)"
                 R"({{"ph":"X","name":"work","pid":{0},"tid":1,"ts":{1},"dur":8}},)",
                 i + 1, i);
    case Shape::kCounters:
      return Put(out,
                 R"({{"ph":"C","name":"counter {0}","pid":1,"tid":1,"ts":{0},"args":{{"v":1}}}},)",
                 i);
    case Shape::kNames:
      return Put(out, R"({{"ph":"X","name":"event name {0}","pid":1,"tid":1,"ts":{1},"dur":8}},)",
                 i, 10 * i);
    case Shape::kTextIds:
      return Put(out,
                 R"({{"ph":"X","name":"work","pid":"job {0}","tid":"main","ts":{0},"dur":8}},)", i);
    case Shape::kNested:
      return Put(out, R"({{"ph":"B","name":"frame","pid":1,"tid":1,"ts":{0}}},)", i);
    case Shape::kOverlaps:
      return Put(out, R"({{"ph":"X","name":"work","pid":1,"tid":1,"ts":{0},"dur":15}},)", 10 * i);
    case Shape::kSeries:
      break;
  }
}

// ---- XSpace -----------------------------------------------------------------

std::string Event(std::uint64_t metadata, std::uint64_t offset_ps, std::uint64_t dur_ps) {
  std::string event;
  PutUint(&event, 1, metadata);
  PutUint(&event, 2, offset_ps);
  if (dur_ps > 0) PutUint(&event, 3, dur_ps);
  return event;
}

std::string LineHead(std::uint64_t id, std::string_view name) {
  std::string line;
  PutUint(&line, 1, id);
  PutBytes(&line, 2, name);
  return line;
}

// An entry of XPlane.event_metadata (field 4) or stat_metadata (5).
void PutName(std::string* plane, std::uint32_t field, std::uint64_t id, std::string_view name) {
  std::string message;
  PutUint(&message, 1, id);
  PutBytes(&message, 2, name);
  PutMapEntry(plane, field, static_cast<std::int64_t>(id), message);
}

std::string Plane(std::string_view name) {
  std::string plane;
  PutBytes(&plane, 2, name);
  return plane;
}

std::string XSpaceSeries(std::uint32_t n) {
  std::string event = Event(1, 0, 0), plane = Plane("/host:CPU");
  for (std::uint32_t i = 1; i <= n; ++i) {
    std::string stat;
    PutUint(&stat, 1, i);
    PutUint(&stat, 3, i);
    PutBytes(&event, 4, stat);
  }
  std::string line = LineHead(1, "_counters_");
  PutBytes(&line, 4, event);
  PutBytes(&plane, 3, line);
  PutName(&plane, 4, 1, "counter");
  for (std::uint32_t i = 1; i <= n; ++i) PutName(&plane, 5, i, fmt::format("series {}", i));
  return plane;
}

std::string XSpaceThreads(std::uint32_t n) {
  std::string plane = Plane("/host:CPU");
  for (std::uint32_t i = 1; i <= n; ++i) {
    std::string line = LineHead(i, fmt::format("worker number {}", i));
    PutBytes(&line, 4, Event(1, 1000 * i, 8000));
    PutBytes(&plane, 3, line);
  }
  PutName(&plane, 4, 1, "work");
  return plane;
}

std::string XSpaceProcesses(std::uint32_t n) {
  std::string space;
  for (std::uint32_t i = 1; i <= n; ++i) {
    std::string plane = Plane(fmt::format("process number {}", i));
    std::string line = LineHead(1, "main");
    PutBytes(&line, 4, Event(1, 1000 * i, 8000));
    PutBytes(&plane, 3, line);
    PutName(&plane, 4, 1, "work");
    PutBytes(&space, 1, plane);
  }
  return space;
}

std::string XSpaceCounters(std::uint32_t n) {
  std::string plane = Plane("/host:CPU"), line = LineHead(1, "_counters_"), stat;
  PutUint(&stat, 1, 1);
  PutUint(&stat, 3, 5);
  for (std::uint32_t i = 1; i <= n; ++i) {
    std::string event = Event(i, 1000 * i, 0);
    PutBytes(&event, 4, stat);
    PutBytes(&line, 4, event);
  }
  PutBytes(&plane, 3, line);
  for (std::uint32_t i = 1; i <= n; ++i) PutName(&plane, 4, i, fmt::format("counter {}", i));
  PutName(&plane, 5, 1, "value");
  return plane;
}

struct EventLine {
  std::string_view plane, line, name;  // the name gets a number where the shape has many
  std::uint64_t step_ps, dur_ps, id_step;
};

std::string XSpaceEvents(const EventLine& shape, bool many_names, std::uint32_t n) {
  std::string plane = Plane(shape.plane), line = LineHead(1, shape.line);
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint64_t dur = shape.dur_ps != 0 ? shape.dur_ps : 2 * shape.step_ps * (n - i);
    PutBytes(&line, 4, Event(many_names ? (i + 1) * shape.id_step : 1, i * shape.step_ps, dur));
  }
  PutBytes(&plane, 3, line);
  for (std::uint32_t i = 0; i < (many_names ? n : 1); ++i) {
    const std::string name = many_names ? fmt::format("{}{}", shape.name, i) : "work";
    PutName(&plane, 4, many_names ? (i + 1) * shape.id_step : 1, name);
  }
  return plane;
}

std::string XSpacePlane(Shape shape, std::uint32_t n) {
  switch (shape) {
    case Shape::kSeries:
      return XSpaceSeries(n);
    case Shape::kSteps:
      return XSpaceEvents({"/device:GPU:0", "Steps", "", 10'000, 8'000, 1}, true, n);
    case Shape::kThreads:
      return XSpaceThreads(n);
    case Shape::kCounters:
      return XSpaceCounters(n);
    case Shape::kNames:
      return XSpaceEvents({"/host:CPU", "main", "event name ", 10'000, 8'000, 1}, true, n);
    case Shape::kTextIds:
      return XSpaceEvents({"/host:CPU", "main", "event name ", 10'000, 8'000, 1'000'003}, true, n);
    case Shape::kNested:
      return XSpaceEvents({"/host:CPU", "main", "frame", 1'000, 0, 1}, false, n);
    case Shape::kOverlaps:
      return XSpaceEvents({"/host:CPU", "main", "work", 10'000, 15'000, 1}, false, n);
    case Shape::kProcesses:
      break;
  }
  return {};
}

}  // namespace

std::string_view NameOf(Shape shape) {
  constexpr std::string_view kNames[] = {"series", "steps",    "threads", "processes", "counters",
                                         "names",  "text_ids", "nested",  "overlaps"};
  return kNames[static_cast<std::size_t>(shape)];
}

std::string ChromeShape(Shape shape, std::uint32_t n) {
  std::string out = "{\"traceEvents\":[\n";
  if (shape == Shape::kSeries) {
    ChromeSeries(n, &out);
  } else {
    for (std::uint32_t i = 0; i < n; ++i) {
      ChromeEvent(shape, i, &out);
      out += '\n';
    }
  }
  out += R"({"ph":"X","name":"last","pid":1,"tid":1,"ts":0,"dur":1}]})";
  return out;
}

std::string XSpaceShape(Shape shape, std::uint32_t n) {
  if (shape == Shape::kProcesses) return XSpaceProcesses(n);
  std::string space;
  PutBytes(&space, 1, XSpacePlane(shape, n));
  return space;
}

}  // namespace stepscope::test
