#include "app/system/interrupt.h"

#include <poll.h>
#include <pthread.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>

#include "app/system/output.h"

namespace stepscope {
namespace {

sigset_t InterruptSet() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  return set;
}

// Jobs in the background of a script ignore Ctrl+C, which is not theirs.
bool IsIgnored() {
  struct sigaction now {};
  return ::sigaction(SIGINT, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

}  // namespace

Interrupt::Interrupt() {
  if (IsIgnored()) return;
  const sigset_t set = InterruptSet();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  signals_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  waiting_ = std::jthread([this](const std::stop_token& ended) {
    constexpr int kLook = 50;  // milliseconds between looks at `ended`
    pollfd ready = {signals_, POLLIN, 0};
    while (!ended.stop_requested() && !source_.stop_requested()) {
      signalfd_siginfo which;
      if (poll(&ready, 1, kLook) == 1 && read(signals_, &which, sizeof(which)) == sizeof(which))
        source_.request_stop();
    }
    const sigset_t interrupt = InterruptSet();
    pthread_sigmask(SIG_UNBLOCK, &interrupt, nullptr);  // the next one ends the program
    while (!ended.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(kLook));
  });
}

Interrupt::~Interrupt() {
  if (!waiting_.joinable()) return;
  waiting_.request_stop();
  waiting_.join();
  if (signals_ >= 0) close(signals_);
  const sigset_t set = InterruptSet();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

void Interrupt::End() {
  std::signal(SIGINT, SIG_DFL);
  std::raise(SIGINT);
  std::_Exit(kExitInterrupted);  // where the signal is ignored
}

}  // namespace stepscope
