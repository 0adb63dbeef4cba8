// HSTR, HIST, HEVT: what a memory snapshot holds.
#include <algorithm>

#include "loaders/store/byte_codec.h"
#include "loaders/store/sections.h"

namespace stepscope::store {
namespace {

constexpr uint32_t kMostThings = 1u << 27;  // of each kind

// Lists of things are written column by column.
template <typename Things, typename Value>
void Put(ByteWriter* writer, const Things& things, Value value) {
  std::vector<uint64_t> values;
  values.reserve(std::size(things));
  for (const auto& thing : things) values.push_back(static_cast<uint64_t>(value(thing)));
  writer->Ints(values);
}

template <typename Things, typename Set>
void Take(ByteReader* reader, Things* things, Set set) {
  std::vector<uint64_t> values(things->size());
  reader->Ints(values);
  for (size_t i = 0; i < values.size() && reader->ok(); ++i) set((*things)[i], values[i]);
}

// A count of things, of which a file of so many bytes can hold at most 64 times as many.
uint32_t TakeCount(ByteReader* reader) {
  const size_t left = reader->left();
  const uint32_t n = reader->Count(kMostThings);
  if (n > 4096 + left * 64) reader->Fail();
  return reader->ok() ? n : 0;
}

using Segment = AllocatorSegment;
using Block = AllocatorBlock;

void WriteSegments(const AllocatorHistory& h, ByteWriter* writer) {
  writer->Varint(h.segments.size());
  Put(writer, h.segments, [](const Segment& s) { return s.address; });
  Put(writer, h.segments, [](const Segment& s) { return s.size; });
  Put(writer, h.segments, [](const Segment& s) { return s.stream; });
  Put(writer, h.segments, [](const Segment& s) { return s.device; });
  Put(writer, h.segments, [](const Segment& s) { return s.type.value; });
  Put(writer, h.segments, [](const Segment& s) { return s.expandable ? 1 : 0; });
  Put(writer, h.segments, [](const Segment& s) { return s.blocks; });
  for (const Segment& s : h.segments) writer->Text(s.pool);
  writer->Varint(h.blocks.size());
  Put(writer, h.blocks, [](const Block& b) { return b.address; });
  Put(writer, h.blocks, [](const Block& b) { return b.size; });
  Put(writer, h.blocks, [](const Block& b) { return b.requested; });
  Put(writer, h.blocks, [](const Block& b) { return b.stack; });
  Put(writer, h.blocks, [](const Block& b) { return (b.in_use ? 1 : 0) | (b.waiting ? 2 : 0); });
  Put(writer, h.segments, [](const Segment& s) { return s.first_block; });
}

void ReadSegments(ByteReader* reader, AllocatorHistory* h) {
  h->segments.resize(TakeCount(reader));
  Take(reader, &h->segments, [](Segment& s, uint64_t v) { s.address = v; });
  Take(reader, &h->segments, [](Segment& s, uint64_t v) { s.size = static_cast<int64_t>(v); });
  Take(reader, &h->segments, [](Segment& s, uint64_t v) { s.stream = static_cast<uint32_t>(v); });
  Take(reader, &h->segments, [](Segment& s, uint64_t v) { s.device = static_cast<int>(v); });
  Take(reader, &h->segments,
       [](Segment& s, uint64_t v) { s.type = StringId(static_cast<uint32_t>(v)); });
  Take(reader, &h->segments, [](Segment& s, uint64_t v) { s.expandable = v != 0; });
  Take(reader, &h->segments, [](Segment& s, uint64_t v) { s.blocks = static_cast<uint32_t>(v); });
  for (Segment& s : h->segments) s.pool = reader->Text();
  h->blocks.resize(TakeCount(reader));
  Take(reader, &h->blocks, [](Block& b, uint64_t v) { b.address = v; });
  Take(reader, &h->blocks, [](Block& b, uint64_t v) { b.size = static_cast<int64_t>(v); });
  Take(reader, &h->blocks, [](Block& b, uint64_t v) { b.requested = static_cast<int64_t>(v); });
  Take(reader, &h->blocks, [](Block& b, uint64_t v) { b.stack = static_cast<uint32_t>(v); });
  Take(reader, &h->blocks, [](Block& b, uint64_t v) {
    b.in_use = (v & 1) != 0;
    b.waiting = (v & 2) != 0;
  });
  Take(reader, &h->segments,
       [](Segment& s, uint64_t v) { s.first_block = static_cast<uint32_t>(v); });
}

void WriteStacks(const AllocatorHistory& h, ByteWriter* writer) {
  writer->Varint(h.frames.size());
  Put(writer, h.frames, [](const StackFrame& f) { return f.name.value; });
  Put(writer, h.frames, [](const StackFrame& f) { return f.file.value; });
  Put(writer, h.frames, [](const StackFrame& f) { return f.line; });
  writer->Varint(h.stack_frames.size());
  Put(writer, h.stack_frames.span(), [](uint32_t f) { return f; });
  writer->Varint(h.stacks.size());
  Put(writer, h.stacks, [](uint32_t s) { return s; });
  writer->Varint(h.streams.size());
  Put(writer, h.streams, [](uint64_t s) { return s; });
}

void ReadStacks(ByteReader* reader, AllocatorHistory* h) {
  h->frames.resize(TakeCount(reader));
  Take(reader, &h->frames,
       [](StackFrame& f, uint64_t v) { f.name = StringId(static_cast<uint32_t>(v)); });
  Take(reader, &h->frames,
       [](StackFrame& f, uint64_t v) { f.file = StringId(static_cast<uint32_t>(v)); });
  Take(reader, &h->frames, [](StackFrame& f, uint64_t v) { f.line = static_cast<uint32_t>(v); });
  h->stack_frames.Resize(TakeCount(reader));
  Take(reader, &h->stack_frames, [](uint32_t& f, uint64_t v) { f = static_cast<uint32_t>(v); });
  h->stacks.resize(TakeCount(reader));
  Take(reader, &h->stacks, [](uint32_t& s, uint64_t v) { s = static_cast<uint32_t>(v); });
  h->streams.resize(TakeCount(reader));
  Take(reader, &h->streams, [](uint64_t& s, uint64_t v) { s = v; });
}

using Free = std::pair<uint32_t, int64_t>;

void WriteRest(const AllocatorHistory& h, ByteWriter* writer) {
  writer->Varint(h.device_free.size());
  Put(writer, h.device_free, [](const Free& f) { return f.first; });
  Put(writer, h.device_free, [](const Free& f) { return f.second; });
  writer->Varint(h.notes.size());
  Put(writer, h.notes, [](const AllocatorNote& n) { return n.name.value; });
  Put(writer, h.notes, [](const AllocatorNote& n) { return n.device; });
  Put(writer, h.notes, [](const AllocatorNote& n) { return n.begin ? 1 : 0; });
  Put(writer, h.notes, [](const AllocatorNote& n) { return n.time_us; });
  writer->Varint(h.devices.size());
  Put(writer, h.devices, [](const AllocatorDevice& d) { return d.index; });
  Put(writer, h.devices, [](const AllocatorDevice& d) { return d.first_event; });
  Put(writer, h.devices, [](const AllocatorDevice& d) { return d.events; });
  writer->Varint(h.settings.size());
  for (const auto& [key, value] : h.settings) writer->Text(key), writer->Text(value);
  writer->Signed(h.origin_us);
  writer->Varint(h.events.count());
}

uint64_t ReadRest(ByteReader* reader, AllocatorHistory* h) {
  h->device_free.resize(TakeCount(reader));
  Take(reader, &h->device_free, [](Free& f, uint64_t v) { f.first = static_cast<uint32_t>(v); });
  Take(reader, &h->device_free, [](Free& f, uint64_t v) { f.second = static_cast<int64_t>(v); });
  h->notes.resize(TakeCount(reader));
  Take(reader, &h->notes,
       [](AllocatorNote& n, uint64_t v) { n.name = StringId(static_cast<uint32_t>(v)); });
  Take(reader, &h->notes, [](AllocatorNote& n, uint64_t v) { n.device = static_cast<int>(v); });
  Take(reader, &h->notes, [](AllocatorNote& n, uint64_t v) { n.begin = v != 0; });
  Take(reader, &h->notes,
       [](AllocatorNote& n, uint64_t v) { n.time_us = static_cast<int64_t>(v); });
  h->devices.resize(TakeCount(reader));
  Take(reader, &h->devices, [](AllocatorDevice& d, uint64_t v) { d.index = static_cast<int>(v); });
  Take(reader, &h->devices, [](AllocatorDevice& d, uint64_t v) { d.first_event = v; });
  Take(reader, &h->devices, [](AllocatorDevice& d, uint64_t v) { d.events = v; });
  h->settings.resize(TakeCount(reader));
  for (auto& [key, value] : h->settings) key = reader->Text(), value = reader->Text();
  h->origin_us = reader->Signed();
  return reader->Varint();
}

Status WriteHistory(const WriteContext& context, uint32_t, Payload* out) {
  ByteWriter writer(&out->bytes);
  WriteStacks(*context.history, &writer);
  WriteSegments(*context.history, &writer);
  WriteRest(*context.history, &writer);
  out->count = 1;
  return {};
}

bool ReadHistory(ReadContext& context, const Section&, std::string_view bytes) {
  if (context.history == nullptr) context.history = std::make_shared<AllocatorHistory>();
  ByteReader reader(bytes);
  ReadStacks(&reader, context.history.get());
  ReadSegments(&reader, context.history.get());
  context.history_events = ReadRest(&reader, context.history.get());
  return reader.ok();
}

Status WriteEventsOf(const WriteContext& context, uint32_t number, Payload* out) {
  const AllocatorEvents& all = context.history->events;
  out->key = uint64_t{number} * kMaxItems;
  out->count = static_cast<uint32_t>(std::min<uint64_t>(kMaxItems, all.count() - out->key));
  ByteWriter writer(&out->bytes);
  const auto column = [&](const auto& values) {
    Put(&writer, values.span().subspan(out->key, out->count), [](auto v) { return v; });
  };
  Put(&writer, all.action.span().subspan(out->key, out->count),
      [](AllocatorAction a) { return static_cast<uint8_t>(a); });
  column(all.address);
  column(all.size);
  column(all.time_us);
  column(all.stack);
  column(all.stream);
  column(all.context);
  return {};
}

bool ReadEventsOf(ReadContext& context, const Section& section, std::string_view bytes) {
  if (context.history == nullptr || section.header.count > kMaxItems) return false;
  AllocatorEvents& all = context.history->events;
  if (section.header.key != all.count()) return false;  // a part before it is missing
  ByteReader reader(bytes);
  std::vector<std::vector<uint64_t>> columns(7, std::vector<uint64_t>(section.header.count));
  for (std::vector<uint64_t>& column : columns) reader.Ints(column);
  if (!reader.ok()) return false;
  constexpr auto kMost = static_cast<uint64_t>(AllocatorAction::kOther);
  for (uint32_t i = 0; i < section.header.count; ++i) {
    all.action.push_back(static_cast<AllocatorAction>(std::min(columns[0][i], kMost)));
    all.address.push_back(columns[1][i]);
    all.size.push_back(static_cast<int64_t>(columns[2][i]));
    all.time_us.push_back(static_cast<int64_t>(columns[3][i]));
    all.stack.push_back(static_cast<uint32_t>(columns[4][i]));
    all.stream.push_back(static_cast<uint32_t>(columns[5][i]));
    all.context.push_back(static_cast<uint32_t>(columns[6][i]));
  }
  return true;
}

// Whether every number in the history names something that is there.
class HistoryCheck {
 public:
  explicit HistoryCheck(const AllocatorHistory& history) : h_(history) {}

