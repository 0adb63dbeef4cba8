#include "loaders/xplane/time_base.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "loaders/xplane/lines/line_pieces.h"
#include "model/analysis/naming/core_op.h"
#include "model/analysis/tpu/core_clock.h"
#include "model/jobs/job.h"

namespace stepscope::xplane {
namespace {

// Line starts are summed in 128 bits: a file may hold any 64-bit timestamp.
using Wide = __int128;

constexpr Wide kHalfRangeNs = Wide{53} * 86'400 * 1'000'000'000;

bool IsEpoch(int64_t ns) { return ns > kEpochNs; }

struct PlacedLine {
  LineStart* line;
  Wide ns;  // since 1970, or since the start of profiling
};

// The time before which the lines with half of all bytes start.
Wide WeightedMedian(std::vector<PlacedLine> lines) {
  std::sort(lines.begin(), lines.end(),
            [](const PlacedLine& a, const PlacedLine& b) { return a.ns < b.ns; });
  Wide total = 0, sum = 0;
  for (const PlacedLine& l : lines) total += l.line->weight;
  for (const PlacedLine& l : lines) {
    sum += l.line->weight;
    if (2 * sum >= total) return l.ns;
  }
  return 0;
}

// The earliest start of the lines with events that count from 1970 (`epoch`), or of the others.
std::optional<int64_t> Earliest(const HostTimes& host, bool epoch) {
  std::optional<int64_t> earliest;
  for (const LineStart& l : host.lines) {
    if (l.weight > 0 && IsEpoch(l.timestamp_ns) == epoch)
      earliest = std::min(earliest.value_or(l.timestamp_ns), l.timestamp_ns);
  }
  return earliest;
}

// The time to add to the zero-based lines of a host to count from 1970; nullopt: unknown.
std::optional<int64_t> ZeroOf(const HostTimes& host) {
  if (host.start_unix_ns != 0) return host.start_unix_ns;
  const std::optional<int64_t> epoch = Earliest(host, true), zero = Earliest(host, false);
  if (!epoch) return std::nullopt;
  // Nothing says how the two clocks are related, so they begin together.
  return static_cast<int64_t>(
      std::clamp<Wide>(Wide{*epoch} - zero.value_or(0), 0, std::numeric_limits<int64_t>::max()));
}

Ps ToPs(Wide ns) {
  const Wide ps = ns * 1000;
  return static_cast<Ps>(std::clamp<Wide>(ps, -kMaxTimePs, kMaxTimePs));
}

}  // namespace

int64_t PlaceOrigin(std::vector<HostTimes>* hosts) {
  std::optional<int64_t> earliest_zero;
  for (const HostTimes& host : *hosts) {
    if (const auto zero = ZeroOf(host))
      earliest_zero = std::min(earliest_zero.value_or(*zero), *zero);
  }
  const bool absolute = earliest_zero.has_value();
  std::vector<PlacedLine> all, counted;
  for (HostTimes& host : *hosts) {
    const std::optional<int64_t> own = ZeroOf(host);
    host.unaligned = hosts->size() > 1 && absolute && !own;
    const Wide zero = own.value_or(earliest_zero.value_or(0));
    const bool has_epoch = Earliest(host, true).has_value();
    for (LineStart& l : host.lines) {
      const bool epoch = IsEpoch(l.timestamp_ns);
      l.zero_based_among_epoch = !epoch && has_epoch && l.weight > 0;
      all.push_back({&l, epoch ? Wide{l.timestamp_ns} : zero + l.timestamp_ns});
      if (l.weight > 0) counted.push_back(all.back());
    }
  }
  if (counted.empty()) counted = all;
  const Wide median = WeightedMedian(counted);
  Wide origin = median;
  for (const PlacedLine& l : counted) {
    const Wide distance = l.ns > median ? l.ns - median : median - l.ns;
    l.line->stray = distance > kHalfRangeNs;
    if (!l.line->stray) origin = std::min(origin, l.ns);
  }
  size_t i = 0;
  for (HostTimes& host : *hosts) {
    for (LineStart& l : host.lines) l.base_ps = ToPs(all[i++].ns - origin);
  }
  const bool fits = origin > 0 && origin <= std::numeric_limits<int64_t>::max();
  return absolute && fits ? static_cast<int64_t>(origin) : 0;
}

namespace {

constexpr Ps kNear = kPsPerMs;  // an op nearer than this to its place is in it
// Where two clocks fit each other, the session's is right for about half of the ops.
constexpr size_t kLeastShareInPlace = 8;  // one of so many

struct CoreOpTime {
  Ps session_begin = 0, session_end = 0;
  Ps begin = 0, end = 0;  // on the session's axis, by the core's clock
  uint32_t meta = 0;
};

Ps Clamped(Ps t) { return std::clamp(t, -kMaxTimePs, kMaxTimePs); }

std::vector<CoreClock::Reading> ReadingsOf(std::span<const CoreLine> lines) {
  std::vector<CoreClock::Reading> readings;
  const auto add = [&](const RawEvents& events, const std::vector<CoreTime>& times) {
    for (size_t i = 0; i < times.size(); ++i) {
      if (times[i].known()) readings.push_back({times[i].begin, events.start[i]});
    }
  };
  for (const CoreLine& line : lines) {
    if (line.kind != TrackKind::kXlaOps) continue;
    add(line.parsed->slices, line.parsed->slice_times);
    add(line.parsed->instants, line.parsed->instant_times);
  }
  return readings;
}

RetimedCore Compare(std::span<const CoreClock::Reading> readings, const CoreClock& clock) {
  RetimedCore core;
  core.ops = readings.size();
  for (const CoreClock::Reading& r : readings) {
    const Ps by = SaturatingSub(r.session, clock.ToSession(r.core));
    const Ps far = by < 0 ? SaturatingSub(0, by) : by;
    core.farthest = std::max(core.farthest, far);
    core.moved += far > kNear ? 1 : 0;
  }
  core.fits = (core.ops - core.moved) * kLeastShareInPlace >= core.ops;
  return core;
}

// Sets the events that have times of the core's. Ops are listed with both times.
class OwnTimes {
 public:
  explicit OwnTimes(const CoreClock& clock) : clock_(clock) {}

