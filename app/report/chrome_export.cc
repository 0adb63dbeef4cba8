#include "app/report/chrome_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/report/exported_event.h"
#include "model/base/key_table.h"
#include "model/capabilities.h"
#include "model/jobs/job.h"
#include "model/lookup.h"
#include "model/query/event_args.h"
#include "model/query/find_events.h"
#include "model/query/time_order.h"

namespace stepscope {
namespace {

constexpr size_t kWrittenBatch = 16'384;  // events that are written side by side
constexpr size_t kWriteAtOnce = 64;       // by one thread
constexpr int kMostGaps = 256;  // looked at to find a time at which a slice is the innermost

// Writes a time in microseconds, with all digits of its picoseconds.
std::string Micros(Ps t) {
  const uint64_t size = t < 0 ? uint64_t{0} - static_cast<uint64_t>(t) : static_cast<uint64_t>(t);
  std::string text = fmt::format("{}{}", t < 0 ? "-" : "", size / 1'000'000);
  if (size % 1'000'000 == 0) return text;
  text += fmt::format(".{:06}", size % 1'000'000);
  text.erase(text.find_last_not_of('0') + 1);
  return text;
}

// PyTorch's name of a category, for recordings of other formats. Empty where PyTorch has none.
std::string_view NameOfCategory(EventCategory category, bool on_device) {
  using enum EventCategory;
  if (category == kUserAnnotation || category == kStep)
    return on_device ? "gpu_user_annotation" : "user_annotation";
  if (category == kOverhead) return on_device ? "cuda_sync" : "overhead";
  static constexpr std::pair<EventCategory, std::string_view> kNames[] = {
      {kKernel, "kernel"},
      {kMemcpy, "gpu_memcpy"},
      {kMemset, "gpu_memset"},
      {kRuntimeCall, "cuda_runtime"},
      {kCpuOp, "cpu_op"},
      {kPythonFunction, "python_function"},
      {kGpuUserAnnotation, "gpu_user_annotation"},
      {kHostEvent, "cpu_instant_event"},
      {kCommunication, "collective_comm"}};
  return FindValue(kNames, category, {});
}

class Exporter {
 public:
  Exporter(const Trace& trace, TimeRange range, const TextSink& sink)
      : trace_(trace),
        range_(range),
        places_(PlacesOf(trace)),
        categories_(FileCategories(trace)),
        chrome_(CapabilitiesOf(trace).chrome_events),
        out_(sink) {}

  Status Run() {
    if (Status s = ReadTypedStats(); !s.ok()) return s;
    Begin();
    for (size_t p = 0; p < trace_.planes.size(); ++p) AddProcess(p);
    for (const Plane& plane : trace_.planes) {
      for (const TrackId id : plane.tracks) {
        if (Status s = AddSlices(id); !s.ok()) return s;
      }
    }
    if (Status s = Flush(); !s.ok()) return s;
    for (const Plane& plane : trace_.planes) AddCounters(plane);
    for (size_t f = 0; f < trace_.flows.size(); ++f) AddFlow(f);
    out_ += "\n]}\n";
    out_.Flush();
    return {};
  }

 private:
  struct Listed {
    const Lane* lane;
    uint32_t index;
  };

  // Reads the typed stats of a format that names its arguments in neither PyTorch's nor XProf's
  // words: they are exported in PyTorch's.
  Status ReadTypedStats() {
    if (CapabilitiesOf(trace_).argument_names || !trace_.source) return {};
    auto stats = trace_.source->LoadTyped(trace_, {});
    if (!stats.ok()) return stats.status();
    stats_ = std::move(stats).value();
    return {};
  }

  static std::string Quoted(std::string_view text) {
    std::string out;
    AppendQuoted(text, &out);
    return out;
  }
  std::string_view Text(StringId id) const { return trace_.names().strings.View(id); }

  // Writes the members that say when and where. `stepscopeOrigin` says that times count from the
  // origin, even if no event begins there.
  void Begin() {
    out_ += "{\"displayTimeUnit\":\"ns\",\"stepscopeOrigin\":true,\n";
    if (trace_.origin_unix_ns > 0)
      out_ += fmt::format("\"baseTimeNanoseconds\":{},\n", trace_.origin_unix_ns);
    if (trace_.hosts.size() == 1) {
      const Host& host = trace_.hosts.front();
      if (!Text(host.name).empty()) out_ += "\"host_name\":" + Quoted(Text(host.name)) + ",\n";
      if (host.rank >= 0) out_ += fmt::format("\"distributedInfo\":{{\"rank\":{}}},\n", host.rank);
    }
    AddDevices();
    out_ += "\"traceEvents\":[";
  }

