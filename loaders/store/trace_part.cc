#include "loaders/store/trace_part.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "loaders/common/row_values.h"
#include "model/allocator_history.h"
#include "model/event_rows.h"
#include "model/first_view.h"
#include "model/graph_captures.h"
#include "model/lane_mip.h"
#include "model/trace_facts.h"
#include "model/xla/hlo_source.h"

namespace stepscope {
namespace {

constexpr uint32_t kRefBlock = 1u << Lane::kRefShift;

// TrackSet::storage owns this. Lanes view the other columns in the original.
struct PartStorage {
  std::shared_ptr<const Trace> original;
  std::vector<std::vector<uint32_t>> ref;
  std::vector<std::vector<uint64_t>> ref_bases;
};

// Asks the original's source about the original's rows.
class PartSource : public StatSource {
 public:
  PartSource(std::shared_ptr<const Trace> original, RowMap rows)
      : original_(std::move(original)), rows_(std::move(rows)) {}

  Result<std::vector<Stat>> Decode(const Trace&, EventRow row) const override {
    return original_->source->Decode(*original_, rows_.InOriginal(row.value));
  }

  Result<std::shared_ptr<const StatTable>> LoadTyped(const Trace&,
                                                     std::stop_token stop) const override {
    Result<std::shared_ptr<const StatTable>> all =
        original_->source->LoadTyped(*original_, std::move(stop));
    if (!all.ok()) return all.status();
    auto part = std::make_shared<StatTable>();
    for (uint32_t id = 1; id < (*all)->strings->size(); ++id)
      part->strings->Intern((*all)->strings->View(StringId(id)));
    const auto copy = [this](const auto& from, auto& to) { Copy(from, &to); };
    for (size_t c = 0; c < kStatColumns; ++c) VisitColumn(c, copy, **all, *part);
    part->ShrinkToFit();
    return std::shared_ptr<const StatTable>(std::move(part));
  }

  size_t resident_bytes() const override { return original_->source->resident_bytes(); }

 protected:
  const Trace& original() const { return *original_; }

 private:
  template <typename T>
  void Copy(const SparseColumn<T>& from, SparseColumn<T>* to) const {
    std::vector<uint32_t> rows;
    std::vector<T> values;
    from.ForAll([&](uint32_t row, T value) {
      const EventRow kept = rows_.InPart(row);
      if (!kept.valid()) return;
      rows.push_back(kept.value);
      values.push_back(value);
    });
    if (!rows.empty()) to->Append(rows, values);
  }

  std::shared_ptr<const Trace> original_;
  RowMap rows_;
};

class PartSourceWithPrograms final : public PartSource, public xla::HloSource {
 public:
  using PartSource::PartSource;
  std::vector<xla::ProgramEntry> Programs() const override { return programs().Programs(); }
  Result<std::shared_ptr<const xla::HloModule>> Read(const xla::ProgramEntry& program,
                                                     const std::stop_token& stop) const override {
    return programs().Read(program, stop);
  }
  Result<std::string> Bytes(const xla::ProgramEntry& program) const override {
    return programs().Bytes(program);
  }

 private:
  const xla::HloSource& programs() const { return *xla::HloSourceOf(original()); }
};

std::shared_ptr<const StatSource> SourceOf(const std::shared_ptr<const Trace>& original,
                                           RowMap rows) {
  if (original->source == nullptr) return nullptr;
  // The history of an allocator goes by the references of events, which stay.
  if (dynamic_cast<const HistorySource*>(original->source.get()) != nullptr)
    return original->source;
  if (xla::HloSourceOf(*original) != nullptr)
    return std::make_shared<PartSourceWithPrograms>(original, std::move(rows));
  auto source = std::make_shared<PartSource>(original, std::move(rows));
  const std::span<const GraphCapture> captures = CapturesOf(*original);
  if (captures.empty()) return source;
  return std::make_shared<SourceWithCaptures>(
      std::move(source), std::vector<GraphCapture>(captures.begin(), captures.end()));
}

// Keeps the planes of one host. Returns, by plane of the original, which plane it is now.
std::vector<PlaneId> KeepPlanesOf(HostId host, std::vector<Plane>* planes) {
  std::vector<PlaneId> kept;
  std::vector<Plane> of_host;
  for (Plane& plane : *planes) {
    const bool keep = plane.host == host;
    kept.push_back(keep ? PlaneId(static_cast<uint32_t>(of_host.size())) : PlaneId());
    if (keep) of_host.push_back(std::move(plane));
  }
  *planes = std::move(of_host);
  return kept;
}

// The same names under the same ids; `planes` as KeepPlanesOf returns them.
std::shared_ptr<const NameTable> NamesWith(const std::vector<PlaneId>& planes,
                                           const NameTable& from) {
  auto names = std::make_shared<NameTable>();
  for (uint32_t id = 1; id < from.strings.size(); ++id)
    names->strings.Intern(from.strings.View(StringId(id)));
  names->metas = from.metas;
  for (EventMeta& meta : names->metas) {
    if (meta.plane.valid()) meta.plane = planes[meta.plane.value];
  }
  return names;
}

class PartMaker {
 public:
  PartMaker(std::shared_ptr<const Trace> original, TimeRange range, HostId host)
      : original_(std::move(original)), range_(range), host_(host) {}