  void Set(const CoreLine& line) {
    Set(line.kind, &line.parsed->slices, line.parsed->slice_times);
    Set(line.kind, &line.parsed->instants, line.parsed->instant_times);
  }
  std::vector<CoreOpTime> TakeOps() { return std::move(ops_); }

 private:
  void Set(TrackKind kind, RawEvents* events, const std::vector<CoreTime>& times) {
    for (size_t i = 0; i < times.size(); ++i) {
      if (!times[i].known()) continue;
      CoreOpTime op;
      op.session_begin = events->start[i];
      op.session_end = SaturatingAdd(events->start[i], events->dur[i]);
      op.begin = Clamped(clock_.ToSession(times[i].begin));
      op.end = Clamped(clock_.ToSession(SaturatingAdd(times[i].begin, times[i].duration)));
      op.meta = events->meta[i];
      events->start[i] = op.begin;
      events->dur[i] = std::max<Ps>(0, op.end - op.begin);
      if (kind == TrackKind::kXlaOps) ops_.push_back(op);
    }
  }

  const CoreClock& clock_;
  std::vector<CoreOpTime> ops_;
};

// An event that has no length by the session's clock may have one by the core's.
void MoveToSlices(ParsedLine* line) {
  RawEvents& from = line->instants;
  const std::span<const Ps> durations(from.dur.data(), from.dur.size());
  if (std::none_of(durations.begin(), durations.end(), [](Ps d) { return d > 0; })) return;
  RawEvents slices, instants;
  slices.ref_base = instants.ref_base = from.ref_base;
  for (size_t i = 0; i < from.start.size(); ++i) {
    RawEvents& to = from.dur[i] > 0 ? slices : instants;
    to.start.push_back(from.start[i]);
    to.dur.push_back(from.dur[i]);
    to.meta.push_back(from.meta[i]);
    if (from.wide_ref.empty()) to.ref.push_back(from.ref[i]);
    if (!from.wide_ref.empty()) to.wide_ref.push_back(from.wide_ref[i]);
  }
  from = std::move(instants);
  AppendEvents(&line->slices, &slices);
}

// Leads from the session's clock to the places of the ops, between which it goes straight.
class Bends {
 public:
  explicit Bends(std::span<const CoreOpTime> ops) {
    knots_.reserve(2 * ops.size());
    for (const CoreOpTime& op : ops) {
      knots_.push_back({op.session_begin, op.begin});
      knots_.push_back({op.session_end, op.end});
    }
    std::sort(knots_.begin(), knots_.end());
    for (size_t i = 1; i < knots_.size(); ++i)
      knots_[i].second = std::max(knots_[i].second, knots_[i - 1].second);
  }

