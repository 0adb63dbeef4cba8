#include "loaders/perfetto/packet_decoder.h"

#include <algorithm>
#include <bit>

#include "loaders/perfetto/wire_scan.h"

namespace stepscope::perfetto {
namespace {

// Whether the packet holds one track event and nothing else.
bool IsEvent(const Packet& p) {
  const bool more = p.descriptor.begin != nullptr || p.interned.begin != nullptr ||
                    p.defaults.begin != nullptr || p.snapshot.begin != nullptr ||
                    p.stage.begin != nullptr || p.counter.begin != nullptr ||
                    p.process_tree.begin != nullptr || p.other != 0;
  return p.event.begin != nullptr && !more;
}

using namespace proto;

inline std::string_view ViewOf(const Wire& wire) {
  return {reinterpret_cast<const char*>(wire.begin),
          std::min<size_t>(wire.value, proto::kMaxNameBytes)};
}

// Whether a field makes the event need ReadTrackEvent: legacy events, values of other counters,
// flows as lists.
constexpr bool IsRare(uint64_t number) {
  return number == 3 || number == 6 || number == 9 || number == 12 || number == 31 ||
         number == 36 || number == 42 || (number >= 44 && number <= 48) || number == 0 ||
         number > UINT32_MAX >> 3;
}

EventLists::Texts& TextsOf(EventHead* head, EventLists* lists) {
  if (head->texts == EventHead::kNone) {
    head->texts = static_cast<uint32_t>(lists->texts.size());
    lists->texts.emplace_back();
  }
  return lists->texts[head->texts];
}

// Sets a number of the event. Fields up to 15 have tags of one byte. False: ReadTrackEvent must
// read the event.
inline bool SetNumber(uint32_t field, uint64_t value, EventHead* head) {
  switch (field) {
    case 3:
      if (head->category_iid == 0) head->category_iid = value;
      return true;
    case 9:
      head->type = static_cast<EventType>(value);
      return value >= 1 && value <= 4;
    case 10:
      head->name_iid = value;
      return true;
    case 11:
      head->track = value;
      head->has_track = true;
      return true;
    default:
      return !IsRare(field);
  }
}

bool SetOther(const Wire& wire, EventHead* head, EventLists* lists) {
  switch (wire.tag) {
    case Text(4):
      head->has_arguments = true;
      return true;
    case Text(22):
      if (EventLists::Texts& texts = TextsOf(head, lists); texts.category.empty())
        texts.category = ViewOf(wire);
      return true;
    case Text(23):
      TextsOf(head, lists).name = ViewOf(wire);
      return true;
    case Varint(30):
      head->has_value = true;
      head->value = static_cast<double>(static_cast<int64_t>(wire.value));
      return true;
    case Fixed(44):
      head->has_value = true;
      head->value = std::bit_cast<double>(wire.value);
      return true;
    case Fixed(47):
      if (head->ending_flows > 0) return false;  // those come last
      lists->flows.push_back(wire.value);
      ++head->flows;
      return true;
    case Fixed(48):
      lists->flows.push_back(wire.value);
      ++head->ending_flows;
      return true;
    default:
      return !IsRare(wire.tag >> 3);
  }
}

// Whether it is the tag of a number in a field below 16, which is one byte.
bool IsShortNumber(uint8_t tag) { return tag >= 8 && tag < 0x80 && (tag & 7) == proto::kVarint; }

// Where the short text after a tag of one byte ends; null if it is not a short text.
Bytes SkipShortText(Bytes p, Bytes end) {
  if (end - p < 2 || p[1] >= 0x80 || p[1] > end - p - 2) return nullptr;
  return p + 2 + p[1];
}

// False: ReadTrackEvent must read the event. Nearly all fields are arguments or numbers with short
// tags: each of the two has a branch of its own, so that the processor predicts which one comes.
bool DecodeEvent(Bytes p, Bytes end, EventHead* head, EventLists* lists) {
  Wire wire;
  while (p < end) {
    const uint8_t tag = *p;
    if (tag == Text(4)) {
      if (const Bytes after = SkipShortText(p, end); after != nullptr) {
        head->has_arguments = true;
        p = after;
        continue;
      }
    } else if (IsShortNumber(tag)) {
      p = ReadVarint(p + 1, end, &wire.value);
      if (p == nullptr || !SetNumber(tag >> 3, wire.value, head)) return false;
      continue;
    }
    p = NextField(p, end, &wire);
    if (p == nullptr || !SetOther(wire, head, lists)) return false;
  }
  return head->has_value == (head->type == EventType::kCounter);
}

inline bool SetPacketNumber(uint64_t field, uint64_t value, EventHead* head) {
  switch (field) {
    case 8:
      head->timestamp = value;
      head->has_timestamp = true;
      return true;
    case 10:
      head->sequence = static_cast<uint32_t>(value);
      return true;
    case 13:
      head->cleared = head->cleared || (value & 1) != 0;
      head->needs_state = (value & 2) != 0;
      return true;
    case 58:
      head->clock = static_cast<uint32_t>(value);
      return true;
    default:
      return field == 3 || field == 79;  // user and process that wrote the packet
  }
}

// Decodes a packet of one event, a time, a sequence and flags. False: ReadPacketFields must read
// it.
bool DecodeFast(std::string_view packet, EventHead* head, EventLists* lists) {
  auto p = reinterpret_cast<Bytes>(packet.data());
  const Bytes end = p + packet.size();
  Wire wire, event;
  while (p < end) {
    const uint8_t tag = *p;
    if (IsShortNumber(tag)) {
      p = ReadVarint(p + 1, end, &wire.value);
      if (p == nullptr || !SetPacketNumber(tag >> 3, wire.value, head)) return false;
      continue;
    }
    p = NextField(p, end, &wire);
    if (p == nullptr) return false;
    if (wire.tag == Text(11)) {
      event = wire;
    } else if ((wire.tag & 7) != proto::kVarint ||
               !SetPacketNumber(wire.tag >> 3, wire.value, head)) {
      return false;
    }
  }
  if (event.begin == nullptr) return false;
  return DecodeEvent(event.begin, event.begin + event.value, head, lists);
}

void DecodeCarefully(std::string_view bytes, DecodedBatch* batch) {
  Packet packet;
  const bool whole = ReadPacketFields(bytes, &packet);
  EventHead& head = batch->heads.back();
  static_cast<PacketHead&>(head) = packet;
  if (whole && IsEvent(packet)) {
    ReadTrackEvent(packet.event, &batch->scratch);
    if (HeadOf(batch->scratch, &head, &batch->lists)) return;
  }
  head.rest = static_cast<uint32_t>(batch->rest.size());
  batch->rest.push_back({packet, !whole});
}

void DecodePacket(const PacketBatch::Frame& frame, DecodedBatch* batch) {
  const std::string_view bytes = batch->packets.packet(frame);
  EventHead& head = batch->heads.emplace_back();
  head.ref = batch->packets.ref(frame);
  head.first_flow = static_cast<uint32_t>(batch->lists.flows.size());
  const size_t texts = batch->lists.texts.size();
  if (DecodeFast(bytes, &head, &batch->lists)) return;
  batch->lists.flows.resize(head.first_flow);
  batch->lists.texts.resize(texts);
  head = {};
  head.ref = batch->packets.ref(frame);
  DecodeCarefully(bytes, batch);
}

}  // namespace

bool HeadOf(const TrackEvent& event, EventHead* head, EventLists* lists) {
  head->type = event.type;
  head->has_track = event.track.has_value();
  head->track = event.track.value_or(0);
  head->name_iid = event.name_iid;
  head->category_iid = event.category_iid;
  if (!event.name.empty() || !event.category.empty())
    TextsOf(head, lists) = {event.name, event.category};
  head->has_value = event.has_value;
  head->has_arguments = event.has_arguments;
  head->duration_ns = std::max<int64_t>(event.duration_ns, 0);
  if (event.type == EventType::kCounter) head->value = event.value;
  std::vector<uint64_t>& flows = lists->flows;
  head->first_flow = static_cast<uint32_t>(flows.size());
  flows.insert(flows.end(), event.flows.begin(), event.flows.end());
  flows.insert(flows.end(), event.ending_flows.begin(), event.ending_flows.end());
  head->flows = static_cast<uint32_t>(event.flows.size());
  head->ending_flows = static_cast<uint32_t>(event.ending_flows.size());
  return event.counter_values.empty() && event.real_values.empty() && event.unknown_phase == 0;
}

void DecodeBatch(DecodedBatch* batch) {
  batch->heads.clear();
  batch->lists.Clear();
  batch->rest.clear();
  batch->heads.reserve(batch->packets.frames.size());
  for (const PacketBatch::Frame& frame : batch->packets.frames) DecodePacket(frame, batch);
}

}  // namespace stepscope::perfetto
