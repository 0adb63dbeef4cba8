#include "app/agents/agent_socket.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "app/command_line/command_line.h"
#include "app/system/paths.h"
#include "loaders/remote/remote_path.h"
#include "viewer/core/state/panel_list.h"

namespace stepscope {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr size_t kMostText = 4096, kMostClient = 40;
constexpr uint32_t kMostEvent = 0xfffffffe;  // the last number stands for no event

Status Wrong(std::string what) { return Status(ErrorCode::kUsage, std::move(what)); }

bool IsPlain(std::string_view text) {
  return std::none_of(text.begin(), text.end(),
                      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

// Takes a text; what is wrong with it, or an empty text.
std::string TakeText(const std::string& key, const json& value, std::string* out) {
  const auto* text = value.get_ptr<const std::string*>();
  if (text == nullptr) return key + " is no text";
  if (text->size() > kMostText) return fmt::format("{} has more than {} bytes", key, kMostText);
  if (!IsPlain(*text)) return key + " has control characters";
  *out = *text;
  return "";
}

std::string TakeField(const std::string& key, const json& value, ShowRequest* request) {
  if (key == "client") return TakeText(key, value, &request->client);
  if (key == "open") return TakeText(key, value, &request->open);
  if (key == "select") return TakeText(key, value, &request->select);
  if (key == "panel") {
    std::string wrong = TakeText(key, value, &request->panel);
    if (!wrong.empty()) return wrong;
    if (FindPanel(PanelOf(request->panel)) == nullptr)
      return fmt::format("there is no panel '{}'", request->panel);
    // A page of this panel is a query that it runs, in place of the one that the user writes.
    const bool runs = PanelOf(request->panel) == "query" && !PageOf(request->panel).empty();
    return runs ? "the panel query takes no query from a program" : "";
  }
  if (key == "range") {
    std::string text;
    std::string wrong = TakeText(key, value, &text);
    if (!wrong.empty()) return wrong;
    request->range = ParseRange(text);
    return request->range ? "" : fmt::format("'{}' is not a range; write it as 12ms..15ms", text);
  }
  if (key == "event") {
    const auto* number = value.get_ptr<const json::number_unsigned_t*>();
    if (number == nullptr || *number > kMostEvent) return "event is not the id of an event";
    request->event = static_cast<uint32_t>(*number);
    return "";
  }
  return fmt::format("'{:.40}' is none of client, open, panel, range, select and event", key);
}

// At most kMostClient bytes, cut before a character that would not be whole.
std::string ShortName(std::string name) {
  size_t end = std::min(name.size(), kMostClient);
  while (end > 0 && end < name.size() && (static_cast<unsigned char>(name[end]) & 0xc0) == 0x80)
    --end;
  name.resize(end);
  return name;
}

bool IsBelow(const fs::path& path, const fs::path& folder) {
  const auto ends = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return ends.first == folder.end();
}

}  // namespace

Result<ShowRequest> ParseShowRequest(std::string_view line) {
  if (line.size() > kMostShowRequest)
    return Wrong(fmt::format("the request has more than {} bytes", kMostShowRequest));
  const json object = json::parse(line, nullptr, false);
  if (!object.is_object()) return Wrong("the request is no JSON object");
  ShowRequest request;
  for (const auto& [key, value] : object.items()) {
    std::string wrong = TakeField(key, value, &request);
    if (!wrong.empty()) return Wrong(wrong);
  }
  request.client = ShortName(std::move(request.client));
  return request;
}

Result<std::string> PathInFolders(const std::string& path,
                                  const std::vector<std::string>& folders) {
  if (IsRemotePath(path) || path.find("://") != std::string::npos)
    return Wrong(path + ": agents open profiles of this machine only");
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  if (error) return Wrong(path + ": there is no such file or directory");
  for (const std::string& folder : folders) {
    const fs::path root = fs::canonical(folder, error);
    if (!error && IsBelow(real, root)) return real.string();
  }
  return Wrong(path +
               ": it lies outside of the folders that this window opens for agents: the one "
               "that it was started in, and those of recent profiles");
}

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

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kMostEndWait{200};

// A file descriptor that is closed at the end.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

struct AgentClient {
  Descriptor fd;
  int process = 0;
  std::string in, out;
  uint64_t ticket = 0;       // of the request that the window has; 0: none
  bool input_ended = false;  // it sends no more
  bool ends = false;         // the connection ends when `out` is sent
  bool gone = false;
  Clock::time_point since = Clock::now();  // the last request or answer
};

Result<Descriptor> Listen(const std::string& path) {
  const auto failed = [&path] {
    return Status(ErrorCode::kIo, fmt::format("{}: {}", path, std::strerror(errno)));
  };
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) {
    errno = ENAMETOOLONG;
    return failed();
  }
  path.copy(address.sun_path, path.size());
  Descriptor fd(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  // The file gets the descriptor's mode when it is made.
  if (fd.get() < 0 || fchmod(fd.get(), S_IRUSR | S_IWUSR) != 0 ||
      bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 ||
      chmod(path.c_str(), S_IRUSR | S_IWUSR) != 0 ||
      listen(fd.get(), static_cast<int>(AgentSocket::kMostClients)) != 0) {
    return failed();
  }
  return fd;
}

}  // namespace

std::string AgentError(const std::string& what) {
  const nlohmann::json answer = {{"ok", false}, {"error", what}};
  return answer.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

AgentSocketConfig DefaultAgentSocket() {
  AgentSocketConfig config;
  const char* folder = std::getenv("XDG_RUNTIME_DIR");
  if (folder != nullptr) config.runtime_folder = folder;
  config.user = geteuid();
  return config;
}

// Both sides use this. The thread keeps it alive.
struct AgentSocket::Shared {
  std::mutex mutex;
  std::condition_variable changed;
  bool open = true, ended = false;
  std::deque<AgentTask> tasks;
  std::vector<std::pair<uint64_t, std::string>> answers;
  Descriptor bell{eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)};  // wakes the thread

  void Ring() const {
    const uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = write(bell.get(), &one, sizeof(one));
  }
};

// The thread's side.
class AgentSocket::Server {
 public:
  Server(AgentSocketConfig config, Descriptor listener, std::shared_ptr<Shared> shared)
      : config_(std::move(config)), listener_(std::move(listener)), shared_(std::move(shared)) {}