  // Rises with t. There must be an op.
  Ps Place(Ps t) const {
    const auto right = std::upper_bound(knots_.begin(), knots_.end(), std::pair(t, kMaxPs));
    if (right == knots_.begin()) return Shifted(t, *right);
    const auto left = right - 1;
    if (right == knots_.end() || left->first == t) return Shifted(t, *left);
    const double share = static_cast<double>(t - left->first) /
                         static_cast<double>(SaturatingSub(right->first, left->first));
    const Ps length = SaturatingSub(right->second, left->second);
    const Ps inside = static_cast<Ps>(std::llround(share * static_cast<double>(length)));
    return Clamped(SaturatingAdd(left->second, std::min(inside, length)));
  }

 private:
  using Knot = std::pair<Ps, Ps>;  // the session's time, the place
  static Ps Shifted(Ps t, const Knot& knot) {
    return Clamped(SaturatingAdd(t, SaturatingSub(knot.second, knot.first)));
  }
  std::vector<Knot> knots_;
};

// "copy-start.2" of "%copy-start.2 = (f32[8]{0}, ...".
std::string_view NameIn(std::string_view text) {
  return text.starts_with('%') ? text.substr(1, text.find(' ') - 1) : std::string_view();
}

// Finds the ops that start and await an asynchronous event. `ops` by begin.
class AsyncEnds {
 public:
  AsyncEnds(std::span<const CoreOpTime> ops, const NameTable& names) : ops_(ops), names_(names) {
    std::unordered_map<uint32_t, std::vector<size_t>*> known;  // by meta; null: another kind of op
    for (size_t i = 0; i < ops.size(); ++i) {
      const auto [it, added] = known.try_emplace(ops[i].meta, nullptr);
      if (added) it->second = PlacesOf(ops[i].meta);
      if (it->second != nullptr) it->second->push_back(i);
    }
  }

  // Null where the ops are not known. `session`: when the event begins by that clock.
  struct Ends {
    const CoreOpTime *start = nullptr, *done = nullptr;
  };
  Ends Of(uint32_t meta, Ps session) const {
    Ends ends;
    const std::string_view name = NameIn(names_.Name(MetaId(meta)));
    const auto starts = starts_.find(name);
    if (starts == starts_.end()) return ends;
    const auto after =
        std::upper_bound(starts->second.begin(), starts->second.end(), session,
                         [&](Ps t, size_t op) { return t < ops_[op].session_begin; });
    if (after == starts->second.begin()) return ends;
    ends.start = &ops_[*(after - 1)];
    const auto dones = dones_.find(name);
    if (dones == dones_.end()) return ends;
    const auto done = std::upper_bound(dones->second.begin(), dones->second.end(), *(after - 1));
    if (done != dones->second.end()) ends.done = &ops_[*done];
    return ends;
  }

 private:
  using ByName = std::unordered_map<std::string_view, std::vector<size_t>>;

  std::vector<size_t>* PlacesOf(uint32_t meta) {
    const std::string_view text = names_.Name(MetaId(meta)), name = NameIn(text);
    if (name.find("-start") != name.npos) return &starts_[name];
    if (name.find("-done") != name.npos) return &dones_[LastOperandOf(text)];
    return nullptr;
  }

  std::span<const CoreOpTime> ops_;
  const NameTable& names_;
  ByName starts_, dones_;  // by the name of the op that starts the work
};

// Places the events that have no time of the core's.
class OtherEvents {
 public:
  OtherEvents(std::vector<CoreOpTime> ops, const NameTable& names)
      : ops_(Sorted(std::move(ops))), bends_(ops_), ends_(ops_, names) {}

  void Place(const CoreLine& line) const {
    Place(line, &line.parsed->slices, line.parsed->slice_times);
    Place(line, &line.parsed->instants, line.parsed->instant_times);
  }

 private:
  static std::vector<CoreOpTime> Sorted(std::vector<CoreOpTime> ops) {
    std::sort(ops.begin(), ops.end(), [](const CoreOpTime& a, const CoreOpTime& b) {
      return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
    });
    return ops;
  }

