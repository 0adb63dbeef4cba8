#include "loaders/memory_snapshot/snapshot_records.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/key_table.h"

namespace stepscope::snapshot {

using pickle::PickleReader;
using pickle::Record;
using pickle::Value;

namespace {

constexpr const char* kKeyNames[] = {"",
                                     "action",
                                     "addr",
                                     "size",
                                     "stream",
                                     "time_us",
                                     "frames",
                                     "compile_context",
                                     "device_free",
                                     "name",
                                     "filename",
                                     "line",
                                     "device",
                                     "address",
                                     "total_size",
                                     "blocks",
                                     "state",
                                     "requested_size",
                                     "segment_type",
                                     "segment_pool_id",
                                     "is_expandable",
                                     "stage",
                                     "history"};

constexpr uint32_t kEventsPerStep = 1024;  // between two steps of the progress

// More bytes than any device has: sizes are clamped to it, so that sums of them do not overflow.
constexpr int64_t kMostBytes = int64_t{1} << 44;

constexpr std::pair<std::string_view, AllocatorAction> kActions[] = {
    {"alloc", AllocatorAction::kAlloc},
    {"free_requested", AllocatorAction::kFreeRequested},
    {"free_completed", AllocatorAction::kFreeCompleted},
    {"free", AllocatorAction::kFreeCompleted},
    {"segment_alloc", AllocatorAction::kSegmentAlloc},
    {"segment_free", AllocatorAction::kSegmentFree},
    {"segment_map", AllocatorAction::kSegmentMap},
    {"segment_unmap", AllocatorAction::kSegmentUnmap},
    {"oom", AllocatorAction::kOutOfMemory},
    {"snapshot", AllocatorAction::kSnapshot},
};

uint32_t Line(std::optional<int64_t> line) {
  return static_cast<uint32_t>(std::clamp<int64_t>(line.value_or(0), 0, INT32_MAX));
}

int DeviceOf(std::optional<int64_t> device) {
  return static_cast<int>(std::clamp<int64_t>(device.value_or(0), 0, 1 << 20));
}

}  // namespace

// The pool holds only "", so a key's id is its place in the list.
SnapshotRecords::SnapshotRecords(AllocatorHistory* history, Progress* progress)
    : history_(*history), progress_(progress) {
  static_assert(std::size(kKeyNames) == kKeys);
  for (const char* name : kKeyNames) history_.strings.Intern(name);
  streams_.emplace(0, 0);
}

std::optional<Record> SnapshotRecords::Take(PickleReader& reader, std::span<const Value> items) {
  Fields f;
  for (size_t i = 0; i + 1 < items.size(); i += 2) {
    const auto key = reader.AsText(items[i]);
    if (!key || key->value >= kKeys) continue;
    f.values[key->value] = items[i + 1];
    f.seen |= uint32_t{1} << key->value;
  }
  if (f.Has(kAction) && f.Has(kSize))
    return Record{kEvent, AddEvent(reader, f, StackOf(reader, f.values[kFrames]))};
  if (f.Has(kFilename) && f.Has(kLine)) return Record{kFrame, AddFrame(reader, f)};
  if (f.Has(kBlocks) && f.Has(kTotalSize)) return Record{kSegment, AddSegment(reader, f)};
  if (f.Has(kState) && f.Has(kSize))
    return Record{kBlock, AddBlock(reader, f, StackOfBlock(reader, f))};
  if (f.Has(kStage) && f.Has(kName)) return Record{kNote, AddNote(reader, f)};
  return std::nullopt;
}

int64_t SnapshotRecords::SizeOf(const PickleReader& reader, Value value) {
  const int64_t size = reader.AsInt(value).value_or(0);
  clamped_sizes_ += size < 0 || size > kMostBytes;
  return std::clamp<int64_t>(size, 0, kMostBytes);
}

AllocatorAction SnapshotRecords::ActionOf(StringId text) {
  if (text.value >= actions_.size()) actions_.resize(text.value + 1, AllocatorAction::kOther);
  AllocatorAction& known = actions_[text.value];
  if (known != AllocatorAction::kOther) return known;
  return known = FindValue(kActions, history_.strings.View(text), AllocatorAction::kOther);
}

uint32_t SnapshotRecords::StreamOf(uint64_t stream) {
  if (stream == last_stream_.first) return last_stream_.second;
  const auto [known, added] =
      streams_.try_emplace(stream, static_cast<uint32_t>(history_.streams.size()));
  if (added) history_.streams.push_back(stream);
  last_stream_ = *known;
  return known->second;
}

uint32_t SnapshotRecords::AddEvent(const PickleReader& reader, const Fields& f, uint32_t stack) {
  AllocatorEvents& events = history_.events;
  const auto row = static_cast<uint32_t>(events.count());
  const auto action = reader.AsText(f.values[kAction]);
  events.action.push_back(action ? ActionOf(*action) : AllocatorAction::kOther);
  events.address.push_back(static_cast<uint64_t>(reader.AsInt(f.values[kAddr]).value_or(0)));
  events.size.push_back(SizeOf(reader, f.values[kSize]));
  events.time_us.push_back(reader.AsInt(f.values[kTimeUs]).value_or(0));
  events.stack.push_back(stack);
  events.stream.push_back(
      StreamOf(static_cast<uint64_t>(reader.AsInt(f.values[kStream]).value_or(0))));
  const auto context = reader.AsText(f.values[kCompileContext]);
  const bool compiled = context && history_.strings.View(*context) != "N/A";
  events.context.push_back(compiled ? context->value : 0);
  if (f.Has(kDeviceFree)) {
    history_.device_free.emplace_back(
        row, std::clamp<int64_t>(reader.AsInt(f.values[kDeviceFree]).value_or(0), 0, kMostBytes));
  }
  if (progress_ != nullptr && row % kEventsPerStep == 0) progress_->events += kEventsPerStep;
  return row;
}

void SnapshotRecords::FinishProgress() {
  if (progress_ == nullptr) return;
  const uint64_t events = history_.events.count();
  const uint64_t told = (events + kEventsPerStep - 1) / kEventsPerStep * kEventsPerStep;
  progress_->events -= told - events;
}

uint32_t SnapshotRecords::AddFrame(const PickleReader& reader, const Fields& f) {
  StackFrame frame{reader.AsText(f.values[kName]).value_or(StringId(0)),
                   reader.AsText(f.values[kFilename]).value_or(StringId(0)),
                   Line(reader.AsInt(f.values[kLine]))};
  const uint64_t hash = hash_(hash_(hash_(frame.name.value) ^ frame.file.value) ^ frame.line);
  for (auto [it, end] = frames_.equal_range(hash); it != end; ++it) {
    const StackFrame& known = history_.frames[it->second];
    if (known.name == frame.name && known.file == frame.file && known.line == frame.line)
      return it->second;
  }
  const auto id = static_cast<uint32_t>(history_.frames.size());
  history_.frames.push_back(frame);
  frames_.emplace(hash, id);
  return id;
}

uint32_t SnapshotRecords::StackOf(PickleReader& reader, Value list) {
  if (const auto known = reader.AsRecord(list)) return known->kind == kStack ? known->index : 0;
  stack_.clear();
  for (const Value item : reader.Items(list)) {
    const auto frame = reader.AsRecord(item);
    if (frame && frame->kind == kFrame) {
      stack_.push_back(frame->index);
    } else {
      ++bad_frames_;
    }
  }
  if (!reader.IsList(list)) return 0;
  const uint32_t stack = InternStack();
  reader.Replace(list, {kStack, stack});
  return stack;
}

uint32_t SnapshotRecords::InternStack() {
  if (stack_.empty()) return 0;
  uint64_t hash = hash_(stack_.size());
  for (const uint32_t frame : stack_) hash = hash_(hash ^ frame);
  for (auto [it, end] = stacks_.equal_range(hash); it != end; ++it) {
    const auto known = history_.Stack(it->second);
    if (std::equal(known.begin(), known.end(), stack_.begin(), stack_.end())) return it->second;
  }
  const auto id = static_cast<uint32_t>(history_.stack_count());
  for (const uint32_t frame : stack_) history_.stack_frames.push_back(frame);
  history_.stacks.push_back(static_cast<uint32_t>(history_.stack_frames.size()));
  stacks_.emplace(hash, id);
  return id;
}

// The stack of a block. Old recordings have it in the block's history.
uint32_t SnapshotRecords::StackOfBlock(PickleReader& reader, const Fields& f) {
  if (f.Has(kFrames)) return StackOf(reader, f.values[kFrames]);
  const std::span<const Value> history = reader.Items(f.values[kHistory]);
  return history.empty() ? 0 : StackOf(reader, reader.Get(history.front(), "frames"));
}

uint32_t SnapshotRecords::AddBlock(const PickleReader& reader, const Fields& f, uint32_t stack) {
  AllocatorBlock block;
  block.address = static_cast<uint64_t>(reader.AsInt(f.values[kAddress]).value_or(0));
  block.size = SizeOf(reader, f.values[kSize]);
  block.requested = f.Has(kRequestedSize) ? SizeOf(reader, f.values[kRequestedSize]) : block.size;
  block.stack = stack;
  const auto state = reader.AsText(f.values[kState]);
  const std::string_view name = state ? history_.strings.View(*state) : std::string_view();
  block.in_use = name.starts_with("active");
  block.waiting = block.in_use && name != "active_allocated";
  history_.blocks.push_back(block);
  return static_cast<uint32_t>(history_.blocks.size() - 1);
}

uint32_t SnapshotRecords::AddSegment(PickleReader& reader, const Fields& f) {
  AllocatorSegment segment;
  segment.address = static_cast<uint64_t>(reader.AsInt(f.values[kAddress]).value_or(0));
  segment.size = SizeOf(reader, f.values[kTotalSize]);
  segment.stream = StreamOf(static_cast<uint64_t>(reader.AsInt(f.values[kStream]).value_or(0)));
  segment.device = DeviceOf(reader.AsInt(f.values[kDevice]));
  segment.type = reader.AsText(f.values[kSegmentType]).value_or(StringId(0));
  segment.expandable = reader.AsInt(f.values[kIsExpandable]).value_or(0) != 0;
  const std::span<const Value> pool = reader.Items(f.values[kSegmentPoolId]);
  if (pool.size() == 2) {
    const int64_t a = reader.AsInt(pool[0]).value_or(0), b = reader.AsInt(pool[1]).value_or(0);
    if (a != 0 || b != 0) segment.pool = fmt::format("({}, {})", a, b);
  }
  std::vector<uint32_t>& blocks = segment_blocks_.emplace_back();
  for (const Value item : reader.Items(f.values[kBlocks])) {
    const auto block = reader.AsRecord(item);
    if (block && block->kind == kBlock) blocks.push_back(block->index);
  }
  // A list is read once: a hostile file could refer to one again and again.
  if (reader.IsList(f.values[kBlocks])) reader.Replace(f.values[kBlocks], {kStack, 0});
  history_.segments.push_back(std::move(segment));
  return static_cast<uint32_t>(history_.segments.size() - 1);
}

uint32_t SnapshotRecords::AddNote(const PickleReader& reader, const Fields& f) {
  const auto stage = reader.AsText(f.values[kStage]);
  history_.notes.push_back({.name = reader.AsText(f.values[kName]).value_or(StringId(0)),
                            .device = DeviceOf(reader.AsInt(f.values[kDevice])),
                            .begin = stage && history_.strings.View(*stage) == "START",
                            .time_us = reader.AsInt(f.values[kTimeUs]).value_or(0)});
  return static_cast<uint32_t>(history_.notes.size() - 1);
}

}  // namespace stepscope::snapshot
