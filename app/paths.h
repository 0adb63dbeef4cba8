// Where things lie on this machine: configuration, state, the bundled sample, programs in PATH.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace stepscope {

// $STEPSCOPE_CONFIG_DIR, else $XDG_CONFIG_HOME/stepscope, else ~/.config/stepscope; empty when none
// of these is set (settings are then not kept).
std::filesystem::path ConfigDirectory();

// $XDG_STATE_HOME/stepscope, else ~/.local/state/stepscope: crash reports. Empty when none is set.
std::filesystem::path StateDirectory();

// The directory "share/stepscope": beside the program's prefix, where it was installed, or in the
// source tree of a build; empty if there is none.
std::filesystem::path DataDirectory();

// The profile that --sample and the welcome page open; empty if it is not installed.
std::string SamplePath();

// Full path of an executable found in $PATH; empty if absent.
std::string FindProgram(std::string_view name);

// A file that is written in pieces and appears as a whole: a crash leaves either the old or the new
// contents. A temporary file in the same directory, synced and renamed by Commit(); without that it
// is removed. Creates the directory. A link is followed; what is no regular file, such as
// /dev/stdout or a pipe, is written to as it is. Every call after one that failed fails too.
class AtomicFile {
 public:
  explicit AtomicFile(const std::filesystem::path& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  bool Write(std::string_view bytes);
  bool Commit();

 private:
  std::string path_, temporary_;  // temporary_: empty where there is none
  int fd_ = -1;
  bool ok_ = false;
};

// The same for contents that are in memory. False if that failed.
bool WriteFileAtomically(const std::filesystem::path& path, std::string_view contents);

// The whole file, at most `limit` bytes; empty if it cannot be read.
std::string ReadSmallFile(const std::filesystem::path& path, size_t limit = size_t{16} << 20);

}  // namespace stepscope
