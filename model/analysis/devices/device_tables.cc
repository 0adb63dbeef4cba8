// The tables of devices: their use, overlap of computation and communication, copies, annotations.
#include "model/analysis/devices/device_tables.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <limits>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "model/analysis/devices/device_launches.h"
#include "model/analysis/grouping/host_activity.h"
#include "model/analysis/intervals/enclosing.h"
#include "model/analysis/intervals/event_order.h"
#include "model/analysis/intervals/ranges.h"
#include "model/analysis/naming/device_type.h"
#include "model/analysis/naming/kernel_rules.h"
#include "model/analysis/naming/op_name.h"
#include "model/analysis/tables/schema.h"
#include "model/capabilities.h"
#include "model/jobs/job.h"
#include "model/sparse_column.h"
#include "model/string_pool.h"

namespace stepscope {
namespace {

// Reads a column for rows that mostly ascend, such as those of a device's streams one after the
// other. A row that ascends takes O(1) amortised, another one O(log n). Borrows the column.
template <typename T>
class RunReader {
 public:
  explicit RunReader(const SparseColumn<T>& column) : cursor_(column) {}
  T Get(uint32_t row, T missing) {
    if (row < next_) cursor_.Seek(row);
    next_ = row;
    return cursor_.Get(row, missing);
  }

 private:
  ColumnCursor<T> cursor_;
  uint32_t next_ = ~uint32_t{0};
};

// How busy each device is, and how full its kernels make it.

// A mean weighted by time.
struct Mean {
  double sum = 0, weight = 0;
  void Add(double value, double w) { sum += value * w, weight += w; }
  std::optional<double> Get() const {
    return weight > 0 ? std::optional(sum / weight) : std::nullopt;
  }
};

// Sums how long anything runs. Takes events in order of begin.
struct BusySpan {
  Ps first = kMaxPs, last = kMinPs, busy = 0;
  void Add(Ps begin, Ps end) {
    first = std::min(first, begin);
    busy += std::max<Ps>(0, end - std::max(begin, last));
    last = std::max(last, end);
  }
};

struct DeviceUse {
  Mean occupancy, efficiency;
  int64_t kernels = 0, of_graphs = 0;
  std::vector<uint32_t> graphs;  // launches of graphs that were seen
  std::vector<EventRow> rows;
};

class UseReader {
 public:
  // `graphs`: by MetaId, whether it is a call that launches a graph.
  UseReader(AnalysisContext& context, const std::vector<bool>& graphs)
      : trace_(context.trace()),
        stats_(context.stats()),
        occupancy_(stats_.Real(RealStat::kOccupancyPct)),
        x_(stats_.Int(IntStat::kGridX)),
        y_(stats_.Int(IntStat::kGridY)),
        z_(stats_.Int(IntStat::kGridZ)),
        exec_(stats_.Int(IntStat::kCudaGraphExecId)),
        details_(stats_.Text(StringStat::kKernelDetails)),
        calls_(trace_.set),
        categories_(CapabilitiesOf(trace_).event_categories),
        graph_(graphs),
        any_graph_(std::find(graphs.begin(), graphs.end(), true) != graphs.end()) {}

  void Add(const DeviceEvent& e, int64_t processors, DeviceUse* use) {
    const StringId details = details_.Get(e.row, StringId(0));
    const bool kernel = categories_
                            ? trace_.names().metas[e.meta].category == EventCategory::kKernel
                            : details.value != 0;
    if (!kernel) return;
    ++use->kernels;
    use->rows.emplace_back(e.row);
    const double time = static_cast<double>(e.length());
    const double occupancy = details.value != 0 ? OccupancyIn(details) : occupancy_.Get(e.row, 0);
    if (occupancy > 0) use->occupancy.Add(occupancy, time);
    const int64_t x = x_.Get(e.row, 0);
    if (processors > 0 && x > 0) {  // a grid as numbers comes from Kineto
      const double blocks = static_cast<double>(x) * static_cast<double>(y_.Get(e.row, 1)) *
                            static_cast<double>(z_.Get(e.row, 1));
      use->efficiency.Add(std::min(1.0, blocks / static_cast<double>(processors)), time);
    }
    AddGraph(e, use);
  }

