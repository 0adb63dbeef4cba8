// Collecting the op database: host lines by a sweep over begin and end points, device planes by a
// pass over events.
#include <algorithm>
#include <map>
#include <unordered_map>

#include "model/analysis/column_cursor.h"
#include "model/analysis/event_order.h"
#include "model/analysis/grouping.h"
#include "model/analysis/op_name.h"
#include "model/analysis/op_stats.h"
#include "model/analysis/steps.h"
#include "model/analysis/tpu.h"
#include "model/base/sort_runs.h"
#include "model/base/task.h"
#include "model/lookup.h"

namespace stepscope {
namespace {

constexpr uint32_t kNone = 0xffffffffu;

struct Slot {  // an op of one host: its name; the type may differ between events of a name
  std::string name;
  bool stage = false;
};

// Op names of one host, numbered. Filled before the lines are read in parallel.
class Slots {
 public:
  uint32_t Of(std::string_view name, bool stage = false) {
    std::string key = (stage ? "s" : "o") + std::string(name);
    auto [it, added] = index_.try_emplace(std::move(key), static_cast<uint32_t>(slots_.size()));
    if (added) slots_.push_back({std::string(name), stage});
    return it->second;
  }
  const std::vector<Slot>& all() const { return slots_; }

 private:
  std::vector<Slot> slots_;
  std::unordered_map<std::string, uint32_t> index_;
};

struct OpId {
  uint32_t slot = kNone;
  std::string_view type;
  bool IsEnqueue() const { return type.starts_with("InfeedEnqueue"); }
};

// As many of them as there is room for.
void AppendLinks(const std::vector<EventRow>& from, std::vector<EventRow>* to) {
  const size_t room = kMaxOpLinks - std::min(to->size(), kMaxOpLinks);
  const auto n = static_cast<ptrdiff_t>(std::min(room, from.size()));
  to->insert(to->end(), from.begin(), from.begin() + n);
}

struct Sum {
  uint64_t occurrences = 0;
  Ps time = 0, self = 0;
  bool eager = false;
  std::string_view type;
  std::vector<EventRow> rows;
  void Add(Ps duration, Ps own, bool is_eager, std::string_view its_type, uint32_t row) {
    ++occurrences;
    time += duration;
    self += own;
    eager = eager || is_eager;
    if (type.empty()) type = its_type;
    if (rows.size() < kMaxOpLinks) rows.push_back(EventRow(row));
  }
};

struct LineOps {
  std::vector<Sum> sums;  // by slot
  Ps total = 0, busy = 0;
  double enqueue_busy = 0, enqueue_period = 0;
};

// One op of an event on a line.
struct Interval {
  Ps begin, end;
  const OpId* op;
  uint32_t row;
  bool eager;
};

// XProf's sweep: points sorted by time, then as inserted; an end pops until its own begin, whatever
// lies between. Where nested ops end together the outer end comes first, and what is then missing
// empties the stack.
void SweepXprof(const std::vector<Interval>& ops, LineOps* out) {
  struct Point {
    Ps time;
    uint32_t index;  // 2 * op, + 1 at the end
    bool operator<(const Point& o) const {
      return time != o.time ? time < o.time : index < o.index;
    }
  };
  struct Open {
    uint32_t op;
    Ps children;
  };
  std::vector<Point> points;
  points.reserve(2 * ops.size());
  for (uint32_t i = 0; i < ops.size(); ++i) {
    points.push_back({ops[i].begin, 2 * i});
    points.push_back({ops[i].end, 2 * i + 1});
  }
  std::sort(points.begin(), points.end());
  std::vector<Open> stack;
  for (const Point& p : points) {
    uint32_t op = p.index / 2;
    if (p.index % 2 == 0) {
      stack.push_back({op, 0});
      continue;
    }
    while (!stack.empty() && stack.back().op != op) stack.pop_back();
    if (stack.empty()) continue;
    Open open = stack.back();
    stack.pop_back();
    const Interval& o = ops[op];
    Ps duration = std::max<Ps>(0, o.end - o.begin);
    out->sums[o.op->slot].Add(duration, duration - open.children, o.eager, o.op->type, o.row);
    out->busy += duration - open.children;
    if (!stack.empty()) stack.back().children += duration;
  }
  out->total = std::max(out->busy, points.back().time - points.front().time);
}

// Ours: at each moment the op that began last has the time, so that self times sum to the union.
void SweepOwn(const std::vector<Interval>& ops, LineOps* out) {
  std::vector<Ps> self(ops.size());
  std::vector<uint32_t> stack;
  Ps cursor = ops.front().begin, last = ops.front().end;
  auto advance = [&](Ps to) {
    while (!stack.empty() && cursor < to) {
      uint32_t top = stack.back();
      if (ops[top].end > cursor) {
        Ps until = std::min(ops[top].end, to);
        self[top] += until - cursor;
        cursor = until;
      }
      if (ops[top].end <= cursor) stack.pop_back();
    }
    cursor = std::max(cursor, to);
  };
  for (uint32_t i = 0; i < ops.size(); ++i) {
    advance(ops[i].begin);
    stack.push_back(i);
    last = std::max(last, ops[i].end);
  }
  advance(last);
  for (uint32_t i = 0; i < ops.size(); ++i) {
    const Interval& o = ops[i];
    out->sums[o.op->slot].Add(o.end - o.begin, self[i], o.eager, o.op->type, o.row);
    out->busy += self[i];
  }
  out->total = last - ops.front().begin;
}

// Durations of infeed enqueue calls but the last, over the distance of their starts (5.3).
void AddEnqueues(const std::vector<Interval>& ops, LineOps* out) {
  const Interval* before = nullptr;
  for (const Interval& o : ops) {
    if (!o.op->IsEnqueue()) continue;
    if (before) {
      out->enqueue_busy += static_cast<double>(before->end - before->begin);
      out->enqueue_period += static_cast<double>(o.begin - before->begin);
    }
    before = &o;
  }
}

class HostCollector {
 public:
  HostCollector(AnalysisContext& context, uint32_t host, const std::stop_token& stop)
      : trace_(context.trace()),
        stats_(context.stats(stop)),
        order_(context.order(stop)),
        grouping_(context.grouping(stop)),
        xprof_(context.xprof()),
        kineto_(trace_.kineto),
        json_(trace_.format == TraceFormat::kChromeJson && !kineto_),
        host_(host) {}

