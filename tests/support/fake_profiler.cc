#include "tests/support/fake_profiler.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <nghttp2/nghttp2.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <stdexcept>
#include <string_view>
#include <thread>

#include "capture/profiler.pb.h"
#include "tests/support/wire.h"

namespace stepscope::test {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kTickMs = 5;

nghttp2_nv Header(std::string_view name, std::string_view value) {
  const auto bytes = [](std::string_view s) {
    return reinterpret_cast<uint8_t*>(const_cast<char*>(s.data()));
  };
  return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

std::string Prefixed(std::string_view message, uint64_t length, bool compressed) {
  std::string out(1, compressed ? '\1' : '\0');
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(length >> shift & 0xff);
  return out.append(message);
}

std::string Field(uint32_t number, std::string_view bytes) {
  std::string out;
  PutBytes(&out, number, bytes);
  return out;
}

// What all connections of one server share.
struct Shared {
  FakeProfilerOptions options;
  mutable std::mutex mutex;
  std::vector<SeenRequest> seen;
  std::atomic<int> cancelled{0}, answered{0};
};

// One connection: bytes in, bytes out.
class Connection {
 public:
  explicit Connection(Shared& shared) : shared_(shared) {
    nghttp2_session_callbacks* callbacks = nullptr;
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_header_callback(
        callbacks, [](nghttp2_session*, const nghttp2_frame*, const uint8_t* name, size_t name_size,
                      const uint8_t* value, size_t value_size, uint8_t, void* self) {
          if (std::string_view(reinterpret_cast<const char*>(name), name_size) == ":path")
            static_cast<Connection*>(self)->path_.assign(reinterpret_cast<const char*>(value),
                                                         value_size);
          return 0;
        });
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(
        callbacks,
        [](nghttp2_session*, uint8_t, int32_t, const uint8_t* bytes, size_t size, void* self) {
          static_cast<Connection*>(self)->body_.append(reinterpret_cast<const char*>(bytes), size);
          return 0;
        });
    nghttp2_session_callbacks_set_on_frame_recv_callback(
        callbacks, [](nghttp2_session*, const nghttp2_frame* frame, void* self) {
          if ((frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0)
            static_cast<Connection*>(self)->TakeRequest(frame->hd.stream_id);
          return 0;
        });
    nghttp2_session_server_new(&session_, callbacks, this);
    nghttp2_session_callbacks_del(callbacks);
    switch (shared_.options.fault) {
      case ServerFault::kTls:
        out_ = std::string("\x15\x03\x01\x00\x02\x02\x46", 7);
        closing_ = true;
        return;
      case ServerFault::kHttp1:
        out_ = "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n";
        closing_ = true;
        return;
      case ServerFault::kOtherProtocol:
        out_ = "SSH-2.0-OpenSSH_9.2\r\n";
        return;
      case ServerFault::kSilent:
        return;
      case ServerFault::kClosesAtOnce:
        closing_ = true;
        return;
      default:
        nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, nullptr, 0);
    }
    if (shared_.options.fault == ServerFault::kBrokenHttp2) {
      Flush();
      out_ += std::string(200, '\x7f');
    }
  }
  ~Connection() {
    if (stream_ > 0 && !answered_) ++shared_.cancelled;
    nghttp2_session_del(session_);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // The first bytes decide nothing: faults above answer when something came.
  void Input(std::string_view bytes) {
    heard_ = true;
    if (!Speaks()) return;
    if (nghttp2_session_mem_recv(session_, reinterpret_cast<const uint8_t*>(bytes.data()),
                                 bytes.size()) < 0)
      closing_ = true;
  }
  void Tick() {
    if (stream_ > 0 && !answered_ && Clock::now() >= answer_at_) Answer();
    if (answered_ && CutsAnswer() && sent_ >= answer_.size() / 2) {
      if (shared_.options.fault == ServerFault::kResetsAnswer) {
        if (!reset_)
          nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, stream_, NGHTTP2_INTERNAL_ERROR);
        reset_ = true;
      } else {
        closing_ = true;
      }
    }
    if (Speaks()) Flush();
  }
  std::string& out() { return out_; }
  bool heard() const { return heard_; }
  bool closing() const { return closing_; }
  bool dead() const { return dead_; }

 private:
  bool Speaks() const {
    const ServerFault f = shared_.options.fault;
    return f != ServerFault::kTls && f != ServerFault::kHttp1 && f != ServerFault::kOtherProtocol &&
           f != ServerFault::kSilent && f != ServerFault::kClosesAtOnce;
  }
  bool CutsAnswer() const {
    return shared_.options.fault == ServerFault::kCutAnswer ||
           shared_.options.fault == ServerFault::kResetsAnswer;
  }

  void Flush() {
    const uint8_t* bytes = nullptr;
    for (ssize_t n = 0; (n = nghttp2_session_mem_send(session_, &bytes)) > 0;)
      out_.append(reinterpret_cast<const char*>(bytes), static_cast<size_t>(n));
  }

  void TakeRequest(int32_t stream) {
    stream_ = stream;
    answer_at_ = Clock::now();
    if (!path_.ends_with("/Profile") || body_.size() < 5) return;
    capture::pb::ProfileRequest request;
    request.ParseFromString(body_.substr(5));
    SeenRequest seen;
    seen.duration_ms = request.duration_ms();
    seen.host_level = request.opts().host_tracer_level();
    seen.device_level = request.opts().device_tracer_level();
    seen.python_level = request.opts().python_tracer_level();
    seen.repository_root = request.repository_root();
    seen.session_id = request.session_id();
    seen.host_name = request.host_name();
    seen.emit_xspace = request.emit_xspace();
    seen.when = Clock::now();
    request_ = seen;
    const bool dies = shared_.options.fault == ServerFault::kDiesRecording;
    answer_at_ += std::chrono::milliseconds(seen.duration_ms / (dies ? 2 : 1));
    const std::lock_guard lock(shared_.mutex);
    shared_.seen.push_back(seen);
  }

  void Answer() {
    answered_ = true;
    const ServerFault fault = shared_.options.fault;
    if (fault == ServerFault::kDiesRecording) {
      dead_ = true;
    } else if (fault == ServerFault::kNotFound) {
      const nghttp2_nv headers[] = {Header(":status", "404"), Header("content-type", "text/html")};
      nghttp2_submit_response(session_, stream_, headers, 2, nullptr);
    } else if (fault == ServerFault::kUnimplemented) {
      Refuse("12", "unknown service tensorflow.ProfilerService");
    } else if (fault == ServerFault::kRefuses) {
      Refuse("13", "Another profiling session%0Ais active%21");
    } else if (path_.ends_with("/Monitor")) {
      AnswerMonitor();
    } else {
      SendMessage(ProfileMessage());
    }
  }

  void AnswerMonitor() {
    if (shared_.options.monitor.empty()) return Refuse("12", "unimplemented.");
    SendMessage(Field(1, shared_.options.monitor));
  }

  std::string ProfileMessage() {
    const FakeProfilerOptions& options = shared_.options;
    const bool empty = shared_.answered++ < options.empty_answers;
    switch (options.fault) {
      case ServerFault::kGarbageMessage:
        return "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff nothing of the kind";
      case ServerFault::kGarbageProfile:
        return Field(8, "\x0a\x7fthis is no XSpace");
      case ServerFault::kPaths:
        return Field(6, Field(1, "../../../escaped.json") + Field(2, "{}")) +
               Field(6, Field(1, "../../escaped.xplane.pb") + Field(2, options.xspace));
      case ServerFault::kWritesItself: {
        const std::filesystem::path folder =
            std::filesystem::path(request_.repository_root) / request_.session_id;
        std::filesystem::create_directories(folder);
        std::ofstream(folder / (request_.host_name + ".xplane.pb"), std::ios::binary)
            << (empty ? std::string() : options.xspace);
        return empty ? std::string("\x38\x01", 2) : std::string();
      }
      case ServerFault::kWritesElsewhere:
        return {};
      default:
        break;
    }
    if (empty) return std::string("\x38\x01", 2) + Field(8, "");
    return Field(8, options.xspace);
  }

  void Refuse(const char* code, const char* message) {
    const nghttp2_nv headers[] = {Header(":status", "200"),
                                  Header("content-type", "application/grpc"),
                                  Header("grpc-status", code), Header("grpc-message", message)};
    nghttp2_submit_response(session_, stream_, headers, 4, nullptr);
  }

  void SendMessage(std::string message) {
    const ServerFault fault = shared_.options.fault;
    uint64_t length = message.size();
    if (fault == ServerFault::kTooLarge) length = 0xfffffff0;
    if (fault == ServerFault::kShortMessage) message.resize(message.size() / 2);
    answer_ = Prefixed(message, length, fault == ServerFault::kCompressed);
    const nghttp2_nv headers[] = {Header(":status", "200"),
                                  Header("content-type", "application/grpc")};
    nghttp2_data_provider body{};
    body.source.ptr = this;
    body.read_callback = [](nghttp2_session*, int32_t, uint8_t* out, size_t room, uint32_t* flags,
                            nghttp2_data_source* source, void*) -> ssize_t {
      return static_cast<Connection*>(source->ptr)->ReadAnswer(out, room, flags);
    };
    nghttp2_submit_response(session_, stream_, headers, 2, &body);
  }

  ssize_t ReadAnswer(uint8_t* out, size_t room, uint32_t* flags) {
    const size_t end = CutsAnswer() ? answer_.size() / 2 : answer_.size();
    const size_t n = std::min(room, end - sent_);
    if (n == 0 && CutsAnswer()) return NGHTTP2_ERR_DEFERRED;
    std::memcpy(out, answer_.data() + sent_, n);
    sent_ += n;
    if (sent_ < answer_.size()) return static_cast<ssize_t>(n);
    *flags |= NGHTTP2_DATA_FLAG_EOF;
    if (shared_.options.fault == ServerFault::kNoStatus) return static_cast<ssize_t>(n);
    *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
    const nghttp2_nv trailers[] = {Header("grpc-status", "0")};
    nghttp2_submit_trailer(session_, stream_, trailers, 1);
    return static_cast<ssize_t>(n);
  }

  Shared& shared_;
  nghttp2_session* session_ = nullptr;
  std::string path_, body_, answer_, out_;
  SeenRequest request_;
  size_t sent_ = 0;
  int32_t stream_ = 0;
  Clock::time_point answer_at_;
  bool answered_ = false, closing_ = false, dead_ = false, heard_ = false, reset_ = false;
};

int Listen(int* port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* where = reinterpret_cast<sockaddr*>(&address);
  if (fd < 0 || ::bind(fd, where, size) != 0 || ::listen(fd, 16) != 0 ||
      ::getsockname(fd, where, &size) != 0)
    throw std::runtime_error("no port of 127.0.0.1 is free");
  *port = ntohs(address.sin_port);
  return fd;
}

struct Client {
  int fd = -1;
  std::unique_ptr<Connection> connection;
};

// Moves bytes of one client; false: it is to be closed.
bool Serve(Client& client, short events) {
  char buffer[65536];
  if ((events & (POLLIN | POLLHUP | POLLERR)) != 0) {
    const ssize_t n = ::recv(client.fd, buffer, sizeof buffer, MSG_DONTWAIT);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK)) return false;
    if (n > 0) client.connection->Input({buffer, static_cast<size_t>(n)});
  }
  client.connection->Tick();
  if (client.connection->dead()) return false;
  if (!client.connection->heard()) return true;
  std::string& out = client.connection->out();
  if (!out.empty()) {
    const ssize_t n = ::send(client.fd, out.data(), out.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n > 0) out.erase(0, static_cast<size_t>(n));
  }
  return !client.connection->closing() || !out.empty();
}

}  // namespace

