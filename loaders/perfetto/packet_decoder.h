// Decodes batches of packets into lists of events. Decoding needs nothing of earlier packets, so
// all cores decode; what events refer to is looked up in order afterwards (TraceReader).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "loaders/common/wire.h"
#include "loaders/perfetto/packet_stream.h"

namespace stepscope::perfetto {

using proto::Field;

enum class EventType : uint8_t { kNone, kBegin, kEnd, kInstant, kCounter, kComplete };

// The facts about a packet and its track event that nearly all packets have. Lists of the batch
// hold the others.
struct EventHead {
  static constexpr uint32_t kNone = UINT32_MAX;

  uint64_t ref = 0;  // of the packet
  uint64_t timestamp = 0;
  uint32_t clock = 0, sequence = 0;
  bool has_timestamp = false;
  bool cleared = false, needs_state = false, dropped = false;
  EventType type = EventType::kNone;
  bool has_track = false, has_value = false, has_arguments = false;
  uint64_t track = 0;
  uint64_t name_iid = 0, category_iid = 0;
  union {
    int64_t duration_ns = 0;
    double value;  // only for kCounter
  };
  uint32_t first_flow = 0;  // index in EventLists::flows
  uint32_t flows = 0, ending_flows = 0;
  uint32_t texts = kNone;  // index of its name and category, where they are spelt out
  uint32_t rare = kNone;   // index in EventLists::rare
  uint32_t rest = kNone;   // index in DecodedBatch::rest
};

// The contents of events besides their heads, by the indices in the heads.
struct EventLists {
  struct Texts {
    std::string_view name, category;  // of the batch's bytes; empty: the number holds
  };
  // Values of further counters: counters[i] is the track of counter_values[i]. Numbers of tracks
  // are their bits.
  struct Rare {
    std::vector<int64_t> counters, counter_values, real_counters;
    std::vector<double> real_values;
    char unknown_phase = 0;  // phase of a legacy event that is not read; 0: none
  };
  std::vector<uint64_t> flows;  // those that go on, then those that end, event by event
  std::vector<Texts> texts;
  std::vector<Rare> rare;
};

// The messages of a packet that holds more than one track event. Field::begin is null where there
// is none.
struct PacketRest {
  Field descriptor, interned, defaults, snapshot, stage, counter, process_tree;
  uint32_t other = 0;  // number of a data field that is not read; 0: none
  bool has_event = false, damaged = false;
};

struct DecodedBatch {
  PacketBatch packets;
  std::vector<EventHead> heads;  // in the order of the packets
  EventLists lists;
  std::vector<PacketRest> rest;
  std::vector<uint64_t> ending_flows;  // of the event that is decoded
};
// Fills the lists from the batch's packets. Thread-safe for different batches. O(bytes).
void DecodeBatch(DecodedBatch* batch);

}  // namespace stepscope::perfetto
