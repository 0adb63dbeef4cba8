// The way from a path to a Trace: find the run, pick the loader by content, load, finish.
#include <algorithm>
#include <filesystem>
#include <new>

#include "loaders/bucket.h"
#include "loaders/capture_files.h"
#include "loaders/loader.h"
#include "loaders/profile_dir.h"
#include "loaders/remote/remote_load.h"
#include "loaders/remote/remote_path.h"
#include "loaders/store/trace_part.h"
#include "model/analysis/fleet/fleet.h"

namespace stepscope {

extern const LoaderDesc kStoreLoader;  // store/

namespace {

constexpr size_t kSniffBytes = 4096;

bool Sniffs(const LoaderDesc& loader, std::string_view prefix) {
  return loader.sniff(std::as_bytes(std::span(prefix.data(), prefix.size())));
}

// The ending of a known but unread kind of file whose content begins like this; null if none does.
const FileEnding* KnownContent(std::string_view prefix) {
  for (const LoaderDesc* loader : Loaders()) {
    for (const FileEnding& ending : loader->endings) {
      if (*ending.begin != '\0' && prefix.starts_with(ending.begin)) return &ending;
    }
  }
  return nullptr;
}

// Null where no loader reads the file.
const LoaderDesc* PickLoader(std::string_view name, std::string_view prefix) {
  for (const LoaderDesc* loader : Loaders()) {
    if (Sniffs(*loader, prefix)) return loader;
  }
  if (KnownContent(prefix) != nullptr) return nullptr;
  // The content is not recognised: the name picks a loader, which says what is wrong with it.
  for (const LoaderDesc* loader : Loaders()) {
    if (prefix.empty() && loader->skips_empty_files) continue;
    for (const FileEnding& ending : loader->endings) {
      const bool read = ending.kind != FileEnding::Kind::kSkipped;
      if (read && name.find(ending.text) != std::string_view::npos) return loader;
    }
  }
  return nullptr;
}

Status UnknownFormat(const std::string& path, std::string_view prefix) {
  if (prefix.empty()) return {ErrorCode::kFormat, path + ": the file is empty"};
  // A file that is known but not read has a reason that says what to do instead.
  if (const FileEnding* known = KnownContent(prefix))
    return {ErrorCode::kUnsupported, path + ": " + known->reason};
  const std::string file = std::filesystem::path(path).filename().string();
  const FileName name = ClassifyFileName(file);
  if (name.loader != nullptr && name.kind == FileEnding::Kind::kSkipped)
    return {ErrorCode::kUnsupported, path + ": " + name.reason};
  std::string text = path + ": not a format that is read here. Read are:";
  for (const LoaderDesc* loader : Loaders()) {
    const char* separator = " (";
    text += std::string(" ") + loader->format->name;
    for (const FileEnding& ending : loader->endings) {
      if (ending.kind == FileEnding::Kind::kSkipped) continue;
      text += std::string(separator) + ending.text;
      separator = ", ";
    }
    text += ")";
  }
  return {ErrorCode::kFormat, text + ", each also as .gz or .zst"};
}

Result<std::string> Prefix(const InputFile& file) {
  if (file.opened == nullptr) return ReadPrefix(file.path, kSniffBytes);
  std::string prefix(kSniffBytes, '\0');
  const Result<size_t> n = file.opened->Read(0, std::as_writable_bytes(std::span(prefix)));
  if (!n.ok()) return n.status();
  prefix.resize(*n);
  return prefix;
}

// The loader of the first file that has one. Files of other loaders move from `files` to `skipped`.
Result<const LoaderDesc*> ChooseLoader(std::vector<InputFile>* files,
                                       std::vector<std::string>* skipped) {
  const LoaderDesc* chosen = nullptr;
  Status first_error;
  std::vector<InputFile> kept;
  for (InputFile& file : *files) {
    const std::string name = std::filesystem::path(file.path).filename().string();
    const Result<std::string> prefix = Prefix(file);
    const LoaderDesc* loader = prefix.ok() ? PickLoader(name, *prefix) : nullptr;
    if (loader == nullptr) {
      const Status status = prefix.ok() ? UnknownFormat(file.path, *prefix) : prefix.status();
      if (first_error.ok()) first_error = status;
      skipped->push_back(name + ": " + status.message());
    } else if (chosen != nullptr && loader != chosen) {
      skipped->push_back(name + ": " + loader->format->name + " beside " + chosen->format->name +
                         " files; open it by itself");
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
  std::erase_if(*files, [&](const InputFile& f) { return f.host != host && !IsStore(f); });
  if (files->empty()) return {ErrorCode::kUsage, "no host named " + host + "; there are: " + known};
  return {};
}

// Bytes to read, as they lie on the disk: known before anything is read.
uint64_t FileBytes(const std::vector<InputFile>& files) {
  uint64_t sum = 0;
  for (const InputFile& file : files) {
    std::error_code error;
    const uint64_t bytes = file.opened != nullptr ? file.opened->file_bytes()
                                                  : std::filesystem::file_size(file.path, error);
    if (!error) sum += bytes;
  }
  return sum;
}

uint64_t BytesOf(const std::vector<CaptureFile>& captures) {
  uint64_t sum = 0;
  for (const CaptureFile& file : captures) sum += file.bytes;
  return sum;
}

Result<std::shared_ptr<const Trace>> LoadRun(const std::string& path, ProfileRun run,
                                             const LoadOptions& options,
                                             const std::stop_token& stop, Progress& progress) {
  if (Status s = FilterHost(options.host, &run.files); !s.ok()) return s;
  const Result<const LoaderDesc*> loader = ChooseLoader(&run.files, &run.skipped);
  if (!loader.ok()) return loader.status();
  TraceBuilder builder;
  builder.trace().path = path;
  builder.trace().run = run.name;
  builder.trace().skipped_files = run.skipped;
  std::vector<CaptureFile> captures = FindCaptures(run.files);
  progress.bytes_total = FileBytes(run.files) + BytesOf(captures);
  if (Status s = (*loader)->load(builder, run.files, options, stop, progress); !s.ok()) {
    std::error_code error;
    const bool folder = std::filesystem::is_directory(path, error) && !error;
    if (!folder || s.code() != ErrorCode::kFormat) return s;
    return Status(s.code(), path + ": no profile was found in this folder; " + s.message());
  }
  if (Status s = AddCaptures(std::move(captures), options, stop, &progress, &builder); !s.ok())
    return s;
  progress.bytes_done = progress.bytes_total.load();
  Result<std::shared_ptr<const Trace>> trace = builder.Finish(stop, &progress);
  if (!trace.ok() || options.host.empty() || *loader != &kStoreLoader) return trace;
  return OnlyHost(std::move(trace).value(), options.host, stop);
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

}  // namespace

Result<std::shared_ptr<const ByteSource>> OpenInput(const InputFile& file,
                                                    const LoadOptions& options,
                                                    const std::stop_token& stop,
                                                    Progress* progress) {
  if (file.opened != nullptr) return file.opened;
  return OpenByteSource(file.path, options.max_inflated_bytes, stop, progress);
}

Result<std::shared_ptr<const Trace>> LoadPath(const std::string& path, const LoadOptions& options,
                                              const std::stop_token& stop, Progress& progress,
                                              std::vector<std::string>* runs) {
  return LoadInJob(path, stop, [&]() -> Result<std::shared_ptr<const Trace>> {
    if (IsBucketPath(path)) {
      Result<ProfileRun> run = FetchRun(path, options, stop, &progress, runs);
      if (!run.ok()) return run.status();
      return LoadRun(path, std::move(run).value(), options, stop, progress);
    }
    if (IsRemotePath(path)) return remote::LoadRemote(path, options, stop, progress, runs);
    Result<std::vector<ProfileRun>> found = FindRuns(path);
    if (!found.ok()) return found.status();
    if (runs != nullptr) {
      for (const ProfileRun& run : *found) runs->push_back(run.name);
    }
    Result<ProfileRun> run = PickRun(std::move(found).value(), options.run, path);
    if (!run.ok()) return run.status();
    Result<std::shared_ptr<const Trace>> trace =
        LoadRun(path, std::move(run).value(), options, stop, progress);
    if (runs != nullptr && trace.ok()) TakeRunsOfFleet(**trace, runs);
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
    for (const std::string& path : paths) {
      if (IsRemotePath(path))
        return Status(ErrorCode::kUsage,
                      path + ": profiles of other machines are opened one by one");
      Result<std::vector<ProfileRun>> found = FindRuns(path);
      if (!found.ok()) return found.status();
      Result<ProfileRun> run = PickRun(std::move(found).value(), options.run, path);
      if (!run.ok()) return run.status();
      if (all.name.empty()) {
        all.name = run->name + " and " + std::to_string(paths.size() - 1) + " more";
        all.directory = run->directory;
      }
      std::move(run.value().files.begin(), run.value().files.end(), std::back_inserter(all.files));
      std::move(run.value().skipped.begin(), run.value().skipped.end(),
                std::back_inserter(all.skipped));
    }
    return LoadRun(paths[0], std::move(all), options, stop, progress);
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