  void AddDevices() {
    std::string devices;
    for (const Plane& plane : trace_.planes) {
      if (!trace_.kineto || plane.kind != PlaneKind::kGpu || plane.stats.empty()) continue;
      std::vector<Stat> stats;
      for (const PlaneStat& s : plane.stats) stats.push_back({s.name, s.value});
      devices += devices.empty() ? "" : ",";
      AppendArgs(stats, false, &devices);
    }
    if (!devices.empty()) out_ += "\"deviceProperties\":[" + devices + "],\n";
  }

  void Add(std::string_view record) {
    out_ += first_ ? "\n" : ",\n";
    out_ += record;
    first_ = false;
  }

  void AddMetadata(const char* name, int64_t pid, int64_t tid, const std::string& args) {
    Add(fmt::format(R"({{"ph":"M","name":"{}","pid":{},"tid":{},"args":{{{}}}}})", name, pid, tid,
                    args));
  }

  bool HasAny(const Track& track) const {
    if (!track.counters.empty()) return true;
    const auto lanes = trace_.set.LanesOf(track);
    return std::any_of(lanes.begin(), lanes.end(), [this](const Lane& lane) {
      const LaneRange range = InRange(lane);
      return range.first < range.end;
    });
  }

  // Writes names and sort order of the process and of those of its threads that have something in
  // the range.
  void AddProcess(size_t p) {
    const Plane& plane = trace_.planes[p];
    const ExportPlaces::Process& process = places_.processes[p];
    std::vector<size_t> shown;
    for (size_t t = 0; t < plane.tracks.size(); ++t) {
      if (HasAny(trace_.set.tracks[plane.tracks[t].value])) shown.push_back(t);
    }
    if (shown.empty()) return;
    if (!process.name.empty())
      AddMetadata("process_name", process.pid, 0, "\"name\":" + Quoted(process.name));
    if (!process.labels.empty())
      AddMetadata("process_labels", process.pid, 0, "\"labels\":" + Quoted(process.labels));
    AddMetadata("process_sort_index", process.pid, 0, fmt::format("\"sort_index\":{}", p));
    for (const size_t t : shown) {
      const Track& track = trace_.set.tracks[plane.tracks[t].value];
      const ExportPlaces::Thread& thread = places_.threads[plane.tracks[t].value];
      if (track.lane_count == 0) continue;
      if (!thread.name.empty())
        AddMetadata("thread_name", process.pid, thread.tid, "\"name\":" + Quoted(thread.name));
      if (thread.first)
        AddMetadata("thread_sort_index", process.pid, thread.tid,
                    fmt::format("\"sort_index\":{}", t));
    }
  }

  LaneRange InRange(const Lane& lane) const {
    if (range_.empty()) return {&lane, 0, lane.size()};
    const auto [first, end] = EventsIn(lane, range_);
    return {&lane, first, end};
  }

  Status AddSlices(TrackId id) {
    std::vector<LaneRange> ranges;
    for (const Lane& lane : trace_.set.LanesOf(trace_.set.tracks[id.value]))
      ranges.push_back(InRange(lane));
    Status status;
    ForEachInTimeOrder(ranges, [&](const Lane& lane, uint32_t index) {
      batch_.push_back({&lane, index});
      if (batch_.size() == kWrittenBatch) status = Flush();
      return status.ok();
    });
    return status;
  }

  Status Flush() {
    const size_t tasks = (batch_.size() + kWriteAtOnce - 1) / kWriteAtOnce;
    std::vector<std::string> texts(tasks);
    std::vector<Status> errors(tasks);
    ParallelFor(tasks, [&](size_t task) {
      const size_t end = std::min(batch_.size(), (task + 1) * kWriteAtOnce);
      ArgsReader reader(trace_);
      for (size_t i = task * kWriteAtOnce; i < end && errors[task].ok(); ++i) {
        texts[task] += i == task * kWriteAtOnce ? "" : ",\n";
        errors[task] = AppendEvent(batch_[i], &reader, &texts[task]);
      }
    });
    batch_.clear();
    for (size_t task = 0; task < tasks; ++task) {
      if (!errors[task].ok()) return errors[task];
      Add(texts[task]);
    }
    return {};
  }

