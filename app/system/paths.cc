#include "app/system/paths.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <utility>
#include <vector>

namespace stepscope {
namespace fs = std::filesystem;
namespace {

fs::path FromEnvironment(const char* name) {
  const char* value = std::getenv(name);
  return value && *value ? fs::path(value) : fs::path();
}

// Finds a name that is not taken yet: "kernels.csv", "kernels-2.csv", and so on.
fs::path FreeName(const fs::path& wanted) {
  std::error_code error;
  fs::path path = wanted;
  for (int i = 2; fs::exists(path, error) && i < 10000; ++i) {
    path = wanted.parent_path() /
           (wanted.stem().string() + "-" + std::to_string(i) + wanted.extension().string());
  }
  return path;
}

bool WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

// $VARIABLE/stepscope, else $HOME/FALLBACK/stepscope.
fs::path XdgDirectory(const char* variable, const char* fallback) {
  // The XDG specification says to ignore a relative path.
  if (fs::path xdg = FromEnvironment(variable); xdg.is_absolute()) return xdg / "stepscope";
  if (fs::path home = FromEnvironment("HOME"); !home.empty()) return home / fallback / "stepscope";
  return {};
}

}  // namespace

fs::path ConfigDirectory() {
  if (fs::path own = FromEnvironment("STEPSCOPE_CONFIG_DIR"); !own.empty()) return own;
  return XdgDirectory("XDG_CONFIG_HOME", ".config");
}

fs::path StateDirectory() { return XdgDirectory("XDG_STATE_HOME", ".local/state"); }

fs::path RecordingsDirectory() {
  const fs::path data = XdgDirectory("XDG_DATA_HOME", ".local/share");
  return data.empty() ? data : data / "recordings";
}

fs::path DataDirectory() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  std::vector<fs::path> candidates;
  if (!program.empty()) candidates.push_back(program.parent_path() / "../share/stepscope");
#ifdef STEPSCOPE_DATA_DIR
  candidates.emplace_back(STEPSCOPE_DATA_DIR);
#endif
#ifdef STEPSCOPE_SOURCE_DATA_DIR
  candidates.emplace_back(STEPSCOPE_SOURCE_DATA_DIR);
#endif
  for (const fs::path& path : candidates) {
    if (fs::is_directory(path, error)) return path.lexically_normal();
  }
  return {};
}

std::string SamplePath() {
  const fs::path data = DataDirectory();
  if (data.empty()) return {};
  // A log directory with one run for each kind of sample.
  const fs::path sample = data / "samples/sample";
  std::error_code error;
  return fs::is_directory(sample, error) ? sample.string() : std::string();
}

std::string FindProgram(std::string_view name) {
  const char* path = std::getenv("PATH");
  std::string_view rest = path ? path : "";
  while (!rest.empty()) {
    const size_t colon = std::min(rest.find(':'), rest.size());
    const fs::path candidate = fs::path(rest.substr(0, colon)) / name;
    if (colon > 0 && ::access(candidate.c_str(), X_OK) == 0) return candidate.string();
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
  return {};
}

AtomicFile::AtomicFile(const fs::path& path) : path_(path.string()) {
  std::error_code error;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), error);
  if (fs::exists(path, error) && !fs::is_regular_file(path, error)) {
    fd_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    ok_ = fd_ >= 0;
    return;
  }
  if (const fs::path target = fs::canonical(path, error); !error) path_ = target.string();
  temporary_ = path_ + ".XXXXXX";
  fd_ = ::mkostemp(temporary_.data(), O_CLOEXEC);
  ok_ = fd_ >= 0;
}

AtomicFile::~AtomicFile() {
  if (fd_ < 0) return;
  ::close(fd_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

bool AtomicFile::Write(std::string_view bytes) {
  ok_ = ok_ && WriteAll(fd_, bytes);
  return ok_;
}

bool AtomicFile::Commit() {
  if (!ok_) return false;
  if (temporary_.empty()) return ok_ = ::close(std::exchange(fd_, -1)) == 0;
  // mkstemp makes files private; what the user exports should be as readable as any new file.
  const mode_t mask = ::umask(0);
  ::umask(mask);
  ok_ = ::fchmod(fd_, 0666 & ~mask) == 0 && ::fsync(fd_) == 0;
  ok_ = ::close(std::exchange(fd_, -1)) == 0 && ok_;
  ok_ = ok_ && ::rename(temporary_.c_str(), path_.c_str()) == 0;
  if (!ok_) ::unlink(temporary_.c_str());
  return ok_;
}

fs::path SaveTarget(const fs::path& suggested, bool replace) {
  std::error_code error;
  fs::path target = suggested.is_absolute() ? suggested : fs::current_path(error) / suggested;
  return replace || target.filename().empty() ? target : FreeName(target);
}

bool WriteFileAtomically(const fs::path& path, std::string_view contents) {
  AtomicFile file(path);
  return file.Write(contents) && file.Commit();
}

std::string ReadSmallFile(const fs::path& path, size_t limit) {
  std::ifstream file(path, std::ios::binary);
  std::string text;
  // The size that the system reports is not used: files of /proc report 0, and others may grow.
  std::array<char, 16 << 10> block;
  while (file && text.size() < limit) {
    file.read(block.data(),
              static_cast<std::streamsize>(std::min(block.size(), limit - text.size())));
    text.append(block.data(), static_cast<size_t>(file.gcount()));
  }
  return text;
}

}  // namespace stepscope
