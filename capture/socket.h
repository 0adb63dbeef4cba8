// Sockets that never block, and names of hosts without blocking: what call_servers.cc needs of the
// system.
#pragma once

#include <sys/socket.h>

#include <chrono>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "capture/address.h"
#include "model/base/status.h"

namespace stepscope::capture {

struct SocketAddress {
  sockaddr_storage bytes{};
  socklen_t size = 0;
};

// The addresses of each server's name, in the order in which they are to be tried. A list is empty
// where the name is unknown, and its error says so. Names are looked up side by side; a lookup that
// takes longer than `limit`, or a stop, is left behind on its thread.
struct ResolvedName {
  std::vector<SocketAddress> addresses;
  std::string error;
};
std::vector<ResolvedName> ResolveNames(std::span<const Address> servers,
                                       std::chrono::milliseconds limit,
                                       const std::stop_token& stop);

// Owns a descriptor.
class Socket {
 public:
  Socket() = default;
  explicit Socket(int fd) : fd_(fd) {}
  Socket(Socket&& other) noexcept;
  Socket& operator=(Socket&& other) noexcept;
  ~Socket() { Close(); }
  int fd() const { return fd_; }
  bool open() const { return fd_ >= 0; }
  void Close();

 private:
  int fd_ = -1;
};

// A connection that is being made; not open where it failed at once, and errno says why.
Socket BeginConnect(const SocketAddress& address);
// The errno of a connection that was being made; 0: it stands.
int ConnectError(const Socket& socket);

}  // namespace stepscope::capture
