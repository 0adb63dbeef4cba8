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

  // Returns how much was sent: a server that has closed the connection takes less than all.
  size_t Send(std::string_view bytes) const {
    size_t sent = 0;
    while (sent < bytes.size()) {
      const ssize_t n = send(fd_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      if (n <= 0) break;
      sent += static_cast<size_t>(n);
    }
    return sent;
  }
  // How much of the bytes goes out until the other side takes nothing for a fifth of a second.
  size_t SendWhileTaken(std::string_view bytes) const {
    const timeval patience{0, 200'000};
    setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
    return Send(bytes);
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
