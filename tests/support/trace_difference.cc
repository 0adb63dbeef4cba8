#include "tests/support/trace_difference.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "model/allocator_history.h"
#include "model/graph_captures.h"
#include "model/xla/hlo_source.h"

namespace stepscope::test {
namespace {

class Differ {
 public:
  Differ(const Trace& a, const Trace& b) : a_(a), b_(b) {}

  std::string Run() {
    Facts();
    Names();
    Planes();
    Tracks();
    Lanes();
    Flows();
    Hlo();
    if (first_.empty()) Arguments();
    if (first_.empty()) Typed();
    if (first_.empty()) Programs();
    if (first_.empty()) History();
    if (first_.empty()) Captures();
    return first_;
  }

 private:
  template <typename T>
  void Same(const T& a, const T& b, const std::string& what) {
    if (first_.empty() && !(a == b)) first_ = what;
  }
  static uint64_t Bits(double v) { return std::bit_cast<uint64_t>(v); }

  void Facts() {
    Same(std::string(a_.format->name), std::string(b_.format->name), "format");
    Same(std::memcmp(&a_.format->capabilities, &b_.format->capabilities, sizeof(Capabilities)), 0,
         "capabilities");
    Same(a_.kineto, b_.kineto, "kineto");
    Same(a_.run, b_.run, "run");
    Same(a_.origin_unix_ns, b_.origin_unix_ns, "origin");
    Same(a_.file_bytes, b_.file_bytes, "file bytes");
    Same(a_.inflated_bytes, b_.inflated_bytes, "inflated bytes");
    Same(a_.errors, b_.errors, "errors");
    Same(a_.warnings, b_.warnings, "warnings");
    Same(a_.skipped_files, b_.skipped_files, "skipped files");
    Same(a_.cycles, b_.cycles, "cycles");
    Same(a_.span, b_.span, "span");
    Same(a_.first_view, b_.first_view, "first view");
    Same(a_.counts.slices, b_.counts.slices, "slices");
    Same(a_.counts.instants, b_.counts.instants, "instants");
    Same(a_.counts.counter_samples, b_.counts.counter_samples, "samples");
    Same(a_.counts.flows, b_.counts.flows, "flows");
    const auto &da = a_.diagnostics.rows(), &db = b_.diagnostics.rows();
    Same(da.size(), db.size(), "number of diagnostics");
    for (size_t i = 0; i < std::min(da.size(), db.size()); ++i) {
      Same(da[i].id, db[i].id, "diagnostic");
      Same(da[i].count, db[i].count, "count of " + da[i].id);
      Same(da[i].text, db[i].text, "text of " + da[i].id);
      Same(da[i].severity == db[i].severity, true, "severity of " + da[i].id);
      Same(da[i].first, db[i].first, "places of " + da[i].id);
    }
    Same(a_.hosts.size(), b_.hosts.size(), "hosts");
    for (size_t i = 0; i < std::min(a_.hosts.size(), b_.hosts.size()); ++i) {
      Same(a_.hosts[i].name, b_.hosts[i].name, "host");
      Same(a_.hosts[i].file, b_.hosts[i].file, "file of a host");
      Same(a_.hosts[i].start_unix_ns, b_.hosts[i].start_unix_ns, "start of a host");
      Same(a_.hosts[i].rank, b_.hosts[i].rank, "rank");
      Same(a_.hosts[i].cut, b_.hosts[i].cut, "whether a host is cut");
    }
  }

  void Names() {
    const NameTable &na = a_.names(), &nb = b_.names();
    Same(na.strings.size(), nb.strings.size(), "number of names");
    Same(na.metas.size(), nb.metas.size(), "number of metas");
    for (uint32_t i = 0; first_.empty() && i < na.strings.size(); ++i)
      Same(na.strings.View(StringId(i)), nb.strings.View(StringId(i)), "name");
    for (size_t i = 0; first_.empty() && i < na.metas.size(); ++i) {
      Same(na.metas[i].name, nb.metas[i].name, "name of a meta");
      Same(na.metas[i].display_name, nb.metas[i].display_name, "display name of a meta");
      Same(na.metas[i].category == nb.metas[i].category, true, "category");
      Same(na.metas[i].plane, nb.metas[i].plane, "plane of a meta");
      Same(na.metas[i].source_id, nb.metas[i].source_id, "source id");
    }
  }

