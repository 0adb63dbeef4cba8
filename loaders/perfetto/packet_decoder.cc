#include "loaders/perfetto/packet_decoder.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <utility>

#include "model/base/key_table.h"
#include "model/time.h"

namespace stepscope::perfetto {

using namespace proto;

namespace {

// Calls fn for each value of a repeated number of eight bytes, packed or not.
template <typename Fn>
void ForFixed(const Field& f, Fn fn) {
  if (f.wire == kFixed64) fn(f.value);
  if (f.wire != kLen) return;
  for (Bytes p = f.begin; f.end - p >= 8; p += 8) {
    uint64_t value = 0;
    std::memcpy(&value, p, 8);
    fn(value);
  }
}

EventType TypeOfPhase(char phase) {
  using enum EventType;
  constexpr std::pair<char, EventType> kTypes[] = {{'B', kBegin},    {'E', kEnd},
                                                   {'X', kComplete}, {'I', kInstant},
                                                   {'i', kInstant},  {'R', kInstant}};
  return FindValue(kTypes, phase, kNone);
}

// Decodes one track event into a head and the lists of its batch.
class EventDecoder {
 public:
  EventDecoder(EventHead* head, EventLists* lists, std::vector<uint64_t>* ending_flows)
      : head_(*head), lists_(*lists), ending_flows_(*ending_flows) {}

  void Decode(const Field& message) {
    ending_flows_.clear();
    head_.first_flow = static_cast<uint32_t>(lists_.flows.size());
    FieldReader fields(message.begin, message.end);
    Field f;
    while (true) {
      while (ReadShort(&fields, message.end)) {
      }
      if (!fields.Next(&f)) break;
      ReadField(f);
    }
    head_.flows = static_cast<uint32_t>(lists_.flows.size()) - head_.first_flow;
    head_.ending_flows = static_cast<uint32_t>(ending_flows_.size());
    lists_.flows.insert(lists_.flows.end(), ending_flows_.begin(), ending_flows_.end());
    if (head_.type == EventType::kCounter) {
      head_.value = value_;
    } else {
      head_.duration_ns = std::max<int64_t>(duration_ns_, 0);
    }
  }

 private:
  static constexpr uint32_t kArguments = 4;

  // Reads a field of the two kinds that nearly all have, arguments and numbers, if its tag and its
  // length or value take a byte each. Each kind has a branch of its own: then the processor
  // foresees which one comes.
  [[gnu::always_inline]] bool ReadShort(FieldReader* fields, Bytes end) {
    const Bytes p = fields->position();
    if (end - p < 2 || p[1] >= 0x80 || fields->in_group()) return false;
    if (p[0] == (kArguments << 3 | kLen)) {
      if (p[1] > end - p - 2) return false;
      head_.has_arguments = true;
      fields->Skip(2 + p[1]);
      return true;
    }
    if (p[0] < 8 || p[0] >= 0x80 || (p[0] & 7) != kVarint) return false;
    Field number;
    number.number = p[0] >> 3;
    number.value = p[1];
    ReadNumber(number);
    fields->Skip(2);
    return true;
  }

  void ReadField(const Field& f) {
    if (f.number == kArguments) {
      head_.has_arguments = true;
    } else if (f.wire == kVarint) {
      ReadNumber(f);
    } else if (f.wire == kFixed64) {
      ReadFixed(f);
    } else {
      ReadLong(f);
    }
  }

  void ReadNumber(const Field& f) {
    switch (f.number) {
      case 3:
        SetCategory(f.value);
        break;
      case 9:
        if (f.value >= 1 && f.value <= 4) head_.type = static_cast<EventType>(f.value);
        break;
      case 10:
        head_.name_iid = f.value;
        break;
      case 11:
        head_.track = f.value;
        head_.has_track = true;
        break;
      case 30:
        SetValue(static_cast<double>(f.Int()));
        break;
      default:
        ReadList(f);
    }
  }

  void ReadFixed(const Field& f) {
    if (f.number == 44) SetValue(f.Double());
    ReadList(f);
  }

  // Reads texts, packed lists, and what legacy events say.
  void ReadLong(const Field& f) {
    if (f.number == 3) {
      std::vector<int64_t> iids;
      AppendNumbers(f, &iids);
      if (!iids.empty()) SetCategory(static_cast<uint64_t>(iids.front()));
    }
    if (f.number == 6) ReadLegacy(f);
    if (f.number == 22 && Texts().category.empty()) Texts().category = f.text();
    if (f.number == 23) Texts().name = f.text();
    ReadList(f);
  }

  void ReadList(const Field& f) {
    const auto flow = [this](uint64_t id) { lists_.flows.push_back(id); };
    const auto ending_flow = [this](uint64_t id) { ending_flows_.push_back(id); };
    switch (f.number) {
      case 12:
        return AppendNumbers(f, &Rare().counter_values);
      case 31:
        return AppendNumbers(f, &Rare().counters);
      case 36:
        return ForNumbers(f, flow);
      case 42:
        return ForNumbers(f, ending_flow);
      case 45:
        return AppendNumbers(f, &Rare().real_counters);
      case 46:
        return ForFixed(f, [this](uint64_t bits) {
          Rare().real_values.push_back(std::bit_cast<double>(bits));
        });
      case 47:
        return ForFixed(f, flow);
      case 48:
        return ForFixed(f, ending_flow);
      default:
        return;
    }
  }

