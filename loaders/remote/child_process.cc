#include "loaders/remote/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

extern char** environ;

namespace stepscope::remote {
namespace {

constexpr size_t kMaxErrors = size_t{1} << 16;
constexpr int kSendWaitMs = 50;  // how long a stop may go unseen
constexpr int kEndWaitMs = 500;  // for a process that is told to end

void Close(int* fd) {
  if (*fd >= 0) ::close(*fd);
  *fd = -1;
}

int StatusOf(int wait_status) {
  return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 256 + WTERMSIG(wait_status);
}

}  // namespace

Result<std::unique_ptr<ChildProcess>> ChildProcess::Start(std::vector<std::string> arguments,
                                                          std::vector<std::string> variables) {
  std::unique_ptr<ChildProcess> process(new ChildProcess);
  int in[2], out[2], err[2];
  // A socket, because writing to one whose other end has gone raises no signal.
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in) != 0)
    return Status(ErrorCode::kIo, arguments[0] + ": no more files can be opened");
  process->in_ = in[0];
  if (::pipe2(out, O_CLOEXEC) != 0) {
    ::close(in[1]);
    return Status(ErrorCode::kIo, arguments[0] + ": no more files can be opened");
  }
  process->out_ = out[0];
  if (::pipe2(err, O_CLOEXEC) != 0) {
    ::close(in[1]);
    ::close(out[1]);
    return Status(ErrorCode::kIo, arguments[0] + ": no more files can be opened");
  }
  process->err_ = err[0];
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, in[1], STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, err[1], STDERR_FILENO);
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (std::string& a : arguments) argv.push_back(a.data());
  argv.push_back(nullptr);
  std::vector<char*> envp;
  for (char** variable = environ; *variable != nullptr; ++variable) envp.push_back(*variable);
  for (std::string& variable : variables) envp.push_back(variable.data());
  envp.push_back(nullptr);
  const int error =
      ::posix_spawnp(&process->pid_, argv[0], &actions, nullptr, argv.data(), envp.data());
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(in[1]);
  ::close(out[1]);
  ::close(err[1]);
  if (error != 0) {
    process->pid_ = -1;
    return Status(ErrorCode::kIo,
                  arguments[0] + ": cannot be started (" + std::strerror(error) + ")");
  }
  return process;
}

ChildProcess::~ChildProcess() {
  Close(&in_);
  Close(&out_);
  Close(&err_);
  if (pid_ < 0) return;
  ::kill(pid_, SIGTERM);
  for (int waited = 0; waited < kEndWaitMs; waited += 10) {
    if (::waitpid(pid_, nullptr, WNOHANG) != 0) return;
    ::poll(nullptr, 0, 10);
  }
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

bool ChildProcess::Send(std::string_view bytes, const std::stop_token& stop) {
  while (!bytes.empty()) {
    const ssize_t n = ::send(in_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      if (stop.stop_requested()) return false;
      pollfd room{in_, POLLOUT, 0};
      ::poll(&room, 1, kSendWaitMs);
      continue;
    }
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

void ChildProcess::CloseInput() { Close(&in_); }

void ChildProcess::ReadErrors() {
  char buffer[4096];
  const ssize_t n = ::read(err_, buffer, sizeof buffer);
  if (n < 0 && errno == EINTR) return;
  if (n <= 0) return Close(&err_);
  if (errors_.size() < kMaxErrors) errors_.append(buffer, static_cast<size_t>(n));
}

ChildProcess::Got ChildProcess::Receive(std::string* out, int wait_ms) {
  pollfd waiting[2] = {{out_, POLLIN, 0}, {err_, POLLIN, 0}};
  if (::poll(waiting, 2, wait_ms) <= 0) return Got::kNothing;
  if (waiting[1].revents != 0) ReadErrors();
  if (waiting[0].revents == 0) return Got::kNothing;
  const size_t before = out->size();
  out->resize(before + (size_t{1} << 16));
  const ssize_t n = ::read(out_, out->data() + before, out->size() - before);
  out->resize(before + static_cast<size_t>(std::max<ssize_t>(n, 0)));
  if (n < 0 && errno == EINTR) return Got::kNothing;
  return n > 0 ? Got::kBytes : Got::kEnd;
}

int ChildProcess::Finish() {
  CloseInput();
  for (int waited = 0; err_ >= 0 && waited < kEndWaitMs;) {
    pollfd waiting{err_, POLLIN, 0};
    if (::poll(&waiting, 1, 10) > 0) {
      ReadErrors();
    } else {
      waited += 10;
    }
  }
  int status = 0;
  if (::waitpid(pid_, &status, 0) != pid_) status = 0;
  pid_ = -1;
  return StatusOf(status);
}

std::string_view LastLine(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  text.remove_prefix(std::min(text.rfind('\n') + 1, text.size()));
  return text;
}

}  // namespace stepscope::remote