  bool Run() const { return Stacks() && Events() && Segments() && Notes() && Devices(); }

 private:
  bool Name(StringId id) const { return id.value < h_.strings.size(); }
  bool Stack(uint32_t stack) const { return stack < h_.stack_count(); }
  bool Stream(uint32_t stream) const { return stream < h_.streams.size(); }

  bool Stacks() const {
    for (const StackFrame& frame : h_.frames) {
      if (!Name(frame.name) || !Name(frame.file)) return false;
    }
    for (const uint32_t frame : h_.stack_frames.span()) {
      if (frame >= h_.frames.size()) return false;
    }
    return h_.stacks.size() >= 2 && h_.stacks.front() == 0 &&
           std::is_sorted(h_.stacks.begin(), h_.stacks.end()) &&
           h_.stacks.back() <= h_.stack_frames.size() && !h_.streams.empty();
  }
  bool Events() const {
    for (size_t i = 0; i < h_.events.count(); ++i) {
      if (!Stack(h_.events.stack[i]) || !Stream(h_.events.stream[i]) ||
          !Name(StringId(h_.events.context[i])))
        return false;
    }
    return true;
  }
  bool Segments() const {
    for (const Segment& s : h_.segments) {
      if (!Stream(s.stream) || !Name(s.type) || s.first_block > h_.blocks.size() ||
          s.blocks > h_.blocks.size() - s.first_block)
        return false;
    }
    return std::all_of(h_.blocks.begin(), h_.blocks.end(),
                       [this](const Block& b) { return Stack(b.stack); });
  }
  bool Notes() const {
    return std::all_of(h_.notes.begin(), h_.notes.end(),
                       [this](const AllocatorNote& n) { return Name(n.name); });
  }
  // Ranges of events follow each other.
  bool Devices() const {
    size_t end = 0;
    int last = 0;
    for (const AllocatorDevice& d : h_.devices) {
      const bool first = &d == h_.devices.data();
      if (d.events > h_.events.count() || d.first_event > h_.events.count() - d.events)
        return false;
      if ((d.events > 0 && d.first_event < end) || (!first && d.index <= last)) return false;
      end = std::max(end, d.first_event + d.events);
      last = d.index;
    }
    return true;
  }

