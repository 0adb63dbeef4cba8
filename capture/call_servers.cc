#include "capture/call_servers.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "capture/socket.h"

namespace stepscope::capture {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kPollMs = 50;  // how long a stop may go unseen
constexpr size_t kReadBytes = size_t{256} << 10;

std::string ReasonText(int error) { return std::string(" (") + std::strerror(error) + ")"; }

// One server and its call.
class Peer {
 public:
  Peer(const ServerCall& call, ResolvedName name, const CallTimes& times)
      : server_(call.server.Text()),
        name_(std::move(name)),
        times_(times),
        call_(call.server, call.request) {
    if (name_.addresses.empty()) {
      Fail("there is no such host (" + name_.error + "); correct the name");
    } else {
      ConnectToNext(0);
    }
  }

  bool done() const { return failed_ || call_.done(); }
  bool waits_for_start() const { return connected_ && call_.ready() && !call_.sent(); }
  bool taken = false;  // the answer was handed over
  uint64_t received() const { return call_.received(); }
  uint64_t expected() const { return call_.expected(); }

  void Start() {
    call_.SendRequest();
    heard_ = Clock::now();
  }

  pollfd Wanted() {
    const bool write = !connected_ || !call_.Output().empty();
    return {socket_.fd(), static_cast<short>(POLLIN | (write ? POLLOUT : 0)), 0};
  }
  // `events`: of poll().
  void Work(short events, std::string* buffer) {
    if (done()) return;
    if (!connected_ && events != 0) FinishConnect();
    if (connected_ && (events & (POLLIN | POLLHUP | POLLERR)) != 0) Read(buffer);
    if (connected_ && !done()) Write();
    if (!done()) CheckTime();
    if (done()) socket_.Close();
  }

  CallAnswer Take() {
    taken = true;
    socket_.Close();
    CallAnswer answer;
    answer.status = failed_ ? status_ : call_.status();
    answer.grpc_status = call_.grpc_status();
    answer.grpc_message = call_.grpc_message();
    if (answer.status.ok()) answer.message = call_.TakeMessage();
    return answer;
  }

 private:
  void Fail(const std::string& why) {
    failed_ = true;
    status_ = Status(ErrorCode::kIo, server_ + ": " + why);
  }

  // `error`: why the address before could not be reached.
  void ConnectToNext(int error) {
    heard_ = Clock::now();
    while (next_ < name_.addresses.size()) {
      socket_ = BeginConnect(name_.addresses[next_++]);
      if (socket_.open()) return;
      error = errno;
    }
    if (error == ECONNREFUSED) {
      Fail("nobody listens there" + ReasonText(error) +
           "; start the program with a profiler server, or correct the port");
    } else {
      Fail("cannot be reached" + ReasonText(error) + "; check the address and the network");
    }
  }

  void FinishConnect() {
    if (const int error = ConnectError(socket_); error != 0) return ConnectToNext(error);
    connected_ = true;
    heard_ = Clock::now();
  }

  void Read(std::string* buffer) {
    while (!done()) {
      const ssize_t n = ::recv(socket_.fd(), buffer->data(), buffer->size(), 0);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
      if (n <= 0) return call_.End();
      heard_ = Clock::now();
      call_.Input(std::string_view(*buffer).substr(0, static_cast<size_t>(n)));
      Write();  // windows are opened as bytes come
    }
  }

  void Write() {
    for (std::string_view out = call_.Output(); !out.empty(); out = call_.Output()) {
      const ssize_t n = ::send(socket_.fd(), out.data(), out.size(), MSG_NOSIGNAL);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return;  // later, or reading says why
      call_.Consume(static_cast<size_t>(n));
    }
  }

  void CheckTime() {
    const auto silent = Clock::now() - heard_;
    if (!connected_ && silent > times_.connect) return ConnectToNext(ETIMEDOUT);
    if (connected_ && !call_.ready() && silent > times_.connect)
      return Fail(
          "the server says nothing; use the port that the program gave to its profiler server");
    if (call_.sent() && silent > times_.silence)
      Fail("the server has gone silent; see what the program prints, and record again");
  }

