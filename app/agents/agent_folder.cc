#include "app/agents/agent_folder.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "app/system/paths.h"

namespace stepscope {
namespace {

constexpr unsigned kOthers = S_IRWXG | S_IRWXO;

Status Unusable(const std::filesystem::path& path, std::string_view why) {
  return Status(ErrorCode::kUnsupported, fmt::format("{}: {}", path.string(), why));
}

// Whether a process listens on the socket of this path.
bool IsListenedOn(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return true;
  const bool refused =
      connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 &&
      errno == ECONNREFUSED;
  close(fd);
  return !refused;
}

}  // namespace

Status CheckRuntimeFolder(const std::filesystem::path& folder, uid_t user) {
  if (folder.empty()) {
    return Status(ErrorCode::kUnsupported,
                  "XDG_RUNTIME_DIR is not set: agents need a folder that only you may enter");
  }
  struct stat facts {};
  if (lstat(folder.c_str(), &facts) != 0) return Unusable(folder, std::strerror(errno));
  if (!S_ISDIR(facts.st_mode)) return Unusable(folder, "it is no folder");
  if (facts.st_uid != user) return Unusable(folder, "it belongs to another user");
  if ((facts.st_mode & kOthers) != 0)
    return Unusable(folder, "others may enter it; `chmod 700` makes it yours alone");
  return Status::Ok();
}

std::string AgentSocketName(int process) { return fmt::format("stepscope-{}.sock", process); }

Status RemoveStaleSocket(const std::filesystem::path& path, uid_t user) {
  struct stat facts {};
  if (lstat(path.c_str(), &facts) != 0) {
    return errno == ENOENT ? Status::Ok() : Unusable(path, std::strerror(errno));
  }
  const auto refuse = [&path](std::string_view why) {
    return Status(ErrorCode::kIo, fmt::format("{}: {}", path.string(), why));
  };
  if (!S_ISSOCK(facts.st_mode)) return refuse("it is no socket");
  if (facts.st_uid != user) return refuse("it belongs to another user");
  if (IsListenedOn(path.string())) return refuse("a program listens on it");
  return unlink(path.c_str()) == 0 ? Status::Ok() : refuse(std::strerror(errno));
}

bool IsPeerOf(int fd, uid_t user, int* process) {
  ucred peer{};
  socklen_t size = sizeof(peer);
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || size != sizeof(peer))
    return false;
  *process = peer.pid;
  return peer.uid == user;
}

std::string ProgramOfProcess(int process) {
  std::string name = ReadSmallFile(fmt::format("/proc/{}/comm", process), 64);
  name = name.substr(0, name.find('\n'));
  for (char& c : name) {
    if (c < 0x20 || c > 0x7e) c = '?';
  }
  return name.empty() ? "?" : name;
}

}  // namespace stepscope