  std::shared_ptr<const Trace> Run(const std::stop_token& stop) {
    CopyFacts();
    storage_->original = original_;
    storage_->ref.reserve(original_->set.lanes.size());
    storage_->ref_bases.reserve(original_->set.lanes.size());
    for (uint32_t t = 0; t < original_->set.tracks.size(); ++t) {
      if (stop.stop_requested()) return nullptr;
      AddTrack(t);
    }
    TrackSet& set = part_->set;
    set.rows = rows_.rows();
    set.storage = storage_;
    BuildPyramids(&set.lanes, stop);
    if (stop.stop_requested()) return nullptr;
    CopyFlows();
    Summarise();
    part_->source = SourceOf(original_, std::move(rows_));
    return part_;
  }

 private:
  void CopyFacts() {
    const Trace& from = *original_;
    Trace& to = *part_;
    CopyTraceFacts(from, &to);
    for (Plane& plane : to.planes) plane.tracks.clear();
    if (!host_.valid()) return;
    to.hosts = {from.hosts[host_.value]};
    planes_ = KeepPlanesOf(host_, &to.planes);
    to.set.names = NamesWith(planes_, from.names());
    for (Plane& plane : to.planes) plane.host = HostId(0);
  }

  void AddTrack(uint32_t index) {
    const Track& from = original_->set.tracks[index];
    Track track = from;
    if (host_.valid()) {
      track.plane = planes_[from.plane.value];
      if (!track.plane.valid()) return;
    }
    track.first_lane = LaneId();
    track.lane_count = track.rows = 0;
    track.events = 0;
    track.busy = 0;
    track.span = {};
    std::vector<Lane>& lanes = part_->set.lanes;
    for (const Lane& lane : original_->set.LanesOf(from)) AddLane(lane, &track, &lanes);
    CutCounters(&track);
    const bool had = from.events > 0 || !from.counters.empty();
    if (had && track.events == 0 && track.counters.empty()) return;
    const TrackId id(static_cast<uint32_t>(part_->set.tracks.size()));
    for (uint32_t i = 0; i < track.lane_count; ++i) lanes[track.first_lane.value + i].track = id;
    track.rows = track.lane_count;
    part_->planes[track.plane.value].tracks.push_back(id);
    part_->set.tracks.push_back(std::move(track));
  }

  void AddLane(const Lane& from, Track* track, std::vector<Lane>* lanes) {
    auto [first, end] = std::pair(uint32_t{0}, from.size());
    if (!range_.empty()) std::tie(first, end) = EventsTouching(from.view(), range_);
    if (first >= end) return;
    if (track->lane_count == 0) track->first_lane = LaneId(static_cast<uint32_t>(lanes->size()));
    Lane& lane = lanes->emplace_back();
    const uint32_t n = end - first;
    lane.kind = from.kind;
    lane.depth = static_cast<uint16_t>(std::min(track->lane_count, 0xffffu));
    lane.first_row = rows_.rows();
    lane.start = from.start.subspan(first, n);
    lane.dur = from.dur.subspan(first, n);
    lane.meta = from.meta.subspan(first, n);
    CopyReferences(from, first, n, &lane);
    rows_.Add(from.first_row + first, n);
    const TimeRange span{lane.start.front(), lane.end(n - 1)};
    track->span = track->lane_count == 0 ? span
                                         : TimeRange{std::min(track->span.begin, span.begin),
                                                     std::max(track->span.end, span.end)};
    if (from.kind == LaneKind::kSpill ||
        (from.kind == LaneKind::kNested && track->lane_count == 0)) {
      for (const Ps dur : lane.dur) track->busy = SaturatingAdd(track->busy, dur);
    }
    track->events += n;
    ++track->lane_count;
    (from.kind == LaneKind::kInstant ? instants_ : slices_) += n;
  }