  void Run(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      Wait();
      TakeAnswers();
      for (AgentClient& client : clients_) Serve(client);
      std::erase_if(clients_, [](const AgentClient& client) { return client.gone; });
    }
    clients_.clear();
    std::lock_guard lock(shared_->mutex);
    shared_->ended = true;
    shared_->changed.notify_all();
  }

 private:
  void Wait() {
    constexpr int kTick = 1000;  // milliseconds between looks at the clock while clients are there
    // Without a free descriptor the listener stays readable: it is asked again after a tick.
    const short listens = std::exchange(deaf_, false) ? 0 : POLLIN;
    std::vector<pollfd> fds = {{shared_->bell.get(), POLLIN, 0}, {listener_.get(), listens, 0}};
    for (const AgentClient& client : clients_) {
      // Who does not read answers is not read either.
      const bool reads = !client.input_ended && !client.ends && client.out.empty() &&
                         client.in.size() <= kMostShowRequest;
      const int events = (reads ? POLLIN : 0) | (client.out.empty() ? 0 : POLLOUT);
      fds.push_back({client.fd.get(), static_cast<short>(events), 0});
    }
    if (poll(fds.data(), fds.size(), clients_.empty() && listens != 0 ? -1 : kTick) <= 0) return;
    uint64_t rings = 0;
    [[maybe_unused]] const ssize_t drained = read(fds[0].fd, &rings, sizeof(rings));
    for (size_t i = 0; i < clients_.size(); ++i) {
      AgentClient& client = clients_[i];
      if ((fds[i + 2].revents & (POLLIN | POLLHUP | POLLERR)) != 0 && !client.input_ended)
        Read(client);
      if ((fds[i + 2].revents & (POLLHUP | POLLERR)) != 0)
        client.gone = client.ticket != 0 || client.in.empty();
    }
    if (fds[1].revents != 0) Accept();
  }