 private:
  void AddGraph(const DeviceEvent& e, DeviceUse* use) {
    const bool called = any_graph_ && e.launch.valid() && graph_[calls_.Meta(e.launch.value)];
    if (!called && exec_.Get(e.row, 0) == 0) return;
    ++use->of_graphs;
    if (e.launch.valid() && (use->graphs.empty() || use->graphs.back() != e.launch.value))
      use->graphs.push_back(e.launch.value);
  }
  double OccupancyIn(StringId details) {
    const auto [it, added] = of_details_.try_emplace(details.value, 0.0);
    if (added) it->second = ParseKernelDetails(stats_.strings->View(details)).occupancy_pct;
    return it->second;
  }

  const Trace& trace_;
  const StatTable& stats_;
  RunReader<double> occupancy_;
  RunReader<int64_t> x_, y_, z_, exec_;
  RunReader<StringId> details_;
  RowReader calls_;
  const bool categories_;
  const std::vector<bool>& graph_;
  const bool any_graph_;
  std::unordered_map<uint32_t, double> of_details_;
};

void SortUnique(std::vector<uint32_t>* ids) {
  std::sort(ids->begin(), ids->end());
  ids->erase(std::unique(ids->begin(), ids->end()), ids->end());
}

// The number of ids in `some` that are not in `others`.
int64_t Without(std::vector<uint32_t> some, std::vector<uint32_t> others) {
  SortUnique(&some);
  SortUnique(&others);
  std::vector<uint32_t> left;
  std::set_difference(some.begin(), some.end(), others.begin(), others.end(),
                      std::back_inserter(left));
  return static_cast<int64_t>(left.size());
}

struct DeviceUseRow {
  SharedText host, device, name;
  Ps busy = 0, span = 0;
  std::optional<double> occupancy_percent, efficiency_percent;
  int64_t kernels = 0, graph_kernels = 0, graph_launches = 0;
  EventRows rows;  // kernels
};

const Schema<DeviceUseRow>& DeviceUseSchema() {
  using D = DeviceUseRow;
  static const Schema<D> schema(
      "devices", "Devices",
      {{"host", "Host", Unit::kNone, &D::host},
       {"device", "Device", Unit::kNone, &D::device},
       {"name", "Name", Unit::kNone, &D::name, "as the recording has it"},
       {"busy_percent", "Busy in span", Unit::kPercent,
        [](const D& d) { return 100 * static_cast<double>(d.busy) / static_cast<double>(d.span); },
        "time with an event open (union) / from the first event to the last"},
       {"busyMs", "Busy time", Unit::kMs, &D::busy},
       {"spanMs", "Span", Unit::kMs, &D::span, "from the first event's begin to the last end"},
       {"occupancy_pct", "Mean occupancy", Unit::kPercent, &D::occupancy_percent,
        "of the kernels that have one, weighted by duration"},
       {"sm_efficiency_percent", "Estimated SM efficiency", Unit::kPercent, &D::efficiency_percent,
        "min(1, blocks of the grid / multiprocessors) of the kernels, weighted by duration; "
        "where both are recorded (PyTorch)"},
       {"kernels", "Kernels", Unit::kCount, &D::kernels},
       {"graph_kernels", "Of graphs", Unit::kCount, &D::graph_kernels,
        "kernels that the launch of a graph started"},
       {"graph_launches", "Graph launches", Unit::kCount, &D::graph_launches,
        "calls that started them, each once, where the first of its kernels begins"}},
      [](const D& d, const NoFacts&) { return LinkTo(d.rows); });
  return schema;
}

// Nothing for a device without events.
std::optional<DeviceUseRow> UseOf(AnalysisContext& context, const DeviceEvents& events,
                                  PlaneId device, const std::vector<bool>& graphs) {
  UseReader reader(context, graphs);
  const DeviceFacts facts = DeviceFactsOf(context.trace().planes[device.value]);
  BusySpan span;
  events.ForEachByBegin(device, [&](const DeviceEvent& e) { span.Add(e.begin, e.end); });
  if (span.first > span.last) return std::nullopt;
  DeviceUse use;
  events.ForEach(device, [&](const DeviceEvent& e) { reader.Add(e, facts.processors, &use); });
  DeviceUse before;  // a graph that began there is not launched again in the part asked for
  if (!use.graphs.empty())
    events.ForEachBefore(device, [&](const DeviceEvent& e) { reader.Add(e, 0, &before); });
  Mean percent = use.efficiency;
  percent.sum *= 100;
  return DeviceUseRow{events.HostOf(device),
                      events.NameOf(device),
                      facts.name,
                      span.busy,
                      span.last - span.first,
                      use.occupancy.Get(),
                      percent.Get(),
                      use.kernels,
                      use.of_graphs,
                      Without(use.graphs, before.graphs),
                      EventRows(std::move(use.rows))};
}

// Collectives that computation hides, and those that it does not (docs/rules.md#devices).

// Sums how long collectives and computation run, each the union of its events, and how long both
// run at once. Takes the events of a device in order of begin, so that it need not keep intervals.
class OverlapSums {
 public:
  // `spans`: the time that counts.
  explicit OverlapSums(const Ranges& spans)
      : counted_(spans), collectives_(spans), compute_(spans), hidden_(spans) {}

