// Reads the packets of one Perfetto trace into tracks, slices, instants, counters and arrows. One
// thread. About 40 bytes an event until the tracks are made.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <vector>

#include "loaders/perfetto/clocks.h"
#include "loaders/perfetto/event_reader.h"
#include "loaders/perfetto/interned.h"
#include "loaders/perfetto/packet_stream.h"
#include "loaders/track_drafts.h"

namespace stepscope::perfetto {

class TraceReader {
 public:
  TraceReader(TraceBuilder* builder, PacketBytes* bytes, InternedHistory* history,
              TrackDrafts* drafts, std::string label)
      : builder_(*builder),
        bytes_(*bytes),
        history_(*history),
        drafts_(*drafts),
        label_(std::move(label)) {}

  // kCancelled, kLimit, kIo; kFormat where there are no events.
  Status Read(uint64_t most_inflated, const std::stop_token& stop, Progress* progress);
  const Clocks& clocks() const { return clocks_; }

 private:
  // What is said of a track, and what happened on it in order of the file.
  struct Record {
    int64_t at, duration;
    uint64_t ref;
    uint32_t meta;
    EventType type;
  };
  struct TrackState {
    uint64_t uuid = 0, parent = 0;
    StringId name{0};
    bool process = false, thread = false, counter = false, incremental = false, device = false;
    int64_t pid = 0, tid = 0, gpu = -1;
    int64_t multiplier = 1;
    double level = 0;  // of an incremental counter
    std::vector<Record> records;
    std::vector<std::pair<int64_t, double>> samples;
  };
  struct Sequence {
    bool lost = false;
    Defaults defaults;
    Interned* interned = nullptr;
    std::unordered_map<uint64_t, double> levels;  // of incremental counters
  };
  struct FlowPoint {
    uint64_t id;
    int64_t at;
    uint32_t track, record;
    bool ends;
  };

  void ReadPacket(std::string_view bytes, uint64_t ref, const InternedHistory::Place& place);
  bool UpdateState(const Packet& packet, Sequence* sequence, const InternedHistory::Place& place);
  std::optional<int64_t> TimeOf(const Packet& packet, const Sequence& sequence);
  void AddEvent(const Packet& packet, Sequence* sequence, uint64_t ref);
  void AddCounterValues(int64_t at, Sequence* sequence);
  void AddSample(uint64_t track, int64_t at, double value, Sequence* sequence);
  void AddDescriptor(const Field& message);
  void AddStage(const Packet& packet, Sequence* sequence, uint64_t ref);
  void AddGpuCounters(const Packet& packet, const Sequence& sequence);
  void ReadProcessTree(const Field& message);
  uint32_t TrackIndex(uint64_t uuid);
  uint32_t StageTrack(const RenderStage& stage, StringId queue, int64_t pid);
  uint32_t MetaOf(StringId name, StringId category, bool* device);
  StringId NameOf(const InternedNames& names, uint64_t iid, std::string_view text);
  void Count(std::string_view id, Severity severity, std::string_view text, std::string place,
             uint64_t n = 1);

  void EmitTracks(const std::stop_token& stop);
  int64_t PidOf(const TrackState& track) const;
  int64_t GpuOf(const TrackState& track) const;
  uint32_t PlaceTrack(uint32_t index);
  void EmitTrack(uint32_t index);
  void EmitFlows();
  void NamePlanes();

  TraceBuilder& builder_;
  PacketBytes& bytes_;
  InternedHistory& history_;
  TrackDrafts& drafts_;
  std::string label_;
  Clocks clocks_;
  std::unordered_map<uint32_t, Sequence> sequences_;
  std::unordered_map<uint64_t, uint32_t> index_;  // of tracks, by uuid
  std::vector<TrackState> tracks_;
  uint64_t last_uuid_ = 0;
  uint32_t last_track_ = UINT32_MAX;
  std::unordered_map<uint64_t, std::pair<uint32_t, bool>> metas_;  // by name and category
  std::unordered_map<int64_t, StringId> process_names_;
  std::unordered_map<int64_t, StringId> thread_names_;
  std::unordered_map<uint64_t, StringId> stage_names_, queue_names_;  // of older writers
  std::unordered_map<uint64_t, StringId> counter_names_;              // by GPU and number
  std::vector<FlowPoint> flows_;
  std::vector<std::vector<std::pair<uint32_t, TrackDrafts::Slice>>>
      slices_;  // of tracks with flows
  TrackEvent event_;
  bool kineto_ = false;
};

}  // namespace stepscope::perfetto
