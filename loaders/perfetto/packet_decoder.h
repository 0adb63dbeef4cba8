// Decodes batches of packets into lists of events. Decoding needs nothing of earlier packets, so
// all cores decode; what events refer to is looked up in order afterwards (TraceReader).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "loaders/perfetto/event_reader.h"
#include "loaders/perfetto/packet_stream.h"

namespace stepscope::perfetto {

// A packet that holds one track event and nothing else: nearly all of them.
struct EventHead : PacketHead {
  static constexpr uint32_t kNone = UINT32_MAX;

  uint64_t ref = 0, track = 0;
  uint64_t name_iid = 0, category_iid = 0;
  union {
    int64_t duration_ns = 0;
    double value;  // only for kCounter
  };
  uint32_t first_flow = 0;  // index in the batch's flows
  uint32_t flows = 0, ending_flows = 0;
  uint32_t rest = kNone;   // index of the packet, where it says more than this head
  uint32_t texts = kNone;  // index of its name and category, where they are spelt out
  EventType type = EventType::kNone;
  bool has_track = false, has_value = false, has_arguments = false;
};

// The contents of events besides their heads, by the indices in the heads.
struct EventLists {
  struct Texts {
    std::string_view name, category;  // of the batch's bytes; empty: the number holds
  };
  std::vector<uint64_t> flows;
  std::vector<Texts> texts;
  void Clear() {
    flows.clear();
    texts.clear();
  }
};

struct DecodedBatch {
  PacketBatch packets;
  std::vector<EventHead> heads;  // in the order of the packets
  EventLists lists;
  struct Rest {
    Packet packet;
    bool damaged;
  };
  std::vector<Rest> rest;
  TrackEvent scratch;
};
// Fills the lists from the batch's packets. Thread-safe for different batches. O(bytes).
void DecodeBatch(DecodedBatch* batch);
// Puts the event into a head. False where a head cannot hold it: it has values of other counters,
// or an unknown legacy phase.
bool HeadOf(const TrackEvent& event, EventHead* head, EventLists* lists);

}  // namespace stepscope::perfetto