struct FakeProfiler::State {
  Shared shared;
  int listener = -1, port = 0;
  std::atomic<bool> stop{false};
  std::thread thread;

  void Run() {
    std::vector<Client> clients;
    while (!stop) {
      std::vector<pollfd> wanted{{listener, POLLIN, 0}};
      for (const Client& client : clients) {
        const bool write = !client.connection->out().empty();
        wanted.push_back({client.fd, static_cast<short>(POLLIN | (write ? POLLOUT : 0)), 0});
      }
      ::poll(wanted.data(), wanted.size(), kTickMs);
      for (size_t i = clients.size(); i-- > 0;) {
        if (Serve(clients[i], wanted[i + 1].revents)) continue;
        ::close(clients[i].fd);
        clients.erase(clients.begin() + static_cast<std::ptrdiff_t>(i));
      }
      if ((wanted[0].revents & POLLIN) != 0) {
        const int fd = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
        if (fd >= 0) clients.push_back({fd, std::make_unique<Connection>(shared)});
      }
    }
    for (const Client& client : clients) ::close(client.fd);
  }
};

FakeProfiler::FakeProfiler(FakeProfilerOptions options) : state_(std::make_unique<State>()) {
  state_->shared.options = std::move(options);
  state_->listener = Listen(&state_->port);
  state_->thread = std::thread([this] { state_->Run(); });
}

FakeProfiler::~FakeProfiler() {
  state_->stop = true;
  state_->thread.join();
  ::close(state_->listener);
}

int FakeProfiler::port() const { return state_->port; }
std::string FakeProfiler::address() const { return "127.0.0.1:" + std::to_string(port()); }
int FakeProfiler::cancelled() const { return state_->shared.cancelled; }

std::vector<SeenRequest> FakeProfiler::seen() const {
  const std::lock_guard lock(state_->shared.mutex);
  return state_->shared.seen;
}

int FreePort() {
  int port = 0;
  ::close(Listen(&port));
  return port;
}

std::string BytesOfAnswer(const FakeProfilerOptions& options, std::string_view client_bytes) {
  Shared shared;
  shared.options = options;
  Connection connection(shared);
  connection.Input(client_bytes);
  connection.Tick();
  connection.Tick();
  return connection.out();
}

}  // namespace stepscope::test