  void Add(const DeviceEvent& e) {
    const bool collective = e.time_class == TimeClass::kCollectives;
    if (!collective && !e.is_compute()) return;
    if (collective && counted_.Has(e.begin)) rows_.emplace_back(e.row);
    Sum& of = collective ? collectives_ : compute_;
    const Ps other_until = (collective ? compute_ : collectives_).until;
    const Ps begin = std::max(e.begin, of.until);
    if (e.end <= begin) return;
    of.Add(begin, e.end);
    // The other kind began before, so it runs from here to its end.
    if (other_until > begin) hidden_.Add(begin, std::min(e.end, other_until));
  }

  Ps collectives() const { return collectives_.time; }
  Ps compute() const { return compute_.time; }
  Ps hidden() const { return hidden_.time; }
  // The collectives that begin in the spans.
  std::vector<EventRow> TakeRows() {
    std::sort(rows_.begin(), rows_.end());
    return std::move(rows_);
  }

 private:
  struct Sum {
    explicit Sum(const Ranges& spans) : counted(spans) {}
    void Add(Ps begin, Ps end) {
      time += counted.LengthOf({begin, end});
      until = end;
    }
    SpanClip counted;
    Ps time = 0;
    Ps until = kMinPs;  // the end of the last interval
  };

  SpanCursor counted_;
  Sum collectives_, compute_, hidden_;
  std::vector<EventRow> rows_;
};

struct OverlapRow {
  SharedText host, device;
  Ps collectives = 0, hidden = 0, compute = 0;
  EventRows rows;  // collectives
};

const Schema<OverlapRow>& OverlapSchema() {
  using O = OverlapRow;
  static const Schema<O> schema(
      "overlap", "Overlap of computation and communication",
      {{"host", "Host", Unit::kNone, &O::host},
       {"device", "Device", Unit::kNone, &O::device},
       {"count", "Collectives", Unit::kCount, [](const O& o) { return o.rows.size(); },
        "events that are collectives, in the steps that count"},
       {"collectiveMs", "Collective time", Unit::kMs, &O::collectives,
        "with a collective open (union), in all steps that count"},
       {"hiddenMs", "Hidden", Unit::kMs, &O::hidden,
        "the part in which a kernel that is no collective runs on the device as well"},
       {"exposedMs", "Exposed", Unit::kMs, [](const O& o) { return o.collectives - o.hidden; },
        "collective time - hidden"},
       {"hiddenPercent", "Hidden share", Unit::kPercent,
        [](const O& o) {
          return o.collectives > 0 ? std::optional(100 * InMs(o.hidden) / InMs(o.collectives))
                                   : std::nullopt;
        },
        "hidden / collective time"},
       {"computeMs", "Compute time", Unit::kMs, &O::compute,
        "with a kernel open that is no collective (union), in all steps that count"}},
      [](const O& o, const NoFacts&) { return LinkTo(o.rows); });
  return schema;
}

// Copies by device, direction and kind of host memory.

constexpr size_t kDirections = 4, kMemories = 3;
constexpr std::array<const char*, kDirections> kDirectionNames = {
    "Other", "Host to device", "Device to host", "Device to device"};
constexpr std::array<const char*, kMemories> kMemoryNames = {"", "pageable", "pinned"};

constexpr int64_t kNoSize = std::numeric_limits<int64_t>::min();  // no copy has this size

HostMemory MemoryIn(std::string_view text) {
  if (ContainsIgnoreCase(text, "pageable")) return HostMemory::kPageable;
  return ContainsIgnoreCase(text, "pinned") ? HostMemory::kPinned : HostMemory::kUnknown;
}

bool IsCopy(const EventMeta& meta, std::string_view name) {
  return meta.category == EventCategory::kMemcpy || DirectionOf(name) != CopyDirection::kNone ||
         StartsWithIgnoreCase(name, "memcpy");
}

struct CopySum {
  Ps time = 0, timed = 0;  // `timed`: time of copies whose size is known
  int64_t bytes = 0, known = 0;
  std::vector<EventRow> rows;
};

struct CopyKind {
  bool copy;
  uint8_t direction;
  HostMemory memory;
};

std::vector<CopyKind> KindsByMeta(const NameTable& names) {
  std::vector<CopyKind> kinds;
  for (const EventMeta& meta : names.metas) {
    const std::string_view name = names.strings.View(meta.name);
    kinds.push_back({IsCopy(meta, name), static_cast<uint8_t>(DirectionOf(name)), MemoryIn(name)});
  }
  return kinds;
}

class CopyCollector {
 public:
  CopyCollector(const StatTable& stats, const std::vector<CopyKind>& kinds)
      : stats_(stats),
        bytes_(stats_.Int(IntStat::kBytes)),
        details_(stats_.Text(StringStat::kMemcpyDetails)),
        kinds_(kinds) {}