  void Planes() {
    Same(a_.planes.size(), b_.planes.size(), "planes");
    for (size_t i = 0; first_.empty() && i < a_.planes.size(); ++i) {
      const stepscope::Plane &p = a_.planes[i], &q = b_.planes[i];
      Same(p.host, q.host, "host of a plane");
      Same(p.name, q.name, "name of a plane");
      Same(p.display_name, q.display_name, "display name of a plane");
      Same(p.subtitle, q.subtitle, "subtitle of a plane");
      Same(p.id, q.id, "id of a plane");
      Same(p.device_ordinal, q.device_ordinal, "ordinal of a plane");
      Same(p.kind == q.kind, true, "kind of a plane");
      Same(p.tracks, q.tracks, "tracks of a plane");
      Same(p.file_order, q.file_order, "file order of a plane");
      Same(p.stats.size(), q.stats.size(), "stats of a plane");
      for (size_t s = 0; first_.empty() && s < p.stats.size(); ++s) {
        Same(p.stats[s].name, q.stats[s].name, "name of a plane's stat");
        Same(p.stats[s].value, q.stats[s].value, "value of plane's stat " + p.stats[s].name);
      }
    }
  }

  void Tracks() {
    Same(a_.set.tracks.size(), b_.set.tracks.size(), "tracks");
    for (size_t i = 0; first_.empty() && i < a_.set.tracks.size(); ++i) {
      const Track &p = a_.set.tracks[i], &q = b_.set.tracks[i];
      Same(p.plane, q.plane, "plane of a track");
      Same(p.name, q.name, "name of a track");
      Same(p.id, q.id, "id of a track");
      Same(p.display_id, q.display_id, "display id of a track");
      Same(p.kind == q.kind, true, "kind of a track");
      Same(p.source, q.source, "source of a track");
      Same(p.first_lane, q.first_lane, "first lane");
      Same(p.lane_count, q.lane_count, "lanes of a track");
      Same(p.rows, q.rows, "rows of a track");
      Same(p.span, q.span, "span of a track");
      Same(p.events, q.events, "events of a track");
      Same(p.busy, q.busy, "busy time of a track");
      Same(p.derived_in_file, q.derived_in_file, "derived in file");
      Same(p.file_order, q.file_order, "file order of a track");
      Same(p.line_start, q.line_start, "line start");
      Same(p.counters.size(), q.counters.size(), "counters of a track");
      for (size_t s = 0; first_.empty() && s < p.counters.size(); ++s) {
        Same(p.counters[s].name, q.counters[s].name, "name of a counter");
        Same(p.counters[s].time, q.counters[s].time, "times of a counter");
        Same(p.counters[s].value.size(), q.counters[s].value.size(), "values of a counter");
        Same(std::equal(p.counters[s].value.begin(), p.counters[s].value.end(),
                        q.counters[s].value.begin(),
                        [](double v, double w) { return Bits(v) == Bits(w); }),
             true, "values of a counter");
        Same(Bits(p.counters[s].min), Bits(q.counters[s].min), "min of a counter");
        Same(Bits(p.counters[s].max), Bits(q.counters[s].max), "max of a counter");
      }
    }
  }

  void Lanes() {
    Same(a_.set.rows, b_.set.rows, "rows");
    Same(a_.set.lanes.size(), b_.set.lanes.size(), "lanes");
    Same(a_.set.title, b_.set.title, "title");
    for (size_t i = 0; first_.empty() && i < a_.set.lanes.size(); ++i) {
      const Lane &p = a_.set.lanes[i], &q = b_.set.lanes[i];
      Same(p.track, q.track, "track of a lane");
      Same(p.kind == q.kind, true, "kind of a lane");
      Same(p.depth, q.depth, "depth of a lane");
      Same(p.first_row, q.first_row, "first row of a lane");
      Same(std::ranges::equal(p.start, q.start), true, "begins");
      Same(std::ranges::equal(p.dur, q.dur), true, "durations");
      Same(std::ranges::equal(p.meta, q.meta), true, "metas");
      for (uint32_t e = 0; first_.empty() && e < p.size(); ++e)
        Same(p.SourceOffset(e), q.SourceOffset(e), "offset in the source");
    }
  }

  void Flows() {
    Same(a_.flows.size(), b_.flows.size(), "flows");
    for (size_t i = 0; first_.empty() && i < a_.flows.size(); ++i) {
      Same(a_.flows[i].from, b_.flows[i].from, "begin of a flow");
      Same(a_.flows[i].to, b_.flows[i].to, "end of a flow");
      Same(a_.flows[i].id, b_.flows[i].id, "id of a flow");
      Same(a_.flows[i].category, b_.flows[i].category, "category of a flow");
    }
  }

