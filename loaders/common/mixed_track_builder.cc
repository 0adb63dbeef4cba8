#include "loaders/common/mixed_track_builder.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "loaders/common/track_roles.h"

namespace stepscope {

void FinishSeries(CounterSeries* series) {
  if (!std::is_sorted(series->time.begin(), series->time.end())) {
    std::vector<uint32_t> order(series->time.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(),
                     [&](uint32_t a, uint32_t b) { return series->time[a] < series->time[b]; });
    CounterSeries sorted;
    for (const uint32_t i : order) {
      sorted.time.push_back(series->time[i]);
      sorted.value.push_back(series->value[i]);
    }
    series->time = std::move(sorted.time);
    series->value = std::move(sorted.value);
  }
  if (series->value.empty()) return;
  const auto [low, high] = std::minmax_element(series->value.begin(), series->value.end());
  series->min = *low;
  series->max = *high;
}

uint32_t MixedTrackBuilder::TrackOf(const PlaneKey& plane, Group group, int64_t id) {
  const TrackKey key{plane, group, id};
  if (last_ < tracks_.size() && tracks_[last_]->key == key) return last_;
  const auto [it, added] = index_.try_emplace(key, static_cast<uint32_t>(tracks_.size()));
  if (added) {
    tracks_.push_back(std::make_unique<Draft>());
    tracks_.back()->key = key;
    tracks_.back()->data.track.id = tracks_.back()->data.track.display_id = id;
    planes_.try_emplace(plane);
  }
  return last_ = it->second;
}

bool MixedTrackBuilder::IsNew(uint32_t index) const {
  return !tracks_[index]->data.track.name.valid();
}

void MixedTrackBuilder::See(int64_t begin_ns, int64_t end_ns) {
  first_ns_ = std::min(first_ns_, begin_ns);
  last_ns_ = std::max(last_ns_, end_ns);
}

MixedTrackBuilder::Slice MixedTrackBuilder::AddSlice(uint32_t track, int64_t begin_ns,
                                                     int64_t end_ns, uint32_t meta, uint64_t ref) {
  end_ns = std::max(begin_ns, end_ns);
  See(begin_ns, end_ns);
  RawEvents& raw = tracks_[track]->data.slices;
  raw.AddWide(begin_ns, SaturatingSub(end_ns, begin_ns), meta, ref);
  return {track, static_cast<uint32_t>(raw.start.size() - 1)};
}

void MixedTrackBuilder::AddInstant(uint32_t track, int64_t at_ns, uint32_t meta, uint64_t ref) {
  See(at_ns, at_ns);
  tracks_[track]->data.instants.AddWide(at_ns, 0, meta, ref);
}

void MixedTrackBuilder::AddSample(uint32_t track, int64_t at_ns, double value) {
  See(at_ns, at_ns);
  std::vector<CounterSeries>& counters = tracks_[track]->data.track.counters;
  if (counters.empty()) counters.emplace_back();
  counters[0].time.push_back(at_ns);
  counters[0].value.push_back(value);
}

uint32_t MixedTrackBuilder::MetaOf(StringId name, EventCategory category) {
  const uint64_t key = uint64_t{name.value} << 8 | static_cast<uint64_t>(category);
  const auto [it, added] = metas_.try_emplace(key, 0);
  if (added) {
    EventMeta meta;
    meta.name = name;
    meta.category = category;
    it->second = builder_->AddMeta(meta).value;
  }
  return it->second;
}

std::vector<int64_t> MixedTrackBuilder::DeviceProcesses() const {
  std::set<int64_t> processes;
  for (const auto& [key, index] : index_) {
    if (key.group == Group::kStreams) processes.insert(key.plane.process);
  }
  return {processes.begin(), processes.end()};
}

// Planes are sorted by host, then devices before threads, then by number.
void MixedTrackBuilder::Emit(const Placement& placement) {
  std::map<PlaneKey, std::vector<uint32_t>> tracks;  // each list by key
  for (const auto& [key, index] : index_) tracks[key.plane].push_back(index);
  struct Entry {
    HostId host;
    int rank;
    PlaneKey key;
  };
  std::vector<Entry> order;
  for (const auto& [key, plane] : planes_) {
    const auto host = placement.hosts.find(key.process);
    order.push_back({host == placement.hosts.end() ? placement.host : host->second,
                     naming::PlaneRank(key.kind), key});
  }
  std::sort(order.begin(), order.end(), [](const Entry& a, const Entry& b) {
    return std::tuple(a.host.value, a.rank, a.key.number, a.key) <
           std::tuple(b.host.value, b.rank, b.key.number, b.key);
  });
  for (uint32_t i = 0; i < order.size(); ++i)
    EmitPlane(order[i].key, order[i].host, i, placement, tracks[order[i].key]);
  EmitArrows();
}

void MixedTrackBuilder::EmitPlane(const PlaneKey& key, HostId host, uint32_t order,
                                  const Placement& placement, const std::vector<uint32_t>& tracks) {
  Plane& plane = planes_[key];
  plane.host = host;
  plane.kind = key.kind;
  plane.file_order = order;
  if (key.kind == PlaneKind::kGpu) plane.device_ordinal = static_cast<int>(key.number);
  const PlaneId id = builder_->AddPlane(std::move(plane));
  uint32_t number = 0;
  for (const uint32_t track : tracks) EmitTrack(tracks_[track].get(), id, number++, placement);
}

void MixedTrackBuilder::EmitTrack(Draft* draft, PlaneId plane, uint32_t order,
                                  const Placement& placement) {
  const auto time = [&](int64_t ns) {
    return SaturatingAdd(SaturatingMul(SaturatingSub(ns, placement.base_ns), kPsPerNs),
                         placement.base);
  };
  for (RawEvents* raw : {&draft->data.slices, &draft->data.instants}) {
    for (size_t i = 0; i < raw->start.size(); ++i) {
      raw->start[i] = time(raw->start[i]);
      raw->dur[i] = SaturatingMul(raw->dur[i], kPsPerNs);
    }
  }
  for (CounterSeries& series : draft->data.track.counters) {
    FinishSeries(&series);
    for (Ps& at : series.time) at = time(at);
  }
  draft->data.track.plane = plane;
  draft->data.track.source = placement.source;
  draft->data.track.file_order = order;
  draft->id = builder_->AddTrack(std::move(draft->data));
}

void MixedTrackBuilder::EmitArrows() {
  const auto less = [](const Correlated& a, const Correlated& b) {
    return a.correlation < b.correlation;
  };
  std::stable_sort(calls_.begin(), calls_.end(), less);
  for (const Correlated& work : work_) {
    const auto call = std::lower_bound(calls_.begin(), calls_.end(), work, less);
    if (call != calls_.end() && call->correlation == work.correlation)
      AddArrow(call->slice, work.slice, work.correlation);
  }
  calls_ = {};
  work_ = {};
  const StringId category = builder_->strings().Intern("launch");
  for (const Arrow& arrow : arrows_) {
    const Draft &from = *tracks_[arrow.from.track], &to = *tracks_[arrow.to.track];
    builder_->AddFlow(from.id, arrow.from.index, to.id, arrow.to.index, arrow.id, category);
  }
  arrows_ = {};
}

}  // namespace stepscope
