// The loader of Perfetto traces (docs/formats.md#perfetto).
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <utility>

#include "loaders/loader.h"
#include "loaders/perfetto/argument_source.h"
#include "loaders/perfetto/trace_reader.h"

namespace stepscope {
namespace perfetto {
namespace {

struct LoadedFile {
  std::string path, host;
  SourceFile source;
  std::unique_ptr<MixedTrackBuilder> drafts;
  int64_t unix_ns = 0;  // Unix time of the trace clock's 0; 0: unknown
  int64_t base_ns = 0;
};

Status LoadFile(const InputFile& input, const LoadOptions& options, const std::stop_token& stop,
                Progress* progress, TraceBuilder* builder, LoadedFile* file) {
  Result<std::shared_ptr<const ByteSource>> source = OpenInput(input, options, stop, progress);
  if (!source.ok()) return source.status();
  const std::string label = std::filesystem::path(input.path).filename().string();
  file->path = input.path;
  file->host = input.host.empty() ? label : input.host;
  file->source.bytes = std::make_shared<PacketBytes>();
  file->source.bytes->source = std::move(source).value();
  file->drafts = std::make_unique<MixedTrackBuilder>(builder);
  auto history = std::make_shared<InternedHistory>();
  TraceReader reader(builder, file->source.bytes.get(), history.get(), file->drafts.get(), label);
  Status status = reader.Read(options, stop, progress);
  file->source.history = std::move(history);
  file->source.end_arguments = std::make_shared<const EndArguments>(reader.TakeEndArguments());
  file->unix_ns = reader.clocks().unix_ns();
  if (status.ok() || status.code() == ErrorCode::kCancelled) return status;
  return {status.code(), input.path + ": " + status.message()};
}

// The Unix time of t = 0, which is the first event; 0 if unknown. Files with Unix time are aligned.
int64_t FirstUnixTime(std::vector<LoadedFile>* files) {
  int64_t first = INT64_MAX;
  for (LoadedFile& file : *files) {
    const int64_t begin = file.drafts->first_ns();
    file.base_ns = begin - begin % 1000;
    if (file.unix_ns > 0) first = std::min(first, SaturatingAdd(file.unix_ns, file.base_ns));
  }
  return first == INT64_MAX ? 0 : first;
}

void EmitFile(uint32_t index, LoadedFile* file, TraceBuilder* builder) {
  Trace& trace = builder->trace();
  Host host;
  host.name = builder->strings().Intern(file->host);
  host.file = file->path;
  MixedTrackBuilder::Placement placement;
  placement.source = index;
  placement.base_ns = file->base_ns;
  if (file->unix_ns > 0) {
    host.start_unix_ns = SaturatingAdd(file->unix_ns, file->base_ns);
    placement.base =
        SaturatingMul(SaturatingSub(host.start_unix_ns, trace.origin_unix_ns), kPsPerNs);
  }
  placement.host = builder->AddHost(std::move(host));
  file->drafts->Emit(placement);
  trace.file_bytes += file->source.bytes->source->file_bytes();
  trace.inflated_bytes += file->source.bytes->size();
}

constexpr TraceFormat kPerfetto = {
    "Perfetto trace", {.event_categories = true, .pytorch_events = true, .any_program = true}};

Status Load(TraceBuilder& builder, std::span<const InputFile> inputs, const LoadOptions& options,
            const std::stop_token& stop, Progress& progress) {
  progress.SetStage("Reading packets");
  Trace& trace = builder.trace();
  trace.format = &kPerfetto;
  std::vector<LoadedFile> files;
  bool kineto = false;
  Status loaded = LoadEach(inputs, &trace, [&](const InputFile& input) {
    LoadedFile file;
    Status status = LoadFile(input, options, stop, &progress, &builder, &file);
    if (!status.ok()) return status;
    kineto = kineto || trace.kineto;
    files.push_back(std::move(file));
    return status;
  });
  if (!loaded.ok()) return loaded;
  trace.kineto = kineto;
  trace.origin_unix_ns = FirstUnixTime(&files);
  std::vector<SourceFile> sources;
  for (uint32_t i = 0; i < files.size(); ++i) {
    EmitFile(i, &files[i], &builder);
    sources.push_back(files[i].source);
  }
  trace.source = MakeArgumentSource(std::move(sources));
  return {};
}

// Whether one of the first packets has a time, a sequence or data. An XSpace begins with the same
// tag, but its planes have none of these fields.
bool Sniff(std::span<const std::byte> prefix) {
  constexpr uint32_t kData[] = {33, 36, 50, 60, 89, 133};
  const std::string_view text(reinterpret_cast<const char*>(prefix.data()), prefix.size());
  proto::FieldReader packets(text);
  Field packet;
  for (int i = 0; i < 4 && packets.Next(&packet); ++i) {
    if (packet.number != 1 || packet.wire != proto::kLen) return false;
    bool found = false;
    ForFields(packet, [&](const Field& f) {
      found = found || (f.wire == proto::kVarint && (f.number == 8 || f.number == 10)) ||
              (f.wire == proto::kLen &&
               std::find(std::begin(kData), std::end(kData), f.number) != std::end(kData));
    });
    if (found) return true;
  }
  return false;
}

using Kind = FileEnding::Kind;
constexpr FileEnding kEndings[] = {
    {".pftrace", Kind::kOwn}, {".perfetto-trace", Kind::kOwn}, {".perfetto", Kind::kLoose}};

}  // namespace
}  // namespace perfetto

extern const LoaderDesc kPerfettoLoader;
const LoaderDesc kPerfettoLoader = {&perfetto::kPerfetto, "Perfetto trace", perfetto::kEndings,
                                    perfetto::Sniff, perfetto::Load};

}  // namespace stepscope