  void Collect(HostOps* out, std::stop_token stop);

 private:
  void NameOps();
  std::vector<Interval> IntervalsOf(const Track& track) const;
  void AddDeviceTimes(const std::vector<OpId>& by_meta, std::vector<Ps>* times) const;

  const Trace& trace_;
  const StatTable& stats_;
  const EventOrder& order_;
  const Grouping& grouping_;
  const bool xprof_, kineto_, json_;  // json_: a trace.json of TensorFlow or JAX
  const uint32_t host_;
  std::vector<uint32_t> tracks_;
  Slots slots_;
  std::vector<OpId> by_meta_, by_tf_op_;
  std::unordered_map<uint32_t, OpId> by_row_;  // input-pipeline stages
};

void HostCollector::NameOps() {
  const NameTable& names = trace_.names();
  by_meta_.resize(names.metas.size());
  by_tf_op_.resize(stats_.strings ? stats_.strings->size() : 0);
  for (size_t m = 0; m < names.metas.size(); ++m) {
    const EventMeta& meta = names.metas[m];
    bool ours = trace_.format == TraceFormat::kChromeJson ||
                (meta.plane.value < trace_.planes.size() &&
                 trace_.planes[meta.plane.value].host.value == host_ &&
                 IsHostCpu(trace_, trace_.planes[meta.plane.value]));
    if (!ours) continue;
    std::string_view name = names.strings.View(meta.name);
    if (kineto_) {
      if (meta.category != EventCategory::kCpuOp) continue;
      by_meta_[m] = {slots_.Of(name), TorchOpType(name)};
      continue;
    }
    OpName op = ParseOpName(name);
    if (op.category != OpCategory::kUnknown) by_meta_[m] = {slots_.Of(op.name), op.type};
  }
  const auto& tf_ops = stats_.Text(StringStat::kTfOp);
  for (uint32_t t : tracks_) {
    ForColumn(tf_ops, RowsOf(trace_.set, trace_.set.tracks[t]), [&](uint32_t, StringId id) {
      if (id.value == 0 || id.value >= by_tf_op_.size() || by_tf_op_[id.value].slot != kNone)
        return;
      OpName op = ParseOpName(stats_.strings->View(id));
      // A trace.json's long_name is read as tf_op, and any event may have one.
      if (json_ && op.category == OpCategory::kUnknown) return;
      by_tf_op_[id.value] = {slots_.Of(op.name), op.type};
    });
    const auto& stages = stats_.Int(IntStat::kIplStageId);
    ForColumn(stages, RowsOf(trace_.set, trace_.set.tracks[t]), [&](uint32_t row, int64_t) {
      auto category = stats_.Text(StringStat::kIplStageCategory).Find(EventRow(row));
      if (!category) return;
      const EventMeta& meta = names.metas[trace_.set.Meta(EventRow(row)).value];
      by_row_[row] = {slots_.Of(names.strings.View(meta.name), true),
                      stats_.strings->View(*category)};
    });
  }
}

std::vector<Interval> HostCollector::IntervalsOf(const Track& track) const {
  std::vector<Interval> ops;
  RowRange range = RowsOf(trace_.set, track);
  RowReader reader(trace_.set);
  const auto& tf_ops = stats_.Text(StringStat::kTfOp);
  // Positions differ from rows, so a dense copy of the sparse column serves random access.
  std::vector<uint32_t> tf_of(tf_ops.empty() ? 0 : range.count, 0);
  if (!tf_of.empty()) {
    ForColumn(tf_ops, range,
              [&](uint32_t row, StringId id) { tf_of[row - range.first] = id.value; });
  }
  for (uint32_t pos = range.first; pos < range.end(); ++pos) {
    uint32_t row = order_.row[pos];
    const OpId* op = &by_meta_[reader.Meta(row)];
    if (!by_row_.empty()) {
      auto stage = by_row_.find(row);
      if (stage != by_row_.end()) op = &stage->second;
    }
    uint32_t tf = tf_of.empty() ? 0 : tf_of[row - range.first];
    if (tf != 0 && by_tf_op_[tf].slot == kNone) tf = 0;
    if (tf != 0 && json_) {  // the name is only the display name of what long_name spells out
      op = &by_tf_op_[tf];
      tf = 0;
    }
    if (op->slot == kNone && tf == 0) continue;
    Ps begin = reader.Start(row), end = reader.End(row);
    if (op->slot != kNone) ops.push_back({begin, end, op, row, grouping_.IsEager(row)});
    // XProf counts an event whose name and tf_op both name an op twice.
    if (tf != 0 && (xprof_ || op->slot == kNone)) {
      ops.push_back({begin, end, &by_tf_op_[tf], row, !xprof_ && grouping_.IsEager(row)});
    }
  }
  return ops;
}

// Device time of the events that a cpu_op launched, by slot.
void HostCollector::AddDeviceTimes(const std::vector<OpId>& by_meta, std::vector<Ps>* times) const {
  for (const LaunchLink& link : grouping_.launches) {
    for (EventRow row(link.launch_row); row.valid(); row = Parent(trace_.set, row)) {
      uint32_t slot = by_meta[trace_.set.Meta(row).value].slot;
      if (slot == kNone) continue;
      (*times)[slot] += trace_.set.Duration(EventRow(link.device_row));
      break;
    }
  }
}

void SortByStart(const Trace& trace, std::vector<EventRow>* rows) {
  std::vector<std::pair<Ps, EventRow>> keyed;
  keyed.reserve(rows->size());
  RowReader reader(trace.set);
  for (EventRow row : *rows) keyed.push_back({reader.Start(row.value), row});
  SortRuns(keyed.begin(), keyed.end(), std::less<>(), {});  // a run for each lane
  for (size_t i = 0; i < keyed.size(); ++i) (*rows)[i] = keyed[i].second;
}

void Finish(const Trace& trace, OpSide* side) {
  for (OpRow& op : side->ops) {
    side->occurrences += op.occurrences;
    if (op.eager) side->eager += op.self;
  }
  ParallelFor(side->ops.size(), [&](size_t i) { SortByStart(trace, &side->ops[i].rows); });
  std::sort(side->ops.begin(), side->ops.end(), [](const OpRow& a, const OpRow& b) {
    return a.self != b.self ? a.self > b.self : a.name < b.name;
  });
}

void HostCollector::Collect(HostOps* out, std::stop_token stop) {
  for (uint32_t t : order_.tracks) {
    const Track& track = trace_.set.tracks[t];
    if (track.plane.value >= trace_.planes.size() || track.derived_in_file) continue;
    const Plane& plane = trace_.planes[track.plane.value];
    if (plane.host.value != host_) continue;
    if (kineto_ ? IsHostThreads(plane) : IsHostCpu(trace_, plane)) tracks_.push_back(t);
  }
  NameOps();
  auto is_enqueue = [](const OpId& op) { return op.IsEnqueue(); };
  bool enqueues = std::any_of(by_meta_.begin(), by_meta_.end(), is_enqueue) ||
                  std::any_of(by_tf_op_.begin(), by_tf_op_.end(), is_enqueue);
  std::vector<LineOps> lines(tracks_.size());
  ParallelFor(tracks_.size(), [&](size_t i) {
    if (stop.stop_requested()) return;
    std::vector<Interval> ops = IntervalsOf(trace_.set.tracks[tracks_[i]]);
    if (ops.empty()) return;
    lines[i].sums.resize(slots_.all().size());
    if (enqueues) AddEnqueues(ops, &lines[i]);
    if (xprof_) {
      SweepXprof(ops, &lines[i]);
    } else {
      SweepOwn(ops, &lines[i]);
    }
  });
  std::vector<OpRow> rows(slots_.all().size());
  OpSide& side = out->host_side;
  for (const LineOps& line : lines) {
    side.total += line.total;
    side.busy += line.busy;
    out->enqueue.busy += line.enqueue_busy;
    out->enqueue.period += line.enqueue_period;
    for (size_t slot = 0; slot < line.sums.size(); ++slot) {
      const Sum& sum = line.sums[slot];
      if (!sum.occurrences) continue;
      OpRow& row = rows[slot];
      row.occurrences += sum.occurrences;
      row.time += sum.time;
      row.self += sum.self;
      row.eager = row.eager || sum.eager;
      if (row.type.empty()) row.type = sum.type;
      AppendLinks(sum.rows, &row.rows);
    }
  }
  std::vector<Ps> device(rows.size());
  if (kineto_) AddDeviceTimes(by_meta_, &device);
  for (size_t s = 0; s < rows.size(); ++s) {
    if (!rows[s].occurrences) continue;
    rows[s].name = slots_.all()[s].name;
    rows[s].stage = slots_.all()[s].stage;
    rows[s].device_time = device[s];
    side.ops.push_back(std::move(rows[s]));
  }
  Finish(trace_, &side);
}

// --- devices ---

// What makes two device events the same op; resolved to text once each.
struct DeviceKey {
  uint32_t tf_op = 0, hlo_op = 0, meta = 0;
  int64_t program = 0;
  bool operator==(const DeviceKey&) const = default;
};
struct DeviceKeyHash {
  size_t operator()(const DeviceKey& k) const {
    uint64_t h = (uint64_t{k.tf_op} << 32 | k.hlo_op) * 0x9e3779b97f4a7c15ull;
    h ^= (static_cast<uint64_t>(k.program) + k.meta) * 0xff51afd7ed558ccdull;
    return static_cast<size_t>(h ^ h >> 29);
  }
};
using DeviceSums = std::unordered_map<DeviceKey, Sum, DeviceKeyHash>;

struct PlaneOps {
  DeviceSums sums;
  Ps total = 0;
};

class DeviceCollector {
 public:
  DeviceCollector(AnalysisContext& context, const std::stop_token& stop)
      : trace_(context.trace()),
        stats_(context.stats(stop)),
        grouping_(context.grouping(stop)),
        xprof_(context.xprof()),
        kineto_(trace_.kineto) {}

