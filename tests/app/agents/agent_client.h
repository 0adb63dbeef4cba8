// A program that asks a window to show something, for tests: a connected socket of lines.
#pragma once

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace stepscope::test {

class AgentClientSide {
 public:
  explicit AgentClientSide(const std::string& path) : fd_(socket(AF_UNIX, SOCK_STREAM, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof(address.sun_path) - 1);
    connected = connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
    const timeval most{20, 0};
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof(most));
  }
  ~AgentClientSide() { close(fd_); }
  AgentClientSide(const AgentClientSide&) = delete;
  AgentClientSide& operator=(const AgentClientSide&) = delete;

  // A server that has closed the connection takes less than all.
  void Send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t n = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n <= 0) return;
      bytes.remove_prefix(static_cast<size_t>(n));
    }
  }
  void EndSending() const { shutdown(fd_, SHUT_WR); }
  // The next line; empty at the end of the connection.
  std::string Line() {
    std::string line;
    char c = 0;
    while (recv(fd_, &c, 1, 0) == 1) {
      if (c == '\n') return line;
      line += c;
    }
    return line;
  }
  nlohmann::json Answer() { return nlohmann::json::parse(Line(), nullptr, false); }
  std::string Error() { return Answer().value("error", ""); }

  bool connected = false;

 private:
  int fd_;
};

}  // namespace stepscope::test
