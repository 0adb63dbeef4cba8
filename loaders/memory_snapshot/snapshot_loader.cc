// The loader of PyTorch's memory snapshots: the pickle that torch.cuda.memory._dump_snapshot
// writes (docs/memory-snapshots.md).
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "loaders/files/byte_source.h"
#include "loaders/loader.h"
#include "loaders/memory_snapshot/pickle.h"
#include "loaders/memory_snapshot/snapshot_records.h"
#include "loaders/memory_snapshot/snapshot_tracks.h"
#include "model/allocator_history.h"
#include "model/base/status.h"
#include "model/diagnostics.h"

namespace stepscope::snapshot {
namespace {

// Completes an AllocatorHistory from the root of a memory snapshot: which events belong to which
// device, segments with their blocks, annotations, settings, and the order of times.

using pickle::PickleReader;
using pickle::Tag;
using pickle::Value;

constexpr size_t kMaxDevices = 4096;
constexpr size_t kMaxSettings = 256;

class Assembler {
 public:
  Assembler(PickleReader& reader, const SnapshotRecords& records, AllocatorHistory* history,
            Diagnostics* diagnostics)
      : reader_(reader), records_(records), history_(*history), diagnostics_(*diagnostics) {}

  Status Run(Value root) {
    const Value traces = reader_.Get(root, "device_traces");
    const bool any = reader_.IsList(traces) || reader_.IsList(reader_.Get(root, "segments"));
    const bool blocks_only = reader_.IsList(root) && !history_.segments.empty();
    if (!any && !blocks_only) return NotASnapshot();
    for (const Value list : reader_.Items(traces)) AddDevice(list);
    TakeEvents();
    ArrangeSegments();
    AddDevicesOfSegments();
    OrderTimes();
    std::stable_sort(
        history_.notes.begin(), history_.notes.end(),
        [](const AllocatorNote& a, const AllocatorNote& b) { return a.time_us < b.time_us; });
    ReadSettings(reader_.Get(root, "allocator_settings"));
    Report();
    return {};
  }

 private:
  static Status NotASnapshot() {
    return {ErrorCode::kFormat,
            "this pickle is no memory snapshot of PyTorch: it has neither device_traces nor "
            "segments. torch.cuda.memory._dump_snapshot writes one"};
  }

  // Adds the events of one list. A list is read once: a hostile file could refer to one again and
  // again.
  void AddDevice(Value list) {
    std::vector<uint32_t> rows;
    for (const Value item : reader_.Items(list)) {
      const auto event = reader_.AsRecord(item);
      if (event && event->kind == kEvent) {
        rows.push_back(event->index);
      } else {
        ++not_events_;
      }
    }
    if (reader_.IsList(list)) reader_.Replace(list, {kStack, 0});
    if (rows_.size() < kMaxDevices) rows_.push_back(std::move(rows));
  }

  // Puts the events in order of devices. Nothing moves where the file has them in that order.
  void TakeEvents() {
    size_t next = 0;
    bool in_place = true;
    for (const std::vector<uint32_t>& rows : rows_) {
      for (const uint32_t row : rows) in_place = in_place && row == next++;
    }
    if (!in_place) Gather();
    size_t first = 0;
    for (size_t d = 0; d < rows_.size(); ++d) {
      if (!rows_[d].empty()) {
        AllocatorDevice& device = history_.devices.emplace_back();
        device.index = static_cast<int>(d);
        device.first_event = first;
        device.events = rows_[d].size();
      }
      first += rows_[d].size();
    }
    rows_.clear();
  }

  void Gather() {
    AllocatorEvents from = std::move(history_.events);
    history_.events = {};
    std::unordered_map<uint32_t, int64_t> free(history_.device_free.begin(),
                                               history_.device_free.end());
    history_.device_free.clear();
    AllocatorEvents& to = history_.events;
    for (const std::vector<uint32_t>& rows : rows_) {
      for (const uint32_t row : rows) {
        if (const auto it = free.find(row); it != free.end())
          history_.device_free.emplace_back(static_cast<uint32_t>(to.count()), it->second);
        to.action.push_back(from.action[row]);
        to.address.push_back(from.address[row]);
        to.size.push_back(from.size[row]);
        to.time_us.push_back(from.time_us[row]);
        to.stack.push_back(from.stack[row]);
        to.stream.push_back(from.stream[row]);
        to.context.push_back(from.context[row]);
      }
    }
  }