  void Accept() {
    AgentClient client;
    client.fd =
        Descriptor(accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    deaf_ = client.fd.get() < 0 && (errno == EMFILE || errno == ENFILE);
    if (client.fd.get() < 0 || !IsPeerOf(client.fd.get(), config_.user, &client.process)) return;
    if (clients_.size() >= kMostClients) {
      client.out = AgentError("too many programs are connected to this window") + "\n";
      Write(client);
      return;
    }
    clients_.push_back(std::move(client));
  }

  static void Read(AgentClient& client) {
    char bytes[4096];
    while (client.in.size() <= kMostShowRequest) {
      const ssize_t n = recv(client.fd.get(), bytes, sizeof(bytes), 0);
      if (n > 0) {
        client.in.append(bytes, static_cast<size_t>(n));
        continue;
      }
      client.input_ended = n == 0 || (errno != EAGAIN && errno != EINTR);
      return;
    }
  }

  static void Write(AgentClient& client) {
    while (!client.out.empty()) {
      const ssize_t n = send(client.fd.get(), client.out.data(), client.out.size(), MSG_NOSIGNAL);
      if (n > 0) {
        client.out.erase(0, static_cast<size_t>(n));
      } else {
        if (errno != EAGAIN && errno != EINTR) client.gone = true;
        return;
      }
    }
  }

  void Serve(AgentClient& client) {
    Write(client);
    while (client.ticket == 0 && !client.ends && !client.gone && client.out.empty()) {
      const size_t end = client.in.find('\n');
      if (end == std::string::npos || end >= kMostShowRequest) break;
      const std::string line = client.in.substr(0, end);
      client.in.erase(0, end + 1);
      Handle(client, line);
      Write(client);
    }
    EndInput(client);
    const auto age = Clock::now() - client.since;
    const bool idle = client.ticket == 0 && age > std::chrono::seconds(kIdleSeconds);
    if (client.ticket != 0 && age > std::chrono::seconds(kAnswerSeconds))
      Say(client, AgentError("the window is hidden or busy; it shows this when it draws again"));
    Write(client);
    client.gone = client.gone || idle || (client.ends && client.out.empty());
  }

  // Ends a client by the rest in `in` that is no whole request: too long, not ended, or nothing.
  static void EndInput(AgentClient& client) {
    if (client.ticket != 0 || client.ends || !client.out.empty()) return;
    const size_t end = client.in.find('\n');
    if (std::min(end, client.in.size()) >= kMostShowRequest) {
      Fail(client, fmt::format("the request has more than {} bytes", kMostShowRequest));
    } else if (client.input_ended && !client.in.empty()) {
      Fail(client, "the request does not end with a line break");
    } else if (client.input_ended) {
      client.ends = true;
    }
  }

  static void Say(AgentClient& client, const std::string& line) {
    client.out += line + "\n";
    client.ticket = 0;
    client.since = Clock::now();
  }

  static void Fail(AgentClient& client, const std::string& what) {
    Say(client, AgentError(what));
    client.in.clear();
    client.ends = true;
  }

  void Handle(AgentClient& client, const std::string& line) {
    Result<ShowRequest> request = ParseShowRequest(line);
    if (!request.ok()) return Fail(client, request.status().message());
    if (!request->open.empty()) {
      Result<std::string> path = PathInFolders(request->open, config_.folders);
      if (!path.ok()) return Say(client, AgentError(path.status().message()));
      request->open = *path;
    }
    const std::string name = request->client.empty() ? "A program" : request->client;
    AgentTask task{
        ++last_ticket_, std::move(request).value(),
        fmt::format("{} ({}, process {})", name, ProgramOfProcess(client.process), client.process)};
    client.ticket = task.ticket;
    client.since = Clock::now();
    std::lock_guard lock(shared_->mutex);
    shared_->tasks.push_back(std::move(task));
    if (shared_->open && config_.wake) config_.wake();
  }

  void TakeAnswers() {
    std::vector<std::pair<uint64_t, std::string>> answers;
    {
      std::lock_guard lock(shared_->mutex);
      answers.swap(shared_->answers);
    }
    for (const auto& [ticket, line] : answers) {
      for (AgentClient& client : clients_) {
        if (client.ticket == ticket) Say(client, line);
      }
    }
  }

  AgentSocketConfig config_;
  Descriptor listener_;
  std::shared_ptr<Shared> shared_;
  std::vector<AgentClient> clients_;
  uint64_t last_ticket_ = 0;
  bool deaf_ = false;  // a client waits, and there is no descriptor for it
};

AgentSocket::AgentSocket(std::string path, std::shared_ptr<Shared> shared, std::jthread thread)
    : path_(std::move(path)), shared_(std::move(shared)), thread_(std::move(thread)) {}

Result<std::unique_ptr<AgentSocket>> AgentSocket::Open(AgentSocketConfig config) {
  const Status folder = CheckRuntimeFolder(config.runtime_folder, config.user);
  if (!folder.ok()) return folder;
  const std::string path = config.runtime_folder / AgentSocketName(getpid());
  const Status stale = RemoveStaleSocket(path, config.user);
  if (!stale.ok()) return stale;
  Result<Descriptor> listener = Listen(path);
  if (!listener.ok()) return listener.status();
  auto shared = std::make_shared<Shared>();
  auto server = std::make_shared<Server>(std::move(config), std::move(listener).value(), shared);
  try {
    std::jthread thread([server](const std::stop_token& stop) { server->Run(stop); });
    return std::unique_ptr<AgentSocket>(
        new AgentSocket(path, std::move(shared), std::move(thread)));
  } catch (const std::system_error& error) {
    unlink(path.c_str());
    return Status(ErrorCode::kUnsupported, fmt::format("agents: no thread: {}", error.what()));
  }
}

// The thread may be deep in a file system that does not answer: the window does not wait for it.
AgentSocket::~AgentSocket() {
  unlink(path_.c_str());
  thread_.request_stop();
  std::unique_lock lock(shared_->mutex);
  shared_->open = false;
  shared_->Ring();
  const bool ended =
      shared_->changed.wait_for(lock, kMostEndWait, [this] { return shared_->ended; });
  if (!ended) thread_.detach();
}

std::optional<AgentTask> AgentSocket::NextTask() {
  std::lock_guard lock(shared_->mutex);
  if (shared_->tasks.empty()) return std::nullopt;
  AgentTask task = std::move(shared_->tasks.front());
  shared_->tasks.pop_front();
  return task;
}

void AgentSocket::Answer(uint64_t ticket, std::string line) {
  std::lock_guard lock(shared_->mutex);
  shared_->answers.emplace_back(ticket, std::move(line));
  shared_->Ring();
}

}  // namespace stepscope
