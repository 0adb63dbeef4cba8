// Builds the tracks of a Perfetto trace from what TraceReader read: matches begins with ends,
// places tracks on planes and draws arrows. Uses all cores; the result does not depend on their
// number.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "loaders/common/mixed_track_builder.h"
#include "loaders/perfetto/argument_source.h"
#include "loaders/perfetto/packet_decoder.h"
#include "model/base/column.h"
#include "model/ids.h"

namespace stepscope::perfetto {

// The events of a track, in order of the file.
struct Record {
  static constexpr uint64_t kNoRef = UINT64_MAX;
  int64_t at, duration;
  uint64_t ref;  // where its packet lies; ~0 for an end without arguments
  uint32_t meta;
  EventType type;
};

struct Sample {
  int64_t at;
  double value;
};

// An event of a flow, by its track and record.
struct FlowPoint {
  uint64_t id;
  int64_t at;
  uint32_t track, record;
  bool ends;
};

// The state of one track of the file while its packets are read.
struct TrackState {
  uint64_t uuid = 0, parent = 0;
  StringId name{0};
  bool process = false, thread = false, counter = false, incremental = false, device = false;
  bool flows = false;  // some event has one
  int64_t pid = 0, tid = 0, gpu = -1;
  int64_t multiplier = 1;
  Column<Record> records;
  Column<Sample> samples;
  Column<FlowPoint> flow_points;
};

// The number after the mark, as in "GPU 3" and "AGENT [4]"; -1 if there is none.
int64_t NumberAfter(std::string_view text, std::string_view mark);

// The records that TraceReader read from a file.
struct ReadTracks {
  std::vector<TrackState> tracks;
  std::unordered_map<uint64_t, uint32_t> index;  // of tracks, by uuid
  std::unordered_map<int64_t, StringId> process_names, thread_names;
};

class PerfettoTrackBuilder {
 public:
  PerfettoTrackBuilder(ReadTracks* from, TraceBuilder* builder, MixedTrackBuilder* drafts)
      : from_(*from), builder_(*builder), drafts_(*drafts) {}

  // Builds all tracks. Call once: it frees what was read on the way. Returns early when asked to
  // stop. O(n log n) in records.
  void Emit(unsigned threads, const std::stop_token& stop);
  uint64_t unmatched_begins() const { return begins_; }
  uint64_t unmatched_ends() const { return ends_; }
  EndArguments TakeEndArguments() { return std::move(end_arguments_); }

 private:
  static constexpr uint32_t kNoSlice = UINT32_MAX;
  // Tracks of the file that become one track, in their order, and what matching them finds.
  struct Work {
    uint32_t draft = 0;
    std::vector<uint32_t> tracks;
    uint64_t records = 0;
    int64_t first = INT64_MAX, last = INT64_MIN;
    uint64_t begins = 0, ends = 0;
    EndArguments end_arguments;
  };
  struct Matcher;

  int64_t PidOf(const TrackState& track) const;
  int64_t GpuOf(const TrackState& track) const;
  uint32_t PlaceTrack(uint32_t index, bool counter);
  std::vector<Work> Place();
  void EmitWork(Work* work, const std::stop_token& stop);
  void EmitRecords(uint32_t index, Work* work);
  void EmitSamples();
  void GatherFlows();
  void SortFlows(const std::stop_token& stop);
  void EmitFlows();
  void NamePlanes();

  ReadTracks& from_;
  TraceBuilder& builder_;
  MixedTrackBuilder& drafts_;
  std::vector<uint32_t> draft_of_;               // by track, of its slices
  std::vector<std::vector<uint32_t>> slice_of_;  // by track with flows and record
  std::vector<FlowPoint> flows_;
  EndArguments end_arguments_;
  uint64_t begins_ = 0, ends_ = 0;
};

}  // namespace stepscope::perfetto
