// OVER, EVTS: the events, as a first picture and as a whole.
#include <algorithm>
#include <bit>

#include "loaders/store/byte_codec.h"
#include "loaders/store/event_columns.h"
#include "loaders/store/sections.h"

namespace stepscope::store {
namespace {

Status WriteEventRows(const WriteContext& context, uint32_t number, Payload* out) {
  const TrackSet& set = context.trace.set;
  out->key = uint64_t{number} * kMaxItems;
  out->count = static_cast<uint32_t>(std::min<uint64_t>(kMaxItems, set.rows - out->key));
  WriteEvents(set, static_cast<uint32_t>(out->key), out->count, &out->bytes);
  return {};
}

bool ReadEventRows(ReadContext& context, const Section& section, std::string_view bytes) {
  const SectionHeader& h = section.header;
  return h.key < EventRow::kInvalid &&
         context.events.Read({static_cast<uint32_t>(h.key), h.count}, bytes);
}

Status WriteFirstPicture(const WriteContext& context, uint32_t, Payload* out) {
  out->count = WriteOverview(context.trace.set, &out->bytes);
  return {};
}

bool ReadFirstPicture(ReadContext& context, const Section& section, std::string_view bytes) {
  std::vector<OverviewLane> overview;
  if (!ReadOverview(bytes, section.header.count, &overview)) return false;
  context.events.TakeOverview(overview);
  return true;
}

}  // namespace

const SectionDesc kOverviewSection = {
    "OVER",
    1,
    SectionCount::kOne,
    ReadMode::kPreview,
    "a first picture of the whole trace",
    [](const WriteContext& c) { return c.trace.set.rows > 0 ? 1u : 0u; },
    WriteFirstPicture,
    ReadFirstPicture};
const SectionDesc kEventSection = {"EVTS",
                                   1,
                                   SectionCount::kMany,
                                   ReadMode::kParallel,
                                   "events",
                                   [](const WriteContext& c) { return PartsOf(c.trace.set.rows); },
                                   WriteEventRows,
                                   ReadEventRows};

namespace {

// A part of a series: the samples of one section.
struct SeriesPart {
  uint32_t track = 0, series = 0;
  size_t first = 0;
  uint32_t count = 0;
};

// Sections of counters are numbered through all series. Calls fn until it returns false.
template <typename Fn>
void ForParts(const Trace& trace, Fn fn) {
  for (uint32_t t = 0; t < trace.set.tracks.size(); ++t) {
    const std::vector<CounterSeries>& counters = trace.set.tracks[t].counters;
    for (uint32_t s = 0; s < counters.size(); ++s) {
      size_t at = 0;
      do {
        const auto n =
            static_cast<uint32_t>(std::min<size_t>(kMaxItems, counters[s].time.size() - at));
        if (!fn(SeriesPart{t, s, at, n})) return;
        at += n;
      } while (at < counters[s].time.size());
    }
  }
}

// Small series share a section: it has the parts of up to so many samples.
std::vector<std::vector<SeriesPart>> Groups(const Trace& trace) {
  std::vector<std::vector<SeriesPart>> groups;
  uint64_t samples = kMaxItems;
  ForParts(trace, [&](const SeriesPart& part) {
    if (samples + part.count + 16 > kMaxItems) groups.emplace_back(), samples = 0;
    samples += part.count + 16;
    groups.back().push_back(part);
    return true;
  });
  return groups;
}

uint32_t CounterSections(const WriteContext& context) {
  return static_cast<uint32_t>(Groups(context.trace).size());
}

Status WriteCounters(const WriteContext& context, uint32_t number, Payload* out) {
  const std::vector<SeriesPart> parts = Groups(context.trace)[number];
  ByteWriter writer(&out->bytes);
  out->key = number;
  out->count = static_cast<uint32_t>(parts.size());
  std::vector<uint64_t> values;
  for (const SeriesPart& part : parts) {
    const CounterSeries& series = context.trace.set.tracks[part.track].counters[part.series];
    writer.Varint(part.track);
    writer.Varint(part.series);
    writer.Varint(series.name.value);
    writer.Varint(std::bit_cast<uint64_t>(series.min));
    writer.Varint(std::bit_cast<uint64_t>(series.max));
    writer.Varint(part.count);
    values.resize(part.count);
    uint64_t last = 0;
    for (uint32_t i = 0; i < part.count; ++i) {
      const auto time = static_cast<uint64_t>(series.time[part.first + i]);
      values[i] = time - last;
      last = time;
    }
    writer.Ints(values);
    for (uint32_t i = 0; i < part.count; ++i)
      values[i] = std::bit_cast<uint64_t>(series.value[part.first + i]);
    writer.Ints(values);
  }
  return {};
}

// No name stays none; one that is not there is empty.
StringId NameOf(const ReadContext& context, uint64_t id) {
  if (id == StringId::kInvalid) return {};
  return StringId(id < context.builder.strings().size() ? static_cast<uint32_t>(id) : 0);
}

bool ReadSeries(ReadContext& context, ByteReader* reader) {
  const uint64_t track = reader->Varint(), index = reader->Varint(), name = reader->Varint();
  const auto min = std::bit_cast<double>(reader->Varint());
  const auto max = std::bit_cast<double>(reader->Varint());
  std::vector<uint64_t> times(reader->Count(kMaxItems)), values(times.size());
  reader->Ints(times);
  reader->Ints(values);
  if (!reader->ok() || track >= context.counters.size()) return false;
  std::vector<CounterSeries>& all = context.counters[track];
  if (index > all.size()) return false;  // a part before it is missing
  if (index == all.size()) {
    all.emplace_back();
    all.back().name = NameOf(context, name);
    all.back().min = min;
    all.back().max = max;
  }
  CounterSeries& series = all[index];
  uint64_t time = 0;
  for (size_t i = 0; i < times.size(); ++i) {
    time += times[i];
    const auto at = static_cast<Ps>(time);
    if (!series.time.empty() && at < series.time.back()) return false;
    series.time.push_back(at);
    series.value.push_back(std::bit_cast<double>(values[i]));
  }
  return true;
}

bool ReadCounters(ReadContext& context, const Section& section, std::string_view bytes) {
  ByteReader reader(bytes);
  for (uint32_t i = 0; i < section.header.count; ++i) {
    if (!ReadSeries(context, &reader)) return false;
  }
  return true;
}

Status WriteFlows(const WriteContext& context, uint32_t number, Payload* out) {
  out->key = uint64_t{number} * kMaxItems;
  out->count =
      static_cast<uint32_t>(std::min<uint64_t>(kMaxItems, context.trace.flows.size() - out->key));
  const std::span<const Flow> flows = std::span(context.trace.flows).subspan(out->key, out->count);
  ByteWriter writer(&out->bytes);
  std::vector<uint64_t> values(flows.size());
  const auto column = [&](auto value) {
    std::transform(flows.begin(), flows.end(), values.begin(), value);
    writer.Ints(values);
  };
  column([](const Flow& f) { return uint64_t{f.from.value}; });
  column([](const Flow& f) { return uint64_t{f.to.value}; });
  column([](const Flow& f) { return f.id; });
  column([](const Flow& f) { return uint64_t{f.category.value}; });
  return {};
}

bool ReadFlows(ReadContext& context, const Section& section, std::string_view bytes) {
  if (section.header.count > kMaxItems) return false;
  std::vector<Flow> flows(section.header.count);
  std::vector<uint64_t> values(flows.size());
  ByteReader reader(bytes);
  const auto column = [&](auto set) {
    reader.Ints(values);
    for (size_t i = 0; i < flows.size(); ++i) set(&flows[i], values[i]);
  };
  const auto row = [](uint64_t v) {
    return EventRow(static_cast<uint32_t>(std::min<uint64_t>(v, EventRow::kInvalid)));
  };
  column([&](Flow* f, uint64_t v) { f->from = row(v); });
  column([&](Flow* f, uint64_t v) { f->to = row(v); });
  column([](Flow* f, uint64_t v) { f->id = v; });
  column([&](Flow* f, uint64_t v) { f->category = NameOf(context, v); });
  if (reader.ok()) context.flows.insert(context.flows.end(), flows.begin(), flows.end());
  return reader.ok();
}

}  // namespace

const SectionDesc kCounterSection = {"CNTR",
                                     1,
                                     SectionCount::kMany,
                                     ReadMode::kInOrder,
                                     "samples of counters",
                                     CounterSections,
                                     WriteCounters,
                                     ReadCounters};
const SectionDesc kFlowSection = {
    "FLOW",
    1,
    SectionCount::kMany,
    ReadMode::kInOrder,
    "arrows between events",
    [](const WriteContext& c) { return PartsOf(c.trace.flows.size()); },
    WriteFlows,
    ReadFlows};

}  // namespace stepscope::store