  Status AppendEvent(const Listed& event, ArgsReader* reader, std::string* out) const {
    const Lane& lane = *event.lane;
    const bool instant = lane.kind == LaneKind::kInstant;
    const MetaId meta(lane.meta[event.index]);
    AppendPlace(instant ? 'i' : 'X', lane, lane.start[event.index], out);
    if (instant) {
      *out += ",\"s\":\"t\"";
    } else {
      *out += ",\"dur\":" + Micros(lane.dur[event.index]);
    }
    *out += ",\"name\":";
    AppendQuoted(trace_.names().Name(meta), out);
    if (const std::string_view category = CategoryOf(lane, meta); !category.empty()) {
      *out += ",\"cat\":";
      AppendQuoted(category, out);
    }
    const EventRow row(lane.first_row + event.index);
    Result<std::vector<Stat>> args = reader->Read(row);
    if (!args.ok()) return args.status();
    // In a Chrome trace these stand beside the arguments: they are written there, or not at all.
    if (chrome_) std::erase_if(args.value(), [](const Stat& stat) { return stat.from_metadata; });
    AppendArgsOf(row, *args, out);
    *out += '}';
    return {};
  }

  void AppendArgsOf(EventRow row, const std::vector<Stat>& own, std::string* out) const {
    std::vector<Stat> more;
    if (stats_ != nullptr) more = TorchArgs(*stats_, row, own);
    if (own.empty() && more.empty()) return;
    *out += ",\"args\":";
    if (own.empty()) return AppendArgs(more, true, out);
    AppendArgs(own, chrome_, out);
    if (more.empty()) return;
    std::string text;
    AppendArgs(more, true, &text);
    out->back() = ',';  // replaces the closing brace
    out->append(text, 1);
  }

  // The category as the file has it, else the one that the loader derived.
  std::string_view CategoryOf(const Lane& lane, MetaId meta) const {
    if (meta.value < categories_.size() && !categories_[meta.value].empty())
      return categories_[meta.value];
    if (chrome_ || !trace_.kineto || meta.value >= trace_.names().metas.size()) return {};
    const PlaneId plane = trace_.set.tracks[lane.track.value].plane;
    const bool on_device = trace_.planes[plane.value].kind == PlaneKind::kGpu;
    return NameOfCategory(trace_.names().metas[meta.value].category, on_device);
  }

  void AppendPlace(char ph, const Lane& lane, Ps time, std::string* out) const {
    const PlaneId plane = trace_.set.tracks[lane.track.value].plane;
    *out += fmt::format(R"({{"ph":"{}","pid":{},"tid":{},"ts":{})", ph,
                        places_.processes[plane.value].pid, places_.threads[lane.track.value].tid,
                        Micros(time));
  }

  // Counters that the loader makes from the allocator's events; it makes them again when it reads
  // the export.
  bool IsMadeOfEvents(const Track& track) const {
    if (!trace_.kineto) return false;
    return std::all_of(track.counters.begin(), track.counters.end(), [this](const auto& series) {
      return Text(series.name) == "allocated" || Text(series.name) == "reserved";
    });
  }

  void AddCounters(const Plane& plane) {
    std::vector<StringId> names;
    for (const TrackId id : plane.tracks) {
      const Track& track = trace_.set.tracks[id.value];
      if (track.counters.empty() || IsMadeOfEvents(track)) continue;
      const auto again = static_cast<size_t>(std::count(names.begin(), names.end(), track.name));
      names.push_back(track.name);
      AddCounter(track, again);
    }
  }

