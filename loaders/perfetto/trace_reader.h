// Reads the packets of one Perfetto trace into tracks, slices, instants, counters and arrows.
// Batches of packets are decoded on all cores, a round of batches at a time. Beside that, what the
// round before refers to is looked up in order, and the next round is read. Takes 32 bytes an event
// until the tracks are built.
#pragma once

#include <cstdint>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "loaders/common/mixed_track_builder.h"
#include "loaders/loader.h"
#include "loaders/perfetto/messages.h"
#include "loaders/perfetto/packet_decoder.h"
#include "loaders/perfetto/packet_stream.h"
#include "loaders/perfetto/perfetto_track_builder.h"

namespace stepscope::perfetto {

class TraceReader {
 public:
  TraceReader(TraceBuilder* builder, PacketBytes* bytes, InternedHistory* history,
              MixedTrackBuilder* drafts, std::string label)
      : builder_(*builder),
        bytes_(*bytes),
        history_(*history),
        drafts_(*drafts),
        label_(std::move(label)) {}

  // kCancelled, kLimit, kIo; kFormat where there are no events.
  Status Read(const LoadOptions& options, const std::stop_token& stop, Progress* progress);
  const Clocks& clocks() const { return clocks_; }
  EndArguments TakeEndArguments() { return std::move(end_arguments_); }

 private:
  struct Sequence {
    uint32_t id = 0;
    bool lost = false;
    Defaults defaults;
    Interned* interned = nullptr;
    std::unordered_map<uint64_t, double> levels;  // of incremental counters
    uint32_t clock_id = 0;
    Clocks::Clock* clock = nullptr;  // of clock_id
    uint64_t uuid = 0;
    uint32_t track = UINT32_MAX;  // of uuid
  };
  struct MetaEntry {
    uint64_t key = UINT64_MAX;  // name and category
    uint32_t meta = 0;
    bool device = false;
  };
  // Batches that are decoded together.
  struct Round {
    std::vector<DecodedBatch> batches;
    size_t used = 0;
  };
  using Place = InternedHistory::Place;

  Status ReadRounds(PacketStream* stream, unsigned threads, const std::stop_token& stop,
                    Progress* progress);
  Status NoEvents() const;
  void Fill(PacketStream* stream, Round* round);
  void Apply(const Round& round, const std::stop_token& stop);
  void ApplyBatch(const DecodedBatch& batch);
  void ApplyDescriptions(const EventHead& head, const PacketRest& rest);
  Sequence* SequenceOf(uint32_t id) {
    return last_ != nullptr && last_->id == id ? last_ : FindSequence(id);
  }
  Sequence* FindSequence(uint32_t id);
  void UpdateState(const EventHead& head, const PacketRest& rest, Sequence* sequence,
                   const Place& place);
  // Whether what the packet refers to is known.
  bool IsUsable(const EventHead& head, bool event, const Sequence& sequence) {
    if (!head.needs_state || !sequence.lost) return true;
    CountUnusable(event, sequence);
    return false;
  }
  void CountUnusable(bool event, const Sequence& sequence);
  int64_t TimeOf(const EventHead& head, Sequence* sequence) {
    const uint32_t clock = head.clock != 0 ? head.clock : sequence->defaults.clock;
    if (clock == 0 || clock == clocks_.trace_clock()) return static_cast<int64_t>(head.timestamp);
    if (sequence->clock != nullptr && sequence->clock_id == clock)
      return Clocks::Resolve(sequence->clock, head.timestamp);
    return FindTime(head.timestamp, clock, sequence);
  }
  int64_t FindTime(uint64_t timestamp, uint32_t clock, Sequence* sequence);
  void AddEvent(const EventHead& head, const EventLists& lists, int64_t at, Sequence* sequence);
  void AddFlows(const EventHead& head, const std::vector<uint64_t>& flows, int64_t at,
                uint32_t track);
  void AddRare(const EventLists::Rare& rare, const EventHead& head, int64_t at, Sequence* sequence);
  void AddSample(uint64_t track, int64_t at, double value, Sequence* sequence);
  void AddDescriptor(const Field& message);
  void AddStage(const EventHead& head, const Field& message, Sequence* sequence);
  StringId NameOfStage(const RenderStage& stage, const Interned& interned);
  void AddGpuCounters(const EventHead& head, const Field& message, Sequence* sequence);
  void ReadProcessTree(const Field& message);
  uint32_t TrackIndex(uint64_t uuid);
  uint32_t TrackIndex(uint64_t uuid, Sequence* sequence);
  uint32_t StageTrack(const RenderStage& stage, StringId queue, int64_t pid);
  const MetaEntry& MetaOf(StringId name, StringId category);
  MetaEntry MakeMeta(StringId name, StringId category);
  StringId NameOf(const InternedNames& names, uint64_t iid, std::string_view text);
  void Count(std::string_view id, Severity severity, std::string_view text, std::string place,
             uint64_t n = 1);
  void CountAfterwards(const PacketStream& stream, const PerfettoTrackBuilder& emitter);

  static constexpr size_t kMetaCache = 1 << 12;

  TraceBuilder& builder_;
  PacketBytes& bytes_;
  InternedHistory& history_;
  MixedTrackBuilder& drafts_;
  std::string label_;
  Clocks clocks_;
  std::unordered_map<uint32_t, Sequence> sequences_;
  Sequence* last_ = nullptr;
  ReadTracks read_;
  std::unordered_map<uint64_t, MetaEntry> metas_;  // by name and category
  std::vector<MetaEntry> recent_metas_ = std::vector<MetaEntry>(kMetaCache);
  std::unordered_map<uint64_t, StringId> stage_names_, queue_names_;  // of older writers
  std::unordered_map<uint64_t, StringId> counter_names_;              // by GPU and number
  EndArguments end_arguments_;
  uint64_t packets_ = 0;
  std::set<std::string_view> not_read_;  // what packets hold that has a name: a few
  const PacketRest no_rest_;
  bool kineto_ = false;
};

}  // namespace stepscope::perfetto
