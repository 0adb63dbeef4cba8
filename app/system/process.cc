#include "app/system/process.h"

#include <poll.h>
#include <pthread.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <sstream>
#include <string>

#include "app/system/output.h"

#ifdef __GLIBC__
#include <malloc.h>
#include <pthread.h>
#endif

namespace stepscope {

void LimitThreadStacks() {
#ifdef __GLIBC__
  constexpr size_t kMost = size_t{2} << 20;
  pthread_attr_t attributes;
  if (pthread_getattr_default_np(&attributes) != 0) return;
  size_t size = 0;
  if (pthread_attr_getstacksize(&attributes, &size) == 0 && size > kMost &&
      pthread_attr_setstacksize(&attributes, kMost) == 0)
    pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
#endif
}

void LimitMallocArenas() {
#ifdef __GLIBC__
  if (std::getenv("MALLOC_ARENA_MAX") == nullptr)
    mallopt(M_ARENA_MAX, 2);  // the user's own setting counts
#endif
}

void ReturnFreeMemory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

namespace {

double ClockMs(clockid_t clock) {
  timespec t{};
  ::clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) / 1e6;
}

}  // namespace

double MsSinceProcessStart() {
  std::ifstream file("/proc/self/stat");
  std::string text;
  std::getline(file, text);
  // The program's name is in parentheses and may contain anything. The time of the start is the
  // 20th field after it (proc(5), starttime).
  const size_t after_name = text.rfind(')');
  if (after_name == std::string::npos) return 0;
  std::istringstream fields(text.substr(after_name + 1));
  std::string field;
  for (int i = 0; i < 20 && fields >> field; ++i) {
  }
  const double ticks = std::strtod(field.c_str(), nullptr);
  const auto per_second = static_cast<double>(::sysconf(_SC_CLK_TCK));
  return ClockMs(CLOCK_BOOTTIME) - ticks / per_second * 1e3;
}

uint64_t PeakResidentBytes() {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("VmHWM:", 0) == 0) return std::strtoull(line.c_str() + 6, nullptr, 10) * 1024;
  }
  return 0;
}

double CpuMs() { return ClockMs(CLOCK_PROCESS_CPUTIME_ID); }

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