  void Add(const DeviceEvent& e) {
    const CopyKind& kind = kinds_[e.meta];
    if (!kind.copy) return;
    const StringId text = details_.Get(e.row, StringId(0));
    const std::string_view details =
        text.value != 0 ? stats_.strings->View(text) : std::string_view();
    const HostMemory memory = kind.memory == HostMemory::kUnknown ? MemoryIn(details) : kind.memory;
    CopySum& sum = sums_[kind.direction * kMemories + static_cast<size_t>(memory)];
    sum.time += e.length();
    sum.rows.emplace_back(e.row);
    const int64_t recorded = bytes_.Get(e.row, kNoSize);
    const std::optional<int64_t> size =
        recorded != kNoSize ? std::optional(recorded) : SizeInCopyDetails(details);
    if (size) sum.bytes += *size, sum.timed += e.length(), ++sum.known;
  }
  std::array<CopySum, kDirections * kMemories> Take() { return std::exchange(sums_, {}); }

 private:
  const StatTable& stats_;
  RunReader<int64_t> bytes_;
  RunReader<StringId> details_;
  const std::vector<CopyKind>& kinds_;  // by MetaId
  std::array<CopySum, kDirections * kMemories> sums_;
};

const Schema<DeviceCopies>& CopySchema() {
  using C = DeviceCopies;
  static const Schema<C> schema(
      "copies", "Copies",
      {{"host", "Host", Unit::kNone, &C::host},
       {"device", "Device", Unit::kNone, &C::device},
       {"direction", "Direction", Unit::kNone,
        [](const C& c) { return kDirectionNames[static_cast<size_t>(c.direction)]; },
        "by the event's name"},
       {"memory", "Host memory", Unit::kNone,
        [](const C& c) { return kMemoryNames[static_cast<size_t>(c.memory)]; },
        "pinned or pageable, where the recording tells"},
       {"count", "Count", Unit::kCount, [](const C& c) { return c.rows.size(); }},
       {"bytes", "Bytes", Unit::kBytes, &C::bytes, "of the copies whose size is recorded"},
       {"timeMs", "Time", Unit::kMs, &C::time, "sum of durations"},
       {"gbPerS", "GB/s", Unit::kNone, &C::gb_per_s,
        "bytes / time of the copies whose size is recorded; 10^9 bytes"}},
      [](const C& c, const NoFacts&) { return LinkTo(c.rows); });
  return schema;
}

// Device time by the annotation around the launch: by what the program said that it was doing.

// Names of annotations; all steps have one name.
class AnnotationNames {
 public:
  explicit AnnotationNames(const NameTable& names) : names_(names), wanted_(names.metas.size()) {
    for (size_t m = 0; m < wanted_.size(); ++m) {
      const EventCategory c = names.metas[m].category;
      wanted_[m] = c == EventCategory::kUserAnnotation ||
                   (c == EventCategory::kStep &&
                    names.Name(MetaId(static_cast<uint32_t>(m))).starts_with("ProfilerStep#"));
    }
  }
  const std::vector<bool>& wanted() const { return wanted_; }
  std::string_view Of(MetaId meta) const {
    const std::string_view name = names_.Name(meta);
    const bool step = names_.metas[meta.value].category == EventCategory::kStep;
    return step ? name.substr(0, name.find('#')) : name;
  }