  void Hlo() {
    Same(a_.hlo.programs.size(), b_.hlo.programs.size(), "programs of the table");
    for (const auto& [id, p] : a_.hlo.programs) {
      const auto found = b_.hlo.programs.find(id);
      Same(found != b_.hlo.programs.end(), true, "program of the table");
      if (!first_.empty()) return;
      const auto& q = found->second;
      Same(p.module_name, q.module_name, "module");
      Same(p.instructions.size(), q.instructions.size(), "instructions");
      for (const auto& [name, i] : p.instructions) {
        const HloInstruction* j = b_.hlo.Find(id, name);
        if (!first_.empty() || (j == nullptr && (first_ = "instruction", true))) return;
        Same(i.op_name, j->op_name, "op name");
        Same(i.op_type, j->op_type, "op type");
        Same(i.opcode, j->opcode, "opcode");
        Same(i.category, j->category, "category of an instruction");
        Same(i.source_file, j->source_file, "source file");
        Same(i.source_line, j->source_line, "source line");
      }
    }
  }

  void Arguments() {
    Same(a_.source == nullptr, b_.source == nullptr, "source");
    for (uint32_t row = 0; a_.source != nullptr && first_.empty() && row < a_.set.rows; ++row) {
      const auto p = a_.source->Decode(a_, EventRow(row)), q = b_.source->Decode(b_, EventRow(row));
      const std::string where = " of row " + std::to_string(row);
      Same(p.status().message(), q.status().message(), "status" + where);
      if (!p.ok() || !q.ok()) continue;
      Same(p->size(), q->size(), "number of arguments" + where);
      for (size_t i = 0; first_.empty() && i < p->size(); ++i) {
        Same((*p)[i].name, (*q)[i].name, "name of an argument" + where);
        Same((*p)[i].from_metadata, (*q)[i].from_metadata,
             "kind of argument " + (*p)[i].name + where);
        Same((*p)[i].value.index(), (*q)[i].value.index(), "type of " + (*p)[i].name + where);
        Same(ToText((*p)[i]), ToText((*q)[i]), "value of " + (*p)[i].name + where);
      }
    }
  }

  template <typename Columns, typename Value>
  void SameColumns(const Columns& p, const Columns& q, Value value, const std::string& what) {
    Same(p.size(), q.size(), "columns");
    for (size_t i = 0; first_.empty() && i < p.size(); ++i) {
      std::vector<std::pair<uint32_t, uint64_t>> x, y;
      p[i].ForAll([&](uint32_t row, auto v) { x.emplace_back(row, value(v)); });
      q[i].ForAll([&](uint32_t row, auto v) { y.emplace_back(row, value(v)); });
      Same(x, y, what + " column " + std::to_string(i));
    }
  }

  void Typed() {
    if (a_.source == nullptr) return;
    const auto p = a_.source->LoadTyped(a_, {}), q = b_.source->LoadTyped(b_, {});
    Same(p.ok() && q.ok(), true, "typed stats");
    if (!first_.empty()) return;
    SameColumns((*p)->ints, (*q)->ints, [](int64_t v) { return static_cast<uint64_t>(v); }, "int");
    SameColumns((*p)->texts, (*q)->texts, [](StringId v) { return uint64_t{v.value}; }, "text");
    SameColumns((*p)->reals, (*q)->reals, [](double v) { return Bits(v); }, "real");
    Same((*p)->strings->size(), (*q)->strings->size(), "texts of typed stats");
    for (uint32_t i = 0; first_.empty() && i < (*p)->strings->size(); ++i)
      Same((*p)->strings->View(StringId(i)), (*q)->strings->View(StringId(i)), "typed text");
  }

  void Programs() {
    const xla::HloSource *p = xla::HloSourceOf(a_), *q = xla::HloSourceOf(b_);
    Same(p == nullptr, q == nullptr, "source of programs");
    if (!first_.empty() || p == nullptr) return;
    const auto x = p->Programs(), y = q->Programs();
    Same(x.size(), y.size(), "programs");
    for (size_t i = 0; first_.empty() && i < x.size(); ++i) {
      Same(x[i].id, y[i].id, "id of a program");
      Same(x[i].name, y[i].name, "name of a program");
      Same(x[i].bytes, y[i].bytes, "size of a program");
      const auto c = p->Bytes(x[i]), d = q->Bytes(y[i]);
      Same(c.ok() && d.ok() && *c == *d, true, "bytes of a program");
    }
  }

