// The messages of a Perfetto trace that describe tracks and work on GPUs
// (docs/formats.md#perfetto), as plain structs. Pure; texts are views of the packet. O(bytes of the
// message).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "loaders/common/wire.h"

namespace stepscope::perfetto {

using proto::Field;

// What the events of a sequence have unless they say otherwise.
struct Defaults {
  uint32_t clock = 0;
  std::optional<uint64_t> track;
  std::vector<int64_t> counters, real_counters;  // tracks of a packet's further values
};
Defaults ReadDefaults(const Field& message);

struct TrackDescriptor {
  uint64_t uuid = 0, parent = 0;
  std::string_view name;
  bool process = false, thread = false, counter = false;
  int64_t pid = 0, tid = 0;
  std::string_view process_name, thread_name, label;
  int64_t multiplier = 1;
  bool incremental = false;
};
TrackDescriptor ReadTrackDescriptor(const Field& message);

// A piece of work of a GPU. Queues and stages that have no iid count from 0 in the lists of an
// earlier packet.
struct RenderStage {
  int64_t duration_ns = 0;
  uint64_t queue_iid = 0, stage_iid = 0, context = 0, name_iid = 0;
  int64_t gpu = 0, queue = -1, stage = -1;
  uint64_t kernel_iid = 0;
  std::string_view name;
  std::vector<std::string_view> queues, stages;  // described in the packet itself
};
RenderStage ReadRenderStage(const Field& message);

using CounterNames = std::vector<std::pair<uint64_t, std::string_view>>;  // by number
CounterNames ReadCounterNames(const Field& counter_descriptor);

struct GpuCounters {
  int64_t gpu = 0;
  uint64_t interned = 0;  // number of the interned description of the names and the GPU
  CounterNames names;
  std::vector<std::pair<uint64_t, double>> values;
};
GpuCounters ReadGpuCounters(const Field& message);

}  // namespace stepscope::perfetto