  void Place(const CoreLine& line, RawEvents* events, const std::vector<CoreTime>& times) const {
    for (size_t i = 0; i < events->start.size(); ++i) {
      if (i < times.size() && times[i].known()) continue;
      const Ps begin = events->start[i], end = SaturatingAdd(begin, events->dur[i]);
      TimeRange place = {bends_.Place(begin), bends_.Place(end)};
      if (line.kind == TrackKind::kAsyncXlaOps) place = OfAsync(events->meta[i], begin, place);
      if (line.kind == TrackKind::kXlaModules) place = OfModule({begin, end}, place);
      events->start[i] = place.begin;
      events->dur[i] = std::max<Ps>(events->dur[i] > 0 ? 1 : 0, place.end - place.begin);
    }
  }

  TimeRange OfAsync(uint32_t meta, Ps session, TimeRange place) const {
    const AsyncEnds::Ends ends = ends_.Of(meta, session);
    if (ends.start != nullptr) place.begin = ends.start->begin;
    if (ends.done != nullptr) place.end = ends.done->end;
    return place;
  }

  // The ops that begin within the module by the session's clock are in it, and no others.
  TimeRange OfModule(TimeRange session, TimeRange place) const {
    const auto at = [&](Ps t) {
      return std::partition_point(ops_.begin(), ops_.end(),
                                  [&](const CoreOpTime& op) { return op.session_begin < t; });
    };
    const auto first = at(session.begin), behind = at(session.end);
    if (first >= behind) return place;
    place.begin = std::min(place.begin, first->begin);
    place.end = std::max(place.end, (behind - 1)->end);
    if (first != ops_.begin())
      place.begin = std::clamp(place.begin, std::min(first->begin, (first - 1)->end), first->begin);
    if (behind != ops_.end()) place.end = std::min(place.end, behind->begin);
    return place;
  }

  std::vector<CoreOpTime> ops_;  // by begin
  Bends bends_;
  AsyncEnds ends_;
};

void ReportClock(const RetimedCore& core, const std::string& where, Diagnostics* out) {
  if (!core.fits) {
    out->Count("xplane.core_clock", Severity::kWarning,
               "Ops of TPU cores whose own clock does not fit the session's: they are shown by the "
               "session's clock, whose times may bend.",
               where, core.ops);
  } else if (core.moved > 0) {
    out->Count("xplane.bent_times", Severity::kInfo,
               "Ops of TPU cores that the session's clock has more than 1 ms away: they are shown "
               "by their core's clock.",
               fmt::format("{}: {} of {} ops, by {} ms at most", where, core.moved, core.ops,
                           core.farthest / kPsPerMs),
               core.moved);
  }
}

}  // namespace

std::optional<CoreTimeStats> CoreTimeStatsOf(PlaneKind kind, const PlaneTables& tables) {
  if (kind != PlaneKind::kTpu && kind != PlaneKind::kTpuSparseCore) return std::nullopt;
  const auto id_of = [&](std::string_view name) -> std::optional<int64_t> {
    const auto it = std::find(tables.stat_names.begin(), tables.stat_names.end(), name);
    if (it == tables.stat_names.end()) return std::nullopt;
    return tables.stat_ids.IdOf(static_cast<uint32_t>(it - tables.stat_names.begin()));
  };
  const auto offset = id_of("device_offset_ps"), duration = id_of("device_duration_ps");
  if (!offset || !duration) return std::nullopt;
  return CoreTimeStats{*offset, *duration};
}

RetimedCore RetimeCore(std::span<const CoreLine> lines, const NameTable& names) {
  const std::vector<CoreClock::Reading> readings = ReadingsOf(lines);
  if (readings.empty()) return {};
  const CoreClock clock(readings);
  const RetimedCore core = Compare(readings, clock);
  if (!core.fits) return core;
  OwnTimes own(clock);
  for (const CoreLine& line : lines) own.Set(line);
  const OtherEvents others(own.TakeOps(), names);
  for (const CoreLine& line : lines) {
    others.Place(line);
    MoveToSlices(line.parsed);
    line.parsed->slice_times = line.parsed->instant_times = {};
  }
  return core;
}

void RetimeCores(std::span<const TpuCoreLines> cores, const NameTable& names, unsigned threads,
                 const std::stop_token& stop, Diagnostics* diagnostics) {
  std::vector<RetimedCore> retimed(cores.size());
  ParallelFor(
      cores.size(),
      [&](size_t i) {
        if (!stop.stop_requested()) retimed[i] = RetimeCore(cores[i].lines, names);
      },
      threads);
  for (size_t i = 0; i < cores.size(); ++i) ReportClock(retimed[i], cores[i].where, diagnostics);
}

}  // namespace stepscope::xplane
