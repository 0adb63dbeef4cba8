// The way from a path to a Trace: find the run, pick the loader by content, load, finish.
#include <algorithm>
#include <filesystem>
#include <new>
#include <optional>

#include "loaders/bucket.h"
#include "loaders/capture_files.h"
#include "loaders/files/foreign_file.h"
#include "loaders/files/json_forms.h"
#include "loaders/loader.h"
#include "loaders/profile_dir.h"
#include "loaders/remote/remote_load.h"
#include "loaders/remote/remote_path.h"
#include "loaders/store/trace_part.h"
#include "model/allocator_history.h"
#include "model/analysis/fleet/fleet.h"
#include "model/xla/hlo_source.h"

namespace stepscope {

extern const LoaderDesc kStoreLoader;  // store/

namespace {

constexpr size_t kSniffBytes = 4096;

bool Sniffs(const LoaderDesc& loader, std::string_view prefix) {
  return loader.sniff(std::as_bytes(std::span(prefix.data(), prefix.size())));
}

// Null where no loader reads the file.
const LoaderDesc* PickLoader(std::string_view name, std::string_view prefix) {
  for (const LoaderDesc* loader : Loaders()) {
    if (Sniffs(*loader, prefix.substr(0, kSniffBytes))) return loader;
  }
  if (ForeignByMagic(prefix)) return nullptr;
  // The content is not recognised: the name picks a loader, which says what is wrong with it.
  for (const LoaderDesc* loader : Loaders()) {
    if (prefix.empty() && loader->skips_empty_files) continue;
    for (const FileEnding& ending : loader->endings) {
      if (name.find(ending.text) != std::string_view::npos) return loader;
    }
  }
  return nullptr;
}

// The formats that are read, with their endings.
std::string ReadFormats() {
  std::string text = "not a format that is read here. Read are:";
  for (const LoaderDesc* loader : Loaders()) {
    const char* separator = " (";
    text += std::string(" ") + loader->format->name;
    for (const FileEnding& ending : loader->endings) {
      text += std::string(separator) + ending.text;
      separator = ", ";
    }
    text += ")";
  }
  return text + ", each also as .gz or .zst";
}

// What a file is that no loader reads, by its content or else by its name; empty where neither is
// known. `general`: any text has a name, too.
std::optional<ForeignFile> ForeignFileOf(const std::string& path, std::string_view prefix,
                                         bool general) {
  std::optional<ForeignFile> by_content = ForeignByContent(prefix);
  const bool vague = !by_content || by_content->kind == ForeignFile::Kind::kGeneral;
  if (!vague) return by_content;
  if (std::optional<ForeignFile> by_name =
          ClassifyFileName(std::filesystem::path(path).filename().string()).foreign)
    return by_name;
  return general ? by_content : std::nullopt;
}

Status UnknownFormat(const std::string& path, std::string_view prefix, uint64_t file_bytes) {
  if (prefix.empty() && file_bytes > 0)
    return {ErrorCode::kFormat, path + ": nothing in it can be unpacked: it is damaged or cut"};
  if (prefix.empty()) return {ErrorCode::kFormat, path + ": the file is empty"};
  const std::optional<ForeignFile> foreign = ForeignFileOf(path, prefix, true);
  if (foreign && foreign->kind != ForeignFile::Kind::kGeneral)
    return {ErrorCode::kUnsupported, path + ": " + foreign->Text()};
  const std::string what = foreign ? foreign->name + ", " : std::string();
  return {ErrorCode::kFormat, path + ": " + what + ReadFormats()};
}

uint64_t BytesOfFile(const InputFile& file) {
  std::error_code error;
  const uint64_t bytes = file.opened != nullptr ? file.opened->file_bytes()
                                                : std::filesystem::file_size(file.path, error);
  return error ? 0 : bytes;
}

Result<std::string> Prefix(const InputFile& file) {
  if (file.opened == nullptr) return ReadPrefix(file.path, kForeignPrefix);
  std::string prefix(kForeignPrefix, '\0');
  const Result<size_t> n = file.opened->Read(0, std::as_writable_bytes(std::span(prefix)));
  if (!n.ok()) return n.status();
  prefix.resize(*n);
  return prefix;
}

// The first bytes of a file. JSON in an unusual form is rewritten in memory before.
Result<std::string> PrefixInUsualForm(const LoadOptions& options, const std::stop_token& stop,
                                      InputFile* file) {
  Result<std::string> prefix = Prefix(*file);
  const JsonForm form = prefix.ok() ? JsonFormOf(*prefix) : JsonForm::kUsual;
  if (form == JsonForm::kUsual) return prefix;
  const Result<std::shared_ptr<const ByteSource>> source = OpenInput(*file, options, stop, nullptr);
  if (!source.ok()) return source.status();
  Result<std::shared_ptr<const ByteSource>> usual =
      InUsualForm(**source, form, options.max_inflated_bytes);
  if (!usual.ok()) return usual.status();
  file->opened = std::move(usual).value();
  return Prefix(*file);
}

// The loader of the first file that has one. Files of other loaders leave `files` and are named in
// the trace.
Result<const LoaderDesc*> ChooseLoader(const LoadOptions& options, const std::stop_token& stop,
                                       std::vector<InputFile>* files, Trace* trace) {
  const LoaderDesc* chosen = nullptr;
  Status first_error;
  std::vector<InputFile> kept;
  for (InputFile& file : *files) {
    const std::string name = std::filesystem::path(file.path).filename().string();
    const Result<std::string> prefix = PrefixInUsualForm(options, stop, &file);
    // A packed file that gives no byte is damaged, whatever its name says.
    const bool unpacked = prefix.ok() && (!prefix->empty() || BytesOfFile(file) == 0);
    const LoaderDesc* loader = unpacked ? PickLoader(name, *prefix) : nullptr;
    if (loader == nullptr) {
      const Status status =
          prefix.ok() ? UnknownFormat(file.path, *prefix, BytesOfFile(file)) : prefix.status();
      if (first_error.ok()) first_error = status;
      LeaveOut(file, status, trace);
    } else if (chosen != nullptr && loader != chosen) {
      trace->skipped_files.push_back(name + ": " + loader->format->name + " beside " +
                                     chosen->format->name + " files; open it by itself");
    } else {
      chosen = loader;
      kept.push_back(std::move(file));
    }
  }
  if (chosen == nullptr)
    return first_error.ok() ? Status(ErrorCode::kFormat, "no file can be loaded") : first_error;
  *files = std::move(kept);
  return chosen;
}

// A store may have several hosts, which are known when it has been read.
bool IsStore(const InputFile& file) {
  return ClassifyFileName(std::filesystem::path(file.path).filename().string()).loader ==
         &kStoreLoader;
}

Result<std::shared_ptr<const Trace>> OnlyHost(std::shared_ptr<const Trace> trace,
                                              const std::string& name,
                                              const std::stop_token& stop) {
  std::string known;
  for (uint32_t h = 0; h < trace->hosts.size(); ++h) {
    const std::string_view host = trace->HostName(HostId(h));
    if (host == name && trace->hosts.size() == 1) return trace;
    if (host == name) {
      std::shared_ptr<const Trace> part = PartOfTrace(std::move(trace), {}, HostId(h), stop);
      if (part == nullptr) return Status(ErrorCode::kCancelled, "cancelled");
      return part;
    }
    known += (known.empty() ? "" : ", ") + std::string(host);
  }
  return Status(ErrorCode::kUsage, "no host named " + name + "; there are: " + known);
}

Status FilterHost(const std::string& host, std::vector<InputFile>* files) {
  if (host.empty()) return {};
  std::string known;
  for (const InputFile& f : *files) known += (known.empty() ? "" : ", ") + f.host;
  // A process that recorded several times is a host without the time in its files' names.
  const auto is_host = [&](const InputFile& f) {
    const std::string_view time =
        f.host.starts_with(host + ".") ? std::string_view(f.host).substr(host.size() + 1) : "";
    return f.host == host ||
           (!time.empty() && time.find_first_not_of("0123456789") == std::string_view::npos);
  };
  std::erase_if(*files, [&](const InputFile& f) { return !is_host(f) && !IsStore(f); });
  if (files->empty()) return {ErrorCode::kUsage, "no host named " + host + "; there are: " + known};
  return {};
}

// Bytes to read, as they lie on the disk: known before anything is read.
uint64_t FileBytes(const std::vector<InputFile>& files) {
  uint64_t sum = 0;
  for (const InputFile& file : files) sum += BytesOfFile(file);
  return sum;
}

uint64_t BytesOf(const std::vector<CaptureFile>& captures) {
  uint64_t sum = 0;
  for (const CaptureFile& file : captures) sum += file.bytes;
  return sum;
}

// Whether the trace has nothing that a page could show. Planes without events tell at least what
// was recorded.
bool IsEmpty(const Trace& trace) {
  const xla::HloSource* programs = xla::HloSourceOf(trace);
  if (programs != nullptr && !programs->Programs().empty()) return false;
  return trace.planes.empty() && trace.counts.events() == 0 && trace.counts.counter_samples == 0 &&
         trace.hlo.programs.empty() && HistoryOf(trace) == nullptr && FleetOf(trace) == nullptr &&
         trace.errors.empty() && trace.warnings.empty();
}

// What the messages of a folder begin with.
Status InFolder(const std::string& path, Status status) {
  std::error_code error;
  const bool folder = std::filesystem::is_directory(path, error) && !error;
  const bool says = status.code() == ErrorCode::kFormat || status.code() == ErrorCode::kUnsupported;
  if (!folder || !says) return status;
  return {status.code(), path + ": no profile was found in this folder; " + status.message()};
}

Result<std::shared_ptr<const Trace>> LoadFiles(const std::string& path, ProfileRun run,
                                               const LoadOptions& options,
                                               const std::stop_token& stop, Progress& progress) {
  if (Status s = FilterHost(options.host, &run.files); !s.ok()) return s;
  TraceBuilder builder;
  Trace& trace = builder.trace();
  trace.path = path;
  trace.run = run.name;
  trace.skipped_files = run.skipped;
  for (const std::string& file : run.missing) trace.diagnostics.CountMissingFile(file);
  const Result<const LoaderDesc*> loader = ChooseLoader(options, stop, &run.files, &trace);
  if (!loader.ok()) return loader.status();
  std::vector<CaptureFile> captures = FindCaptures(run.files);
  progress.bytes_total = FileBytes(run.files) + BytesOf(captures);
  if (Status s = (*loader)->load(builder, run.files, options, stop, progress); !s.ok())
    return InFolder(path, ExplainFailure(run.files.front(), std::move(s)));
  if (Status s = AddCaptures(std::move(captures), options, stop, &progress, &builder); !s.ok())
    return s;
  progress.bytes_done = progress.bytes_total.load();
  Result<std::shared_ptr<const Trace>> loaded = builder.Finish(stop, &progress);
  if (loaded.ok() && IsEmpty(**loaded) && *loader != &kStoreLoader)
    return InFolder(path, ExplainFailure(run.files.front(),
                                         Status(ErrorCode::kFormat, path + ": no events in it")));
  if (!loaded.ok() || options.host.empty() || *loader != &kStoreLoader) return loaded;
  return OnlyHost(std::move(loaded).value(), options.host, stop);
}

// Where nothing of a run can be read, its profiles of another format are read instead.
Result<std::shared_ptr<const Trace>> LoadRun(const std::string& path, ProfileRun run,
                                             const LoadOptions& options,
                                             const std::stop_token& stop, Progress& progress) {
  ProfileRun other = run;
  Result<std::shared_ptr<const Trace>> trace =
      LoadFiles(path, std::move(run), options, stop, progress);
  const bool damaged = !trace.ok() && (trace.status().code() == ErrorCode::kFormat ||
                                       trace.status().code() == ErrorCode::kUnsupported);
  if (!damaged || other.others.empty()) return trace;
  other.files = std::move(other.others);
  other.others.clear();
  other.skipped = {trace.status().message()};
  other.missing = other.skipped;
  progress.bytes_done = 0;
  Result<std::shared_ptr<const Trace>> second =
      LoadFiles(path, std::move(other), options, stop, progress);
  return second.ok() || second.status().code() == ErrorCode::kCancelled ? std::move(second)
                                                                        : std::move(trace);
}

// The runs of a fleet that was opened itself are those to choose from.
void TakeRunsOfFleet(const Trace& trace, std::vector<std::string>* runs) {
  const Fleet* fleet = FleetOf(trace);
  if (fleet == nullptr) return;
  std::vector<std::string> names = ShortRunNames(*fleet);
  if (names[fleet->shown] == trace.run) *runs = std::move(names);
}

Result<std::shared_ptr<const Trace>> OutOfMemory(const std::string& path) {
  return Status(ErrorCode::kLimit, path + ": not enough memory to load it");
}

// Adds the recordings that the trace can be opened as to the runs of its path, of which `loaded`
// was loaded. kUsage where a run was asked for that is none of them.
Status TakeRuns(const Trace& trace, const std::string& loaded, const LoadOptions& options,
                std::vector<std::string>* runs) {
  std::vector<std::string> all = trace.runs;
  for (const std::string& run : *runs) {
    const bool known = std::find(all.begin(), all.end(), run) != all.end();
    if (!known && (trace.runs.empty() || runs->size() > 1)) all.push_back(run);
  }
  *runs = std::move(all);
  TakeRunsOfFleet(trace, runs);
  const bool found = options.run == loaded || options.run == trace.run;
  if (options.run.empty() || found || FleetOf(trace) != nullptr) return {};
  std::string known;
  for (const std::string& run : *runs) known += (known.empty() ? "" : ", ") + run;
  return {ErrorCode::kUsage,
          trace.path + ": no run named " + options.run + "; there are: " + known};
}

// Calls load(), which may run out of memory, in a job that `stop` stops.
template <typename Fn>
Result<std::shared_ptr<const Trace>> LoadInJob(const std::string& path, const std::stop_token& stop,
                                               const Fn& load) {
  JobScope::State job = JobScope::Current();
  job.stop = stop;
  const JobScope scope(std::move(job));
  try {
    return load();
  } catch (const Stopped&) {
    return Status(ErrorCode::kCancelled, "cancelled");
  } catch (const std::bad_alloc&) {
    return OutOfMemory(path);
  }
}

// The run of that name of a path on this machine; `names` gets those of all runs.
Result<ProfileRun> FindRun(const std::string& path, const std::string& wanted,
                           std::vector<std::string>* names) {
  Result<std::vector<ProfileRun>> found = FindRuns(path);
  if (!found.ok()) return found.status();
  for (const ProfileRun& run : *found) names->push_back(run.name);
  return PickRun(std::move(found).value(), wanted, path);
}

}  // namespace

Result<std::shared_ptr<const ByteSource>> OpenInput(const InputFile& file,
                                                    const LoadOptions& options,
                                                    const std::stop_token& stop,
                                                    Progress* progress) {
  if (file.opened != nullptr) return file.opened;
  return OpenByteSource(file.path, options.max_inflated_bytes, stop, progress);
}

Status ExplainFailure(const InputFile& file, Status status) {
  if (status.code() != ErrorCode::kFormat) return status;
  const Result<std::string> prefix = Prefix(file);
  if (!prefix.ok() || prefix->empty()) return status;
  const std::optional<ForeignFile> foreign = ForeignFileOf(file.path, *prefix, false);
  if (!foreign) return status;
  return {ErrorCode::kUnsupported, file.path + ": " + foreign->Text()};
}

void LeaveOut(const InputFile& file, const Status& status, Trace* trace) {
  const std::string& message = status.message();
  trace->skipped_files.push_back(message);
  const FileName name = ClassifyFileName(std::filesystem::path(file.path).filename().string());
  const bool certain = name.loader != nullptr && name.kind != FileEnding::Kind::kLoose;
  const Result<std::string> prefix = certain ? Result<std::string>(std::string()) : Prefix(file);
  const bool instead = prefix.ok() && !certain && [&] {
    const std::optional<ForeignFile> foreign = ForeignByContent(*prefix);
    return prefix->empty() || (foreign && foreign->kind == ForeignFile::Kind::kInstead);
  }();
  if (certain || instead) trace->diagnostics.CountMissingFile(message);
}

Result<std::shared_ptr<const Trace>> LoadPath(const std::string& path, const LoadOptions& options,
                                              const std::stop_token& stop, Progress& progress,
                                              std::vector<std::string>* runs) {
  return LoadInJob(path, stop, [&]() -> Result<std::shared_ptr<const Trace>> {
    const bool bucket = IsBucketPath(path);  // a remote path, too
    if (!bucket && IsRemotePath(path))
      return remote::LoadRemote(path, options, stop, progress, runs);
    std::vector<std::string> names;
    Result<ProfileRun> run = bucket ? FetchRun(path, options, stop, &progress, &names)
                                    : FindRun(path, options.run, &names);
    if (!run.ok()) return run.status();
    const std::string loaded = run->name;
    Result<std::shared_ptr<const Trace>> trace =
        LoadRun(path, std::move(run).value(), options, stop, progress);
    if (trace.ok()) {
      if (Status s = TakeRuns(**trace, loaded, options, &names); !s.ok()) return s;
    }
    if (runs != nullptr) *runs = std::move(names);
    return trace;
  });
}

Result<std::shared_ptr<const Trace>> LoadPaths(std::span<const std::string> paths,
                                               const LoadOptions& options,
                                               const std::stop_token& stop, Progress& progress,
                                               std::vector<std::string>* runs) {
  if (paths.empty()) return Status(ErrorCode::kUsage, "no path given");
  if (paths.size() == 1) return LoadPath(paths[0], options, stop, progress, runs);
  return LoadInJob(paths[0], stop, [&]() -> Result<std::shared_ptr<const Trace>> {
    ProfileRun all;
    bool named = false;  // a path has the run that is asked for
    for (const std::string& path : paths) {
      if (IsRemotePath(path))
        return Status(ErrorCode::kUsage,
                      path + ": profiles of other machines are opened one by one");
      std::vector<std::string> names;
      Result<ProfileRun> run = FindRun(path, options.run, &names);
      if (!run.ok()) return run.status();
      named = named || run->name == options.run;
      if (all.name.empty()) {
        all.name = run->name + " and " + std::to_string(paths.size() - 1) + " more";
        all.directory = run->directory;
      }
      std::move(run.value().files.begin(), run.value().files.end(), std::back_inserter(all.files));
      std::move(run.value().skipped.begin(), run.value().skipped.end(),
                std::back_inserter(all.skipped));
      std::move(run.value().missing.begin(), run.value().missing.end(),
                std::back_inserter(all.missing));
    }
    const std::string loaded = named ? options.run : all.name;
    Result<std::shared_ptr<const Trace>> trace =
        LoadRun(paths[0], std::move(all), options, stop, progress);
    std::vector<std::string> names;
    if (trace.ok()) {
      if (Status s = TakeRuns(**trace, loaded, options, &names); !s.ok()) return s;
    }
    if (runs != nullptr) *runs = std::move(names);
    return trace;
  });
}

Result<std::shared_ptr<const Trace>> LoadBytes(std::string_view name, std::string bytes,
                                               const LoadOptions& options) {
  const std::string path(name);
  const std::stop_token stop = CurrentStopToken();
  return LoadInJob(path, stop, [&]() -> Result<std::shared_ptr<const Trace>> {
    Result<std::shared_ptr<const ByteSource>> source =
        MakeByteSource(path, std::move(bytes), options.max_inflated_bytes);
    if (!source.ok()) return source.status();
    const std::string file_name = std::filesystem::path(path).filename().string();
    ProfileRun run;
    run.name = file_name;
    run.files.push_back(
        {path, file_name.substr(0, file_name.find('.')), std::move(source).value()});
    Progress progress;
    LoadOptions one = options;
    one.host.clear();  // there is only this one
    return LoadRun(path, std::move(run), one, stop, progress);
  });
}

// xplane/, chrome_json/, memory_snapshot/
extern const LoaderDesc kXSpaceLoader, kChromeJsonLoader, kMemorySnapshotLoader;
extern const LoaderDesc kSqliteLoader, kPerfettoLoader;  // sqlite/, perfetto/
extern const LoaderDesc kStoreLoader, kFleetLoader;      // store/, fleet/

std::span<const LoaderDesc* const> Loaders() {
  static constexpr const LoaderDesc* kLoaders[] = {
      &kXSpaceLoader,   &kChromeJsonLoader, &kMemorySnapshotLoader, &kSqliteLoader,
      &kPerfettoLoader, &kStoreLoader,      &kFleetLoader};
  return kLoaders;
}

}  // namespace stepscope
