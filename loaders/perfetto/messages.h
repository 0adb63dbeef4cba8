// The messages of a Perfetto trace that describe tracks and work on GPUs
// (docs/formats.md#perfetto), as plain structs. Pure; texts are views of the packet. O(bytes of the
// message).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "loaders/common/wire.h"
#include "model/string_pool.h"
#include "model/time.h"

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

// Interned data: what packets refer to by number. Each sequence of packets has its own, which
// begins anew whenever the sequence's state is cleared. Names are strings of the trace. Filled by
// one thread, then read by any.

// A map from numbers to strings: a list where numbers are dense, else a hash map.
class InternedNames {
 public:
  void Set(uint64_t iid, StringId name) {
    if (iid >= dense_.size() && iid > kFirst + kRoom * ++count_) {
      sparse_[iid] = name;
      return;
    }
    if (iid >= dense_.size()) dense_.resize(iid + 1, StringId());
    dense_[iid] = name;
  }
  StringId Find(uint64_t iid) const {  // invalid if unknown
    if (iid < dense_.size() && (dense_[iid].valid() || sparse_.empty())) return dense_[iid];
    const auto it = sparse_.find(iid);
    return it == sparse_.end() ? StringId() : it->second;
  }

 private:
  static constexpr uint64_t kFirst = 64, kRoom = 16;
  uint64_t count_ = 0;
  std::vector<StringId> dense_;
  std::unordered_map<uint64_t, StringId> sparse_;
};

// A kernel as a GPU profiler describes it. Arguments are messages, as they are in the packet.
struct InternedKernel {
  StringId name{0}, readable{0}, arch{0};
  std::vector<StringId> arguments;
};
struct InternedCounters {
  int64_t gpu = 0;
  std::vector<std::pair<uint64_t, StringId>> names;
};

struct Interned {
  InternedNames categories, events, annotations, texts, stages, kernel_arguments;
  std::unordered_map<uint64_t, int64_t> contexts;  // pids of graphics contexts
  std::unordered_map<uint64_t, InternedKernel> kernels;
  std::unordered_map<uint64_t, InternedCounters> counters;
  // Adds the entries of an InternedData message.
  void Read(const proto::Field& interned_data, StringPool* strings);
};

// All interned data of a file. References of packets in the file and of inflated packets are two
// ranges, each in order; so a state begins at a place in both.
class InternedHistory {
 public:
  struct Place {
    uint64_t plain = 0, inflated = 0;  // the first packet from there on
  };
  Interned& Begin(uint32_t sequence, const Place& place);
  // The state that holds for the packet at `ref`, or null. `plain`: the packet lies in the file and
  // was not inflated.
  const Interned* At(uint32_t sequence, uint64_t ref, bool plain) const;

 private:
  struct State {
    Place begin;
    std::unique_ptr<Interned> interned;
  };
  std::unordered_map<uint32_t, std::vector<State>> all_;
};

// Clocks of a Perfetto trace: snapshots say how far each clock is from the trace's clock, so that
// any time becomes nanoseconds of the trace's clock. Between two snapshots the earlier one holds.
// One thread.
class Clocks {
 public:
  static constexpr uint32_t kRealtime = 1, kBoottime = 6;

  // Reads a ClockSnapshot message of this sequence.
  void AddSnapshot(uint32_t sequence, const proto::Field& snapshot);
  struct Clock {
    // From a time of the clock on: what is added to get the trace's clock. Ascending, nanoseconds.
    std::vector<std::pair<int64_t, int64_t>> distances;
    int64_t unit_ns = 1;
    int64_t last = 0;
    bool incremental = false;
  };
  // The clock, whose address stays; null where no snapshot has it.
  Clock* Find(uint32_t sequence, uint32_t clock);
  // A time of the clock in nanoseconds of the trace's clock. A clock that counts from the packet
  // before is advanced.
  static int64_t Resolve(Clock* clock, uint64_t timestamp) {
    int64_t at = SaturatingMul(static_cast<int64_t>(timestamp), clock->unit_ns);
    if (clock->incremental) at = clock->last = SaturatingAdd(clock->last, at);
    const auto& [since, distance] = clock->distances.back();
    return SaturatingAdd(at, since <= at ? distance : DistanceAt(*clock, at));
  }
  uint32_t trace_clock() const { return trace_clock_; }
  // Unix time of the trace clock's 0; 0 if unknown.
  int64_t unix_ns() const { return unix_ns_; }

 private:
  static int64_t DistanceAt(const Clock& clock, int64_t at);
  static uint64_t KeyOf(uint32_t sequence, uint32_t clock);

  uint32_t trace_clock_ = kBoottime;
  int64_t unix_ns_ = 0;
  std::unordered_map<uint64_t, Clock> clocks_;
};

}  // namespace stepscope::perfetto