 private:
  const NameTable& names_;
  std::vector<bool> wanted_;
};

struct AnnotationSum {
  std::string_view name;
  Ps time = 0;
  std::vector<EventRow> rows;
};

// The first is for no annotation.
std::vector<AnnotationSum> SumsOfAnnotations(const DeviceEvents& events, const Trace& trace) {
  const AnnotationNames names(trace.names());
  const Enclosing annotations(trace, names.wanted());
  if (annotations.empty()) return {};
  Enclosing::Reader reader(annotations);
  std::vector<uint32_t> place(trace.names().metas.size(), 0);  // by MetaId: index + 1
  std::vector<AnnotationSum> sums(1);
  std::unordered_map<std::string_view, uint32_t> places;
  for (const PlaneId device : events.devices()) {
    events.ForEach(device, [&](const DeviceEvent& e) {
      const EventRow around = reader.Around(e.launch);
      uint32_t at = 0;
      if (around.valid()) {
        const MetaId meta = trace.set.Meta(around);
        if (place[meta.value] == 0) {
          const std::string_view name = names.Of(meta);
          const auto [it, added] = places.try_emplace(name, static_cast<uint32_t>(sums.size()));
          if (added) sums.push_back({name, 0, {}});
          place[meta.value] = it->second + 1;
        }
        at = place[meta.value] - 1;
      }
      sums[at].time += e.length();
      sums[at].rows.emplace_back(e.row);
    });
  }
  return sums;
}

struct AnnotationRow {
  SharedText name;
  Ps time = 0;
  EventRows rows;
};

struct AllAnnotations {
  double time = 0;  // ps
};

const Schema<AnnotationRow, AllAnnotations>& AnnotationSchema() {
  using A = AnnotationRow;
  static const Schema<A, AllAnnotations> schema(
      "by_annotation", "By annotation",
      {{"name", "Annotation", Unit::kNone, &A::name,
        "the innermost user annotation that encloses the launch, on its thread; steps are one"},
       {"count", "Count", Unit::kCount, [](const A& a) { return a.rows.size(); },
        "kernels, copies and fills"},
       {"timeMs", "Device time", Unit::kMs, &A::time, "sum of durations, all devices"},
       {"share", "Share of time", Unit::kFraction,
        [](const A& a, const AllAnnotations& all) {
          return static_cast<double>(a.time) / all.time;
        },
        "of all device events"}},
      [](const A& a, const AllAnnotations&) { return LinkTo(a.rows); });
  return schema;
}

}  // namespace

ResultTable DeviceTable(AnalysisContext& context, const DeviceEvents& events) {
  const std::vector<bool> graphs = GraphLaunches(context.trace());
  return DeviceUseSchema().Make(RowsOfDevices<DeviceUseRow>(events, [&](PlaneId device, auto* to) {
    if (auto use = UseOf(context, events, device, graphs)) to->push_back(*std::move(use));
  }));
}

ResultTable OverlapTable(const DeviceEvents& events, const StepSpans& steps) {
  return OverlapSchema().Make(RowsOfDevices<OverlapRow>(events, [&](PlaneId device, auto* to) {
    if (!steps.none() && steps.Of(device) == nullptr) return;
    static const Ranges kAll = {{kMinPs, kMaxPs}};
    const Ranges* spans = steps.Of(device);
    OverlapSums sums(spans != nullptr ? *spans : kAll);
    events.ForEachByBegin(device, [&](const DeviceEvent& e) { sums.Add(e); });
    if (sums.collectives() == 0 && sums.compute() == 0) return;
    to->push_back({events.HostOf(device), events.NameOf(device), sums.collectives(), sums.hidden(),
                   sums.compute(), EventRows(sums.TakeRows())});
  }));
}

std::optional<int64_t> SizeInCopyDetails(std::string_view details) {
  constexpr std::string_view kKey = "size:";
  const size_t at = details.find(kKey);
  if (at == std::string_view::npos) return std::nullopt;
  int64_t size = 0;
  const char* begin = details.data() + at + kKey.size();
  const auto [end, error] = std::from_chars(begin, details.data() + details.size(), size);
  if (error != std::errc() || end == begin) return std::nullopt;
  return size;
}

std::vector<DeviceCopies> CopiesOf(AnalysisContext& context, const DeviceEvents& events) {
  const StatTable& stats = context.stats();
  const std::vector<CopyKind> kinds = KindsByMeta(context.trace().names());
  return RowsOfDevices<DeviceCopies>(events, [&](PlaneId device, auto* to) {
    CopyCollector collector(stats, kinds);
    events.ForEach(device, [&](const DeviceEvent& e) { collector.Add(e); });
    auto sums = collector.Take();
    for (size_t i = 0; i < sums.size(); ++i) {
      const size_t kind = (i + kMemories) % sums.size();  // unknown directions last
      CopySum& s = sums[kind];
      if (s.rows.empty()) continue;
      DeviceCopies& copies = to->emplace_back();
      copies.host = events.HostOf(device), copies.device = events.NameOf(device);
      copies.direction = static_cast<CopyDirection>(kind / kMemories);
      copies.memory = static_cast<HostMemory>(kind % kMemories);
      copies.time = s.time, copies.timed = s.timed;
      if (s.known > 0) copies.bytes = s.bytes;
      copies.rows = EventRows(std::move(s.rows));
    }
  });
}

std::optional<double> DeviceCopies::gb_per_s() const {
  if (!bytes) return std::nullopt;
  const double seconds = static_cast<double>(timed) / static_cast<double>(kPsPerS);
  return static_cast<double>(*bytes) / 1e9 / seconds;
}

ResultTable MakeCopyTable(const std::vector<DeviceCopies>& copies) {
  return CopySchema().Make(copies);
}

ResultTable AnnotationTable(AnalysisContext& context, const DeviceEvents& events) {
  std::vector<AnnotationSum> sums = SumsOfAnnotations(events, context.trace());
  std::erase_if(sums, [](const AnnotationSum& s) { return s.rows.empty(); });
  std::stable_sort(sums.begin(), sums.end(), [](const AnnotationSum& a, const AnnotationSum& b) {
    return a.time != b.time ? a.time > b.time : a.name < b.name;
  });
  AllAnnotations all;
  std::vector<AnnotationRow> rows;
  for (AnnotationSum& s : sums) {
    all.time += static_cast<double>(s.time);
    rows.push_back({SharedText(s.name.empty() ? "(no annotation)" : s.name), s.time,
                    EventRows(std::move(s.rows))});
  }
  return AnnotationSchema().Make(rows, all);
}

}  // namespace stepscope
