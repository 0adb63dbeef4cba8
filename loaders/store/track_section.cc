// TRCK: hosts, planes, tracks and the lanes of their events.
#include <utility>
#include <variant>

#include "loaders/store/sections.h"

namespace stepscope::store {
namespace {

void WriteValue(const decltype(PlaneStat::value)& value, pb::Value* to) {
  if (const auto* i = std::get_if<int64_t>(&value)) to->set_int_(*i);
  if (const auto* u = std::get_if<uint64_t>(&value)) to->set_uint(*u);
  if (const auto* d = std::get_if<double>(&value)) to->set_real(*d);
  if (const auto* text = std::get_if<std::string>(&value)) to->set_text(*text);
}

decltype(PlaneStat::value) ReadValue(const pb::Value& value) {
  switch (value.value_case()) {
    case pb::Value::kInt:
      return int64_t{value.int_()};
    case pb::Value::kUint:
      return uint64_t{value.uint()};
    case pb::Value::kReal:
      return value.real();
    default:
      return value.text();
  }
}

void WriteHost(const Host& host, pb::Host* to) {
  to->set_name(host.name.value);
  to->set_file(host.file);
  to->set_start_unix_ns(host.start_unix_ns);
  to->set_cut(host.cut);
  to->set_rank(host.rank);
}

void WritePlane(const Plane& plane, pb::Plane* to) {
  to->set_host(plane.host.value);
  to->set_name(plane.name.value);
  to->set_display_name(plane.display_name);
  to->set_subtitle(plane.subtitle);
  to->set_id(plane.id);
  to->set_device_ordinal(plane.device_ordinal);
  to->set_kind(static_cast<uint32_t>(plane.kind));
  for (const PlaneStat& stat : plane.stats) {
    pb::PlaneStat& s = *to->add_stats();
    s.set_name(stat.name);
    WriteValue(stat.value, s.mutable_value());
  }
  for (const TrackId track : plane.tracks) to->add_tracks(track.value);
  to->set_file_order(plane.file_order);
}

void WriteTrack(const TrackSet& set, const Track& track, pb::Track* to) {
  to->set_plane(track.plane.value);
  to->set_name(track.name.value);
  to->set_id(track.id);
  to->set_display_id(track.display_id);
  to->set_kind(static_cast<uint32_t>(track.kind));
  to->set_source(track.source);
  to->set_derived_in_file(track.derived_in_file);
  to->set_file_order(track.file_order);
  to->set_line_start(track.line_start);
  for (const Lane& lane : set.LanesOf(track)) {
    pb::Lane& l = *to->add_lanes();
    l.set_kind(static_cast<uint32_t>(lane.kind));
    l.set_depth(lane.depth);
    l.set_rows(lane.size());
    l.set_begin(lane.start.empty() ? 0 : lane.start.front());
  }
}

Status WriteTrack(const WriteContext& context, uint32_t, Payload* out) {
  pb::Tracks tracks;
  for (const Host& host : context.trace.hosts) WriteHost(host, tracks.add_hosts());
  for (const Plane& plane : context.trace.planes) WritePlane(plane, tracks.add_planes());
  for (const Track& track : context.trace.set.tracks)
    WriteTrack(context.trace.set, track, tracks.add_tracks());
  out->count = static_cast<uint32_t>(tracks.tracks_size());
  out->bytes = tracks.SerializeAsString();
  return {};
}

template <typename Kind>
Kind KindOf(uint32_t value, Kind most) {
  return value > static_cast<uint32_t>(most) ? most : static_cast<Kind>(value);
}

StringId TrackNameOf(const ReadContext& context, uint32_t id) {
  if (id == StringId::kInvalid) return {};
  return StringId(id < context.builder.strings().size() ? id : 0);
}

void ReadPlane(const ReadContext& context, const pb::Plane& from, Plane* plane) {
  const bool hosted = from.host() < static_cast<uint32_t>(context.tracks.hosts_size());
  plane->host = hosted ? HostId(from.host()) : HostId();
  plane->name = TrackNameOf(context, from.name());
  plane->display_name = from.display_name();
  plane->subtitle = from.subtitle();
  plane->id = from.id();
  plane->device_ordinal = from.device_ordinal();
  plane->kind = KindOf(from.kind(), PlaneKind::kOther);
  for (const pb::PlaneStat& stat : from.stats())
    plane->stats.push_back({stat.name(), ReadValue(stat.value())});
  plane->file_order = from.file_order();
}

// The lanes of a track: nested ones first, then spilled ones, then at most one of instants.
bool ReadLanes(const pb::Track& track, uint32_t index, uint64_t* rows, EventColumns* events) {
  uint32_t last_kind = 0;
  for (const pb::Lane& lane : track.lanes()) {
    const bool instants_again =
        last_kind == static_cast<uint32_t>(LaneKind::kInstant) && lane.kind() == last_kind;
    if (lane.kind() < last_kind || lane.kind() > 2 || instants_again) return false;
    last_kind = lane.kind();
    if (*rows + lane.rows() > 0xfffffffeu) return false;
    if (lane.rows() == 0) continue;
    events->lanes.push_back({index, static_cast<uint32_t>(*rows), lane.rows(), lane.begin(),
                             static_cast<LaneKind>(lane.kind())});
    *rows += lane.rows();
  }
  return true;
}

bool ReadTrack(ReadContext& context, const Section&, std::string_view bytes) {
  pb::Tracks& tracks = context.tracks;
  if (!tracks.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return false;
  uint64_t rows = 0;
  for (int i = 0; i < tracks.tracks_size(); ++i) {
    const pb::Track& track = tracks.tracks(i);
    if (track.plane() >= static_cast<uint32_t>(tracks.planes_size()) ||
        !ReadLanes(track, static_cast<uint32_t>(i), &rows, &context.events))
      return false;
  }
  Trace& trace = context.builder.trace();
  for (const pb::Host& from : tracks.hosts()) {
    Host host;
    host.name = TrackNameOf(context, from.name());
    host.file = from.file();
    host.start_unix_ns = from.start_unix_ns();
    host.cut = from.cut();
    host.rank = from.rank();
    trace.hosts.push_back(std::move(host));
  }
  for (const pb::Plane& plane : tracks.planes())
    ReadPlane(context, plane, &trace.planes.emplace_back());
  context.counters.resize(static_cast<size_t>(tracks.tracks_size()));
  return rows == context.head.rows();
}

}  // namespace

std::vector<Track> TracksOf(ReadContext& context) {
  std::vector<Track> out(static_cast<size_t>(context.tracks.tracks_size()));
  std::vector<Plane>& planes = context.builder.trace().planes;
  for (size_t i = 0; i < out.size(); ++i) {
    const pb::Track& from = context.tracks.tracks(static_cast<int>(i));
    Track& track = out[i];
    track.plane = PlaneId(from.plane());
    track.name = TrackNameOf(context, from.name());
    track.id = from.id();
    track.display_id = from.display_id();
    track.kind = KindOf(from.kind(), TrackKind::kOther);
    track.source = from.source();
    track.derived_in_file = from.derived_in_file();
    track.file_order = from.file_order();
    track.line_start = from.line_start();
    track.counters = std::move(context.counters[i]);
  }
  // A track is listed once, by its own plane.
  std::vector<char> listed(out.size(), 0);
  for (size_t p = 0; p < planes.size(); ++p) {
    for (const uint32_t t : context.tracks.planes(static_cast<int>(p)).tracks()) {
      if (t >= out.size() || listed[t] != 0 || out[t].plane.value != p) continue;
      listed[t] = 1;
      planes[p].tracks.push_back(TrackId(t));
    }
  }
  for (uint32_t t = 0; t < out.size(); ++t) {
    if (listed[t] == 0) planes[out[t].plane.value].tracks.push_back(TrackId(t));
  }
  return out;
}

const SectionDesc kTrackSection = {"TRCK",
                                   1,
                                   SectionCount::kOne,
                                   ReadMode::kNeeded,
                                   "hosts, planes and tracks",
                                   [](const WriteContext&) { return 1u; },
                                   WriteTrack,
                                   ReadTrack};

}  // namespace stepscope::store