  // Sorts segments by device and address, and puts the blocks of each one after the other.
  void ArrangeSegments() {
    std::vector<uint32_t> order(history_.segments.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      const AllocatorSegment &x = history_.segments[a], &y = history_.segments[b];
      return std::pair(x.device, x.address) < std::pair(y.device, y.address);
    });
    std::vector<AllocatorSegment> segments;
    std::vector<AllocatorBlock> blocks;
    segments.reserve(order.size());
    blocks.reserve(history_.blocks.size());
    for (const uint32_t s : order) {
      AllocatorSegment& segment = segments.emplace_back(std::move(history_.segments[s]));
      segment.first_block = static_cast<uint32_t>(blocks.size());
      for (const uint32_t b : records_.blocks_of_segments()[s])
        blocks.push_back(history_.blocks[b]);
      segment.blocks = static_cast<uint32_t>(blocks.size()) - segment.first_block;
      std::stable_sort(
          blocks.begin() + segment.first_block, blocks.end(),
          [](const AllocatorBlock& a, const AllocatorBlock& b) { return a.address < b.address; });
    }
    history_.segments = std::move(segments);
    history_.blocks = std::move(blocks);
  }

  void AddDevicesOfSegments() {
    std::vector<AllocatorDevice>& devices = history_.devices;
    const size_t with_events = devices.size();
    for (size_t s = 0; s < history_.segments.size() && devices.size() < kMaxDevices; ++s) {
      const int index = history_.segments[s].device;
      if (s > 0 && history_.segments[s - 1].device == index) continue;
      const auto known =
          std::find_if(devices.begin(), devices.begin() + static_cast<std::ptrdiff_t>(with_events),
                       [&](const AllocatorDevice& d) { return d.index == index; });
      if (known == devices.begin() + static_cast<std::ptrdiff_t>(with_events))
        devices.emplace_back().index = index;
    }
    std::sort(devices.begin(), devices.end(),
              [](const AllocatorDevice& a, const auto& b) { return a.index < b.index; });
  }

  // Makes times ascend: those of threads that wait for each other may fall by a few microseconds.
  void OrderTimes() {
    Column<int64_t>& time = history_.events.time_us;
    bool known = false;
    for (const int64_t t : time.span()) known = known || t != 0;
    if (!known && !time.empty()) {
      diagnostics_.Count("memory_snapshot.no_times", Severity::kWarning,
                         "Events have no times: they are shown a microsecond apart");
    }
    for (const AllocatorDevice& device : history_.devices) {
      for (size_t i = 0; i < device.events; ++i) {
        int64_t& t = time[device.first_event + i];
        if (!known) t = static_cast<int64_t>(i);
        if (i == 0 || t >= (&t)[-1]) continue;
        t = (&t)[-1];
        ++reordered_;
      }
    }
    bool any = false;
    const auto begin_at = [&](int64_t t) {
      history_.origin_us = any ? std::min(history_.origin_us, t) : t;
      any = true;
    };
    for (const AllocatorDevice& device : history_.devices) {
      if (device.events > 0) begin_at(time[device.first_event]);
    }
    if (!any && !history_.notes.empty()) begin_at(history_.notes.front().time_us);
  }

  void ReadSettings(Value settings) {
    const std::span<const Value> items = reader_.Items(settings);
    for (size_t i = 0; i + 1 < items.size() && history_.settings.size() < kMaxSettings; i += 2) {
      const auto key = reader_.AsText(items[i]);
      if (!key) continue;
      const Value value = items[i + 1];
      std::string text;
      if (const auto t = reader_.AsText(value)) {
        text = history_.strings.View(*t);
      } else if (value.tag() == Tag::kBool) {
        text = reader_.AsInt(value) == 1 ? "True" : "False";
      } else if (const auto whole = reader_.AsInt(value)) {
        text = std::to_string(*whole);
      } else if (const auto real = reader_.AsReal(value)) {
        text = fmt::format("{}", *real);
      } else {
        continue;
      }
      history_.settings.emplace_back(history_.strings.View(*key), std::move(text));
    }
  }

  void Report() {
    const auto count = [&](const char* id, const char* text, uint64_t n) {
      if (n > 0) diagnostics_.Count(id, Severity::kWarning, text, {}, n);
    };
    count("memory_snapshot.not_events", "Entries of device_traces are no events and left out",
          not_events_);
    count("memory_snapshot.sizes", "Sizes below 0 or above 16 TiB are taken for those bounds",
          records_.clamped_sizes());
    count("memory_snapshot.frames", "Frames of stacks that are no frames are left out",
          records_.bad_frames());
    count("memory_snapshot.time_order",
          "Events are earlier than the one before them: they are taken for as late", reordered_);
  }

  PickleReader& reader_;
  const SnapshotRecords& records_;
  AllocatorHistory& history_;
  Diagnostics& diagnostics_;
  std::vector<std::vector<uint32_t>> rows_;  // rows of each device's events
  uint64_t not_events_ = 0, reordered_ = 0;
};

// kFormat where the pickle is not a memory snapshot. Lists are freed in `reader` as they are used.
// O(records).
Status Assemble(PickleReader& reader, const SnapshotRecords& records, Value root,
                AllocatorHistory* history, Diagnostics* diagnostics) {
  return Assembler(reader, records, history, diagnostics).Run(root);
}

}  // namespace

}  // namespace stepscope::snapshot

