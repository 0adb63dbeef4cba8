// The ops of a host's threads: names them, then sweeps the lines in parallel.
#include <algorithm>
#include <span>
#include <unordered_map>

#include "model/analysis/definitions.h"
#include "model/analysis/grouping/grouping.h"
#include "model/analysis/intervals/event_order.h"
#include "model/analysis/intervals/track_reader.h"
#include "model/analysis/naming/op_name.h"
#include "model/analysis/ops/line_sweep.h"
#include "model/analysis/steps/device_classes.h"
#include "model/ancestor_reader.h"
#include "model/base/sort_runs.h"
#include "model/capabilities.h"
#include "model/jobs/job.h"

namespace stepscope {
namespace {

struct Slot {  // an op of one host: its name; the type may differ between events of a name
  std::string name;
  bool stage = false;
};

// Numbers the op names of one host. It is filled before the lines are read in parallel.
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

size_t TextsOf(const StatTable& table) { return table.strings ? table.strings->size() : 0; }

class HostCollector {
 public:
  HostCollector(AnalysisContext& context, HostId host, const Scope& scope)
      : trace_(context.trace()),
        stats_(context.stats()),
        tables_(context.all_stats()),
        order_(context.Get<EventOrder>()),
        grouping_(context.Get<Grouping>()),
        classes_(context.Get<DeviceClasses>().of_meta),
        xprof_(context.xprof()),
        traits_(CapabilitiesOf(trace_)),
        scope_(scope.OfHost(host)),
        host_(host) {}

  void Collect(HostOps* out);

 private:
  void ChooseTracks();
  void NameOps();
  void ReadTfOps();
  void NameTfOps(const std::vector<uint32_t>& places);
  std::vector<uint32_t> TfOpsOf(RowRange range) const;
  std::string_view TfOp(uint32_t place) const;
  void NameStages(const Track& track);
  void NameEagerCalls(const Track& track);
  const OpId* EagerCall(uint32_t row) const;
  LineOps ReadLine(size_t index, const LineSweep& how) const;
  void AddDeviceTimes(std::vector<Ps>* times) const;
  void AddLines(std::span<LineOps> lines, HostOps* out) const;  // takes their sums