  const std::string server_;
  const ResolvedName name_;
  const CallTimes times_;
  GrpcCall call_;
  Socket socket_;
  size_t next_ = 0;
  bool connected_ = false, failed_ = false;
  Status status_;
  Clock::time_point heard_ = Clock::now();
};

// Tells progress of a stage once, when it begins.
class StageTeller {
 public:
  explicit StageTeller(Progress& progress) : progress_(progress) {}
  void Tell(const char* stage) {
    if (stage != told_) progress_.SetStage(stage);
    told_ = stage;
  }

 private:
  Progress& progress_;
  const char* told_ = nullptr;
};

class Round {
 public:
  Round(std::span<const ServerCall> calls, const CallTimes& times, Progress& progress,
        SentTime* sent)
      : times_(times), progress_(progress), sent_(sent), teller_(progress), calls_(calls) {
    teller_.Tell("Connecting");
  }

  bool Run(const std::stop_token& stop, const std::function<void(size_t, CallAnswer)>& take) {
    std::vector<Address> servers;
    for (const ServerCall& call : calls_) servers.push_back(call.server);
    std::vector<ResolvedName> names = ResolveNames(servers, times_.connect, stop);
    for (size_t i = 0; i < calls_.size(); ++i)
      peers_.push_back(std::make_unique<Peer>(calls_[i], std::move(names[i]), times_));
    while (!stop.stop_requested()) {
      HandOver(take);
      if (std::all_of(peers_.begin(), peers_.end(), [](const auto& p) { return p->taken; }))
        return true;
      StartTogether();
      Poll();
      TellBytes();
    }
    return false;
  }

 private:
  void HandOver(const std::function<void(size_t, CallAnswer)>& take) {
    for (size_t i = 0; i < peers_.size(); ++i) {
      if (peers_[i]->done() && !peers_[i]->taken) take(i, peers_[i]->Take());
    }
  }

  void StartTogether() {
    if (started_) return;
    const bool all = std::all_of(peers_.begin(), peers_.end(),
                                 [](const auto& p) { return p->done() || p->waits_for_start(); });
    if (!all) return;
    if (!begin_) begin_ = Clock::now() + times_.delay;
    if (Clock::now() < *begin_) return teller_.Tell("Waiting for the start");
    started_ = true;
    *sent_ = Clock::now();
    teller_.Tell(kStageRecording);
    for (const auto& peer : peers_) {
      if (!peer->done()) peer->Start();
    }
  }

  int PollTime() const {
    if (started_ || !begin_) return kPollMs;
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(*begin_ - Clock::now()).count();
    return static_cast<int>(std::clamp<int64_t>(left + 1, 0, kPollMs));
  }

  void Poll() {
    std::vector<pollfd> wanted;
    std::vector<Peer*> of;
    for (const auto& peer : peers_) {
      if (peer->done()) continue;
      wanted.push_back(peer->Wanted());
      of.push_back(peer.get());
    }
    const int found = ::poll(wanted.data(), wanted.size(), of.empty() ? 0 : PollTime());
    for (size_t i = 0; i < of.size(); ++i)
      of[i]->Work(found > 0 ? wanted[i].revents : short{0}, &buffer_);
  }

  void TellBytes() {
    uint64_t received = 0, expected = 0;
    for (const auto& peer : peers_) {
      received += peer->received();
      expected += peer->expected();
    }
    if (expected == 0) return;
    teller_.Tell("Receiving the recording");
    progress_.bytes_total = std::max(expected, progress_.bytes_total.load());
    progress_.bytes_done = std::max(received, progress_.bytes_done.load());
  }

  const CallTimes times_;
  Progress& progress_;
  SentTime* const sent_;
  StageTeller teller_;
  const std::span<const ServerCall> calls_;
  std::vector<std::unique_ptr<Peer>> peers_;
  std::optional<Clock::time_point> begin_;
  bool started_ = false;
  std::string buffer_ = std::string(kReadBytes, '\0');
};

}  // namespace

bool CallServers(std::span<const ServerCall> calls, const CallTimes& times,
                 const std::stop_token& stop, Progress& progress, SentTime* sent,
                 const std::function<void(size_t index, CallAnswer answer)>& take) {
  return Round(calls, times, progress, sent).Run(stop, take);
}

}  // namespace stepscope::capture
