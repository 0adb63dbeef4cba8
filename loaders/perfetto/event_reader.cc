#include "loaders/perfetto/event_reader.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <utility>

#include "model/base/key_table.h"
#include "model/time.h"

namespace stepscope::perfetto {
namespace {

using namespace proto;

bool IsNumber(const Field& f) { return f.wire == kVarint || f.wire == kFixed64; }

// Calls fn for each value of a repeated number, packed or not.
template <typename Fn>
void ForNumbers(const Field& f, bool fixed, Fn fn) {
  if (f.wire != kLen) {
    if (IsNumber(f)) fn(f.value);
    return;
  }
  const proto::Bytes end = f.end;
  for (proto::Bytes p = f.begin; p != nullptr && p < end;) {
    uint64_t value = 0;
    if (fixed) {
      if (end - p < 8) return;
      std::memcpy(&value, p, 8);
      p += 8;
    } else {
      p = proto::ReadVarint(p, end, &value);
      if (p == nullptr) return;
    }
    fn(value);
  }
}

void AddNumbers(const Field& f, bool fixed, std::vector<uint64_t>* out) {
  ForNumbers(f, fixed, [out](uint64_t value) { out->push_back(value); });
}

// Whether a field of a packet describes the trace and holds no events.
bool IsPlain(uint32_t number) {
  constexpr uint32_t kPlain[] = {3,  8,  10, 13, 33, 35, 36, 41, 42, 43, 44,
                                 45, 46, 51, 58, 69, 72, 79, 87, 89, 98};
  return std::find(std::begin(kPlain), std::end(kPlain), number) != std::end(kPlain);
}

// The part of a packet that a field holds; null where it is none that is read.
Field Packet::*PartOf(uint32_t number) {
  constexpr std::pair<uint32_t, Field Packet::*> kParts[] = {
      {2, &Packet::process_tree}, {6, &Packet::snapshot},   {11, &Packet::event},
      {12, &Packet::interned},    {52, &Packet::counter},   {53, &Packet::stage},
      {59, &Packet::defaults},    {60, &Packet::descriptor}};
  return FindValue(kParts, number, nullptr);
}

}  // namespace

bool ReadPacketFields(std::string_view bytes, Packet* packet) {
  *packet = {};
  FieldReader reader(bytes);
  Field f;
  while (reader.Next(&f)) {
    switch (f.number) {
      case 8:
        packet->timestamp = f.value;
        packet->has_timestamp = true;
        break;
      case 10:
        packet->sequence = static_cast<uint32_t>(f.value);
        break;
      case 13:
        packet->cleared = packet->cleared || (f.value & 1) != 0;
        packet->needs_state = (f.value & 2) != 0;
        break;
      case 41:
        packet->cleared = packet->cleared || f.value != 0;
        break;
      case 42:
        packet->dropped = f.value != 0;
        break;
      case 58:
        packet->clock = static_cast<uint32_t>(f.value);
        break;
      default:
        if (f.wire != kLen) break;
        if (Field Packet::*const part = PartOf(f.number)) {
          packet->*part = f;
        } else if (!IsPlain(f.number)) {
          packet->other = f.number;
        }
    }
  }
  return !reader.bad();
}

void TrackEvent::Clear() {
  type = EventType::kNone;
  track.reset();
  name_iid = category_iid = 0;
  name = category = {};
  has_value = has_arguments = false;
  value = 0;
  duration_ns = 0;
  unknown_phase = 0;
  for (auto* list : {&flows, &ending_flows, &counters, &real_counters}) list->clear();
  counter_values.clear();
  real_values.clear();
}

namespace {

EventType TypeOfPhase(char phase) {
  using enum EventType;
  constexpr std::pair<char, EventType> kTypes[] = {{'B', kBegin},    {'E', kEnd},
                                                   {'X', kComplete}, {'I', kInstant},
                                                   {'i', kInstant},  {'R', kInstant}};
  return FindValue(kTypes, phase, kNone);
}

void ReadLegacy(const Field& message, TrackEvent* event) {
  ForFields(message, [&](const Field& f) {
    if (f.number == 1 && event->name_iid == 0) event->name_iid = f.value;
    if (f.number == 2 && event->type == EventType::kNone) {
      const char phase = static_cast<char>(f.value);
      event->type = TypeOfPhase(phase);
      if (event->type == EventType::kNone) event->unknown_phase = phase;
    }
    if (f.number == 3) event->duration_ns = SaturatingMul(f.Int(), 1000);
  });
}

}  // namespace

void ReadTrackEvent(const Field& message, TrackEvent* event) {
  event->Clear();
  ForFields(message, [&](const Field& f) {
    switch (f.number) {
      case 3:
        ForNumbers(f, false, [&](uint64_t iid) {
          if (event->category_iid == 0) event->category_iid = iid;
        });
        break;
      case 4:
        event->has_arguments = true;
        break;
      case 6:
        if (f.wire == kLen) ReadLegacy(f, event);
        break;
      case 9:
        if (f.value >= 1 && f.value <= 4) event->type = static_cast<EventType>(f.value);
        break;
      case 10:
        event->name_iid = f.value;
        break;
      case 11:
        event->track = f.value;
        break;
      case 12:
        ForNumbers(f, false, [&](uint64_t value) {
          event->counter_values.push_back(static_cast<int64_t>(value));
        });
        break;
      case 22:
        if (f.wire == kLen && event->category.empty()) event->category = f.text();
        break;
      case 23:
        if (f.wire == kLen) event->name = f.text();
        break;
      case 30:
        event->has_value = true;
        event->value = static_cast<double>(f.Int());
        break;
      case 31:
        AddNumbers(f, false, &event->counters);
        break;
      case 36:
        AddNumbers(f, false, &event->flows);
        break;
      case 42:
        AddNumbers(f, false, &event->ending_flows);
        break;
      case 44:
        event->has_value = true;
        event->value = f.Double();
        break;
      case 45:
        AddNumbers(f, false, &event->real_counters);
        break;
      case 46:
        ForNumbers(f, true, [&](uint64_t bits) {
          event->real_values.push_back(std::bit_cast<double>(bits));
        });
        break;
      case 47:
        AddNumbers(f, true, &event->flows);
        break;
      case 48:
        AddNumbers(f, true, &event->ending_flows);
        break;
      default:
        break;
    }
  });
}

Defaults ReadDefaults(const Field& message) {
  Defaults defaults;
  ForFields(message, [&](const Field& f) {
    if (f.number == 58) defaults.clock = static_cast<uint32_t>(f.value);
    if (f.number != 11 || f.wire != kLen) return;
    ForFields(f, [&](const Field& d) {
      if (d.number == 11) defaults.track = d.value;
      if (d.number == 31) AddNumbers(d, false, &defaults.counters);
      if (d.number == 45) AddNumbers(d, false, &defaults.real_counters);
    });
  });
  return defaults;
}

Descriptor ReadDescriptor(const Field& message) {
  Descriptor d;
  ForFields(message, [&](const Field& f) {
    const bool text = f.wire == kLen;
    if (f.number == 1) d.uuid = f.value;
    if ((f.number == 2 || f.number == 10 || f.number == 13) && text) d.name = f.text();
    if (f.number == 5) d.parent = f.value;
    if (f.number == 3 && text) {
      d.process = true;
      ForFields(f, [&](const Field& p) {
        if (p.number == 1) d.pid = p.Int();
        if (p.number == 6 && p.wire == kLen) d.process_name = p.text();
        if (p.number == 8 && p.wire == kLen) d.label = p.text();
      });
    }
    if (f.number == 4 && text) {
      d.thread = true;
      ForFields(f, [&](const Field& t) {
        if (t.number == 1) d.pid = t.Int();
        if (t.number == 2) d.tid = t.Int();
        if (t.number == 5 && t.wire == kLen) d.thread_name = t.text();
      });
    }
    if (f.number == 8 && text) {
      d.counter = true;
      ForFields(f, [&](const Field& c) {
        if (c.number == 4 && c.Int() != 0) d.multiplier = c.Int();
        if (c.number == 5) d.incremental = c.value != 0;
      });
    }
  });
  return d;
}

namespace {

std::string_view NameIn(const Field& description) {
  std::string_view name;
  ForFields(description, [&](const Field& f) {
    if (f.number == 1 && f.wire == kLen) name = f.text();
  });
  return name;
}

}  // namespace

RenderStage ReadRenderStage(const Field& message) {
  RenderStage s;
  ForFields(message, [&](const Field& f) {
    if (f.number == 2) s.duration_ns = f.Int();
    if (f.number == 3) s.queue = f.Int();
    if (f.number == 4) s.stage = f.Int();
    if (f.number == 5) s.context = f.value;
    if (f.number == 11) s.gpu = f.Int();
    if (f.number == 13) s.queue_iid = f.value;
    if (f.number == 14) s.stage_iid = f.value;
    if (f.number == 17 && f.wire == kLen) s.name = f.text();
    if (f.number == 19) s.kernel_iid = f.value;
    if (f.number == 20) s.name_iid = f.value;
    if (f.number != 7 || f.wire != kLen) return;
    ForFields(f, [&](const Field& d) {
      if (d.number == 2 && d.wire == kLen) s.queues.push_back(NameIn(d));
      if (d.number == 3 && d.wire == kLen) s.stages.push_back(NameIn(d));
    });
  });
  return s;
}

GpuCounters ReadGpuCounters(const Field& message) {
  GpuCounters c;
  ForFields(message, [&](const Field& f) {
    if (f.number == 3 && f.wire == kVarint) c.gpu = f.Int();
    if (f.number == 4 && f.wire == kVarint) c.interned = f.value;
    if (f.wire != kLen) return;
    if (f.number == 1)
      ForCounterNames(f,
                      [&](uint64_t id, std::string_view name) { c.names.emplace_back(id, name); });
    if (f.number != 2) return;
    std::pair<uint64_t, double> value{0, 0};
    ForFields(f, [&](const Field& v) {
      if (v.number == 1) value.first = v.value;
      if (v.number == 2) value.second = static_cast<double>(v.Int());
      if (v.number == 3 && v.wire == kFixed64) value.second = v.Double();
    });
    c.values.push_back(value);
  });
  return c;
}

}  // namespace stepscope::perfetto
