// Loading: from a path to an immutable Trace. Content decides which loader reads a file, the
// extension is only a hint.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "loaders/byte_source.h"
#include "model/base/status.h"
#include "model/base/task.h"
#include "model/trace_builder.h"

namespace stepscope {

struct LoadOptions {
  uint64_t max_inflated_bytes = uint64_t{16} << 30;  // of one file; a bomb stops here with kLimit
  std::string run;       // which run of a log directory; empty: the newest
  std::string host;      // only this host; empty: all
  unsigned threads = 0;  // 0: all cores
};

// One file of a run.
struct InputFile {
  std::string path;
  std::string host;  // prefix of the file name before .xplane.pb / .trace.json
  std::shared_ptr<const ByteSource>
      opened;  // already open (LoadBytes); null: open `path`. Loaders call OpenInput.
};
// file.opened, or OpenByteSource of its path with the options' limit.
Result<std::shared_ptr<const ByteSource>> OpenInput(const InputFile& file,
                                                    const struct LoadOptions& options,
                                                    const std::stop_token& stop,
                                                    Progress* progress);

struct ProfileRun {
  std::string name;  // "2026_11_21_11_45_06", "train/2026_…", or the file name
  std::string directory;
  std::vector<InputFile> files;
  std::vector<std::string> skipped;  // "vm.trace.json.gz: the XSpace of this host is read instead"
};

// What a path holds: runs newest first. kFormat with what was looked for and where, if nothing.
Result<std::vector<ProfileRun>> FindRuns(const std::string& path);

// How the names of a format's files end, without .gz or .zst.
struct FileEnding {
  enum class Kind : uint8_t {
    kOwn,      // nobody else's: a profile wherever it lies
    kCommon,   // a profile in the folder that was asked for, or in a run directory
    kLoose,    // a profile if its content is one
    kSkipped,  // known, and not read
  };
  const char* text;  // ".xplane.pb"; the host's name stands before it
  Kind kind;
  const char* reason = "";  // of kSkipped: what the file is
  const char* begin = "";   // of kSkipped: how its content begins, where that is known
};

// A file format. A row of loaders/registry.cc; all that other code says about the format's files
// comes from here. `load` adds all files of a run (one per host or rank) to the builder, and adds
// the size of each file to progress.bytes_done as it goes.
struct LoaderDesc {
  TraceFormat format;                   // of the traces that it makes; FormatName has its name
  const char* filter;                   // in an open dialog: "XSpace of TensorFlow and JAX"
  std::span<const FileEnding> endings;  // the first that fits counts
  bool (*sniff)(std::span<const std::byte> prefix);  // first bytes, inflated
  Status (*load)(TraceBuilder& builder, std::span<const InputFile> files,
                 const LoadOptions& options, const std::stop_token& stop, Progress& progress);
};
// In order of preference: the first one's files of a directory are read, the others' are skipped.
std::span<const LoaderDesc* const> Loaders();

inline constexpr std::string_view kPackedEndings[] = {".gz", ".zst"};
// Endings of the names of files that it reads, packed ones included: for open dialogs.
std::vector<std::string> ReadEndings(const LoaderDesc& loader);

// Finds the run, picks the loader by content, loads, finishes. The whole way from a path to a
// Trace. `runs`, if wanted: the names of all runs that the path holds.
Result<std::shared_ptr<const Trace>> LoadPath(const std::string& path, const LoadOptions& options,
                                              const std::stop_token& stop, Progress& progress,
                                              std::vector<std::string>* runs = nullptr);
// Several paths given at once (a folder of ranks, dropped files) as one trace where the loader is
// the same.
Result<std::shared_ptr<const Trace>> LoadPaths(std::span<const std::string> paths,
                                               const LoadOptions& options,
                                               const std::stop_token& stop, Progress& progress,
                                               std::vector<std::string>* runs = nullptr);
// The same for bytes in memory (tests, fuzzers). `name` stands for the file name.
Result<std::shared_ptr<const Trace>> LoadBytes(std::string_view name, std::string bytes,
                                               const LoadOptions& options);

}  // namespace stepscope
