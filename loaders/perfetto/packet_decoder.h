// Batches of packets as lists of events, without anything that packets before them said: so batches
// are decoded on all cores. What they refer to is looked up in order, afterwards.
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
    double value;  // kCounter
  };
  uint32_t first_flow = 0;  // of the batch's flows
  uint32_t flows = 0, ending_flows = 0;
  uint32_t rest = kNone;   // index of the packet: it says more than is here
  uint32_t texts = kNone;  // index of name and category that are spelt out
  EventType type = EventType::kNone;
  bool has_track = false, has_value = false, has_arguments = false;
};

// What events say beside their heads, each by its index.
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
// Fills the lists from the packets. Any thread, one for each batch.
void DecodeBatch(DecodedBatch* batch);
// Whether the event is all in the head: without values of other counters, its legacy phase known.
bool HeadOf(const TrackEvent& event, EventHead* head, EventLists* lists);

}  // namespace stepscope::perfetto