  template <typename Fn>
  static void ForNumbers(const Field& f, Fn fn) {
    std::vector<int64_t> values;
    AppendNumbers(f, &values);
    for (const int64_t value : values) fn(static_cast<uint64_t>(value));
  }

  void ReadLegacy(const Field& message) {
    uint64_t name_iid = 0;
    int64_t duration_us = 0;
    char phase = 0;
    ReadFields(message, Number(1, &name_iid), Number(2, &phase), Number(3, &duration_us));
    if (head_.name_iid == 0) head_.name_iid = name_iid;
    duration_ns_ = SaturatingMul(duration_us, 1000);
    if (head_.type != EventType::kNone || phase == 0) return;
    head_.type = TypeOfPhase(phase);
    if (head_.type == EventType::kNone) Rare().unknown_phase = phase;
  }

  void SetCategory(uint64_t iid) {
    if (head_.category_iid == 0) head_.category_iid = iid;  // the first category counts
  }
  void SetValue(double value) {
    head_.has_value = true;
    value_ = value;
  }
  template <typename T>
  static T& Entry(uint32_t* index, std::vector<T>* list) {
    if (*index == EventHead::kNone) {
      *index = static_cast<uint32_t>(list->size());
      list->emplace_back();
    }
    return (*list)[*index];
  }
  EventLists::Texts& Texts() { return Entry(&head_.texts, &lists_.texts); }
  EventLists::Rare& Rare() { return Entry(&head_.rare, &lists_.rare); }

  EventHead& head_;
  EventLists& lists_;
  std::vector<uint64_t>& ending_flows_;
  double value_ = 0;
  int64_t duration_ns_ = 0;
};

// Whether a field of a packet describes the trace and holds no events.
bool IsPlain(uint32_t number) {
  constexpr uint32_t kPlain[] = {0,  3,  8,  10, 13, 33, 35, 36, 41, 42, 43,
                                 44, 45, 46, 51, 58, 69, 72, 79, 87, 89, 98};
  return std::find(std::begin(kPlain), std::end(kPlain), number) != std::end(kPlain);
}

// The place of a packet's message; null where it is none that is read.
Field PacketRest::*PlaceOfMessage(uint32_t number) {
  constexpr std::pair<uint32_t, Field PacketRest::*> kPlaces[] = {
      {2, &PacketRest::process_tree}, {6, &PacketRest::snapshot}, {12, &PacketRest::interned},
      {52, &PacketRest::counter},     {53, &PacketRest::stage},   {59, &PacketRest::defaults},
      {60, &PacketRest::descriptor}};
  return FindValue(kPlaces, number, nullptr);
}

void ReadPacketNumber(const Field& f, EventHead* head) {
  switch (f.number) {
    case 8:
      head->timestamp = f.value;
      head->has_timestamp = true;
      break;
    case 10:
      head->sequence = static_cast<uint32_t>(f.value);
      break;
    case 13:
      head->cleared = head->cleared || (f.value & 1) != 0;
      head->needs_state = (f.value & 2) != 0;
      break;
    case 41:
      head->cleared = head->cleared || f.value != 0;
      break;
    case 42:
      head->dropped = f.value != 0;
      break;
    case 58:
      head->clock = static_cast<uint32_t>(f.value);
      break;
    default:
      break;
  }
}

// Reads a message of the packet that is no track event into the head's rest.
void ReadPacketMessage(const Field& f, EventHead* head, std::vector<PacketRest>* all) {
  Field PacketRest::*const place = PlaceOfMessage(f.number);
  if (place == nullptr && IsPlain(f.number)) return;
  if (head->rest == EventHead::kNone) {
    head->rest = static_cast<uint32_t>(all->size());
    all->emplace_back();
  }
  PacketRest& rest = (*all)[head->rest];
  if (place == nullptr) {
    rest.other = f.number;
  } else {
    rest.*place = f;
  }
}

void DecodePacket(const PacketBatch::Frame& frame, DecodedBatch* batch) {
  EventHead& head = batch->heads.emplace_back();
  head.ref = batch->packets.ref(frame);
  Field event;
  const bool whole = ForFields(MessageIn(batch->packets.packet(frame)), [&](const Field& f) {
    if (f.wire == kVarint) return ReadPacketNumber(f, &head);
    if (f.wire != kLen) return;
    if (f.number == 11) {
      event = f;
    } else {
      ReadPacketMessage(f, &head, &batch->rest);
    }
  });
  if (event.begin != nullptr)
    EventDecoder(&head, &batch->lists, &batch->ending_flows).Decode(event);
  if (head.rest == EventHead::kNone && (!whole || event.begin == nullptr)) {
    head.rest = static_cast<uint32_t>(batch->rest.size());
    batch->rest.emplace_back();
  }
  if (head.rest == EventHead::kNone) return;
  batch->rest[head.rest].has_event = event.begin != nullptr;
  batch->rest[head.rest].damaged = !whole;
}

}  // namespace

void DecodeBatch(DecodedBatch* batch) {
  batch->heads.clear();
  batch->lists.flows.clear();
  batch->lists.texts.clear();
  batch->lists.rare.clear();
  batch->rest.clear();
  batch->heads.reserve(batch->packets.frames.size());
  for (const PacketBatch::Frame& frame : batch->packets.frames) DecodePacket(frame, batch);
}

}  // namespace stepscope::perfetto