  void History() {
    const AllocatorHistory *p = HistoryOf(a_), *q = HistoryOf(b_);
    Same(p == nullptr, q == nullptr, "history");
    if (!first_.empty() || p == nullptr) return;
    const AllocatorEvents &e = p->events, &f = q->events;
    Same(e.count(), f.count(), "events of the history");
    for (size_t i = 0; first_.empty() && i < e.count(); ++i) {
      Same(e.action[i] == f.action[i], true, "action");
      Same(e.address[i], f.address[i], "address");
      Same(e.size[i], f.size[i], "size");
      Same(e.time_us[i], f.time_us[i], "time");
      Same(e.stack[i], f.stack[i], "stack");
      Same(e.stream[i], f.stream[i], "stream");
      Same(e.context[i], f.context[i], "context");
    }
    Same(p->stacks, q->stacks, "stacks");
    Same(std::ranges::equal(p->stack_frames.span(), q->stack_frames.span()), true, "stack frames");
    Same(p->streams, q->streams, "streams");
    Same(p->frames.size(), q->frames.size(), "frames");
    for (uint32_t i = 0; first_.empty() && i < p->frames.size(); ++i)
      Same(FrameLabel(*p, i), FrameLabel(*q, i), "frame");
    Same(p->device_free, q->device_free, "free bytes");
    Same(p->settings, q->settings, "settings");
    Same(p->origin_us, q->origin_us, "origin of the history");
    Same(p->segments.size(), q->segments.size(), "segments");
    Same(p->blocks.size(), q->blocks.size(), "blocks");
    for (size_t i = 0; first_.empty() && i < p->segments.size(); ++i) {
      const AllocatorSegment &s = p->segments[i], &t = q->segments[i];
      Same(s.address, t.address, "address of a segment");
      Same(s.size, t.size, "size of a segment");
      Same(s.stream, t.stream, "stream of a segment");
      Same(s.device, t.device, "device of a segment");
      Same(s.type, t.type, "type of a segment");
      Same(s.expandable, t.expandable, "expandable segment");
      Same(s.pool, t.pool, "pool of a segment");
      Same(s.first_block, t.first_block, "blocks of a segment");
      Same(s.blocks, t.blocks, "number of blocks of a segment");
    }
    for (size_t i = 0; first_.empty() && i < p->blocks.size(); ++i) {
      const AllocatorBlock &s = p->blocks[i], &t = q->blocks[i];
      Same(s.address, t.address, "address of a block");
      Same(s.size, t.size, "size of a block");
      Same(s.requested, t.requested, "requested size of a block");
      Same(s.stack, t.stack, "stack of a block");
      Same(s.in_use, t.in_use, "block in use");
      Same(s.waiting, t.waiting, "waiting block");
    }
    Same(p->notes.size(), q->notes.size(), "notes");
    for (size_t i = 0; first_.empty() && i < p->notes.size(); ++i) {
      Same(p->notes[i].name, q->notes[i].name, "name of a note");
      Same(p->notes[i].device, q->notes[i].device, "device of a note");
      Same(p->notes[i].begin, q->notes[i].begin, "begin of a note");
      Same(p->notes[i].time_us, q->notes[i].time_us, "time of a note");
    }
    Same(p->devices.size(), q->devices.size(), "devices");
    for (size_t i = 0; first_.empty() && i < p->devices.size(); ++i) {
      const AllocatorDevice &s = p->devices[i], &t = q->devices[i];
      Same(s.index, t.index, "index of a device");
      Same(s.events, t.events, "events of a device");
      Same(s.allocations.size(), t.allocations.size(), "allocations");
      Same(s.peak_bytes, t.peak_bytes, "peak");
      Same(s.reserved_bytes, t.reserved_bytes, "reserved bytes");
      Same(s.out_of_memory, t.out_of_memory, "out of memory");
    }
  }

  void Captures() {
    const auto p = CapturesOf(a_), q = CapturesOf(b_);
    Same(p.size(), q.size(), "captures");
    for (size_t i = 0; first_.empty() && i < p.size(); ++i) {
      Same(p[i].file, q[i].file, "file of a capture");
      Same(p[i].mode, q[i].mode, "mode of a capture");
      Same(p[i].batch_size, q[i].batch_size, "batch size of a capture");
      const std::string inner = FirstDifference(*p[i].trace, *q[i].trace);
      if (first_.empty() && !inner.empty()) first_ = "capture: " + inner;
    }
  }

  const Trace& a_;
  const Trace& b_;
  std::string first_;
};

}  // namespace

std::string FirstDifference(const Trace& a, const Trace& b) { return Differ(a, b).Run(); }

}  // namespace stepscope::test
