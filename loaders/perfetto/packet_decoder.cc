#include "loaders/perfetto/packet_decoder.h"

#include <algorithm>
#include <bit>

#include "loaders/perfetto/wire_scan.h"

namespace stepscope::perfetto {
namespace {

// Whether it holds one track event and nothing else.
bool IsEvent(const Packet& p) {
  const bool more = p.descriptor.begin != nullptr || p.interned.begin != nullptr ||
                    p.defaults.begin != nullptr || p.snapshot.begin != nullptr ||
                    p.stage.begin != nullptr || p.counter.begin != nullptr ||
                    p.process_tree.begin != nullptr || p.other != 0;
  return p.event.begin != nullptr && !more;
}

using xplane::Bytes;

inline std::string_view ViewOf(const Wire& wire) {
  return {reinterpret_cast<const char*>(wire.begin),
          std::min<size_t>(wire.value, xplane::kMaxNameBytes)};
}

// Fields that make an event take the careful way: legacy events, values of other counters, flows
// as lists.
constexpr bool IsRare(uint64_t number) {
  return number == 3 || number == 6 || number == 9 || number == 12 || number == 31 ||
         number == 36 || number == 42 || (number >= 44 && number <= 48) || number == 0 ||
         number > UINT32_MAX >> 3;
}

// False: the careful way must read it.
bool DecodeEvent(Bytes p, Bytes end, EventHead* head, std::vector<uint64_t>* flows) {
  Wire wire;
  while (p < end) {
    p = NextField(p, end, &wire);
    if (p == nullptr) return false;
    switch (wire.tag) {
      case Varint(3):
        if (head->category_iid == 0) head->category_iid = wire.value;
        break;
      case Text(4):
        head->has_arguments = true;
        break;
      case Varint(9):
        if (wire.value < 1 || wire.value > 4) return false;
        head->type = static_cast<EventType>(wire.value);
        break;
      case Varint(10):
        head->name_iid = wire.value;
        break;
      case Varint(11):
        head->track = wire.value;
        head->has_track = true;
        break;
      case Text(22):
        if (head->category.empty()) head->category = ViewOf(wire);
        break;
      case Text(23):
        head->name = ViewOf(wire);
        break;
      case Varint(30):
        head->has_value = true;
        head->value = static_cast<double>(static_cast<int64_t>(wire.value));
        break;
      case Fixed(44):
        head->has_value = true;
        head->value = std::bit_cast<double>(wire.value);
        break;
      case Fixed(47):
        if (head->ending_flows > 0) return false;  // those come last
        flows->push_back(wire.value);
        ++head->flows;
        break;
      case Fixed(48):
        flows->push_back(wire.value);
        ++head->ending_flows;
        break;
      default:
        if (IsRare(wire.tag >> 3)) return false;
    }
  }
  return head->has_value == (head->type == EventType::kCounter);
}

// A packet of one event, a time, a sequence and flags.
bool DecodeFast(std::string_view packet, EventHead* head, std::vector<uint64_t>* flows) {
  auto p = reinterpret_cast<Bytes>(packet.data());
  const Bytes end = p + packet.size();
  Wire wire, event;
  while (p < end) {
    p = NextField(p, end, &wire);
    if (p == nullptr) return false;
    switch (wire.tag) {
      case Varint(8):
        head->timestamp = wire.value;
        head->has_timestamp = true;
        break;
      case Varint(10):
        head->sequence = static_cast<uint32_t>(wire.value);
        break;
      case Text(11):
        event = wire;
        break;
      case Varint(13):
        head->cleared = head->cleared || (wire.value & 1) != 0;
        head->needs_state = (wire.value & 2) != 0;
        break;
      case Varint(58):
        head->clock = static_cast<uint32_t>(wire.value);
        break;
      case Varint(3):
      case Varint(79):  // of the process that wrote it
        break;
      default:
        return false;
    }
  }
  if (event.begin == nullptr) return false;
  return DecodeEvent(event.begin, event.begin + event.value, head, flows);
}

void DecodeCarefully(std::string_view bytes, DecodedBatch* batch) {
  Packet packet;
  const bool whole = ReadPacketFields(bytes, &packet);
  EventHead& head = batch->heads.back();
  static_cast<PacketHead&>(head) = packet;
  if (whole && IsEvent(packet)) {
    ReadTrackEvent(packet.event, &batch->scratch);
    if (HeadOf(batch->scratch, &head, &batch->flows)) return;
  }
  head.rest = static_cast<uint32_t>(batch->rest.size());
  batch->rest.push_back({packet, !whole});
}

void DecodePacket(const PacketBatch::Frame& frame, DecodedBatch* batch) {
  const std::string_view bytes = batch->packets.packet(frame);
  EventHead& head = batch->heads.emplace_back();
  head.ref = batch->packets.ref(frame);
  head.first_flow = static_cast<uint32_t>(batch->flows.size());
  if (DecodeFast(bytes, &head, &batch->flows)) return;
  batch->flows.resize(head.first_flow);
  head = {};
  head.ref = batch->packets.ref(frame);
  DecodeCarefully(bytes, batch);
}

}  // namespace

bool HeadOf(const TrackEvent& event, EventHead* head, std::vector<uint64_t>* flows) {
  head->type = event.type;
  head->has_track = event.track.has_value();
  head->track = event.track.value_or(0);
  head->name_iid = event.name_iid;
  head->category_iid = event.category_iid;
  head->name = event.name;
  head->category = event.category;
  head->has_value = event.has_value;
  head->has_arguments = event.has_arguments;
  head->duration_ns = std::max<int64_t>(event.duration_ns, 0);
  if (event.type == EventType::kCounter) head->value = event.value;
  head->first_flow = static_cast<uint32_t>(flows->size());
  flows->insert(flows->end(), event.flows.begin(), event.flows.end());
  flows->insert(flows->end(), event.ending_flows.begin(), event.ending_flows.end());
  head->flows = static_cast<uint32_t>(event.flows.size());
  head->ending_flows = static_cast<uint32_t>(event.ending_flows.size());
  return event.counter_values.empty() && event.real_values.empty() && event.unknown_phase == 0;
}

void DecodeBatch(DecodedBatch* batch) {
  batch->heads.clear();
  batch->flows.clear();
  batch->rest.clear();
  batch->heads.reserve(batch->packets.frames.size());
  for (const PacketBatch::Frame& frame : batch->packets.frames) DecodePacket(frame, batch);
}

}  // namespace stepscope::perfetto