  // Writes samples of the same time as one record. `again` counts the earlier counters of the
  // same name.
  void AddCounter(const Track& track, size_t again) {
    std::string head = fmt::format(R"({{"ph":"C","pid":{},"tid":0,"name":)",
                                   places_.processes[track.plane.value].pid);
    AppendQuoted(Text(track.name), &head);
    if (again > 0) head += fmt::format(",\"id\":{}", again);
    std::vector<size_t> next, end;
    for (const CounterSeries& series : track.counters) {
      const auto [first, last] = SamplesIn(series);
      next.push_back(first);
      end.push_back(last);
    }
    while (true) {
      Ps time = kMaxPs;
      bool any = false;
      for (size_t s = 0; s < next.size(); ++s) {
        if (next[s] == end[s]) continue;
        time = std::min(time, track.counters[s].time[next[s]]);
        any = true;
      }
      if (!any) return;
      std::vector<Stat> values;
      for (size_t s = 0; s < next.size(); ++s) {
        const CounterSeries& series = track.counters[s];
        if (next[s] == end[s] || series.time[next[s]] != time) continue;
        const double value = series.value[next[s]++];
        if (std::isfinite(value)) values.push_back({std::string(Text(series.name)), value});
      }
      if (values.empty()) continue;
      std::string record = head + ",\"ts\":" + Micros(time) + ",\"args\":";
      AppendArgs(values, false, &record);
      Add(record + "}");
    }
  }

  // The samples in the range, and the one before it, whose value holds at its begin.
  std::pair<size_t, size_t> SamplesIn(const CounterSeries& series) const {
    if (range_.empty()) return {0, series.time.size()};
    const auto begin = series.time.begin();
    auto first = std::upper_bound(begin, series.time.end(), range_.begin);
    if (first != begin) --first;
    const auto last = std::lower_bound(first, series.time.end(), range_.end);
    return {static_cast<size_t>(first - begin), static_cast<size_t>(last - begin)};
  }

  // One end of an arrow: a slice, and a time in it.
  struct End {
    const Lane* lane = nullptr;
    uint32_t index = 0;
    Ps time = 0;
  };

  // Finds a time, not before `least`, at which the slice is the innermost, because readers bind
  // an arrow to the innermost slice. Falls back to its begin or `least`, whichever is later.
  End EndAt(EventRow row, Ps least) const {
    const LaneId id = trace_.set.LaneOf(row);
    if (!id.valid()) return {};
    const Lane& lane = trace_.set.lanes[id.value];
    const uint32_t index = row.value - lane.first_row;
    const LaneRange range = InRange(lane);
    if (index < range.first || index >= range.end) return {};
    const auto lanes = trace_.set.LanesOf(trace_.set.tracks[lane.track.value]);
    const size_t below = size_t{lane.depth} + 1;
    const bool nested = lane.kind == LaneKind::kNested && below < lanes.size() &&
                        lanes[below].kind == LaneKind::kNested;
    const Ps from = std::max(lane.start[index], least);
    Ps time = from;
    for (int gap = 0; nested && gap < kMostGaps && time < lane.end(index); ++gap) {
      const std::optional<uint32_t> child = EventAt(lanes[below], time);
      if (!child) return {&lane, index, time};
      time = std::max(lanes[below].end(*child), time + 1);
    }
    return {&lane, index, nested ? from : time};
  }

  void AddFlow(size_t number) {
    const Flow& flow = trace_.flows[number];
    const End from = EndAt(flow.from, kMinPs);
    const End to = EndAt(flow.to, from.time);
    if (from.lane == nullptr || to.lane == nullptr) return;
    std::string name = Quoted(Text(flow.category).empty() ? "flow" : Text(flow.category));
    for (const bool begin : {true, false}) {
      const End& end = begin ? from : to;
      std::string record;
      AppendPlace(begin ? 's' : 'f', *end.lane, end.time, &record);
      record += fmt::format(",\"id\":{},\"name\":{},\"cat\":{}", number + 1, name, name);
      Add(record + (begin ? "}" : ",\"bp\":\"e\"}"));
    }
  }

  const Trace& trace_;
  const TimeRange range_;
  const ExportPlaces places_;
  const std::vector<std::string> categories_;  // by MetaId
  const bool chrome_;
  std::shared_ptr<const StatTable> stats_;  // null where the arguments of events say it all
  TextBuffer out_;
  bool first_ = true;
  std::vector<Listed> batch_;
};

}  // namespace

Status WriteChromeTrace(const Trace& trace, TimeRange range, const TextSink& sink) {
  return Exporter(trace, range, sink).Run();
}

}  // namespace stepscope
