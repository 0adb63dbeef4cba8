#include "capture/socket.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace stepscope::capture {
namespace {

constexpr std::chrono::milliseconds kLookAtStop{50};

struct Lookup {
  std::mutex mutex;
  std::condition_variable done_changed;
  bool done = false;
  ResolvedName name;
};

ResolvedName LookUp(const Address& server) {
  ResolvedName found;
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  const int error = ::getaddrinfo(server.host.c_str(), server.port.c_str(), &hints, &list);
  if (error != 0) {
    found.error = ::gai_strerror(error);
    return found;
  }
  for (const addrinfo* at = list; at != nullptr; at = at->ai_next) {
    SocketAddress address;
    if (at->ai_addrlen > sizeof address.bytes) continue;
    std::memcpy(&address.bytes, at->ai_addr, at->ai_addrlen);
    address.size = at->ai_addrlen;
    found.addresses.push_back(address);
  }
  ::freeaddrinfo(list);
  if (found.addresses.empty()) found.error = "it has no address";
  return found;
}

// getaddrinfo() cannot be stopped, so its thread keeps what it needs and is not waited for.
std::shared_ptr<Lookup> BeginLookup(const Address& server) {
  auto lookup = std::make_shared<Lookup>();
  const auto work = [lookup, server] {
    ResolvedName name = LookUp(server);
    const std::lock_guard lock(lookup->mutex);
    lookup->name = std::move(name);
    lookup->done = true;
    lookup->done_changed.notify_all();
  };
  try {
    std::thread(work).detach();
  } catch (const std::system_error&) {  // no more threads
    work();
  }
  return lookup;
}

ResolvedName WaitFor(Lookup& lookup, std::chrono::steady_clock::time_point end,
                     const std::stop_token& stop) {
  std::unique_lock lock(lookup.mutex);
  while (!lookup.done && !stop.stop_requested() && std::chrono::steady_clock::now() < end)
    lookup.done_changed.wait_for(lock, kLookAtStop);
  if (lookup.done) return lookup.name;
  return {{}, "the name service does not answer"};
}

void KeepAlive(int fd) {
  // A host that loses its power sends nothing: without this it would seem to record for ever.
  const int on = 1, idle_s = 10, interval_s = 5, probes = 3;
  ::setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof idle_s);
  ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval_s, sizeof interval_s);
  ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

}  // namespace

std::vector<ResolvedName> ResolveNames(std::span<const Address> servers,
                                       std::chrono::milliseconds limit,
                                       const std::stop_token& stop) {
  const auto end = std::chrono::steady_clock::now() + limit;
  std::vector<std::shared_ptr<Lookup>> lookups;
  for (const Address& server : servers) lookups.push_back(BeginLookup(server));
  std::vector<ResolvedName> names;
  names.reserve(lookups.size());
  for (const auto& lookup : lookups) names.push_back(WaitFor(*lookup, end, stop));
  return names;
}

Socket::Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

Socket& Socket::operator=(Socket&& other) noexcept {
  if (this == &other) return *this;
  Close();
  fd_ = std::exchange(other.fd_, -1);
  return *this;
}

void Socket::Close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

Socket BeginConnect(const SocketAddress& address) {
  Socket socket(::socket(address.bytes.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket.open()) return socket;
  KeepAlive(socket.fd());
  const auto* where = reinterpret_cast<const sockaddr*>(&address.bytes);
  if (::connect(socket.fd(), where, address.size) == 0 || errno == EINPROGRESS) return socket;
  const int error = errno;
  socket.Close();
  errno = error;
  return socket;
}

int ConnectError(const Socket& socket) {
  int error = 0;
  socklen_t size = sizeof error;
  if (::getsockopt(socket.fd(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) return errno;
  return error;
}

}  // namespace stepscope::capture