  PlaneOps CollectPlane(const Plane& plane) const;
  void Merge(const std::vector<PlaneOps>& planes, OpSide* side) const;

 private:
  struct Named {
    std::string key, provenance, fallback;  // key empty: left out
    bool is_kernel = false;                 // not an op: launched by none
  };
  Named NameOf(const DeviceKey& key) const;
  uint32_t LaunchingOp(uint32_t row) const;

  const Trace& trace_;
  const StatTable& stats_;
  const Grouping& grouping_;
  const bool xprof_, kineto_;
};

// The metadata of the innermost cpu_op around the call that launched the event; kNone if unknown.
uint32_t DeviceCollector::LaunchingOp(uint32_t device_row) const {
  for (EventRow row = grouping_.LaunchOf(device_row); row.valid(); row = Parent(trace_.set, row)) {
    uint32_t meta = trace_.set.Meta(row).value;
    if (trace_.names().metas[meta].category == EventCategory::kCpuOp) return meta;
  }
  return kNone;
}

PlaneOps DeviceCollector::CollectPlane(const Plane& plane) const {
  PlaneOps out;
  ColumnCursor<StringId> tf_op(stats_.Text(StringStat::kTfOp)),
      hlo(stats_.Text(StringStat::kHloOp));
  ColumnCursor<int64_t> program(stats_.Int(IntStat::kProgramId));
  Ps first = kMaxPs, last = kMinPs;
  for (const Lane* lane : PlaneLanes(trace_, plane)) {
    // XProf forgets the line's own begin (quirk 5).
    Ps base = xprof_ ? trace_.set.tracks[lane->track.value].line_start : 0;
    tf_op.Seek(lane->first_row);
    hlo.Seek(lane->first_row);
    program.Seek(lane->first_row);
    Sum* sum = nullptr;
    DeviceKey sum_key;
    for (uint32_t i = 0; i < lane->size(); ++i) {
      uint32_t row = lane->first_row + i;
      first = std::min(first, lane->start[i] - base);
      last = std::max(last, lane->end(i) - base);
      DeviceKey key;
      key.hlo_op = hlo.Get(row, StringId(0)).value;
      if (key.hlo_op) {
        key.program = program.Get(row, 0);
      } else {
        key.tf_op = tf_op.Get(row, StringId(0)).value;
      }
      if (kineto_) {
        uint32_t op = LaunchingOp(row);
        key.meta = (op == kNone ? lane->meta[i] : op) + 1;
      }
      if (!key.hlo_op && !key.tf_op && !key.meta) continue;
      if (!sum || !(key == sum_key)) {
        sum = &out.sums[key];
        sum_key = key;
      }
      sum->Add(lane->dur[i], lane->dur[i], grouping_.IsEager(row), {}, row);
    }
  }
  bool any = xprof_ ? last > 0 : last > first;
  out.total = any && last > first ? last - first : 0;
  return out;
}

DeviceCollector::Named DeviceCollector::NameOf(const DeviceKey& key) const {
  Named n;
  if (key.meta) {
    const EventMeta& meta = trace_.names().metas[key.meta - 1];
    n.key = n.provenance = trace_.names().strings.View(meta.name);
    n.is_kernel = meta.category != EventCategory::kCpuOp;
    return n;
  }
  if (key.hlo_op) {
    std::string_view op = stats_.strings->View(StringId(key.hlo_op));
    if (size_t inner = op.rfind("::"); inner != std::string_view::npos) op.remove_prefix(inner + 2);
    const HloInstruction* hlo = trace_.hlo.Find(static_cast<uint64_t>(key.program), op);
    if (!hlo && xprof_) return n;
    n.key = std::to_string(key.program) + "/" + std::string(op);
    n.fallback = op;
    if (hlo && !hlo->op_name.empty()) n.provenance = hlo->op_name + ":" + hlo->op_type;
    return n;
  }
  n.provenance = stats_.strings->View(StringId(key.tf_op));
  // It may be a trace.json's long_name, which kernels have too.
  const bool json = trace_.format == TraceFormat::kChromeJson;
  if (json && ParseOpName(n.provenance).category == OpCategory::kUnknown) return n;
  n.key = ":" + n.provenance;
  return n;
}

void DeviceCollector::Merge(const std::vector<PlaneOps>& planes, OpSide* side) const {
  std::map<std::string, std::pair<Named, Sum>> by_key;  // ops of all planes
  for (const PlaneOps& plane : planes) {
    Ps busy = 0;
    for (const auto& [key, sum] : plane.sums) {
      Named named = NameOf(key);
      if (named.key.empty()) continue;
      busy += sum.self;
      auto& [first, total] = by_key[named.key];
      first = std::move(named);
      total.occurrences += sum.occurrences;
      total.time += sum.time;
      total.self += sum.self;
      total.eager = total.eager || sum.eager;
      AppendLinks(sum.rows, &total.rows);
    }
    side->busy += busy;
    side->total += std::max(busy, plane.total);
  }
  std::map<std::pair<std::string, std::string>, OpRow> by_op;
  for (auto& [key, entry] : by_key) {
    auto& [named, sum] = entry;
    OpName op = ParseOpName(named.provenance);
    std::string name(named.provenance.empty() ? std::string_view(named.fallback) : op.name);
    std::string type(named.provenance.empty() ? std::string_view("Unknown") : op.type);
    if (kineto_ && op.category == OpCategory::kUnknown)
      type = named.is_kernel ? TorchKernelType(name) : TorchOpType(name);
    OpRow& row = by_op[{name, type}];
    row.name = name;
    row.type = type;
    row.occurrences = std::max(row.occurrences, sum.occurrences);
    row.time += sum.time;
    row.self += sum.self;
    row.eager = row.eager || sum.eager;
    AppendLinks(sum.rows, &row.rows);
  }
  for (auto& [key, row] : by_op) side->ops.push_back(std::move(row));
  Finish(trace_, side);
}

}  // namespace

OpDatabase BuildOps(AnalysisContext& context, std::stop_token stop) {
  const Trace& trace = context.trace();
  OpDatabase db;
  db.hosts.resize(trace.hosts.size());
  DeviceCollector devices(context, stop);
  std::vector<PlaneOps> planes(trace.planes.size());
  ParallelFor(planes.size(), [&](size_t p) {
    if (trace.planes[p].kind == PlaneKind::kGpu && !stop.stop_requested()) {
      planes[p] = devices.CollectPlane(trace.planes[p]);
    }
  });
  for (uint32_t host = 0; host < db.hosts.size() && !stop.stop_requested(); ++host) {
    db.hosts[host].host = HostId(host);
    HostCollector(context, host, stop).Collect(&db.hosts[host], stop);
    std::vector<PlaneOps> mine;
    for (size_t p = 0; p < planes.size(); ++p) {
      if (trace.planes[p].host.value == host) mine.push_back(std::move(planes[p]));
    }
    devices.Merge(mine, &db.hosts[host].device_side);
    AddTpuOps(trace, context.stats(stop), HostId(host), &db.hosts[host].device_side);
  }
  return db;
}

namespace {

void AddSide(const OpSide& from, bool device, OpSide* to) {
  std::map<std::tuple<std::string, std::string, bool>, size_t> index;
  for (size_t i = 0; i < to->ops.size(); ++i) {
    index[{to->ops[i].name, device ? to->ops[i].type : "", to->ops[i].stage}] = i;
  }
  for (const OpRow& op : from.ops) {
    auto [it, added] =
        index.try_emplace({op.name, device ? op.type : "", op.stage}, to->ops.size());
    if (added) {
      to->ops.push_back(op);
      continue;
    }
    OpRow& sum = to->ops[it->second];
    sum.occurrences += op.occurrences;
    sum.time += op.time;
    sum.self += op.self;
    sum.device_time += op.device_time;
    sum.eager = sum.eager || op.eager;
    AppendLinks(op.rows, &sum.rows);
  }
  to->total += from.total;
  to->busy += from.busy;
}

}  // namespace

HostOps OpDatabase::Of(const Trace& trace, const std::string& host) const {
  std::vector<const HostOps*> wanted;
  for (const HostOps& h : hosts) {
    if (host.empty() || trace.HostName(h.host) == host) wanted.push_back(&h);
  }
  if (wanted.size() == 1) return *wanted[0];
  HostOps all;
  for (const HostOps* h : wanted) {
    AddSide(h->host_side, false, &all.host_side);
    AddSide(h->device_side, true, &all.device_side);
    all.enqueue.busy += h->enqueue.busy;
    all.enqueue.period += h->enqueue.period;
  }
  Finish(trace, &all.host_side);
  Finish(trace, &all.device_side);
  return all;
}

}  // namespace stepscope