  // Blocks of references begin elsewhere in the part, so they get bases of their own.
  void CopyReferences(const Lane& from, uint32_t first, uint32_t n, Lane* lane) {
    if (from.ref.empty()) return;
    if (first == 0) {
      lane->ref = from.ref.subspan(0, n);
      lane->ref_bases = from.ref_bases;
      return;
    }
    std::vector<uint32_t>& refs = storage_->ref.emplace_back(n, Lane::kNoRef);
    std::vector<uint64_t>& bases =
        storage_->ref_bases.emplace_back((n + kRefBlock - 1) / kRefBlock);
    for (size_t b = 0; b < bases.size(); ++b) {
      const auto begin = static_cast<uint32_t>(b) * kRefBlock;
      const uint32_t end = std::min(n, begin + kRefBlock);
      uint64_t base = ~uint64_t{0};
      for (uint32_t i = begin; i < end; ++i) base = std::min(base, from.SourceOffset(first + i));
      bases[b] = base;
      for (uint32_t i = begin; i < end; ++i) {
        const uint64_t offset = from.SourceOffset(first + i);
        if (offset != ~uint64_t{0} && offset - base < Lane::kNoRef)
          refs[i] = static_cast<uint32_t>(offset - base);
      }
    }
    lane->ref = refs;
    lane->ref_bases = bases;
  }

  void CutCounters(Track* track) const {
    if (range_.empty()) return;
    for (CounterSeries& series : track->counters) {
      auto begin = std::upper_bound(series.time.begin(), series.time.end(), range_.begin);
      if (begin != series.time.begin()) --begin;  // its value holds at the range's begin
      const auto end = std::lower_bound(begin, series.time.end(), range_.end);
      const auto first = begin - series.time.begin(), last = end - series.time.begin();
      series.time = std::vector<Ps>(begin, end);
      series.value = std::vector<double>(series.value.begin() + first, series.value.begin() + last);
      if (series.value.empty()) continue;
      const auto [min, max] = std::minmax_element(series.value.begin(), series.value.end());
      series.min = *min;
      series.max = *max;
    }
    std::erase_if(track->counters, [](const CounterSeries& s) { return s.time.empty(); });
  }

  void CopyFlows() {
    for (Flow flow : original_->flows) {
      flow.from = rows_.InPart(flow.from.value);
      flow.to = rows_.InPart(flow.to.value);
      if (flow.from.valid() && flow.to.valid()) part_->flows.push_back(flow);
    }
  }

  void Summarise() {
    Trace& part = *part_;
    part.counts.slices = slices_;
    part.counts.instants = instants_;
    part.counts.flows = part.flows.size();
    for (const Track& track : part.set.tracks) {
      for (const CounterSeries& c : track.counters) part.counts.counter_samples += c.time.size();
    }
    SetViews(&part);
    const uint64_t left_out = original_->set.rows - part.set.rows;
    if (left_out > 0) {
      part.diagnostics.Count("part_of_trace", Severity::kInfo,
                             "Events of the recording are not in this part of it", {}, left_out);
    }
  }

  std::shared_ptr<const Trace> original_;
  TimeRange range_;
  HostId host_;
  std::vector<PlaneId> planes_;  // by plane of the original, where the part is of one host
  std::shared_ptr<Trace> part_ = std::make_shared<Trace>();
  std::shared_ptr<PartStorage> storage_ = std::make_shared<PartStorage>();
  RowMap rows_;
  uint64_t slices_ = 0, instants_ = 0;
};

}  // namespace

std::shared_ptr<const Trace> PartOfTrace(std::shared_ptr<const Trace> trace, TimeRange range,
                                         HostId host, const std::stop_token& stop) {
  return PartMaker(std::move(trace), range, host).Run(stop);
}

}  // namespace stepscope