namespace stepscope {
namespace snapshot {
namespace {

Result<std::unique_ptr<InflateStream>> OpenStream(const InputFile& file) {
  if (file.opened != nullptr) return InflateStream::Of(file.opened);
  return InflateStream::Open(file.path);
}

Status In(const InputFile& file, const Status& status) {
  if (status.ok() || status.code() == ErrorCode::kCancelled || status.code() == ErrorCode::kIo)
    return status;
  return {status.code(), file.path + ": " + status.message()};
}

Status ReadHistory(const InputFile& file, const LoadOptions& options, const std::stop_token& stop,
                   Progress* progress, Trace* trace, AllocatorHistory* history) {
  Result<std::unique_ptr<InflateStream>> stream = OpenStream(file);
  if (!stream.ok()) return stream.status();
  SnapshotRecords records(history, progress);
  pickle::PickleReader reader(stream->get(), &history->strings, &records, progress);
  const Result<pickle::Value> root = reader.Read(stop, options.max_inflated_bytes);
  records.FinishProgress();
  if (!root.ok()) return In(file, root.status());
  trace->file_bytes = (*stream)->file_bytes();
  trace->inflated_bytes = reader.offset();
  if (reader.truncated()) {
    const std::string name = std::filesystem::path(file.path).filename().string();
    trace->diagnostics.CountTruncated(name + " byte " + std::to_string(reader.offset()));
  }
  return In(file, Assemble(reader, records, *root, history, &trace->diagnostics));
}

void Replay(AllocatorHistory* history, Diagnostics* diagnostics) {
  const AllocatorRepairs repairs = ReplayAllocator(history);
  if (repairs.address_reused == 0) return;
  diagnostics->Count("memory_snapshot.address_reused", Severity::kWarning,
                     "Addresses are allocated again without having been freed: the earlier "
                     "allocation is taken to end there",
                     {}, repairs.address_reused);
}

constexpr TraceFormat kMemorySnapshot = {
    "Memory snapshot", {.memory_snapshot = true}, Recorder::kTorchMemory};

Status Load(TraceBuilder& builder, std::span<const InputFile> files, const LoadOptions& options,
            const std::stop_token& stop, Progress& progress) {
  Trace& trace = builder.trace();
  trace.format = &kMemorySnapshot;
  const InputFile& file = files.front();
  for (const InputFile& other : files.subspan(1))
    trace.skipped_files.push_back(other.path + ": one memory snapshot is read at a time");
  progress.SetStage("Reading the snapshot");
  auto history = std::make_shared<AllocatorHistory>();
  if (Status s = ReadHistory(file, options, stop, &progress, &trace, history.get()); !s.ok())
    return s;
  progress.SetStage("Following the allocator");
  Replay(history.get(), &trace.diagnostics);
  trace.origin_unix_ns = SaturatingMul(history->origin_us, 1000);
  Host host;
  host.name = builder.strings().Intern(
      file.host.empty() ? std::filesystem::path(file.path).filename().string() : file.host);
  host.file = file.path;
  host.start_unix_ns = trace.origin_unix_ns;
  AddTracks(*history, builder.AddHost(std::move(host)), stop, &builder);
  if (stop.stop_requested()) return {ErrorCode::kCancelled, "cancelled"};
  trace.source = MakeStatSource(std::move(history));
  return {};
}

// Whether it is a pickle of protocol 2 to 5 whose first object is a dict or a list, with one of the
// snapshot's keys near its begin.
bool Sniff(std::span<const std::byte> prefix) {
  const std::string_view text(reinterpret_cast<const char*>(prefix.data()), prefix.size());
  if (text.size() < 3 || text[0] != '\x80' || text[1] < 2 || text[1] > 5) return false;
  constexpr size_t kFrameBytes = 9;
  const size_t at = text[2] == '\x95' ? 2 + kFrameBytes : 2;
  if (at >= text.size() || (text[at] != '}' && text[at] != ']')) return false;
  for (const std::string_view key :
       {"segments", "device_traces", "allocator_settings", "external_annotations", "total_size"}) {
    if (text.find(key) != text.npos) return true;
  }
  return false;
}

using Kind = FileEnding::Kind;
constexpr FileEnding kEndings[] = {{".pickle", Kind::kLoose}, {".pkl", Kind::kLoose}};

}  // namespace
}  // namespace snapshot

extern const LoaderDesc kMemorySnapshotLoader;
const LoaderDesc kMemorySnapshotLoader = {&snapshot::kMemorySnapshot, "Memory snapshot of PyTorch",
                                          snapshot::kEndings, snapshot::Sniff, snapshot::Load};

}  // namespace stepscope
