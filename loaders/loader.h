// loaders/ turns paths into immutable Traces. A path is searched for runs (profile_dir.h), a loader
// is chosen by the content of the run's files (load.cc), the loader fills a TraceBuilder, and the
// builder finishes the Trace. Each format has a folder with its LoaderDesc; common/ holds what
// several formats share, files/ opens and inflates files. Start with LoadPath below, then read
// registry.cc and one small loader: perfetto/perfetto_loader.cc.
//
// Functions may be called from any thread. They return kIo where a file cannot be read, kFormat
// where it is no profile, kUnsupported where it is known and not read, kUsage where a wanted run or
// host does not exist, kLimit where a limit or the memory is exhausted, kNotInstalled where the
// host of an ssh:// address has no Stepscope, and kCancelled after a stop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "loaders/files/byte_source.h"
#include "model/base/status.h"
#include "model/jobs/job.h"
#include "model/trace_builder.h"

namespace stepscope {

class StreamPart;  // loaders/remote/receiver.h

struct LoadOptions {
  // Most bytes that one file may inflate to: a decompression bomb ends here with kLimit.
  uint64_t max_inflated_bytes = uint64_t{16} << 30;
  std::string run = {};   // name of the run of a log directory; empty: the newest
  std::string host = {};  // only this host is read; empty: all
  unsigned threads = 0;   // 0: as many cores as are of use
  // Gets what can be drawn before all of a profile is there, where it arrives slowly or is large:
  // its tracks, with some hundred slices a lane. Called once, on the thread of the load, or never.
  std::function<void(std::shared_ptr<const Trace>)> preview = {};
  // A file on this machine has a preview if it has so many bytes of events: others are there at
  // once. 0: each file has one, however long it takes.
  uint64_t preview_from_bytes = uint64_t{768} << 20;
  // The text of a plain Chrome trace of so many bytes is not kept in memory: arguments are read
  // from the file again. Smaller ones are kept, so that the file may be overwritten while it is
  // shown.
  uint64_t reread_from_bytes = uint64_t{64} << 20;
  // Holds the bytes that an earlier load got of the same ssh:// profile before the connection
  // broke: this load asks for the rest only. It leaves its own bytes there where it ends too early.
  // Null: each load begins anew and keeps nothing.
  std::shared_ptr<StreamPart> part = {};
};

// One file of a run.
struct InputFile {
  std::string path;
  std::string host;  // what the file name says before its ending
  // The file's bytes where they are open already (LoadBytes); null: OpenInput opens `path`.
  std::shared_ptr<const ByteSource> opened = nullptr;
  int rank = -1;  // as the folder around it says; -1: it says nothing
};
// For loaders: file.opened, or the file at its path, opened with the options' limit.
Result<std::shared_ptr<const ByteSource>> OpenInput(const InputFile& file,
                                                    const struct LoadOptions& options,
                                                    const std::stop_token& stop,
                                                    Progress* progress);

// The files that are loaded as one trace: one per host or rank.
struct ProfileRun {
  std::string name;  // "2026_11_21_11_45_06", "train/2026_…", or the file name
  std::string directory;
  std::vector<InputFile> files;
  std::vector<std::string> skipped;  // "vm.trace.json.gz: the XSpace of this host is read instead"
  // Those of `skipped` whose events are missing: "vm.xplane.pb: the file is empty; …".
  std::vector<std::string> missing;
  // Profiles of another format in the same folder, which are read where none of `files` can be.
  std::vector<InputFile> others;
};

// The runs that a file or directory holds, the newest first; never empty. kFormat where there is
// none: the message says what was looked for and where.
Result<std::vector<ProfileRun>> FindRuns(const std::string& path);

// How the names of a format's files end, without .gz or .zst, and how sure that makes us.
struct FileEnding {
  enum class Kind : uint8_t {
    kOwn,     // no other program uses it: a profile wherever it lies
    kCommon,  // a profile in the folder that was asked for, or in a run directory
    kLoose,   // many programs use it: a profile if its content is one
  };
  const char* text;  // ".xplane.pb"; the host's name stands before it
  Kind kind;
};

// A loader: a row of loaders/load.cc. All that other code says about the files of a format, and
// asks of its traces, comes from here: adding a loader is its folder, its row and its test.
struct LoaderDesc {
  const TraceFormat* format;            // its name, and what its traces tell
  const char* filter;                   // in an open dialog: "XSpace of TensorFlow, JAX or XLA"
  std::span<const FileEnding> endings;  // the first that fits counts
  // Whether content is of the format, by its first 4096 bytes at most, inflated. Thread-safe.
  bool (*sniff)(std::span<const std::byte> prefix);
  // Adds all files of a run (one per host or rank) to the builder and sets Trace::format and
  // Trace::source. Adds the size of each file on the disk to progress.bytes_done as it goes. What
  // is damaged is counted in Trace::diagnostics; an error means that there is nothing to show:
  // kFormat, kLimit, kIo, or kCancelled within 0.2 s of a stop. Any thread; may use all cores.
  Status (*load)(TraceBuilder& builder, std::span<const InputFile> files,
                 const LoadOptions& options, const std::stop_token& stop, Progress& progress);
  // An empty file with one of its endings is an error, and never chooses the loader of a run.
  bool skips_empty_files = false;
};
// In order of preference: where a directory has files of several loaders, those of the first are
// read and the others are skipped. Content is offered to them in this order, too.
std::span<const LoaderDesc* const> Loaders();

inline constexpr std::string_view kPackedEndings[] = {".gz", ".zst"};
// Endings of the names of files that the loader reads, packed ones included: for open dialogs.
std::vector<std::string> ReadEndings(const LoaderDesc& loader);

// The whole way from a path to a Trace: finds the run, picks the loader by content, loads and
// finishes. `progress` counts bytes on the disk. `runs`, if not null, gets the names of all runs
// that the path holds.
Result<std::shared_ptr<const Trace>> LoadPath(const std::string& path, const LoadOptions& options,
                                              const std::stop_token& stop, Progress& progress,
                                              std::vector<std::string>* runs = nullptr);
// Loads several paths, such as the files of a job's ranks, as one trace. The first file that can be
// read picks the loader; files of other formats are named in Trace::skipped_files.
Result<std::shared_ptr<const Trace>> LoadPaths(std::span<const std::string> paths,
                                               const LoadOptions& options,
                                               const std::stop_token& stop, Progress& progress,
                                               std::vector<std::string>* runs = nullptr);
// Loads one file whose bytes are in memory. `name` stands for the path.
Result<std::shared_ptr<const Trace>> LoadBytes(std::string_view name, std::string bytes,
                                               const LoadOptions& options);

// What the file is where a loader failed with `status`, if that is known: "a.json: a Git LFS
// pointer, not the file itself (1234 bytes): run `git lfs pull`". Else `status` itself. Reads its
// first bytes again.
Status ExplainFailure(const InputFile& file, Status status);
// Names a file that is left out in trace->skipped_files. Counts it under kMissingFile if it is one
// of the profile's files: by its ending, or because a pointer or an error page stands for it.
void LeaveOut(const InputFile& file, const Status& status, Trace* trace);

// For loaders that read the files of a run one by one: a file that cannot be read does not hide the
// others. Calls load(input) -> Status for each file. A file that fails is named in
// trace->skipped_files if there are others. Returns the first error where no file could be loaded,
// and kCancelled at once.
template <typename Fn>
Status LoadEach(std::span<const InputFile> inputs, Trace* trace, Fn load) {
  Status first_error(ErrorCode::kFormat, "no files to load");
  size_t failed = 0;
  for (const InputFile& input : inputs) {
    Status status = load(input);
    if (status.code() == ErrorCode::kCancelled) return status;
    if (status.ok()) continue;
    status = ExplainFailure(input, std::move(status));
    if (inputs.size() > 1) LeaveOut(input, status, trace);
    if (failed++ == 0) first_error = std::move(status);
  }
  return failed < inputs.size() ? Status() : first_error;
}

}  // namespace stepscope
