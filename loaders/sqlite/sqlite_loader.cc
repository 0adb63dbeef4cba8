// The loader of SQLite databases: exports of Nsight Systems, and files of rocprofv3 and
// rocmProfileData (docs/formats.md#databases). A file's tables tell which of them it is.
#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "loaders/files/foreign_file.h"
#include "loaders/loader.h"
#include "loaders/sqlite/database_track_builder.h"

namespace stepscope {
namespace sqlite {
namespace {

// A single file whose times begin within this from its own zero keeps them as they are.
constexpr int64_t kOwnZeroNs = 10'000'000'000;

constexpr Capabilities kDatabase = {.event_categories = true, .pytorch_events = true};
constexpr TraceFormat kNsightSystems = {"Nsight Systems export", kDatabase, Recorder::kNsight};
constexpr TraceFormat kRocpd = {"rocprofv3 database", kDatabase, Recorder::kRocprof};
constexpr TraceFormat kRocmProfileData = {"rocmProfileData database", kDatabase,
                                          Recorder::kRocprof};

// The schemas, by the tables that tell them.
struct DatabaseSchema {
  const TraceFormat* format;
  bool (*is)(const Database& database);
  Status (*read)(DatabaseTrackBuilder* file);
};
constexpr DatabaseSchema kSchemas[] = {{&kNsightSystems, IsNsys, ReadNsys},
                                       {&kRocmProfileData, IsRocmProfileData, ReadRocmProfileData},
                                       {&kRocpd, IsRocpd, ReadRocpd}};

struct LoadedFile {
  std::string path, label, host;
  std::shared_ptr<const ByteSource> source;
  std::unique_ptr<Database> database;
  std::unique_ptr<DatabaseTrackBuilder> tracks;
  const DatabaseSchema* schema = nullptr;
  int64_t base_ns = 0;  // the time of the file's clock that becomes its t = 0
};

Status In(const std::string& path, const Status& status) {
  if (status.ok() || status.code() == ErrorCode::kCancelled) return status;
  return {status.code(), path + ": " + status.message()};
}

Status Unknown(const Database& database) {
  if (const std::optional<ForeignFile> foreign = ForeignDatabase(database.tables()))
    return {ErrorCode::kUnsupported, foreign->Text()};
  std::string text =
      "a SQLite database that is none of Nsight Systems, rocprofv3 or rocmProfileData:"
      " its tables are ";
  constexpr size_t kMost = 5;
  const std::vector<std::string>& tables = database.tables();
  for (size_t i = 0; i < std::min(tables.size(), kMost); ++i)
    text += (i > 0 ? ", " : "") + tables[i].substr(0, 60);
  return {ErrorCode::kFormat, text + (tables.size() > kMost ? ", …" : "")};
}

Status ReadTables(const LoadOptions& options, const std::stop_token& stop, TraceBuilder* builder,
                  LoadedFile* file) {
  Database& database = *file->database;
  for (const DatabaseSchema& schema : kSchemas) {
    if (file->schema == nullptr && schema.is(database)) file->schema = &schema;
  }
  if (file->schema == nullptr) return Unknown(database);
  file->tracks = std::make_unique<DatabaseTrackBuilder>(database, builder, file->label,
                                                        options.max_inflated_bytes, stop);
  if (Status status = file->schema->read(file->tracks.get()); !status.ok()) return status;
  if (stop.stop_requested()) return {ErrorCode::kCancelled, "cancelled"};
  if (database.out_of_memory())
    return {ErrorCode::kLimit, "reading the database needs more than 256 MiB"};
  if (file->tracks->too_much_text())
    return {ErrorCode::kLimit, "the names take more than the limit of " +
                                   std::to_string(options.max_inflated_bytes >> 20) + " MiB"};
  if (file->tracks->drafts.empty())
    return {ErrorCode::kFormat, "no events: neither kernels nor calls nor ranges were recorded"};
  return {};
}

Status LoadFile(const InputFile& input, const LoadOptions& options, const std::stop_token& stop,
                Progress* progress, TraceBuilder* builder, LoadedFile* file) {
  Result<std::shared_ptr<const ByteSource>> source = OpenInput(input, options, stop, progress);
  if (!source.ok()) return source.status();
  file->path = input.path;
  file->label = std::filesystem::path(input.path).filename().string();
  file->host = input.host.empty() ? file->label : input.host;
  file->source = std::move(source).value();
  Result<std::unique_ptr<Database>> database = Database::Open(file->source, stop, progress);
  if (!database.ok()) return In(input.path, database.status());
  file->database = std::move(database).value();
  return In(input.path, ReadTables(options, stop, builder, file));
}

// Files with Unix time are aligned; others begin together.
void PlaceFiles(std::vector<LoadedFile>* files, Trace* trace) {
  int64_t first = INT64_MAX;
  for (LoadedFile& file : *files) {
    const int64_t begin = file.tracks->drafts.first_ns();
    const bool own = begin >= 0 && begin < kOwnZeroNs;
    file.base_ns = own && files->size() == 1 ? 0 : begin - begin % 1000;
    if (file.tracks->unix_ns > 0)
      first = std::min(first, SaturatingAdd(file.tracks->unix_ns, file.base_ns));
  }
  if (first != INT64_MAX) trace->origin_unix_ns = first;
}

Ps BaseOf(const LoadedFile& file, const Trace& trace) {
  if (file.tracks->unix_ns == 0 || trace.origin_unix_ns == 0) return 0;
  const int64_t unix_ns = SaturatingAdd(file.tracks->unix_ns, file.base_ns);
  return SaturatingMul(SaturatingSub(unix_ns, trace.origin_unix_ns), kPsPerNs);
}

HostId AddHost(const LoadedFile& file, const std::string& suffix, TraceBuilder* builder) {
  Host host;
  host.cut = file.database->truncated();
  const std::string& name = file.tracks->host_name;
  host.name = builder->strings().Intern((name.empty() ? file.host : name) + suffix);
  host.file = file.path;
  if (file.tracks->unix_ns > 0)
    host.start_unix_ns = SaturatingAdd(file.tracks->unix_ns, file.base_ns);
  return builder->AddHost(std::move(host));
}

// Processes with devices are ranks, so each becomes a host. Other processes belong to the first
// host.
void EmitFile(uint32_t index, LoadedFile* file, TraceBuilder* builder) {
  MixedTrackBuilder::Placement placement;
  placement.source = index;
  placement.base_ns = file->base_ns;
  placement.base = BaseOf(*file, builder->trace());
  std::vector<int64_t> processes = file->tracks->drafts.DeviceProcesses();
  constexpr size_t kMostProcesses = 4096;
  if (processes.size() < 2 || processes.size() > kMostProcesses) {
    placement.host = AddHost(*file, "", builder);
  } else {
    for (const int64_t process : processes) {
      const bool nsys = file->schema->format == &kNsightSystems;
      const int64_t pid = nsys ? process & 0xffffff : process;
      placement.hosts[process] = AddHost(*file, " process " + std::to_string(pid), builder);
    }
    placement.host = placement.hosts.begin()->second;
  }
  file->tracks->drafts.Emit(placement);
  Trace& trace = builder->trace();
  trace.file_bytes += file->source->file_bytes();
  trace.inflated_bytes += file->source->size();
  if (file->database->truncated())
    trace.diagnostics.CountTruncated(file->label + " byte " + std::to_string(file->source->size()));
}

Status Load(TraceBuilder& builder, std::span<const InputFile> inputs, const LoadOptions& options,
            const std::stop_token& stop, Progress& progress) {
  progress.SetStage("Reading tables");
  std::vector<LoadedFile> files;
  Trace& trace = builder.trace();
  Status loaded = LoadEach(inputs, &trace, [&](const InputFile& input) {
    LoadedFile file;
    Status status = LoadFile(input, options, stop, &progress, &builder, &file);
    if (status.ok()) files.push_back(std::move(file));
    return status;
  });
  if (!loaded.ok()) return loaded;
  trace.format = files.front().schema->format;
  trace.kineto = true;  // the categories of events are PyTorch's
  PlaceFiles(&files, &trace);
  std::vector<EventFile> sources;
  for (uint32_t i = 0; i < files.size(); ++i) {
    EmitFile(i, &files[i], &builder);
    sources.push_back({files[i].source, std::move(files[i].tracks->tables)});
  }
  trace.source = MakeEventSource(std::move(sources));
  return {};
}

bool Sniff(std::span<const std::byte> prefix) {
  constexpr std::string_view kMagic("SQLite format 3\0", 16);
  const std::string_view text(reinterpret_cast<const char*>(prefix.data()), prefix.size());
  return text.starts_with(kMagic);
}

using Kind = FileEnding::Kind;
constexpr FileEnding kEndings[] = {{".rpd", Kind::kLoose},
                                   {".sqlite", Kind::kLoose},
                                   {".sqlite3", Kind::kLoose},
                                   {".db", Kind::kLoose}};

}  // namespace
}  // namespace sqlite

extern const LoaderDesc kSqliteLoader;
const LoaderDesc kSqliteLoader = {&sqlite::kNsightSystems,
                                  "Nsight Systems export, rocprofv3 or rocmProfileData database",
                                  sqlite::kEndings,
                                  sqlite::Sniff,
                                  sqlite::Load,
                                  true};

}  // namespace stepscope
