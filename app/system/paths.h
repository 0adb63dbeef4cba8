// Where things lie on this machine (configuration, state, the bundled sample, programs in PATH),
// and files that are written as a whole. Any thread may call the functions.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace stepscope {

// $STEPSCOPE_CONFIG_DIR, else $XDG_CONFIG_HOME/stepscope, else ~/.config/stepscope. Empty if none
// of these is set; settings are not kept then.
std::filesystem::path ConfigDirectory();

// The folder of crash reports: $XDG_STATE_HOME/stepscope, else ~/.local/state/stepscope. Empty if
// neither is set.
std::filesystem::path StateDirectory();

// The log directory that recordings of the window go to, unless the user chooses another:
// $XDG_DATA_HOME/stepscope/recordings, else ~/.local/share/stepscope/recordings. Empty if neither
// is set.
std::filesystem::path RecordingsDirectory();

// The directory "share/stepscope" beside the program's folder, where the program was installed,
// or in the source tree of a build. Empty if there is none.
std::filesystem::path DataDirectory();

// The profile that --sample and the welcome page open; empty if it is not installed.
std::string SamplePath();

// Full path of an executable found in $PATH; empty if absent.
std::string FindProgram(std::string_view name);

// Where a file goes that the user named, from the working directory. Unless it is to be replaced, a
// file that exists stays, and the new one is called "kernels-2.csv".
std::filesystem::path SaveTarget(const std::filesystem::path& suggested, bool replace);

// A file that is written in pieces and appears as a whole: a crash leaves either the old or the
// new contents. The pieces go to a temporary file in the same directory, which Commit() syncs and
// renames; without Commit() it is removed. The directory is created. A link is followed; a pipe,
// /dev/stdout and whatever else is no regular file is written to directly. Every call after one
// that failed fails too.
class AtomicFile {
 public:
  explicit AtomicFile(const std::filesystem::path& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  bool Write(std::string_view bytes);
  bool Commit();

 private:
  std::string path_, temporary_;  // temporary_: empty if path_ is written to directly
  int fd_ = -1;
  bool ok_ = false;
};

// Does the same for contents that are in memory. Returns false if that failed.
bool WriteFileAtomically(const std::filesystem::path& path, std::string_view contents);

// The whole file, at most `limit` bytes; empty if it cannot be read.
std::string ReadSmallFile(const std::filesystem::path& path, size_t limit = size_t{16} << 20);

}  // namespace stepscope
