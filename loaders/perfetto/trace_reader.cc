#include "loaders/perfetto/trace_reader.h"

#include <algorithm>
#include <array>
#include <utility>

#include "loaders/common/track_roles.h"
#include "model/base/key_table.h"
#include "model/jobs/job.h"

namespace stepscope::perfetto {
namespace {

constexpr size_t kBatchesPerThread = 4;

// The category that ROCm's profilers or PyTorch mean by a text.
EventCategory CategoryOf(std::string_view category, std::string_view name) {
  if (category.starts_with("rocm_")) category.remove_prefix(5);
  if (category == "kernel_dispatch") return EventCategory::kKernel;
  if (category == "memory_copy") return EventCategory::kMemcpy;
  if (category.starts_with("hip_")) return EventCategory::kRuntimeCall;
  if (category.starts_with("hsa_")) return EventCategory::kHostEvent;
  if (category.starts_with("marker_")) category = "user_annotation";
  return naming::RoleOfCategory(category, name).category;
}

const char* NameOfPacket(uint32_t field) {
  constexpr const char *kStatistics = "statistics of processes and the system",
                       *kSamples = "samples of stacks and allocations";
  constexpr std::pair<uint32_t, const char*> kNames[] = {{1, "kernel events (ftrace, scheduling)"},
                                                         {5, "legacy events of Chrome"},
                                                         {7, kStatistics},
                                                         {9, kStatistics},
                                                         {37, kSamples},
                                                         {54, kSamples},
                                                         {66, kSamples}};
  return FindValue(kNames, field, nullptr);
}

}  // namespace

void TraceReader::Count(std::string_view id, Severity severity, std::string_view text,
                        std::string place, uint64_t n) {
  builder_.trace().diagnostics.Count(id, severity, text, label_ + " " + std::move(place), n);
}

Status TraceReader::Read(const LoadOptions& options, const std::stop_token& stop,
                         Progress* progress) {
  PacketStream stream(&bytes_, options.max_inflated_bytes);
  const unsigned threads = options.threads == 0 ? WorkerCount() : options.threads;
  if (Status s = ReadRounds(&stream, threads, stop, progress); !s.ok()) return s;
  PerfettoTrackBuilder emitter(&read_, &builder_, &drafts_);
  emitter.Emit(threads, stop);
  if (stop.stop_requested()) return {ErrorCode::kCancelled, "cancelled"};
  CountAfterwards(stream, emitter);
  end_arguments_ = emitter.TakeEndArguments();
  if (drafts_.empty()) return NoEvents();
  builder_.trace().kineto = kineto_;
  return {};
}

Status TraceReader::NoEvents() const {
  std::string text = "no track events among " + std::to_string(packets_) + " packets";
  const char* separator = "; it holds ";
  for (const std::string_view name : not_read_) {
    text += separator + std::string(name);
    separator = ", ";
  }
  return {ErrorCode::kFormat, text + (not_read_.empty() ? "" : ", which are not read")};
}

// Each turn decodes one round while it looks up the round before and reads the next one.
Status TraceReader::ReadRounds(PacketStream* stream, unsigned threads, const std::stop_token& stop,
                               Progress* progress) {
  std::array<Round, 3> rounds;
  for (Round& round : rounds) round.batches.resize(threads * kBatchesPerThread);
  const ByteSource& source = *bytes_.source;
  uint64_t told = 0;
  Fill(stream, rounds.data());
  Round *before = &rounds[2], *now = rounds.data(), *next = &rounds[1];
  while (before->used + now->used > 0) {
    const auto work = [&](size_t item) {
      if (item == 0) Apply(*before, stop);
      if (item == 1) Fill(stream, next);
      if (item > 1) DecodeBatch(&now->batches[item - 2]);
    };
    ParallelFor(now->used + 2, work, threads);
    if (stop.stop_requested()) return {ErrorCode::kCancelled, "cancelled"};
    Round* applied = std::exchange(before, std::exchange(now, next));
    next = applied;
    const uint64_t done = std::min(stream->done(), source.file_bytes()) / 2;
    if (source.file_bytes() == source.size() && done > told) {
      progress->bytes_done += done - told;
      told = done;
    }
  }
  return stream->status();
}

void TraceReader::Fill(PacketStream* stream, Round* round) {
  round->used = 0;
  uint64_t bytes = 0;
  for (DecodedBatch& batch : round->batches) {
    if (bytes >= round->batches.size() * PacketStream::kBatchBytes) return;
    if (!stream->Next(&batch.packets)) return;
    bytes += batch.packets.bytes.size();
    ++round->used;
  }
}

void TraceReader::CountAfterwards(const PacketStream& stream, const PerfettoTrackBuilder& emitter) {
  if (stream.truncated())
    builder_.trace().diagnostics.CountTruncated(label_ + " byte " + std::to_string(stream.done()));
  if (stream.damaged() > 0)
    Count("perfetto.damaged_packets", Severity::kWarning,
          "Compressed packets are damaged: they are read up to there", "", stream.damaged());
  if (emitter.unmatched_begins() > 0)
    Count("perfetto.unmatched_begin", Severity::kWarning,
          "Slices without an end are drawn to the last event of their track", "",
          emitter.unmatched_begins());
  if (emitter.unmatched_ends() > 0)
    Count("perfetto.unmatched_end", Severity::kWarning, "Ends without a begin are left out", "",
          emitter.unmatched_ends());
}

// ---- Packets ----------------------------------------------------------------

void TraceReader::Apply(const Round& round, const std::stop_token& stop) {
  for (size_t i = 0; i < round.used && !stop.stop_requested(); ++i) ApplyBatch(round.batches[i]);
}

void TraceReader::ApplyBatch(const DecodedBatch& batch) {
  packets_ += batch.heads.size();
  const bool inflated = batch.packets.inflated;
  for (const EventHead& head : batch.heads) {
    const Place place{inflated ? batch.packets.other : head.ref,
                      inflated ? head.ref : batch.packets.other};
    Sequence* sequence = SequenceOf(head.sequence);
    const bool has_rest = head.rest != EventHead::kNone;
    const PacketRest& rest = has_rest ? batch.rest[head.rest] : no_rest_;
    if (has_rest || head.dropped || head.cleared || sequence->interned == nullptr)
      UpdateState(head, rest, sequence, place);
    if (has_rest) ApplyDescriptions(head, rest);
    if (!IsUsable(head, !has_rest || rest.has_event, *sequence)) continue;
    if (!has_rest || rest.has_event) AddEvent(head, batch.lists, TimeOf(head, sequence), sequence);
    if (rest.stage.begin != nullptr) AddStage(head, rest.stage, sequence);
    if (rest.counter.begin != nullptr) AddGpuCounters(head, rest.counter, sequence);
  }
}

// Reads what the packet says about clocks, tracks and processes.
void TraceReader::ApplyDescriptions(const EventHead& head, const PacketRest& rest) {
  if (rest.damaged)
    Count("perfetto.damaged_packets", Severity::kWarning,
          "Packets are damaged: their fields are read up to there",
          "byte " + std::to_string(head.ref));
  if (rest.snapshot.begin != nullptr) clocks_.AddSnapshot(head.sequence, rest.snapshot);
  if (rest.descriptor.begin != nullptr) AddDescriptor(rest.descriptor);
  if (rest.process_tree.begin != nullptr) ReadProcessTree(rest.process_tree);
  if (rest.other == 0) return;
  const char* name = NameOfPacket(rest.other);
  if (name != nullptr) not_read_.insert(name);
  Count("perfetto.not_read", Severity::kInfo, "Packets that are not read",
        name != nullptr ? name : "field " + std::to_string(rest.other));
}

TraceReader::Sequence* TraceReader::FindSequence(uint32_t id) {
  last_ = &sequences_[id];
  last_->id = id;
  return last_;
}

void TraceReader::UpdateState(const EventHead& head, const PacketRest& rest, Sequence* sequence,
                              const Place& place) {
  if (head.dropped && !head.cleared) {
    sequence->lost = true;
    Count("perfetto.packet_loss", Severity::kWarning,
          "Packets were lost while recording: what refers to them is left out",
          "sequence " + std::to_string(head.sequence));
  }
  if (head.cleared || sequence->interned == nullptr) {
    if (head.cleared) sequence->lost = false;
    sequence->interned = &history_.Begin(head.sequence, place);
    sequence->defaults = {};
    sequence->levels.clear();
  }
  if (rest.interned.begin != nullptr) sequence->interned->Read(rest.interned, &builder_.strings());
  if (rest.defaults.begin != nullptr) sequence->defaults = ReadDefaults(rest.defaults);
}

void TraceReader::CountUnusable(bool event, const Sequence& sequence) {
  if (!event) return;
  Count("perfetto.event_without_state", Severity::kWarning,
        "Events refer to packets that were lost: they are left out",
        "sequence " + std::to_string(sequence.id));
}

int64_t TraceReader::FindTime(uint64_t timestamp, uint32_t clock, Sequence* sequence) {
  sequence->clock = clocks_.Find(sequence->id, clock);
  sequence->clock_id = clock;
  if (sequence->clock != nullptr) return Clocks::Resolve(sequence->clock, timestamp);
  Count("perfetto.unknown_clock", Severity::kWarning,
        "Times are of a clock that no snapshot has: they are taken for the trace's",
        "clock " + std::to_string(clock));
  return static_cast<int64_t>(timestamp);
}

uint32_t TraceReader::TrackIndex(uint64_t uuid) {
  const auto [it, added] =
      read_.index.try_emplace(uuid, static_cast<uint32_t>(read_.tracks.size()));
  if (added) read_.tracks.emplace_back().uuid = uuid;
  return it->second;
}

uint32_t TraceReader::TrackIndex(uint64_t uuid, Sequence* sequence) {
  if (sequence->uuid != uuid || sequence->track == UINT32_MAX) {
    sequence->uuid = uuid;
    sequence->track = TrackIndex(uuid);
  }
  return sequence->track;
}

StringId TraceReader::NameOf(const InternedNames& names, uint64_t iid, std::string_view text) {
  if (!text.empty() || iid == 0)
    return text.empty() ? StringId(0) : builder_.strings().Intern(text);
  const StringId name = names.Find(iid);
  if (name.valid()) return name;
  Count("perfetto.unknown_name", Severity::kWarning,
        "Names are referred to that no packet has said", "number " + std::to_string(iid));
  return StringId(0);
}

TraceReader::MetaEntry TraceReader::MakeMeta(StringId name, StringId category) {
  const std::string_view text = builder_.strings().View(name);
  const EventCategory known = CategoryOf(builder_.strings().View(category), text);
  kineto_ = kineto_ || known != EventCategory::kUnknown;
  const uint64_t key = uint64_t{name.value} << 32 | category.value;
  return {key, drafts_.MetaOf(name, known), IsDeviceWork(known)};
}

const TraceReader::MetaEntry& TraceReader::MetaOf(StringId name, StringId category) {
  const uint64_t key = uint64_t{name.value} << 32 | category.value;
  MetaEntry& recent = recent_metas_[(key * 0x9e3779b97f4a7c15u) >> 52];
  if (recent.key == key) return recent;
  const auto [it, added] = metas_.try_emplace(key);
  if (added) it->second = MakeMeta(name, category);
  return recent = it->second;
}

void TraceReader::AddEvent(const EventHead& head, const EventLists& lists, int64_t at,
                           Sequence* sequence) {
  if (head.rare != EventHead::kNone) AddRare(lists.rare[head.rare], head, at, sequence);
  const uint64_t uuid = head.has_track ? head.track : sequence->defaults.track.value_or(0);
  if (head.type == EventType::kCounter) {
    if (head.has_value) AddSample(uuid, at, head.value, sequence);
    return;
  }
  if (head.type == EventType::kNone) return;
  const uint32_t index = TrackIndex(uuid, sequence);
  TrackState& track = read_.tracks[index];
  const bool ends = head.type == EventType::kEnd;
  uint32_t meta = 0;
  if (!ends) {
    const auto texts =
        head.texts == EventHead::kNone ? EventLists::Texts() : lists.texts[head.texts];
    const Interned& known = *sequence->interned;
    const StringId name = NameOf(known.events, head.name_iid, texts.name);
    const MetaEntry& entry =
        MetaOf(name, NameOf(known.categories, head.category_iid, texts.category));
    meta = entry.meta;
    track.device = track.device || entry.device;
  }
  if (head.flows + head.ending_flows > 0) AddFlows(head, lists.flows, at, index);
  const uint64_t ref = ends && !head.has_arguments ? Record::kNoRef : head.ref;
  track.records.push_back({at, head.duration_ns, ref, meta, head.type});
}

void TraceReader::AddFlows(const EventHead& head, const std::vector<uint64_t>& flows, int64_t at,
                           uint32_t track) {
  // Arrows lead from slice to slice: a flow passes over instants.
  if (head.type == EventType::kInstant) return;
  TrackState& state = read_.tracks[track];
  const auto record = static_cast<uint32_t>(state.records.size());
  state.flows = true;
  for (uint32_t i = 0; i < head.flows + head.ending_flows; ++i)
    state.flow_points.push_back({flows[head.first_flow + i], at, track, record, i >= head.flows});
}

void TraceReader::AddRare(const EventLists::Rare& rare, const EventHead& head, int64_t at,
                          Sequence* sequence) {
  const auto add = [&](const std::vector<int64_t>& own, const std::vector<int64_t>& defaults,
                       const auto& values) {
    const std::vector<int64_t>& tracks = own.empty() ? defaults : own;
    for (size_t i = 0; i < std::min(tracks.size(), values.size()); ++i)
      AddSample(static_cast<uint64_t>(tracks[i]), at, static_cast<double>(values[i]), sequence);
  };
  add(rare.counters, sequence->defaults.counters, rare.counter_values);
  add(rare.real_counters, sequence->defaults.real_counters, rare.real_values);
  if (head.type == EventType::kNone && rare.unknown_phase != 0)
    Count("perfetto.unknown_phase", Severity::kInfo, "Legacy events of phases that are not read",
          std::string("phase ") + rare.unknown_phase);
}

void TraceReader::AddSample(uint64_t track, int64_t at, double value, Sequence* sequence) {
  TrackState& state = read_.tracks[TrackIndex(track)];
  value *= static_cast<double>(state.multiplier);
  if (state.incremental) value = sequence->levels[track] += value;
  state.samples.push_back({at, value});
}

void TraceReader::AddDescriptor(const Field& message) {
  const TrackDescriptor d = ReadTrackDescriptor(message);
  TrackState& track = read_.tracks[TrackIndex(d.uuid)];
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
  if (!d.process_name.empty()) read_.process_names[d.pid] = strings.Intern(d.process_name);
  if (!d.label.empty()) track.gpu = NumberAfter(d.label, "GPU ");
  if (!d.thread_name.empty() && track.name.value == 0) track.name = strings.Intern(d.thread_name);
}

void TraceReader::ReadProcessTree(const Field& message) {
  // A name is the first text of a field: a process has its command line there.
  const auto add = [this](const Field& entry, uint32_t name_field,
                          std::unordered_map<int64_t, StringId>* names) {
    int64_t id = 0;
    std::string_view name;
    const auto first = [&name](const Field& f) {
      if (name.empty()) name = f.text();
    };
    ReadFields(entry, proto::Number(1, &id), proto::Message(name_field, first));
    if (!name.empty()) names->try_emplace(id, builder_.strings().Intern(name));
  };
  ReadFields(
      message,
      proto::Message(1, [&](const Field& process) { add(process, 3, &read_.process_names); }),
      proto::Message(2, [&](const Field& thread) { add(thread, 2, &read_.thread_names); }));
}

// ---- What GPU profilers write -----------------------------------------------

uint32_t TraceReader::StageTrack(const RenderStage& stage, StringId queue, int64_t pid) {
  // Hashed id; it collides with a track of the file with probability 2^-64.
  const uint64_t uuid = 0x9e3779b97f4a7c15u * (stage.queue_iid + 1) ^
                        0xc2b2ae3d27d4eb4fu * (static_cast<uint64_t>(stage.gpu) + 7) ^
                        0x165667b19e3779f9u * (static_cast<uint64_t>(stage.queue) + 3) ^
                        static_cast<uint64_t>(pid);
  TrackState& track = read_.tracks[TrackIndex(uuid)];
  if (!track.device) {
    track.device = true;
    track.gpu = std::clamp<int64_t>(stage.gpu, 0, 1 << 20);
    track.pid = pid;
    track.name = queue.value != 0 ? queue : builder_.strings().Intern("Queue");
  }
  return read_.index[uuid];
}

// The name of a piece of work: its own, that of its kernel, or the kind of work.
StringId TraceReader::NameOfStage(const RenderStage& stage, const Interned& interned) {
  StringId name = NameOf(interned.events, stage.name_iid, stage.name);
  if (name.value != 0) return name;
  const auto kernel = interned.kernels.find(stage.kernel_iid);
  if (kernel != interned.kernels.end())
    name = kernel->second.readable.value != 0 ? kernel->second.readable : kernel->second.name;
  if (name.value != 0) return name;
  name = stage.stage_iid != 0 ? NameOf(interned.stages, stage.stage_iid, {})
                              : stage_names_[static_cast<uint64_t>(stage.stage)];
  return name.valid() ? name : StringId(0);
}

void TraceReader::AddStage(const EventHead& head, const Field& message, Sequence* sequence) {
  const RenderStage stage = ReadRenderStage(message);
  StringPool& strings = builder_.strings();
  for (size_t i = 0; i < stage.queues.size(); ++i)
    queue_names_[i] = strings.Intern(stage.queues[i]);
  for (size_t i = 0; i < stage.stages.size(); ++i)
    stage_names_[i] = strings.Intern(stage.stages[i]);
  if (!head.has_timestamp || (stage.queue_iid == 0 && stage.queue < 0)) return;
  const Interned& interned = *sequence->interned;
  const StringId queue = stage.queue_iid != 0 ? NameOf(interned.stages, stage.queue_iid, {})
                                              : queue_names_[static_cast<uint64_t>(stage.queue)];
  const StringId name = NameOfStage(stage, interned);
  const auto context = interned.contexts.find(stage.context);
  const int64_t pid = context == interned.contexts.end() ? 0 : context->second;
  const uint32_t index = StageTrack(stage, queue.valid() ? queue : StringId(0), pid);
  const EventCategory category =
      naming::CategoryByPlace(strings.View(name), PlaneKind::kGpu, TrackKind::kStream);
  kineto_ = true;
  read_.tracks[index].records.push_back({TimeOf(head, sequence),
                                         std::max<int64_t>(stage.duration_ns, 0), head.ref,
                                         drafts_.MetaOf(name, category), EventType::kComplete});
}

void TraceReader::AddGpuCounters(const EventHead& head, const Field& message, Sequence* sequence) {
  GpuCounters counters = ReadGpuCounters(message);
  const auto interned = sequence->interned->counters.find(counters.interned);
  const bool known = interned != sequence->interned->counters.end();
  if (known && counters.gpu == 0) counters.gpu = interned->second.gpu;
  const auto key = [&](uint64_t id) { return id ^ static_cast<uint64_t>(counters.gpu) << 48; };
  for (const auto& [id, name] : counters.names)
    counter_names_[key(id)] = builder_.strings().Intern(name);
  if (known) {
    for (const auto& [id, name] : interned->second.names) counter_names_[key(id)] = name;
  }
  const int64_t at = TimeOf(head, sequence);
  for (const auto& [id, value] : counters.values) {
    TrackState& track = read_.tracks[TrackIndex(0xd6e8feb86659fd93u ^ key(id))];
    track.counter = true;
    track.gpu = std::clamp<int64_t>(counters.gpu, 0, 1 << 20);
    if (track.name.value == 0) track.name = counter_names_[key(id)];
    if (!track.name.valid()) track.name = StringId(0);
    track.samples.push_back({at, value});
  }
}

}  // namespace stepscope::perfetto