  const Trace& trace_;
  const StatTable& stats_;
  const std::vector<const StatTable*> tables_;  // stats_ and those of allocations
  const EventOrder& order_;
  const Grouping& grouping_;
  const std::vector<uint8_t>& classes_;  // of events on devices, by MetaId
  const XprofDefinitions& xprof_;
  const Capabilities traits_;
  const TimeScope scope_;
  const HostId host_;
  std::vector<uint32_t> tracks_;
  // By track of tracks_: where in by_tf_op_ the op of each event is, or 0 for none. Positions in
  // nesting order differ from rows, so this dense copy of sparse columns serves random access.
  // Empty where no event has an op.
  std::vector<std::vector<uint32_t>> tf_ops_;
  Slots slots_;
  std::vector<OpId> by_meta_;
  std::vector<OpId> by_tf_op_;                 // by StringId, table after table
  std::vector<OpId> by_eager_op_;              // by StringId; empty: no op was run eagerly
  std::unordered_map<uint32_t, OpId> by_row_;  // input-pipeline stages
};

void HostCollector::NameOps() {
  const NameTable& names = trace_.names();
  by_meta_.resize(names.metas.size());
  for (const StatTable* table : tables_) by_tf_op_.resize(by_tf_op_.size() + TextsOf(*table));
  for (size_t m = 0; m < names.metas.size(); ++m) {
    const EventMeta& meta = names.metas[m];
    bool ours = !traits_.plane_metadata || (meta.plane.value < trace_.planes.size() &&
                                            trace_.planes[meta.plane.value].host == host_ &&
                                            IsHostCpu(trace_, trace_.planes[meta.plane.value]));
    if (!ours) continue;
    std::string_view name = names.strings.View(meta.name);
    if (traits_.pytorch_events) {
      if (meta.category != EventCategory::kCpuOp) continue;
      by_meta_[m] = {slots_.Of(name), TorchOpType(name)};
      continue;
    }
    OpName op = ParseOpName(name);
    if (op.category != OpCategory::kUnknown) by_meta_[m] = {slots_.Of(op.name), op.type};
  }
  ReadTfOps();
  for (size_t i = 0; i < tracks_.size(); ++i) {
    const uint32_t t = tracks_[i];
    NameTfOps(tf_ops_[i]);
    NameStages(trace_.set.tracks[t]);
    if (!xprof_.eager_calls_no_ops) NameEagerCalls(trace_.set.tracks[t]);
  }
}

// EagerExecute names what it runs and says whether that is a function. If it is not, the call is
// an op.
void HostCollector::NameEagerCalls(const Track& track) {
  const auto& is_func = stats_.Int(IntStat::kIsFunc);
  const auto& ops = stats_.Text(StringStat::kEagerOp);
  ForColumn(ops, RowsOf(trace_.set, track), [&](uint32_t row, StringId id) {
    if (is_func.Find(EventRow(row)).value_or(1) != 0) return;
    by_eager_op_.resize(TextsOf(stats_));
    OpId& op = by_eager_op_[id.value];
    const std::string_view name = stats_.strings->View(id);
    if (op.slot == OpId::kNone && !name.empty()) op = {slots_.Of(name), name};
  });
}

// The op that the event runs eagerly; null: the event is no such call.
const OpId* HostCollector::EagerCall(uint32_t row) const {
  const auto id = stats_.Text(StringStat::kEagerOp).Find(EventRow(row));
  if (!id || id->value >= by_eager_op_.size() || by_eager_op_[id->value].slot == OpId::kNone)
    return nullptr;
  const bool op = stats_.Int(IntStat::kIsFunc).Find(EventRow(row)).value_or(1) == 0;
  return op ? &by_eager_op_[id->value] : nullptr;
}

void HostCollector::ReadTfOps() {
  tf_ops_.resize(tracks_.size());
  ParallelFor(tracks_.size(), [&](size_t i) {
    tf_ops_[i] = TfOpsOf(RowsOf(trace_.set, trace_.set.tracks[tracks_[i]]));
  });
}

std::vector<uint32_t> HostCollector::TfOpsOf(RowRange range) const {
  std::vector<uint32_t> ops;
  uint32_t first = 0;  // the table's first place
  for (const StatTable* table : tables_) {
    const SparseColumn<StringId>& column = table->Text(StringStat::kTfOp);
    const auto texts = static_cast<uint32_t>(TextsOf(*table));
    if (!column.empty()) ops.resize(range.count);
    ForColumn(column, range, [&](uint32_t row, StringId id) {
      if (id.value != 0 && id.value < texts) ops[row - range.first] = first + id.value;
    });
    first += texts;
  }
  return ops;
}

std::string_view HostCollector::TfOp(uint32_t place) const {
  for (const StatTable* table : tables_) {
    const auto texts = static_cast<uint32_t>(TextsOf(*table));
    if (place < texts) return table->strings->View(StringId(place));
    place -= texts;
  }
  return {};
}

// Numbers ops in the order of their first events.
void HostCollector::NameTfOps(const std::vector<uint32_t>& places) {
  for (const uint32_t place : places) {
    if (place == 0 || by_tf_op_[place].slot != OpId::kNone) continue;
    OpName op = ParseOpName(TfOp(place));
    // A trace.json's long_name is read as tf_op, and any event may have one.
    if (traits_.long_names_for_tf_op && op.category == OpCategory::kUnknown) continue;
    by_tf_op_[place] = {slots_.Of(op.name), op.type};
  }
}

void HostCollector::NameStages(const Track& track) {
  const auto& stages = stats_.Int(IntStat::kIplStageId);
  ForColumn(stages, RowsOf(trace_.set, track), [&](uint32_t row, int64_t) {
    auto category = stats_.Text(StringStat::kIplStageCategory).Find(EventRow(row));
    if (!category) return;
    const EventMeta& meta = trace_.names().metas[trace_.set.Meta(EventRow(row)).value];
    by_row_[row] = {slots_.Of(trace_.names().strings.View(meta.name), true),
                    stats_.strings->View(*category)};
  });
}

LineOps HostCollector::ReadLine(size_t index, const LineSweep& how) const {
  const Track& track = trace_.set.tracks[tracks_[index]];
  const std::vector<uint32_t>& tf_of = tf_ops_[index];
  RowRange range = RowsOf(trace_.set, track);
  LineSweeper ops(how, range.count);
  const TrackReader reader(trace_.set, track);
  for (uint32_t pos = range.first; pos < range.end(); ++pos) {
    uint32_t row = order_.row[pos];
    const TrackReader::Event event = reader.Of(row);
    const OpId* op = &by_meta_[event.meta];
    if (!by_row_.empty()) {
      auto stage = by_row_.find(row);
      if (stage != by_row_.end()) op = &stage->second;
    }
    uint32_t tf = tf_of.empty() ? 0 : tf_of[row - range.first];
    if (tf != 0 && by_tf_op_[tf].slot == OpId::kNone) tf = 0;
    if (tf != 0 && traits_.long_names_for_tf_op) {  // the name is only the display name of what
                                                    // long_name spells out
      op = &by_tf_op_[tf];
      tf = 0;
    }
    if (op->slot == OpId::kNone && tf == 0 && !by_eager_op_.empty()) {
      const OpId* eager = EagerCall(row);
      if (eager != nullptr) {
        ops.Add({event.start, event.end(), eager, row, true});
        continue;
      }
    }
    if (op->slot == OpId::kNone && tf == 0) continue;
    const Ps begin = event.start, end = event.end();
    if (op->slot != OpId::kNone) ops.Add({begin, end, op, row, grouping_.IsEager(row)});
    // XProf counts an event whose name and tf_op both name an op twice.
    const bool twice = xprof_.op_counted_by_name_and_stat;
    if (tf != 0 && (twice || op->slot == OpId::kNone)) {
      ops.Add({begin, end, &by_tf_op_[tf], row, !twice && grouping_.IsEager(row)});
    }
  }
  return ops.Take();
}

// Adds the device time of the events that each cpu_op launched, by slot.
void HostCollector::AddDeviceTimes(std::vector<Ps>* times) const {
  const std::vector<bool> work = DeviceWork(trace_, classes_);
  std::vector<bool> is_op;  // by MetaId
  for (const OpId& op : by_meta_) is_op.push_back(op.slot != OpId::kNone);
  RowReader calls(trace_.set), events(trace_.set), ops(trace_.set);
  AncestorReader ancestors(trace_.set);
  for (const LaunchLink& link : grouping_.launches) {
    const Track& track = trace_.set.tracks[calls.TrackOf(link.launch_row)];
    const bool mine =
        track.plane.value < trace_.planes.size() && trace_.planes[track.plane.value].host == host_;
    if (!mine || !work[events.Meta(link.device_row)]) continue;
    const EventRow op = ancestors.Find(EventRow(link.launch_row), is_op);
    if (!op.valid() || (!scope_.whole() && !scope_.Contains(ops.Start(op.value)))) continue;
    (*times)[by_meta_[ops.Meta(op.value)].slot] += events.Duration(link.device_row);
  }
}

void HostCollector::ChooseTracks() {
  for (uint32_t t : order_.tracks) {
    const Track& track = trace_.set.tracks[t];
    if (track.plane.value >= trace_.planes.size() || track.derived_in_file) continue;
    const Plane& plane = trace_.planes[track.plane.value];
    if (plane.host != host_) continue;
    const bool wanted = traits_.pytorch_events ? IsHostThreads(plane) : IsHostCpu(trace_, plane);
    if (wanted) tracks_.push_back(t);
  }
}

void HostCollector::AddLines(std::span<LineOps> lines, HostOps* out) const {
  std::vector<OpRow> ops(slots_.all().size());
  OpSide& side = out->host_side;
  for (LineOps& line : lines) {
    side.total += line.total;
    side.busy += line.busy;
    out->enqueue.Add(line.enqueue);
    for (auto& [slot, sum] : line.sums) {
      if (ops[slot].type.empty()) ops[slot].type = sum.type;
      AddSum(std::move(sum), &ops[slot]);
    }
  }
  std::vector<Ps> device(ops.size());
  if (traits_.pytorch_events) AddDeviceTimes(&device);
  for (size_t slot = 0; slot < ops.size(); ++slot) {
    if (!ops[slot].occurrences) continue;
    ops[slot].name = slots_.all()[slot].name;
    ops[slot].stage = slots_.all()[slot].stage;
    ops[slot].device_time = device[slot];
    side.ops.push_back(std::move(ops[slot]));
  }
}

void HostCollector::Collect(HostOps* out) {
  ChooseTracks();
  NameOps();
  const auto is_enqueue = [](const OpId& op) { return op.IsEnqueue(); };
  const bool enqueues = std::any_of(by_meta_.begin(), by_meta_.end(), is_enqueue) ||
                        std::any_of(by_tf_op_.begin(), by_tf_op_.end(), is_enqueue);
  const LineSweep sweep{scope_, slots_.all().size(), enqueues, xprof_.outer_op_closed_first};
  std::vector<LineOps> lines(tracks_.size());
  const std::vector<uint32_t> by_size = LargestFirst(
      lines.size(), [&](uint32_t line) { return trace_.set.tracks[tracks_[line]].events; });
  ParallelFor(lines.size(), [&](size_t i) {
    const size_t line = by_size[i];
    CheckStop();
    lines[line] = ReadLine(line, sweep);
    tf_ops_[line] = {};
  });
  AddLines(lines, out);
}

}  // namespace

void CollectHostOps(AnalysisContext& context, HostId host, const Scope& scope, HostOps* out) {
  HostCollector(context, host, scope).Collect(out);
}

}  // namespace stepscope
