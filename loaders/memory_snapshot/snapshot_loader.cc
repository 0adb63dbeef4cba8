// The loader of PyTorch's memory snapshots: the pickle that torch.cuda.memory._dump_snapshot
// writes (docs/memory-snapshots.md).
#include <filesystem>
#include <string>
#include <string_view>

#include "loaders/files/inflate_stream.h"
#include "loaders/loader.h"
#include "loaders/memory_snapshot/pickle.h"
#include "loaders/memory_snapshot/snapshot_records.h"
#include "loaders/memory_snapshot/snapshot_root.h"
#include "loaders/memory_snapshot/snapshot_tracks.h"
#include "model/allocator_history.h"

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

constexpr TraceFormat kMemorySnapshot = {"Memory snapshot", {.memory_snapshot = true}};

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
