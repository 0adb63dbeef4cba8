// The fields that are read of a Perfetto trace's messages (docs/formats.md#perfetto), as plain
// structs. Pure; texts are views of the packet. O(bytes of the message).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "loaders/common/wire.h"

namespace stepscope::perfetto {

using proto::Field;

template <typename Fn>
void ForFields(const Field& message, Fn fn) {
  proto::FieldReader reader(message.begin, message.end);
  Field field;
  while (reader.Next(&field)) fn(field);
}

// The fields of a packet besides its data.
struct PacketHead {
  uint64_t timestamp = 0;
  uint32_t clock = 0, sequence = 0;
  bool has_timestamp = false;
  bool cleared = false, needs_state = false, dropped = false;
};
struct Packet : PacketHead {
  // Parts of the packet; Field::begin is null where there is none.
  Field event, descriptor, interned, defaults, snapshot, stage, counter, process_tree;
  uint32_t other = 0;  // number of a data field that is not read; 0: none
};
// False where the bytes are not a message.
bool ReadPacketFields(std::string_view bytes, Packet* packet);

enum class EventType : uint8_t { kNone, kBegin, kEnd, kInstant, kCounter, kComplete };

struct TrackEvent {
  EventType type = EventType::kNone;
  std::optional<uint64_t> track;
  uint64_t name_iid = 0, category_iid = 0;
  std::string_view name, category;  // the first category
  bool has_value = false;
  double value = 0;
  int64_t duration_ns = 0;  // only for kComplete
  std::vector<uint64_t> flows, ending_flows;
  std::vector<uint64_t> counters, real_counters;  // tracks of the values below
  std::vector<int64_t> counter_values;
  std::vector<double> real_values;
  char unknown_phase = 0;  // phase of a legacy event that is not read; 0: none
  bool has_arguments = false;
  void Clear();
};
void ReadTrackEvent(const Field& message, TrackEvent* event);

struct Defaults {
  uint32_t clock = 0;
  std::optional<uint64_t> track;
  std::vector<uint64_t> counters, real_counters;
};
Defaults ReadDefaults(const Field& message);

struct Descriptor {
  uint64_t uuid = 0, parent = 0;
  std::string_view name;
  bool process = false, thread = false, counter = false;
  int64_t pid = 0, tid = 0;
  std::string_view process_name, thread_name, label;
  int64_t multiplier = 1;
  bool incremental = false;
};
Descriptor ReadDescriptor(const Field& message);

struct RenderStage {
  int64_t duration_ns = 0;
  uint64_t queue_iid = 0, stage_iid = 0, context = 0, name_iid = 0;
  int64_t gpu = 0, queue = -1, stage = -1;
  uint64_t kernel_iid = 0;
  std::string_view name;
  std::vector<std::string_view> queues, stages;  // described in the packet itself
};
RenderStage ReadRenderStage(const Field& message);

// Calls fn(id, name) for the counters that a descriptor names.
template <typename Fn>
void ForCounterNames(const Field& descriptor, Fn fn) {
  ForFields(descriptor, [&](const Field& spec) {
    if (spec.number != 1 || spec.wire != proto::kLen) return;
    uint64_t id = 0;
    std::string_view name;
    ForFields(spec, [&](const Field& n) {
      if (n.number == 1) id = n.value;
      if (n.number == 2 && n.wire == proto::kLen) name = n.text();
    });
    fn(id, name);
  });
}

struct GpuCounters {
  int64_t gpu = 0;
  uint64_t interned = 0;  // number of the interned description of the names and the GPU
  std::vector<std::pair<uint64_t, std::string_view>> names;
  std::vector<std::pair<uint64_t, double>> values;
};
GpuCounters ReadGpuCounters(const Field& message);

}  // namespace stepscope::perfetto
