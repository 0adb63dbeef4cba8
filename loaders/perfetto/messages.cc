#include "loaders/perfetto/messages.h"

#include <algorithm>
#include <iterator>

namespace stepscope::perfetto {

using namespace proto;

Defaults ReadDefaults(const Field& message) {
  Defaults defaults;
  const auto track = [&](const Field& f) {
    if (f.wire == kVarint) defaults.track = f.value;
  };
  const auto event = [&](const Field& f) {
    ReadFields(f, AnyField(11, track), Numbers(31, &defaults.counters),
               Numbers(45, &defaults.real_counters));
  };
  ReadFields(message, Message(11, event), Number(58, &defaults.clock));
  return defaults;
}

TrackDescriptor ReadTrackDescriptor(const Field& message) {
  TrackDescriptor d;
  const auto process = [&d](const Field& f) {
    d.process = true;
    ReadFields(f, Number(1, &d.pid), Text(6, &d.process_name), Text(8, &d.label));
  };
  const auto thread = [&d](const Field& f) {
    d.thread = true;
    ReadFields(f, Number(1, &d.pid), Number(2, &d.tid), Text(5, &d.thread_name));
  };
  const auto counter = [&d](const Field& f) {
    int64_t multiplier = 0;
    d.counter = true;
    ReadFields(f, Number(4, &multiplier), Number(5, &d.incremental));
    if (multiplier != 0) d.multiplier = multiplier;
  };
  ReadFields(message, Number(1, &d.uuid), Text(2, &d.name), Message(3, process), Message(4, thread),
             Number(5, &d.parent), Message(8, counter), Text(10, &d.name), Text(13, &d.name));
  return d;
}

RenderStage ReadRenderStage(const Field& message) {
  RenderStage s;
  const auto add_name = [](const Field& description, std::vector<std::string_view>* names) {
    ReadFields(description, Text(1, &names->emplace_back()));
  };
  const auto descriptions = [&](const Field& f) {
    ReadFields(f, Message(2, [&](const Field& queue) { add_name(queue, &s.queues); }),
               Message(3, [&](const Field& stage) { add_name(stage, &s.stages); }));
  };
  ReadFields(message, Number(2, &s.duration_ns), Number(3, &s.queue), Number(4, &s.stage),
             Number(5, &s.context), Message(7, descriptions), Number(11, &s.gpu),
             Number(13, &s.queue_iid), Number(14, &s.stage_iid), Text(17, &s.name),
             Number(19, &s.kernel_iid), Number(20, &s.name_iid));
  return s;
}

CounterNames ReadCounterNames(const Field& counter_descriptor) {
  CounterNames names;
  const auto add = [&names](const Field& spec) {
    auto& [id, name] = names.emplace_back();
    ReadFields(spec, Number(1, &id), Text(2, &name));
  };
  ReadFields(counter_descriptor, Message(1, add));
  return names;
}

GpuCounters ReadGpuCounters(const Field& message) {
  GpuCounters c;
  const auto add_names = [&c](const Field& f) {
    const CounterNames names = ReadCounterNames(f);
    c.names.insert(c.names.end(), names.begin(), names.end());
  };
  const auto add_value = [&c](const Field& f) {
    auto& [id, value] = c.values.emplace_back(0, 0);
    const auto whole = [&value = value](const Field& v) {
      if (v.wire == kVarint) value = static_cast<double>(v.Int());
    };
    const auto real = [&value = value](const Field& v) {
      if (v.wire == kFixed64) value = v.Double();
    };
    ReadFields(f, Number(1, &id), AnyField(2, whole), AnyField(3, real));
  };
  ReadFields(message, Message(1, add_names), Message(2, add_value), Number(3, &c.gpu),
             Number(4, &c.interned));
  return c;
}

using namespace proto;

namespace {

// Adds an entry: its number is in field 1 and its text in field 2.
void AddName(const Field& entry, StringPool* strings, InternedNames* to) {
  uint64_t iid = 0;
  std::string_view text;
  ReadFields(entry, Number(1, &iid), Text(2, &text));
  if (iid != 0) to->Set(iid, strings->Intern(text));
}

void AddContext(const Field& message, std::unordered_map<uint64_t, int64_t>* to) {
  uint64_t iid = 0;
  int64_t pid = 0;
  ReadFields(message, Number(1, &iid), Number(2, &pid));
  (*to)[iid] = pid;
}

void AddKernel(const Field& message, StringPool* strings,
               std::unordered_map<uint64_t, InternedKernel>* to) {
  uint64_t iid = 0;
  InternedKernel kernel;
  const auto text = [strings](uint32_t number, StringId* out) {
    return Message(number, [strings, out](const Field& f) { *out = strings->Intern(f.text()); });
  };
  const auto argument = [&](const Field& f) {
    kernel.arguments.push_back(strings->Intern(f.text()));
  };
  ReadFields(message, Number(1, &iid), text(2, &kernel.name), text(3, &kernel.readable),
             text(4, &kernel.arch), Message(5, argument));
  if (iid != 0) (*to)[iid] = std::move(kernel);
}

void AddCounters(const Field& message, StringPool* strings,
                 std::unordered_map<uint64_t, InternedCounters>* to) {
  uint64_t iid = 0;
  InternedCounters counters;
  const auto names = [&](const Field& f) {
    for (const auto& [id, name] : ReadCounterNames(f))
      counters.names.emplace_back(id, strings->Intern(name));
  };
  ReadFields(message, Number(1, &iid), Message(2, names), Number(3, &counters.gpu));
  if (iid != 0) (*to)[iid] = std::move(counters);
}

}  // namespace

void Interned::Read(const Field& interned_data, StringPool* strings) {
  const auto names = [strings](uint32_t number, InternedNames* to) {
    return Message(number, [strings, to](const Field& f) { AddName(f, strings, to); });
  };
  ReadFields(interned_data, names(1, &categories), names(2, &events), names(3, &annotations),
             Message(23, [this](const Field& f) { AddContext(f, &contexts); }), names(24, &stages),
             names(29, &texts),
             Message(47, [&](const Field& f) { AddCounters(f, strings, &counters); }),
             Message(1000, [&](const Field& f) { AddKernel(f, strings, &kernels); }),
             names(1001, &kernel_arguments));
}

Interned& InternedHistory::Begin(uint32_t sequence, const Place& place) {
  std::vector<State>& states = all_[sequence];
  states.push_back({place, std::make_unique<Interned>()});
  return *states.back().interned;
}

const Interned* InternedHistory::At(uint32_t sequence, uint64_t ref, bool plain) const {
  const auto it = all_.find(sequence);
  if (it == all_.end()) return nullptr;
  const auto after =
      std::partition_point(it->second.begin(), it->second.end(), [&](const State& state) {
        return (plain ? state.begin.plain : state.begin.inflated) <= ref;
      });
  return after == it->second.begin() ? nullptr : std::prev(after)->interned.get();
}

namespace {

struct Reading {
  uint32_t id = 0;
  int64_t time = 0, unit_ns = 1;
  bool incremental = false;
};

Reading ReadClock(const proto::Field& message) {
  Reading reading;
  int64_t unit_ns = 0;
  ReadFields(message, proto::Number(1, &reading.id), proto::Number(2, &reading.time),
             proto::Number(3, &reading.incremental), proto::Number(4, &unit_ns));
  if (unit_ns > 0) reading.unit_ns = unit_ns;
  reading.time = SaturatingMul(reading.time, reading.unit_ns);
  return reading;
}

}  // namespace

// Clocks from 64 to 127 belong to their sequence.
uint64_t Clocks::KeyOf(uint32_t sequence, uint32_t clock) {
  const bool own = clock >= 64 && clock < 128;
  return (own ? uint64_t{sequence} << 32 : uint64_t{0}) | clock;
}

void Clocks::AddSnapshot(uint32_t sequence, const proto::Field& snapshot) {
  std::vector<Reading> readings;
  uint32_t trace_clock = 0;
  const auto add = [&readings](const proto::Field& f) { readings.push_back(ReadClock(f)); };
  ReadFields(snapshot, proto::Message(1, add), proto::Number(2, &trace_clock));
  if (trace_clock != 0) trace_clock_ = trace_clock;
  // The trace's clock at this moment: as the snapshot says, or computed from a clock known already.
  std::optional<int64_t> now;
  for (const Reading& r : readings) {
    if (r.id == trace_clock_) now = r.time;
  }
  for (size_t i = 0; i < readings.size() && !now; ++i) {
    const auto known = clocks_.find(KeyOf(sequence, readings[i].id));
    if (known != clocks_.end() && !known->second.distances.empty())
      now = SaturatingAdd(readings[i].time, known->second.distances.back().second);
  }
  if (!now) return;
  for (const Reading& r : readings) {
    Clock& clock = clocks_[KeyOf(sequence, r.id)];
    clock.unit_ns = r.unit_ns;
    clock.incremental = r.incremental;
    clock.last = r.time;
    const int64_t distance = SaturatingSub(*now, r.time);
    if (clock.distances.empty() || r.time > clock.distances.back().first)
      clock.distances.emplace_back(r.time, distance);
    if (r.id == kRealtime && unix_ns_ == 0) unix_ns_ = SaturatingSub(r.time, *now);
  }
}

Clocks::Clock* Clocks::Find(uint32_t sequence, uint32_t clock) {
  const auto it = clocks_.find(KeyOf(sequence, clock));
  return it == clocks_.end() || it->second.distances.empty() ? nullptr : &it->second;
}

// Before the first snapshot, the first one holds.
int64_t Clocks::DistanceAt(const Clock& clock, int64_t at) {
  const auto& distances = clock.distances;
  const auto after = std::partition_point(distances.begin(), distances.end(),
                                          [&](const auto& d) { return d.first <= at; });
  return after == distances.begin() ? after->second : std::prev(after)->second;
}

}  // namespace stepscope::perfetto
