#include "loaders/perfetto/trace_reader.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <tuple>
#include <utility>

#include "loaders/chrome_json/roles.h"

namespace stepscope::perfetto {
namespace {

using Group = TrackDrafts::Group;
using PlaneKey = TrackDrafts::PlaneKey;

constexpr uint64_t kLookEvery = 1 << 12;  // packets between two looks at the stop token
constexpr int kMostParents = 64;

// Categories that ROCm's profilers write, and those of PyTorch.
EventCategory CategoryOf(std::string_view category, std::string_view name) {
  if (category.starts_with("rocm_")) category.remove_prefix(5);
  if (category == "kernel_dispatch") return EventCategory::kKernel;
  if (category == "memory_copy") return EventCategory::kMemcpy;
  if (category.starts_with("hip_")) return EventCategory::kRuntimeCall;
  if (category.starts_with("hsa_")) return EventCategory::kHostEvent;
  if (category.starts_with("marker_")) category = "user_annotation";
  return chrome::RoleOfCategory(category, name).category;
}

bool IsDevice(EventCategory category) {
  return category == EventCategory::kKernel || category == EventCategory::kMemcpy ||
         category == EventCategory::kMemset;
}

// "GPU 3", "AGENT [4]": the number behind the mark; -1 if none.
int64_t NumberAfter(std::string_view text, std::string_view mark) {
  const size_t at = text.find(mark);
  if (at == text.npos) return -1;
  int64_t value = -1;
  std::from_chars(text.data() + at + mark.size(), text.data() + text.size(), value);
  return value < 0 || value > 1 << 20 ? -1 : value;
}

const char* NameOfPacket(uint32_t field) {
  switch (field) {
    case 1:
      return "kernel events (ftrace, scheduling)";
    case 5:
      return "legacy events of Chrome";
    case 7:
    case 9:
      return "statistics of processes and the system";
    case 37:
    case 54:
    case 66:
      return "samples of stacks and allocations";
    default:
      return nullptr;
  }
}

}  // namespace

void TraceReader::Count(std::string_view id, Severity severity, std::string_view text,
                        std::string place, uint64_t n) {
  builder_.trace().diagnostics.Count(id, severity, text, label_ + " " + std::move(place), n);
}

Status TraceReader::Read(uint64_t most_inflated, const std::stop_token& stop, Progress* progress) {
  PacketStream stream(&bytes_, most_inflated, true);
  std::string_view packet;
  uint64_t ref = 0, packets = 0, told = 0;
  InternedHistory::Place place{0, bytes_.source->size()};
  while (stream.Next(&packet, &ref)) {
    const bool plain = ref < bytes_.source->size();
    place = {plain ? ref : stream.done(), plain ? stream.done_inflated() : ref};
    ReadPacket(packet, ref, place);
    if (++packets % kLookEvery != 0) continue;
    if (stop.stop_requested()) return {ErrorCode::kCancelled, "cancelled"};
    const uint64_t done = std::min(stream.done(), bytes_.source->file_bytes()) / 2;
    if (bytes_.source->file_bytes() == bytes_.source->size() && done > told) {
      progress->bytes_done += done - told;
      told = done;
    }
  }
  if (!stream.status().ok()) return stream.status();
  if (stream.truncated())
    builder_.trace().diagnostics.CountTruncated(label_ + " byte " + std::to_string(stream.done()));
  if (stream.damaged() > 0)
    Count("perfetto.damaged_packets", Severity::kWarning,
          "Compressed packets are damaged: they are read up to there", "", stream.damaged());
  EmitTracks(stop);
  if (stop.stop_requested()) return {ErrorCode::kCancelled, "cancelled"};
  if (drafts_.empty())
    return {ErrorCode::kFormat, "no track events among " + std::to_string(packets) + " packets"};
  builder_.trace().kineto = kineto_;
  return {};
}

void TraceReader::ReadPacket(std::string_view bytes, uint64_t ref,
                             const InternedHistory::Place& place) {
  Packet packet;
  if (!ReadPacketFields(bytes, &packet))
    Count("perfetto.damaged_packets", Severity::kWarning,
          "Packets are damaged: their fields are read up to there", "byte " + std::to_string(ref));
  Sequence& sequence = sequences_[packet.sequence];
  const bool usable = UpdateState(packet, &sequence, place);
  if (packet.snapshot.begin != nullptr) clocks_.AddSnapshot(packet.sequence, packet.snapshot);
  if (packet.descriptor.begin != nullptr) AddDescriptor(packet.descriptor);
  if (packet.process_tree.begin != nullptr) ReadProcessTree(packet.process_tree);
  if (packet.other != 0) {
    const char* name = NameOfPacket(packet.other);
    Count("perfetto.not_read", Severity::kInfo, "Packets that are not read",
          name != nullptr ? name : "field " + std::to_string(packet.other));
  }
  if (!usable) return;
  if (packet.event.begin != nullptr) AddEvent(packet, &sequence, ref);
  if (packet.stage.begin != nullptr) AddStage(packet, &sequence, ref);
  if (packet.counter.begin != nullptr) AddGpuCounters(packet, sequence);
}

// Whether what the packet refers to is known.
bool TraceReader::UpdateState(const Packet& packet, Sequence* sequence,
                              const InternedHistory::Place& place) {
  if (packet.dropped && !packet.cleared) {
    sequence->lost = true;
    Count("perfetto.packet_loss", Severity::kWarning,
          "Packets were lost while recording: what refers to them is left out",
          "sequence " + std::to_string(packet.sequence));
  }
  if (packet.cleared || sequence->interned == nullptr) {
    if (packet.cleared) sequence->lost = false;
    sequence->interned = &history_.Begin(packet.sequence, place);
    sequence->defaults = {};
    sequence->levels.clear();
  }
  if (packet.interned.begin != nullptr)
    sequence->interned->Add(packet.interned, &builder_.strings());
  if (packet.defaults.begin != nullptr) sequence->defaults = ReadDefaults(packet.defaults);
  if (!packet.needs_state || !sequence->lost) return true;
  if (packet.event.begin != nullptr)
    Count("perfetto.event_without_state", Severity::kWarning,
          "Events refer to packets that were lost: they are left out",
          "sequence " + std::to_string(packet.sequence));
  return false;
}

std::optional<int64_t> TraceReader::TimeOf(const Packet& packet, const Sequence& sequence) {
  const uint32_t clock = packet.clock != 0 ? packet.clock : sequence.defaults.clock;
  const auto time = clocks_.Resolve(packet.sequence, clock, packet.timestamp);
  if (time) return time;
  Count("perfetto.unknown_clock", Severity::kWarning,
        "Times are of a clock that no snapshot has: they are taken for the trace's",
        "clock " + std::to_string(clock));
  return static_cast<int64_t>(packet.timestamp);
}

uint32_t TraceReader::TrackIndex(uint64_t uuid) {
  if (uuid == last_uuid_ && last_track_ != UINT32_MAX) return last_track_;
  const auto [it, added] = index_.try_emplace(uuid, static_cast<uint32_t>(tracks_.size()));
  if (added) {
    tracks_.emplace_back();
    tracks_.back().uuid = uuid;
  }
  last_uuid_ = uuid;
  return last_track_ = it->second;
}

StringId TraceReader::NameOf(const InternedNames& names, uint64_t iid, std::string_view text) {
  if (!text.empty() || iid == 0) return builder_.strings().Intern(text);
  const StringId name = names.Find(iid);
  if (name.valid()) return name;
  Count("perfetto.unknown_name", Severity::kWarning,
        "Names are referred to that no packet has said", "number " + std::to_string(iid));
  return StringId(0);
}

uint32_t TraceReader::MetaOf(StringId name, StringId category, bool* device) {
  const uint64_t key = uint64_t{name.value} << 32 | category.value;
  const auto [it, added] = metas_.try_emplace(key, 0, false);
  if (added) {
    const std::string_view text = builder_.strings().View(name);
    const EventCategory known = CategoryOf(builder_.strings().View(category), text);
    it->second = {drafts_.MetaOf(name, known), IsDevice(known)};
    kineto_ = kineto_ || known != EventCategory::kUnknown;
  }
  *device = it->second.second;
  return it->second.first;
}

void TraceReader::AddEvent(const Packet& packet, Sequence* sequence, uint64_t ref) {
  ReadTrackEvent(packet.event, &event_);
  const int64_t at = TimeOf(packet, *sequence).value_or(0);
  AddCounterValues(at, sequence);
  const uint64_t uuid = event_.track.value_or(sequence->defaults.track.value_or(0));
  if (event_.type == EventType::kCounter) {
    if (event_.has_value) AddSample(uuid, at, event_.value, sequence);
    return;
  }
  if (event_.type == EventType::kNone) {
    if (event_.unknown_phase != 0)
      Count("perfetto.unknown_phase", Severity::kInfo, "Legacy events of phases that are not read",
            std::string("phase ") + event_.unknown_phase);
    return;
  }
  const uint32_t index = TrackIndex(uuid);
  uint32_t meta = 0;
  if (event_.type != EventType::kEnd) {
    const StringId name = NameOf(sequence->interned->events, event_.name_iid, event_.name);
    const StringId category =
        NameOf(sequence->interned->categories, event_.category_iid, event_.category);
    bool device = false;
    meta = MetaOf(name, category, &device);
    tracks_[index].device = tracks_[index].device || device;
  }
  std::vector<Record>& records = tracks_[index].records;
  for (const bool ends : {false, true}) {
    for (const uint64_t id : ends ? event_.ending_flows : event_.flows) {
      if (event_.type == EventType::kBegin || event_.type == EventType::kComplete)
        flows_.push_back({id, at, index, static_cast<uint32_t>(records.size()), ends});
    }
  }
  records.push_back({at, std::max<int64_t>(event_.duration_ns, 0), ref, meta, event_.type});
}

void TraceReader::AddCounterValues(int64_t at, Sequence* sequence) {
  const auto& tracks = event_.counters.empty() ? sequence->defaults.counters : event_.counters;
  for (size_t i = 0; i < std::min(tracks.size(), event_.counter_values.size()); ++i)
    AddSample(tracks[i], at, static_cast<double>(event_.counter_values[i]), sequence);
  const auto& reals =
      event_.real_counters.empty() ? sequence->defaults.real_counters : event_.real_counters;
  for (size_t i = 0; i < std::min(reals.size(), event_.real_values.size()); ++i)
    AddSample(reals[i], at, event_.real_values[i], sequence);
}

void TraceReader::AddSample(uint64_t track, int64_t at, double value, Sequence* sequence) {
  TrackState& state = tracks_[TrackIndex(track)];
  value *= static_cast<double>(state.multiplier);
  if (state.incremental) value = sequence->levels[track] += value;
  state.samples.emplace_back(at, value);
}

void TraceReader::AddDescriptor(const Field& message) {
  const Descriptor d = ReadDescriptor(message);
  TrackState& track = tracks_[TrackIndex(d.uuid)];
  StringPool& strings = builder_.strings();
  if (d.parent != 0) track.parent = d.parent;
  if (!d.name.empty()) track.name = strings.Intern(d.name);
  track.process = track.process || d.process;
  track.thread = track.thread || d.thread;
  track.counter = track.counter || d.counter;
  track.incremental = track.incremental || d.incremental;
  if (d.multiplier != 1) track.multiplier = d.multiplier;
  if (d.process || d.thread) track.pid = d.pid;
  if (d.thread) track.tid = d.tid;
  if (!d.process_name.empty()) process_names_[d.pid] = strings.Intern(d.process_name);
  if (!d.label.empty()) track.gpu = NumberAfter(d.label, "GPU ");
  if (!d.thread_name.empty() && track.name.value == 0) track.name = strings.Intern(d.thread_name);
}

void TraceReader::ReadProcessTree(const Field& message) {
  xplane::FieldReader reader(message.begin, message.end);
  Field entry;
  while (reader.Next(&entry)) {
    if (entry.wire != xplane::kLen || (entry.number != 1 && entry.number != 2)) continue;
    xplane::FieldReader fields(entry.begin, entry.end);
    Field f;
    int64_t id = 0;
    std::string_view name;
    while (fields.Next(&f)) {
      if (f.number == 1 && f.wire == xplane::kVarint) id = f.Int();
      const uint32_t named = entry.number == 1 ? 3 : 2;
      if (f.number == named && f.wire == xplane::kLen && name.empty()) name = f.text();
    }
    auto& names = entry.number == 1 ? process_names_ : thread_names_;
    if (!name.empty()) names.try_emplace(id, builder_.strings().Intern(name));
  }
}

// ---- What GPU profilers write
// ------------------------------------------------------------------------------------------------

uint32_t TraceReader::StageTrack(const RenderStage& stage, StringId queue, int64_t pid) {
  // No track of the file has such a number unless by chance of 2^-64.
  const uint64_t uuid = 0x9e3779b97f4a7c15u * (stage.queue_iid + 1) ^
                        0xc2b2ae3d27d4eb4fu * (static_cast<uint64_t>(stage.gpu) + 7) ^
                        0x165667b19e3779f9u * (static_cast<uint64_t>(stage.queue) + 3) ^
                        static_cast<uint64_t>(pid);
  TrackState& track = tracks_[TrackIndex(uuid)];
  if (!track.device) {
    track.device = true;
    track.gpu = std::clamp<int64_t>(stage.gpu, 0, 1 << 20);
    track.pid = pid;
    track.name = queue.value != 0 ? queue : builder_.strings().Intern("Queue");
  }
  return index_[uuid];
}

void TraceReader::AddStage(const Packet& packet, Sequence* sequence, uint64_t ref) {
  const RenderStage stage = ReadRenderStage(packet.stage);
  StringPool& strings = builder_.strings();
  for (size_t i = 0; i < stage.queues.size(); ++i)
    queue_names_[i] = strings.Intern(stage.queues[i]);
  for (size_t i = 0; i < stage.stages.size(); ++i)
    stage_names_[i] = strings.Intern(stage.stages[i]);
  if (!packet.has_timestamp || (stage.queue_iid == 0 && stage.queue < 0)) return;
  const Interned& interned = *sequence->interned;
  const StringId queue = stage.queue_iid != 0 ? NameOf(interned.stages, stage.queue_iid, {})
                                              : queue_names_[static_cast<uint64_t>(stage.queue)];
  StringId name = NameOf(interned.events, stage.name_iid, stage.name);
  if (name.value == 0 || !name.valid())
    name = stage.stage_iid != 0 ? NameOf(interned.stages, stage.stage_iid, {})
                                : stage_names_[static_cast<uint64_t>(stage.stage)];
  if (!name.valid()) name = StringId(0);
  const auto context = interned.contexts.find(stage.context);
  const int64_t pid = context == interned.contexts.end() ? 0 : context->second;
  const uint32_t index = StageTrack(stage, queue.valid() ? queue : StringId(0), pid);
  const EventCategory category =
      chrome::CategoryByPlace(strings.View(name), PlaneKind::kGpu, TrackKind::kStream);
  kineto_ = true;
  tracks_[index].records.push_back({TimeOf(packet, *sequence).value_or(0),
                                    std::max<int64_t>(stage.duration_ns, 0), ref,
                                    drafts_.MetaOf(name, category), EventType::kComplete});
}

void TraceReader::AddGpuCounters(const Packet& packet, const Sequence& sequence) {
  const GpuCounters counters = ReadGpuCounters(packet.counter);
  const auto key = [&](uint64_t id) { return id ^ static_cast<uint64_t>(counters.gpu) << 48; };
  for (const auto& [id, name] : counters.names)
    counter_names_[key(id)] = builder_.strings().Intern(name);
  const int64_t at = TimeOf(packet, sequence).value_or(0);
  for (const auto& [id, value] : counters.values) {
    TrackState& track = tracks_[TrackIndex(0xd6e8feb86659fd93u ^ key(id))];
    track.counter = true;
    track.gpu = std::clamp<int64_t>(counters.gpu, 0, 1 << 20);
    if (track.name.value == 0) track.name = counter_names_[key(id)];
    if (!track.name.valid()) track.name = StringId(0);
    track.samples.emplace_back(at, value);
  }
}

// ---- Tracks
// ------------------------------------------------------------------------------------------------

int64_t TraceReader::PidOf(const TrackState& track) const {
  const TrackState* at = &track;
  for (int i = 0; i < kMostParents; ++i) {
    if (at->process || at->thread || at->pid != 0) return at->pid;
    const auto parent = index_.find(at->parent);
    if (at->parent == 0 || parent == index_.end()) return 0;
    at = &tracks_[parent->second];
  }
  return 0;
}

// By what the track or those around it are called.
int64_t TraceReader::GpuOf(const TrackState& track) const {
  const TrackState* at = &track;
  for (int i = 0; i < kMostParents; ++i) {
    if (at->gpu >= 0) return at->gpu;
    const std::string_view name = builder_.strings().View(at->name);
    for (const std::string_view mark : {"GPU ", "AGENT [", "Agent ["}) {
      if (const int64_t number = NumberAfter(name, mark); number >= 0) return number;
    }
    const auto parent = index_.find(at->parent);
    if (at->parent == 0 || parent == index_.end()) return -1;
    at = &tracks_[parent->second];
  }
  return -1;
}

// The draft that the track's events go to.
uint32_t TraceReader::PlaceTrack(uint32_t index) {
  const TrackState& state = tracks_[index];
  const bool counter = state.records.empty();
  const int64_t pid = PidOf(state), gpu = GpuOf(state);
  const bool device = state.device || (counter && gpu >= 0);
  const bool threads = state.thread || pid != 0;
  const PlaneKey plane{pid,
                       device    ? PlaneKind::kGpu
                       : threads ? PlaneKind::kHostThreads
                                 : PlaneKind::kOther,
                       device ? std::max<int64_t>(gpu, 0) : 0};
  const Group group = counter        ? Group::kCounters
                      : device       ? Group::kStreams
                      : state.thread ? Group::kThreads
                                     : Group::kRanges;
  const uint32_t track =
      drafts_.TrackOf(plane, group, state.thread && !device ? state.tid : int64_t{index});
  if (!drafts_.IsNew(track)) return track;
  TrackData& data = drafts_.track(track);
  data.track.name = state.name;
  if (state.thread && state.name.value == 0) {
    const auto named = thread_names_.find(state.tid);
    data.track.name = named != thread_names_.end()
                          ? named->second
                          : builder_.strings().Intern("Thread " + std::to_string(state.tid));
  }
  if (data.track.name.value == 0) data.track.name = builder_.strings().Intern("Events");
  data.track.kind = counter        ? TrackKind::kCounter
                    : device       ? TrackKind::kStream
                    : state.thread ? TrackKind::kThread
                                   : TrackKind::kOther;
  return track;
}

// Begins and ends match in order of time, the innermost first; what is open at the end lasts to the
// track's last event.
void TraceReader::EmitTrack(uint32_t index) {
  TrackState& state = tracks_[index];
  const uint32_t track = PlaceTrack(index);
  std::vector<uint32_t> order(state.records.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto before = [&](uint32_t a, uint32_t b) {
    return state.records[a].at < state.records[b].at;
  };
  if (!std::is_sorted(order.begin(), order.end(), before))
    std::stable_sort(order.begin(), order.end(), before);
  int64_t last = INT64_MIN;
  for (const Record& r : state.records) last = std::max(last, SaturatingAdd(r.at, r.duration));
  std::vector<uint32_t> open;
  const auto add = [&](uint32_t record, int64_t end) {
    const Record& r = state.records[record];
    const auto slice = drafts_.AddSlice(track, r.at, end, r.meta, r.ref);
    if (!slices_[index].empty() || !flows_.empty()) slices_[index].emplace_back(record, slice);
  };
  uint64_t ends = 0;
  for (const uint32_t i : order) {
    const Record& r = state.records[i];
    if (r.type == EventType::kBegin) {
      open.push_back(i);
    } else if (r.type == EventType::kEnd) {
      if (open.empty()) {
        ++ends;
        continue;
      }
      add(open.back(), r.at);
      open.pop_back();
    } else if (r.type == EventType::kComplete) {
      add(i, SaturatingAdd(r.at, r.duration));
    } else {
      drafts_.AddInstant(track, r.at, r.meta, r.ref);
    }
  }
  if (!open.empty())
    Count("perfetto.unmatched_begin", Severity::kWarning,
          "Slices without an end are drawn to the last event of their track", "", open.size());
  if (ends > 0)
    Count("perfetto.unmatched_end", Severity::kWarning, "Ends without a begin are left out", "",
          ends);
  for (; !open.empty(); open.pop_back()) add(open.back(), last);
  state.records = {};
}

void TraceReader::EmitTracks(const std::stop_token& stop) {
  slices_.resize(tracks_.size());
  for (uint32_t i = 0; i < tracks_.size() && !stop.stop_requested(); ++i) {
    if (!tracks_[i].records.empty()) EmitTrack(i);
    if (tracks_[i].samples.empty()) continue;
    const uint32_t track = PlaceTrack(i);
    if (drafts_.track(track).track.kind != TrackKind::kCounter) continue;
    for (const auto& [at, value] : tracks_[i].samples) drafts_.AddSample(track, at, value);
    tracks_[i].samples = {};
  }
  EmitFlows();
  NamePlanes();
}

// The slices of a flow in order of time, until it is ended.
void TraceReader::EmitFlows() {
  std::stable_sort(flows_.begin(), flows_.end(), [](const FlowPoint& a, const FlowPoint& b) {
    return std::tie(a.id, a.at) < std::tie(b.id, b.at);
  });
  for (auto& slices : slices_)
    std::sort(slices.begin(), slices.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
  const auto slice_of = [&](const FlowPoint& p) -> const TrackDrafts::Slice* {
    const auto& slices = slices_[p.track];
    const auto it = std::lower_bound(slices.begin(), slices.end(), p.record,
                                     [](const auto& s, uint32_t r) { return s.first < r; });
    return it == slices.end() || it->first != p.record ? nullptr : &it->second;
  };
  for (size_t i = 0; i + 1 < flows_.size(); ++i) {
    const FlowPoint &from = flows_[i], &to = flows_[i + 1];
    if (from.id != to.id || from.ends) continue;
    const auto *a = slice_of(from), *b = slice_of(to);
    if (a != nullptr && b != nullptr) drafts_.AddArrow(*a, *b, from.id);
  }
  flows_ = {};
  slices_ = {};
}

void TraceReader::NamePlanes() {
  drafts_.ForPlanes([&](const PlaneKey& key, Plane& plane) {
    const auto named = process_names_.find(key.process);
    const std::string process(named == process_names_.end()
                                  ? std::string_view("Process")
                                  : builder_.strings().View(named->second));
    plane.id = key.process;
    if (key.kind == PlaneKind::kGpu) {
      plane.id = key.number;
      plane.display_name = "GPU " + std::to_string(key.number);
      plane.name = builder_.strings().Intern("/device:GPU:" + std::to_string(key.number));
    } else {
      const bool threads = key.kind == PlaneKind::kHostThreads;
      plane.subtitle = threads ? process + " " + std::to_string(key.process) : "";
      plane.display_name = threads ? "Host threads" : "Tracks";
      plane.name = builder_.strings().Intern(threads ? plane.subtitle : plane.display_name);
    }
  });
}

}  // namespace stepscope::perfetto