  const AllocatorHistory& h_;
};

}  // namespace

bool CheckHistory(ReadContext& context) {
  AllocatorHistory& history = *context.history;
  const size_t there = history.events.count();
  for (AllocatorDevice& device : history.devices) {
    device.first_event = std::min(device.first_event, there);
    device.events = std::min(device.events, there - device.first_event);
  }
  std::erase_if(history.device_free, [there](const Free& f) { return f.first >= there; });
  return HistoryCheck(history).Run();
}

const SectionDesc kAllocatorNameSection = {
    "HSTR",
    1,
    SectionCount::kMany,
    ReadMode::kInOrder,
    "names of a memory snapshot",
    [](const WriteContext& c) { return c.history ? TextSections(c.history->strings) : 0u; },
    [](const WriteContext& c, uint32_t number, Payload* out) {
      WriteTexts(c.history->strings, number, out);
      return Status();
    },
    [](ReadContext& c, const Section& section, std::string_view bytes) {
      if (c.history == nullptr) c.history = std::make_shared<AllocatorHistory>();
      return ReadTexts(section, bytes, &c.history->strings);
    }};
const SectionDesc kAllocatorSection = {"HIST",
                                       1,
                                       SectionCount::kOne,
                                       ReadMode::kInOrder,
                                       "a memory snapshot",
                                       [](const WriteContext& c) { return c.history ? 1u : 0u; },
                                       WriteHistory,
                                       ReadHistory};
const SectionDesc kAllocatorEventSection = {
    "HEVT",
    1,
    SectionCount::kMany,
    ReadMode::kInOrder,
    "events of a memory snapshot",
    [](const WriteContext& c) { return c.history ? PartsOf(c.history->events.count()) : 0u; },
    WriteEventsOf,
    ReadEventsOf};

}  // namespace stepscope::store
